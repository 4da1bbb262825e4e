"""Explaining models of ours: the same as everywhere."""

import json
import shutil

import pytest

import grease
from service import TRAINING


@pytest.fixture(scope="module")
def folder(command_line, tmp_path_factory):
    place = tmp_path_factory.mktemp("service")
    command_line("data", "sample", "--out", place / "data", "--users", 80, "--artists", 60)
    options = ["--epochs", 30, "--dim", 16, "--batch", 256, "--lr", 0.01, "--loss", "bpr"]
    command_line("train", "--data", place / "data", "--out", place / "model", *options)
    return place


def test_a_model_trained_here_is_the_command_lines_to_the_byte(folder, tmp_path):
    data = grease.Interactions.read(folder / "data")
    grease.train(data, out=tmp_path / "model", **TRAINING)
    for name in ("model.safetensors", "train.tsv", "test.tsv", "users.tsv", "items.tsv", "model.json"):
        assert (tmp_path / "model" / name).read_bytes() == (folder / "model" / name).read_bytes(), name


@pytest.mark.parametrize("goal, scope", [("both", "own"), ("all", "own"), ("counterfactual", "hops"), ("factual", "target")])
def test_json_is_the_command_lines_to_the_byte(folder, command_line, goal, scope):
    why = grease.Explainer(grease.load(folder / "model")).explain_list("mira", k=5, goal=goal, scope=scope, seed=3)
    model = folder / "model"
    said = command_line(
        "explain", "--model", model, "--user", "mira", "-k", 5, "--goal", goal, "--scope", scope, "--seed", 3,
        "--format", "jsonl",
    )
    assert why.to_jsonl() == said
    assert len(why) == said.count("\n") > 0


def test_one_item_both_ways(explainer):
    item = explainer.recommend("mira", k=5)[2].item
    why = explainer.explain("mira", item, k=5)
    assert [one.goal for one in why] == ["factual", "counterfactual"]
    assert why.factual is why[0] and why.counterfactual is why[1]
    assert {one.item for one in why} == {item} and {one.rank_before for one in why} == {3}


def test_both_at_once_is_enough_and_needed(explainer):
    joint = [one for user in ("mira", "theo", "diego") for one in explainer.explain_list(user, k=5, goal="joint")]
    found = [one for one in joint if one.verified]
    assert found and all(one.alone.rank <= 5 < one.rank_after for one in found)
    assert all(verdict.holds for verdict in explainer.verify(found))
    told = [one for one in joint if one.instead is not None]
    assert told and not any(one.verified or one.edges for one in told)
    assert {one.instead.question for one in told} <= {"history_alone", "many", "parts"}
    assert all(verdict.holds for verdict in explainer.verify(told))
    why = explainer.explain("mira", found[0].item if found[0].user == "mira" else joint[0].item, k=5, goal="all")
    assert [one.goal for one in why] == ["joint", "factual", "counterfactual"] and why.joint is why[0]
    silent = explainer.explain_list("mira", k=5, goal="all", instead=False)
    assert all(one.instead is None for one in silent)


def test_firm_answers_go_further(explainer):
    firmly = explainer.explain_list("mira", k=5, firm=2, max_edges=10)
    found = [one for one in firmly if one.verified]
    assert found and all(one.firm == 2 for one in firmly)
    assert all(one.rank_after >= 7 if one.goal == "counterfactual" else one.rank_after <= 4 for one in found)
    assert all(verdict.holds for verdict in explainer.verify(found))
    with pytest.raises(grease.UsageError):
        explainer.explain_list("mira", k=5, firm=0)


def test_verified_ones_hold_when_what_they_imagine_is_asked(explainer):
    checked = 0
    for user in ("mira", "theo", "diego"):
        for one in explainer.explain_list(user, k=5, goal="counterfactual"):
            if one.verified:
                after = explainer.what_if(user, remove=[edge.item for edge in one.edges], k=5)
                assert one.item in [moved.item for moved in after.gone]
                assert next(m for m in after.before if m.item == one.item).rank_after == one.rank_after
                checked += 1
    assert checked >= 3


