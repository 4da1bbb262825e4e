"""Methods of somebody's own: they run, are certified and counted as all others, and what they raise is theirs."""

import json
import os
import pickle
import signal
import threading
import time
import traceback

import numpy as np
import pyarrow
import pytest

import grease
from carts import AbleCarts, Carts, rank
from grease.distributed import explain_batches
from own_methods import Backwards, Strongest
from service import TRAINING


class Own:
    """Proposes whatever a test wants."""

    def __init__(self, propose, name="own"):
        self.propose, self.name = propose, name


def same(found, other):
    """Whether explanations differ in their method alone."""
    plain = [{**one.to_dict(), "method": None} for one in found]
    return plain == [{**one.to_dict(), "method": None} for one in other]


def test_the_same_order_gets_the_same_certificates_for_the_same_questions(model, data):
    for make in (lambda method: grease.Explainer(model, method=method), lambda method: grease.Explainer(Carts(data), data, method=method)):
        own, built_in = make(Strongest()), make("leave-one-out")
        for user in ("mira", "theo"):
            why = own.explain_list(user, k=4)
            assert same(why, built_in.explain_list(user, k=4)) and any(one.verified for one in why)
            assert {one.method for one in why} == {"strongest"}
        assert all(verdict.verdict != "no_longer_holds" for verdict in own.verify(why))
    many = own.explain_many(["mira", "theo", "nobody"], k=4, progress=False)
    assert same(many, built_in.explain_many(["mira", "theo", "nobody"], k=4, progress=False)) and len(many.failed) == 1


def test_what_is_certified_is_so_by_plain_counting(data):
    carts = Carts(data)
    explainer = grease.Explainer(carts, data, method=Backwards())
    verified = 0
    for user in data.user_ids[:12]:
        history = carts.carts[user]
        for one in explainer.explain_list(user, k=4):
            if one.verified:
                named = {edge.item for edge in one.edges}
                removed = named if one.goal == "counterfactual" else history - named
                asked = rank(carts.scores(user, removed, ()), carts.items, history, one.item)
                assert asked == one.rank_after and (asked > 4) == (one.goal == "counterfactual")
                verified += 1
    assert verified >= 20


def test_it_is_told_what_it_needs_to_know(data, model):
    seen = []

    def propose(person, item, k, goal, ask):
        seen.append((person, item, k, goal, ask.scope, ask.change, ask.seed))
        assert ask.edges == [edge for edge in ask.history if edge != ask.history[0]], "what may not be cited is left out"
        assert ask.max_edges == 3 and ask.left == 40
        (one, two) = ask([ask.edges[:1], ask.edges[:2]])
        # What was asked for one item of the list is free for the next.
        assert ask.left == (38 if [goal for _, _, _, goal, *_ in seen].count(goal) == 1 else 40)
        left = ask.left
        assert ask([ask.edges[:1]]) == [one] and ask.left == left
        assert isinstance(one, grease.Standing) and one.holds <= (one.gain > 0) and two.score != one.score
        return ask.edges

    carts = Carts(data)
    explainer = grease.Explainer(carts, data, method=Own(propose))
    first = data.item_ids[int(data.rows()[1][data.rows()[0] == data.user_ids.index("mira")].min())]
    why = explainer.explain_list("mira", k=3, max_edges=3, queries=40, never_cite=[first], instead=False)
    assert {person for person, *_ in seen} == {"mira"} and {seen[0][1]} <= {one.item for one in why}
    assert {(goal, change) for _, _, _, goal, _, change, _ in seen} == {("factual", "kept"), ("counterfactual", "removed")}
    before, seen[:] = list(seen), []
    explainer.explain_list("mira", k=3, max_edges=3, queries=40, never_cite=[first], instead=False)
    assert seen == before, "the same seed, the same call"


