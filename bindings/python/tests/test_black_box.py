"""Any Python object is a recommender."""

import numpy as np
import pytest

import grease
from carts import AbleCarts, Carts, rank


def test_verified_answers_hold_when_the_object_itself_is_asked(data):
    carts = Carts(data)
    explainer = grease.Explainer(carts, data)
    verified = 0
    for user in data.user_ids[:15]:
        history = carts.carts[user]
        for one in explainer.explain_list(user, k=4):
            assert one.profile == "kept", "it cannot set a profile aside, and was not asked to"
            if not one.verified:
                continue
            verified += 1
            named = {edge.item for edge in one.edges}
            removed = named if one.goal == "counterfactual" else history - named
            asked = rank(carts.scores(user, removed, ()), carts.items, history, one.item)
            assert asked == one.rank_after, one
            assert (asked > 4) == (one.goal == "counterfactual")
            for spared in named if one.minimal else ():
                less = removed - {spared} if one.goal == "counterfactual" else removed | {spared}
                ties = "won" if one.goal == "counterfactual" else "lost"
                again = rank(carts.scores(user, less, ()), carts.items, history, one.item, ties)
                assert (again > 4) != (one.goal == "counterfactual"), "all of them are needed"
    assert verified >= 40
    assert explainer.questions.questions >= explainer.questions.requests > 0
    assert all(verdict.verdict != "no_longer_holds" for verdict in explainer.verify(explainer.explain_list("mira", k=4)))


def test_what_it_is_asked_is_in_ids_as_they_were_given():
    seen = []

    class Curious(Carts):
        def scores(self, user, removed, added):
            seen.append((user, removed, added))
            return super().scores(user, removed, added)

    rng = np.random.default_rng(1)
    numbers = grease.Interactions.from_arrays(rng.integers(100, 120, 90), rng.integers(1000, 1015, 90))
    user = numbers.user_ids[0]
    grease.Explainer(Curious(numbers), numbers).explain_list(user, k=3)
    assert {type(who) for who, _, _ in seen} == {int} and {who for who, _, _ in seen} == {user}
    removed = {item for _, removed, _ in seen for item in removed}
    assert removed and removed <= set(numbers.item_ids)


def test_more_abilities_are_used(data):
    able = grease.Explainer(AbleCarts(data), data)
    assert {one.profile for one in able.explain_list("mira", k=3, goal="factual")} == {"neutral"}
    wide = able.explain_list("mira", k=3, goal="counterfactual", scope="target", show_user_ids=True)
    checked = [verdict.holds for verdict, one in zip(able.verify(wide), wide) if one.verified]
    assert checked and all(checked)
    new = able.explain(history=data.item_ids[:4], k=3)
    assert len(new) == 6 and all(one.user == "newcomer" for one in new)
    other = grease.Explainer(Carts(data), data)
    assert wide[0].model != other.explain_list("mira", k=3)[0].model, "name and version tell recommenders apart"


def test_what_it_does_not_declare_is_refused(data):
    explainer = grease.Explainer(Carts(data), data)
    for said, ask in [
        ("cannot set aside", lambda: explainer.explain_list("mira", profile="neutral")),
        ("never seen", lambda: explainer.explain(history=data.item_ids[:2])),
        ("not those of others", lambda: explainer.explain_list("mira", goal="counterfactual", scope="hops")),
    ]:
        with pytest.raises(grease.UsageError, match=said):
            ask()


def test_exceptions_of_the_recommender_are_the_cause(data):
    class Failing(Carts):
        def scores(self, user, removed, added):
            if removed:
                raise LookupError("the feature store is away")
            return super().scores(user, removed, added)

    with pytest.raises(grease.RecommenderError, match="the feature store is away") as caught:
        grease.Explainer(Failing(data), data).explain_list("mira")
    assert isinstance(caught.value.__cause__, LookupError)
    with pytest.raises(grease.RecommenderError):
        grease.Explainer(Failing(data), data).explain_many(["mira", "theo"], progress=False)


@pytest.mark.parametrize(
    "answer, said",
    [
        (lambda n: np.full(n, np.nan), "not a finite number"),
        (lambda n: np.full(n, np.inf), "not a finite number"),
        (lambda n: np.zeros(n - 1), "shape"),
        (lambda n: np.zeros((1, n)), "shape"),
        (lambda n: "scores", "could not convert|shape"),
        (lambda n: None, "shape"),
    ],
)
def test_answers_that_are_none_are_refused(data, answer, said):
    class Wrong:
        def scores(self, user, removed, added):
            return answer(data.shape[1])

    with pytest.raises(grease.RecommenderError, match=said):
        grease.Explainer(Wrong(), data).explain_list("mira")


def test_objects_that_are_no_recommenders_are_refused(data):
    with pytest.raises(TypeError, match="is no recommender"):
        grease.Explainer(object(), data)
    with pytest.raises(grease.UsageError, match="needs the interactions"):
        grease.Explainer(Carts(data))
    boastful = Carts(data)
    boastful.abilities = {"telepathy"}
    with pytest.raises(TypeError, match="unknown abilities"):
        grease.Explainer(boastful, data)


def test_exported_embeddings_give_guesses_that_say_so(data):
    rng = np.random.default_rng(4)
    users, items = data.shape
    for score in ("dot", "cosine"):
        frozen = grease.FrozenEmbeddings(rng.normal(size=(users, 8)), rng.normal(size=(items, 8)), score=score)
        why = grease.Explainer(frozen, data).explain_list("mira", k=5)
        assert {one.status for one in why} <= {"unverified", "not_found"} and any(one.status == "unverified" for one in why)
        assert all(verdict.verdict == "without_claim" for verdict in grease.Explainer(frozen, data).verify(why))
    with pytest.raises(grease.ModelError, match="embeddings of 3 users, but 80 users"):
        grease.Explainer(grease.FrozenEmbeddings(np.ones((3, 2)), np.ones((items, 2))), data)
    with pytest.raises(grease.ModelError, match="no direction"):
        grease.FrozenEmbeddings(np.zeros((users, 2)), np.ones((items, 2)), score="cosine")


def test_it_can_be_evaluated_like_any_other(data, tmp_path):
    few = dict(people=2, repeats=1, k=3, methods=["grease", "leave-one-out"], tables=["own"], stability_people=0)
    evaluation = grease.Explainer(Carts(data), data, name="carts").evaluate(tmp_path, progress=False, **few)
    assert evaluation.results["models"][0]["model"]["kind"] == "python"