def test_many_people_are_the_same_as_one_by_one_and_failures_are_told(explainer):
    people = ["mira", "nobody-of-this-name", "theo"]
    many = explainer.explain_many(people, k=3, progress=False)
    alone = [explainer.explain_list(user, k=3, prove=0) for user in ("mira", "theo")]
    assert [one.to_json() for one in many] == [one.to_json() for why in alone for one in why]
    assert [failed.user for failed in many.failed] == ["nobody-of-this-name"]
    assert "unknown user" in many.failed[0].error
    assert len(explainer.explain_many(k=1, goal="factual")) == 80, "everybody with a history"


def test_a_minimum_is_proved_where_that_is_asked_for(explainer):
    shown = [one for one in explainer.explain_list("mira", k=5) if one.edges]
    assert shown and all(one.minimum in ("proved", "searched") for one in shown)
    not_proved = [one for one in explainer.explain_list("mira", k=5, prove=0) if len(one.edges) > 1]
    assert all(one.proof_queries in (None, 0) for one in not_proved)
    with pytest.raises(grease.UsageError, match="invalid"):
        explainer.explain_list("mira", prove=-1)


def test_how_a_model_answered_is_counted(explainer):
    before = explainer.work
    explainer.explain_list("theo", k=5)
    after = explainer.work
    assert after.local + after.products + after.whole > before.local + before.products + before.whole


def test_somebody_new_and_why_not(explainer):
    listed = [listed.item for listed in explainer.recommend("mira", k=12)]
    why = explainer.explain(history=listed[:3], k=4)
    assert all(one.user == "newcomer" and one.history == tuple(sorted(one.history, key=one.history.index)) for one in why)
    missing = explainer.why_not("mira", listed[8], k=5)
    assert missing.goal == "why_not" and missing.rank_before == 9


def test_what_cannot_be_asked_is_refused(explainer):
    listed = [listed.item for listed in explainer.recommend("mira", k=12)]
    for error, said, ask in [
        (grease.UnknownIdError, "unknown user 'mirra'; did you mean 'mira'", lambda: explainer.explain_list("mirra")),
        (grease.UnknownIdError, "unknown item", lambda: explainer.explain("mira", "no such thing")),
        (grease.UsageError, "is not in the top 5: it has rank 9", lambda: explainer.explain("mira", listed[8], k=5)),
        (grease.UsageError, "is in the top 5 already", lambda: explainer.why_not("mira", listed[0], k=5)),
        (grease.UsageError, "room for all 60", lambda: explainer.explain_list("mira", k=61)),
        (grease.UsageError, "k is 0", lambda: explainer.explain_list("mira", k=0)),
        (grease.UsageError, "no goal 'why'", lambda: explainer.explain_list("mira", goal="why")),
        (grease.UsageError, "unknown variant `all`", lambda: explainer.explain_list("mira", scope="all")),
        (grease.UsageError, "unknown field `scop`", lambda: explainer.explain_list("mira", scop="own")),
        (grease.UsageError, "unknown field `stepz`", lambda: explainer.explain_list("mira", paper={"stepz": 3})),
        (grease.UsageError, "numbers must be finite", lambda: explainer.explain_list("mira", paper={"eta": float("nan")})),
        (grease.UsageError, "not defined for scope hops", lambda: explainer.explain_list("mira", scope="hops")),
        (grease.UsageError, "say for whom", lambda: explainer.explain_list()),
        (grease.UsageError, "no method", lambda: grease.Explainer(grease.train(grease.Interactions.sample(30, 20), epochs=0), method="magic")),
        (TypeError, "text or a whole number", lambda: explainer.explain_list(1.5)),
        (TypeError, "several ids", lambda: explainer.what_if("mira", remove="tea")),
        (grease.ModelError, "not a model folder", lambda: grease.load("/nowhere/to/be/found")),
    ]:
        with pytest.raises(error, match=said):
            ask()


def test_interactions_of_another_data_set_are_refused(model):
    with pytest.raises(grease.UsageError, match="not the interactions the model was trained on"):
        grease.Explainer(model, grease.Interactions.sample(users=30, artists=20))