def test_ids_are_as_they_were_given(data):
    rng = np.random.default_rng(1)
    numbers = grease.Interactions.from_arrays(rng.integers(100, 120, 90), rng.integers(1000, 1015, 90))
    people = set()

    def propose(person, item, k, goal, ask):
        people.add(person)
        assert isinstance(item, int) and all(isinstance(edge, int) for edge in ask.edges)
        return ask.edges

    why = grease.Explainer(Carts(numbers), numbers, method=Own(propose)).explain_list(numbers.user_ids[0], k=3)
    assert people == {numbers.user_ids[0]} and any(one.verified for one in why)


def test_other_scopes_and_newcomers(data):
    def propose(person, item, k, goal, ask):
        if ask.scope == "own":
            assert person is None and goal in ("factual", "counterfactual")
            return ask.edges
        assert all(user == person or its == item for user, its in ask.edges) and (person, ask.history[0]) in ask.edges
        # The person's own may be called by their items alone.
        return [its if user == person else (user, its) for user, its in ask.edges]

    explainer = grease.Explainer(AbleCarts(data), data, method=Own(propose))
    wide = explainer.explain_list("mira", k=3, goal="counterfactual", scope="target", show_user_ids=True)
    assert any(one.verified for one in wide)
    assert all(verdict.verdict != "no_longer_holds" for verdict in explainer.verify(wide))
    assert len(explainer.explain(history=data.item_ids[:4], k=3)) == 6
    not_there = explainer.recommend("mira", k=8)[-1].item
    explainer = grease.Explainer(AbleCarts(data), data, method=Strongest())
    assert explainer.why_not("mira", not_there, k=5).goal == "why_not"


def raising(person, item, k, goal, ask):
    return [1 / 0]


@pytest.mark.parametrize("run", ["explain", "explain_many", "evaluate", "explain_batches"])
def test_what_it_raises_is_raised_as_it_is_with_where_it_was(model, run, tmp_path):
    explainer = grease.Explainer(model, method=Own(raising))
    runs = {
        "explain": lambda: explainer.explain_list("mira", k=3),
        "explain_many": lambda: explainer.explain_many(progress=False),
        "evaluate": lambda: grease.Explainer(model).evaluate(tmp_path, methods=["random", Own(raising)], **FEW),
        "explain_batches": lambda: list(explain_batches([pyarrow.record_batch({"user": ["mira"]})], explainer, k=3)),
    }
    with pytest.raises(ZeroDivisionError, match="division by zero") as caught:
        runs[run]()
    assert "raising" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]


@pytest.mark.parametrize(
    "propose, said",
    [
        (lambda person, item, k, goal, ask: ["no such item"], "method own proposed 'no such item', which may not be cited here: ask.edges has"),
        (lambda person, item, k, goal, ask: [item], "which may not be cited here"),
        (lambda person, item, k, goal, ask: [*ask.edges[:1], *ask.edges], "method own proposed '.*' twice"),
        (lambda person, item, k, goal, ask: [("theo", edge) for edge in ask.edges], r"proposed \('theo', '.*'\), which may not"),
        (lambda person, item, k, goal, ask: None, "method own proposed None, not interactions in order"),
        (lambda person, item, k, goal, ask: "tea", "proposed 'tea', not interactions in order"),
        (lambda person, item, k, goal, ask: [3.5], "proposed 3.5, which is neither an item nor a pair"),
        (lambda person, item, k, goal, ask: [ask.edges], "which is neither an item nor a pair"),
        (lambda person, item, k, goal, ask: ask([[item]]), "method own asked about '.*', which may not be cited here"),
    ],
)
def test_proposals_that_cannot_be_are_refused_by_name(explainer, model, propose, said):
    with pytest.raises(grease.MethodError, match=said):
        grease.Explainer(model, method=Own(propose)).explain_list("mira", k=3)
    with pytest.raises(TypeError, match="takes sets of interactions"):
        grease.Explainer(model, method=Own(lambda person, item, k, goal, ask: ask(["tea"]))).explain_list("mira", k=3)


def test_an_order_of_nothing_is_no_answer_with_a_reason(model):
    why = grease.Explainer(model, method=Own(lambda *about: ())).explain_list("mira", k=3)
    assert not any(one.verified for one in why)
    assert any(one.reason == "proposal_falls_short: the method proposed nothing; try method grease" for one in why)


