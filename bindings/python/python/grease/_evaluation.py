"""How good explanations are."""

from __future__ import annotations

import html
import itertools
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

from ._needs import needs
from ._notebook import Cell, Picture, bar, block, more, note, picture, table

_TABLES = {"paper": "edges as in the paper", "own": "the person’s own interactions"}
_RIGOUR = {"certified": "certified", "in_order": "in its own right"}
#: Tables of methods that a notebook shows, each with its chart.
_SHOWN = 4


@dataclass(frozen=True)
class Evaluation:
    """What ``Explainer.evaluate`` found: a folder with ``report.html``, ``report.md``, ``results.json`` and ``results.parquet``.

    A notebook shows a table of the methods, and a chart of the same. ``figures`` are its rows, ``charts`` all charts of the report.
    """

    folder: Path
    """Where the report is."""
    results: dict[str, Any]
    """Every figure, as ``results.json`` has it; docs/evaluation.md explains them."""

    @classmethod
    def _from_json(cls, folder: Path, text: str) -> "Evaluation":
        return cls(folder, json.loads(text))

    @property
    def report(self) -> str:
        """The report as Markdown."""
        return (self.folder / "report.md").read_text(encoding="utf-8")

    @property
    def charts(self) -> "dict[str, Picture]":
        """The charts of the report by their titles, as SVG; a notebook shows each as a picture."""
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        drawn = re.findall(r'<svg [^>]*aria-label="([^"]*)".*?</svg>', page, re.DOTALL)
        pictures = re.findall(r"<svg .*?</svg>", page, re.DOTALL)
        return {html.unescape(title): Picture(svg) for title, svg in zip(drawn, pictures)}

    def figures(self) -> "list[dict[str, Any]]":
        """How the methods compare, a dictionary for each method, goal, k and table: ``pandas.DataFrame(evaluation.figures())``.

        ``share`` is the share of pairs with a verified explanation (PN where the goal is counterfactual, PS where it is factual), ``edges`` how
        many interactions such an explanation names on average, ``queries`` how many edits were asked about for one. ``attempted`` and
        ``verified`` count pairs. ``rigour`` is "certified" where every answer was checked and spared, "in_order" where the method is left to
        itself.
        """
        return list(self._figures())

    def _figures(self) -> "Iterator[dict[str, Any]]":
        for cell in itertools.chain.from_iterable(model["cells"] for model in self.results["models"]):
            plain = {name: cell[name] for name in ("table", "k", "goal", "method", "rigour", "attempted", "verified")}
            means = {name: None if cell[name] is None else cell[name]["mean"] for name in ("share", "edges", "queries")}
            yield {**plain, **means}

    def to_arrow(self) -> Any:
        """Every explanation, as a ``pyarrow.Table``."""
        return needs("pyarrow.parquet", "'grease-rec[tables]'").read_table(self.folder / "results.parquet")

    def to_pandas(self) -> Any:
        """Every explanation, as a ``pandas.DataFrame``."""
        return self.to_arrow().to_pandas()

    def __str__(self) -> str:
        return self.report

    def __repr__(self) -> str:
        return f"Evaluation({self.folder})"

    def _repr_html_(self) -> str:
        """The methods side by side, with a chart; the rest is in the report."""
        charts = {title: svg for title, svg in self.charts.items() if " by method" in title}
        rows = sorted(self.figures(), key=lambda row: (row["table"], row["k"]))
        groups = [(key, list(group)) for key, group in itertools.groupby(rows, key=lambda row: (row["table"], row["k"]))]
        parts: list[str] = []
        for (which, k), group in groups[:_SHOWN]:
            about = f"top-{k}, {_TABLES.get(which, which)}"
            parts.append(f"<p><b>{html.escape(about)}</b></p>{_compared(group)}")
            parts += [picture(svg) for title, svg in charts.items() if title.endswith(about)]
        left = len(groups) - _SHOWN
        where = f"the whole report is {self.folder / 'report.html'}"
        return block(*parts, more(left, "tables", where) if left > 0 else note(where))


def _compared(group: "list[dict[str, Any]]") -> str:
    """A row for each method: what is needed on the left, what is enough on the right."""
    goals = [goal for goal in ("counterfactual", "factual", "joint") if any(row["goal"] == goal for row in group)]
    columns = ["method", "", *itertools.chain.from_iterable((f"{goal}: verified", "edges", "queries") for goal in goals)]
    by_goal = {(row["method"], row["rigour"], row["goal"]): row for row in group}
    rows: "list[list[Cell]]" = []
    for method, rigour in dict.fromkeys((row["method"], row["rigour"]) for row in group):
        cells: "list[Cell]" = [method, _RIGOUR.get(rigour, rigour)]
        for goal in goals:
            found = by_goal.get((method, rigour, goal))
            cells += [None] * 3 if found is None else _measured(found)
        rows.append(cells)
    return table(columns, rows)


def _measured(row: "dict[str, Any]") -> "list[Cell]":
    share = row["share"]
    return [None if share is None else bar(share), row["edges"], row["queries"]]
