"""What a notebook shows: everything people get back has a form of its own, escaped, and no longer than somebody reads."""

from html.parser import HTMLParser

import pytest

import grease
from carts import AbleCarts
from grease._notebook import LONGEST, SHOWN, Markup, bar, said, table

HOSTILE = '<script>alert("x")</script>&'
VOID = {"br", "hr", "img", "meta"}


class Balanced(HTMLParser):
    """Fails where tags do not close in order."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> closes something else"


def tags(markup):
    read = Balanced()
    read.feed(markup)
    assert read.open == []
    return read.seen


@pytest.fixture(scope="module")
def hostile():
    """A service whose titles are markup."""
    items = ["tea", "milk", "rum", "ale"]
    data = grease.Interactions.from_arrays(
        ["ann", "ann", "bob", "bob", "cleo", "cleo"],
        ["tea", "milk", "tea", "rum", "milk", "ale"],
        titles={item: HOSTILE + item for item in items},
    )
    return grease.Explainer(AbleCarts(data), data), data


def everything(explainer, data, folder):
    """One of all that comes back."""
    why = explainer.explain_list("ann", k=1)
    model = grease.train(data, epochs=2, dim=4, progress=False)
    return {
        "interactions": data,
        "model": model,
        "list": explainer.recommend("ann", k=2),
        "lists": explainer.recommend_many(["ann", HOSTILE], k=2, progress=False),
        "factual": why.factual,
        "counterfactual": why.counterfactual,
        "joint": explainer.explain("ann", k=1, goal="joint")[0],
        "why not": explainer.why_not("ann", "ale", k=1),
        "explanations": why,
        "many": explainer.explain_many(["ann", HOSTILE], k=1, progress=False),
        "whole list": explainer.explain_whole_list("ann", k=1),
        "what if": explainer.what_if("ann", remove=["tea"], k=1),
        "verdicts": explainer.verify(why),
        "evaluation": explainer.evaluate(folder / "report", people=2, k=1, repeats=1, methods=["grease", "random"], progress=False),
    }


def test_everything_is_shown_and_nothing_becomes_markup(hostile, tmp_path):
    for name, thing in everything(*hostile, tmp_path).items():
        shown = thing._repr_html_()
        assert "script" not in tags(shown), name
        assert len(tags(shown)) > 4, name
        assert len(shown) < 100_000, name
        # Notebooks keep this too: a line, not a wall.
        assert isinstance(thing, list) or len(repr(thing)) < 200, name


def test_a_list_is_a_list(explainer):
    listed = explainer.recommend("mira", k=30)
    assert listed == list(listed) and listed[0].rank == 1 and listed.to_pandas()["rank"].tolist() == list(range(1, 31))
    assert tags(listed._repr_html_()).count("tr") == 1 + 2 * SHOWN and "10 more places" in listed._repr_html_()
    assert "more places" not in explainer.recommend("mira", k=3)._repr_html_()
    assert listed[0].title in listed._repr_html_()


def test_long_things_are_cut_and_counted(explainer, data):
    many = explainer.explain_many(data.user_ids[:6], k=3, goal="factual", progress=False)
    assert len(many) == 18
    assert many._repr_html_().count("<details ") == SHOWN and "8 more items" in many._repr_html_()
    nobody = explainer.explain_many([f"nobody {n}" for n in range(13)], k=1, progress=False)
    assert nobody._repr_html_().count("could not be explained anything: unknown user") == SHOWN
    assert "3 more people" in nobody._repr_html_()
    lists = explainer.recommend_many(data.user_ids[:6], k=5, progress=False)
    assert tags(lists._repr_html_()).count("tr") == 1 + SHOWN and "20 more rows" in lists._repr_html_()
    assert f"{len(data) - SHOWN:,} more interactions" in data._repr_html_()
    imagined = explainer.what_if("mira", add=[explainer.recommend("mira", k=1)[0].item], k=25)
    assert "5 more places" in imagined._repr_html_()
    verdicts = explainer.verify(many)
    assert f"{sum(one.holds for one in verdicts)} of 18 still hold" in verdicts._repr_html_() and "8 more" in verdicts._repr_html_()


def test_what_if_says_what_is_gone_and_new(explainer):
    told = explainer.explain_list("mira", k=3).counterfactual
    shown = explainer.what_if("mira", remove=[edge.item for edge in told.edges], k=3)._repr_html_()
    assert f"<s>{told.item_title}</s>" in shown and "new, was" in shown


def test_who_has_no_list_is_told_why(explainer):
    shown = explainer.recommend_many(["nobody"], k=2, progress=False)._repr_html_()
    assert "unknown user" in shown and tags(shown).count("tr") == 2


def test_an_evaluation_is_a_table_and_charts(explainer, tmp_path):
    found = explainer.evaluate(tmp_path / "report", people=3, k=[3, 5], repeats=1, methods=["grease", "random"], progress=False)
    figures = found.figures()
    assert {row["method"] for row in figures} == {"grease", "random"} and {row["k"] for row in figures} == {3, 5}
    for row in figures:
        assert row["share"] is None or row["share"] == pytest.approx(row["verified"] / row["attempted"])
    shown = found._repr_html_()
    # Two tables of methods (edges as in the paper, own interactions) for each k, with a chart each.
    assert tags(shown).count("table") == 4 == tags(shown).count("svg")
    assert str(tmp_path / "report" / "report.html") in shown
    by_method = [title for title in found.charts if "by method" in title]
    assert len(by_method) == 4 and all(svg._repr_html_().startswith("<svg style=") for svg in found.charts.values())
    assert all(f"<title>{title}</title>" in svg for title, svg in found.charts.items())


def test_cells():
    assert said(None) == "–" and said(1234) == "1,234" and said(0.12345) == "0.123" and said("<") == "&lt;"
    assert said("x" * 200) == "x" * (LONGEST - 1) + "…" and said(Markup("<b>x</b>")) == "<b>x</b>"
    assert table(["n", "name"], [[1, "1"], [None, "2"]]).count("text-align:right") == 3, "a column of numbers, its head too"
    assert "40.0%" in bar(0.4) and "100.0%" in bar(7.0)