def test_questions_run_out(data):
    def greedy(person, item, k, goal, ask):
        said.append(ask.left)
        with pytest.raises(grease.OutOfBudgetError, match=f"{ask.left} are left"):
            ask([one, other] for one in ask.edges for other in ask.edges)
        assert ask.left == said[-1], "nothing was asked"
        return ask.edges

    said = []
    carts = grease.Explainer(Carts(data), data, method=Own(greedy))
    assert any(one.verified for one in carts.explain_list("mira", k=3, queries=5, goal="counterfactual")) and said
    wants_all = lambda person, item, k, goal, ask: ask([[edge] for edge in ask.edges]) and ask.edges
    why = grease.Explainer(Carts(data), data, method=Own(wants_all)).explain_list("mira", k=3, queries=5, goal="counterfactual")
    assert any(one.reason.startswith("out_of_budget") for one in why if one.reason)


def test_a_recommender_that_fails_is_the_recommenders_failure(data):
    class Failing(Carts):
        def scores(self, user, removed, added):
            if removed:
                raise LookupError("the feature store is away")
            return super().scores(user, removed, added)

    def calm(person, item, k, goal, ask):
        try:
            ask([[edge] for edge in ask.edges])
        except grease.RecommenderError as error:
            assert "feature store" in str(error)
        return ask.edges

    for method in (calm, lambda person, item, k, goal, ask: ask([ask.edges[:1]])):
        with pytest.raises(grease.RecommenderError, match="the feature store is away") as caught:
            grease.Explainer(Failing(data), data, method=Own(method)).explain_list("mira", goal="counterfactual")
        assert isinstance(caught.value.__cause__, LookupError)


def test_an_ask_that_is_kept_answers_nobody(model):
    kept = []

    def keeps(person, item, k, goal, ask):
        kept.append(ask)
        return ask.edges

    grease.Explainer(model, method=Own(keeps)).explain_list("mira", k=3)
    with pytest.raises(grease.MethodError, match="after the method had proposed"):
        kept[0]([kept[0].edges[:1]])


def test_what_is_no_method_is_refused(model):
    for wrong, said in [(object(), "is no method"), (Strongest, "is a class: give an object of it, Strongest()"), (7, "is no method")]:
        with pytest.raises(TypeError, match=said.replace("(", r"\(").replace(")", r"\)")):
            grease.Explainer(model, method=wrong)
    needy = Own(lambda *about: ())
    needy.needs = {"gradients"}
    with pytest.raises(TypeError, match="unknown needs"):
        grease.Explainer(model, method=needy)
    for name, said in [("grease", "that is a method of GREASE"), ("Leave-One-Out", "that is a method"), ("two words", "cannot be called `two words`")]:
        with pytest.raises(grease.UsageError, match=said):
            grease.Explainer(model, method=Own(lambda *about: (), name))
    with pytest.raises(grease.UsageError, match="there is no method `strongest`"):
        grease.Explainer(model, method="strongest")


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("waits", ["computes", "asks"])
def test_ctrl_c_ends_it(data, waits):
    entered = threading.Event()

    def endless(person, item, k, goal, ask):
        entered.set()
        while True:
            if waits == "asks":
                ask([ask.edges[:1]])

    def press():
        entered.wait()
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    explainer = grease.Explainer(Carts(data), data, method=Own(endless))
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        explainer.explain_list("mira", k=3)
    assert time.monotonic() - began < 20
    explainer._own.method.propose = lambda person, item, k, goal, ask: ask.edges
    assert len(explainer.explain_list("mira", k=3)) == 6, "it can be used again"


FEW = dict(people=3, repeats=1, k=3, tables=["own"], stability_people=0, progress=False)


