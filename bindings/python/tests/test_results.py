"""What an explanation can be turned into."""

import dataclasses
import json
from pathlib import Path
from xml.etree import ElementTree

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import grease
from carts import Carts


def test_fields_are_those_of_the_json(explainer):
    one = explainer.explain_list("mira", k=3)[0]
    fields = one.to_dict()
    assert json.loads(one.to_json()) == fields
    for name in fields:
        assert hasattr(one, name), name
    assert one.rank_before == fields["rank_before"] and one.sentence == fields["sentence"] == str(one)
    assert [edge.item for edge in one.edges] == [edge["item"] for edge in fields["edges"]]
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.status = "verified"
    assert grease.Explanation.from_json(one.to_json()) == one


def test_what_is_told_instead_and_retraining_are_read():
    edge = {"change": "removed", "user": "ann", "item": "tea", "title": None}
    said = {"question": "parts", "profile": "kept", "edges": [edge, {**edge, "change": "kept"}]}
    said |= {"rank_after": 12, "margin_after": None, "minimal": True}
    kept = {"share": 0.8, "low": 0.6, "high": 0.9}
    data = grease.Interactions.from_arrays(["ann", "ann", "bob", "bob", "cleo"], ["tea", "milk", "tea", "rum", "ale"])
    one = grease.Explainer(Carts(data), data).explain("ann", "rum", k=1, goal="counterfactual")[0]
    line = json.dumps({**one.to_dict(), "instead": said, "alone": {"rank": 7, "margin": None}, "holds_when_retrained": kept})
    read = grease.Explanation.from_json(line)
    assert read.instead.question == "parts" and read.instead.named("kept") == (grease.Edge("kept", "ann", "tea"),)
    assert read.alone == grease.Alone(7, None) and read.holds_when_retrained.low == 0.6
    assert read.to_json() == line


def test_pictures_and_pages(explainer):
    why = explainer.explain_list("mira", k=3)
    for one in why:
        assert ElementTree.fromstring(one.to_svg()).tag.endswith("svg")
        assert one.sentence in one._repr_html_().replace("&#x27;", "'")
    assert why.to_html("Why these").lower().startswith("<!doctype html>")
    assert why._repr_html_().count("<details ") == len(why)
    assert why[0].item_name in str(why)


def test_nothing_in_a_title_becomes_markup():
    hostile = '<script>alert("x")</script>'
    data = grease.Interactions.from_arrays(
        ["ann", "ann", "bob", "bob", "cleo", "cleo"],
        ["tea", "milk", "tea", "rum", "milk", "ale"],
        titles={item: hostile + item for item in ("tea", "milk", "rum", "ale")},
    )
    why = grease.Explainer(Carts(data), data).explain_list("ann", k=1)
    for markup in (why._repr_html_(), why[0]._repr_html_(), why.to_html(), why[0].to_svg()):
        assert "<script>alert" not in markup


def test_tables(explainer, tmp_path):
    why = explainer.explain_many(["mira", "nobody", "theo"], k=3, progress=False)
    frame, table = why.to_pandas(), why.to_arrow()
    assert isinstance(frame, pandas.DataFrame) and isinstance(table, pyarrow.Table)
    assert len(frame) == len(why) + 1 and frame["error"].notna().sum() == 1, "who failed has a row"
    documented = (Path(__file__).parents[3] / "docs" / "batch.md").read_text()
    assert all(f"`{name}`" in documented for name in table.column_names)
    pyarrow.parquet.write_table(table, tmp_path / "why.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "why.parquet").equals(table)
    there = polars.DataFrame(why)
    assert there["sentence"].drop_nulls().to_list() == why.sentences
    edges = frame["edges"].iloc[0]
    assert [edge["item"] for edge in edges] == [edge.item for edge in why[0].edges]


def test_they_are_a_sequence(explainer, tmp_path):
    why = explainer.explain_list("mira", k=3)
    assert len(why) == 6 and list(why) == [why[at] for at in range(6)] and why[-1] == list(why)[-1]
    assert isinstance(why[:2], grease.Explanations) and len(why[:2]) == 2
    assert repr(why).startswith("Explanations(6, ")
    file = tmp_path / "why.jsonl"
    file.write_text(why.to_jsonl())
    assert grease.Explanations.read(file) == why


def test_what_if_tells_what_moves(explainer):
    history = explainer.explain_list("mira", k=3)[0].edges[0].item
    imagined = explainer.what_if("mira", remove=[history], k=6)
    assert [moved.rank_before for moved in imagined.before] == [1, 2, 3, 4, 5, 6]
    assert [moved.rank_after for moved in imagined.after] == [1, 2, 3, 4, 5, 6]
    assert len(imagined.gone) == len(imagined.come)
    assert str(imagined).count("\n") == 5 and imagined.to_pandas()["rank_after"].tolist()[:6] == [1, 2, 3, 4, 5, 6]
    first = imagined.before[0]
    added = explainer.what_if("mira", add=[first.item], k=6)
    assert added.before[0].rank_after is None and first.item in [moved.item for moved in added.gone]
    assert json.loads(json.dumps(added.to_dict()))["before"][0]["item"] == first.item
    with pytest.raises(grease.UsageError, match="cannot be taken away"):
        explainer.what_if("mira", remove=[first.item])