def test_an_evaluation_is_a_folder_of_results(explainer, tmp_path):
    few = dict(people=2, repeats=1, k=3, methods=["grease", "random"], tables=["own"], stability_people=0, progress=False)
    evaluation = explainer.evaluate(tmp_path / "evaluation", **few)
    assert evaluation.results["settings"]["ks"] == [3]
    assert (tmp_path / "evaluation" / "report.html").exists() and "PN" in evaluation.report
    assert set(evaluation.to_pandas()["method"]) == {"grease", "random"}
    assert json.loads((tmp_path / "evaluation" / "results.json").read_text()) == evaluation.results
    with pytest.raises(grease.GreaseError, match="holds the results"):
        explainer.evaluate(tmp_path / "evaluation", **few)
    with pytest.raises(grease.UsageError, match="no setting 'peple'"):
        explainer.evaluate(peple=3)


def test_an_audit_calibrates_the_model_and_explanations_say_so(folder, tmp_path):
    shutil.copytree(folder / "model", tmp_path / "model")
    before = grease.Explainer(grease.load(tmp_path / "model"))
    assert all(why.holds_when_retrained is None for why in before.explain_list("mira", k=3))
    few = dict(people=1, repeats=1, k=3, methods=["grease"], tables=["own"], stability_people=0, progress=False)
    before.evaluate(tmp_path / "evaluation", audit_people=90, audit_seeds=3, audit_firm=[1, 2], **few)
    found = json.loads((tmp_path / "model" / "calibration.json").read_text())
    assert found["schema"] == "grease.calibration/1" and len(found["seeds"]) == 3
    after = grease.Explainer(grease.load(tmp_path / "model"))
    told = [why for user in ("mira", "diego") for why in after.explain_list(user, k=3) if why.holds_when_retrained]
    assert told and all(why.goal == "counterfactual" and "Trained again" in why.sentence for why in told)
    assert all(0 <= why.holds_when_retrained.low <= why.holds_when_retrained.share <= why.holds_when_retrained.high <= 1 for why in told)
    (tmp_path / "model" / "calibration.json").write_text("{}")
    with pytest.warns(UserWarning, match="calibration.json"):
        grease.Explainer(grease.load(tmp_path / "model"))


def test_weights_from_elsewhere_are_the_model_they_were(folder, tmp_path):
    ours = grease.load(folder / "model")
    data = ours.interactions
    again = grease.from_weights("lightgcn", folder / "model" / "model.safetensors", data, layers=3, out=tmp_path / "again")
    same = grease.Explainer(ours).explain_list("mira", k=5).to_dicts()
    assert grease.Explainer(again).explain_list("mira", k=5).to_dicts() == same
    assert grease.load(tmp_path / "again").manifest["imported"]["layout"] == "grease"
    with pytest.raises(grease.ModelError, match="layers"):
        grease.from_weights("lightgcn", folder / "model" / "model.safetensors", data)
    with pytest.raises(grease.ModelError, match="embedding"):
        grease.from_weights("lightgcn", {"weights": [[1.0]]}, data, layers=2)


def test_a_whole_list_is_the_command_lines_to_the_byte(folder, command_line):
    model = folder / "model"
    whole = grease.Explainer(grease.load(model)).explain_whole_list("diego", k=5, share=0.4)
    said = command_line("explain", "--model", model, "--user", "diego", "-k", 5, "--list", "--share", 0.4, "--format", "jsonl")
    assert whole.to_json() + "\n" == said
    assert whole.verified and whole.edges and whole.sentence in str(whole)
    assert [item.item for item in whole.before if item.moved] and len(whole.after) == 5
    assert whole.changed >= 0.4 and 0 < whole.changed_by_rank <= 1 and whole.minimal
    assert whole.to_svg().startswith("<svg") and whole.to_dict()["schema"] == "grease.list_explanation/1"
    with pytest.raises(grease.UsageError, match="more than 0 and at most 1"):
        grease.Explainer(grease.load(model)).explain_whole_list("mira", share=2)