def test_it_is_evaluated_beside_the_others(model, tmp_path):
    methods = ["grease", "leave-one-out", Strongest(), Backwards()]
    evaluation = grease.Explainer(model, name="music").evaluate(tmp_path / "once", methods=methods, **FEW)
    figures = {(row["method"], row["goal"], row["rigour"]): row for row in evaluation.figures()}
    for (method, goal, rigour), row in figures.items():
        if method == "strongest":
            assert {**row, "method": "leave-one-out"} == figures["leave-one-out", goal, rigour]
    assert ("backwards", "factual", "in_order") in figures
    assert "strongest, in its own right" in evaluation.report and "given-backwards" in (tmp_path / "once" / "report.html").read_text()
    assert set(evaluation.to_pandas()["method"]) == {"grease", "leave-one-out", "strongest", "backwards"}
    again = grease.Explainer(model, name="music", method=methods[2]).evaluate(tmp_path / "twice", methods=methods, **FEW)
    assert again.results == evaluation.results, "the explainer's own method is there already; the same seed, the same figures"


def test_an_evaluation_goes_on_where_it_was_interrupted(model, tmp_path):
    class Sick(Strongest):
        calls = 0

        def propose(self, person, item, k, goal, ask):
            self.calls += 1
            if self.calls == 9:
                raise RuntimeError("not today")
            return super().propose(person, item, k, goal, ask)

    explainer = grease.Explainer(model)
    whole = explainer.evaluate(tmp_path / "whole", methods=["random", Strongest()], **FEW)
    with pytest.raises(RuntimeError, match="not today"):
        explainer.evaluate(tmp_path / "parts", methods=["random", Sick()], **FEW)
    with pytest.raises(grease.UsageError, match="settings|differ"):
        other = Strongest()
        other.version = "2"
        explainer.evaluate(tmp_path / "parts", methods=["random", other], resume=True, **FEW)
    done = len((tmp_path / "parts" / "units.jsonl").read_text().splitlines())
    resumed = explainer.evaluate(tmp_path / "parts", methods=["random", Strongest()], resume=True, **FEW)
    assert done < 3 and resumed.results == whole.results


def test_methods_are_told_apart_by_their_names(model, tmp_path):
    with pytest.raises(grease.UsageError, match="two methods called `strongest`"):
        grease.Explainer(model).evaluate(tmp_path, methods=[Strongest(), Strongest()], **FEW)
    with pytest.raises(grease.UsageError, match="there is no method `strongest`"):
        grease.Explainer(model).evaluate(tmp_path, methods=["strongest"], **FEW)
    assert not (tmp_path / "units.jsonl").exists(), "refused before anybody is explained anything"


def test_it_is_sent_to_other_processes_as_it_is_pickled(data, tmp_path):
    folder = tmp_path / "model"
    grease.train(data, out=folder, **TRAINING)
    explainer = grease.Explainer(grease.load(folder), method=Backwards())
    there, again = pickle.loads(pickle.dumps(explainer)), pickle.loads(pickle.dumps(explainer))
    assert there is again, "opened once a process"
    assert there.explain_list("mira", k=3) == explainer.explain_list("mira", k=3)
    people = pyarrow.record_batch({"user": ["mira", "theo"]})
    rows = pyarrow.Table.from_batches(explain_batches([people], str(folder), k=3, method=Backwards()))
    assert rows.equals(explainer.explain_many(["mira", "theo"], k=3, progress=False).to_arrow())
    local = grease.Explainer(grease.load(folder), method=Own(lambda *about: ()))
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(local)


def test_records_are_read_again_and_told_from_runs_of_other_versions(explainer, model, tmp_path):
    own = grease.Explainer(model, method=Backwards())
    why = own.explain_list("mira", k=3)
    assert grease.Explanation.from_json(why[0].to_json()) == why[0]
    # Whoever has not the method can still check what it found.
    assert all(verdict.verdict != "no_longer_holds" for verdict in explainer.verify(why))
    settings = grease.distributed.run(own, k=3)
    assert (settings["method"], settings["method_version"]) == ("backwards", "1")
    assert "method_version" not in grease.distributed.run(explainer, k=3)
    json.dumps(settings)
