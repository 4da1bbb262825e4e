"""How good explanations are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Evaluation:
    """What ``Explainer.evaluate`` found: a folder with ``report.html``, ``report.md``, ``results.json`` and ``results.parquet``."""

    folder: Path
    results: dict[str, Any]
    """Every figure; docs/evaluation.md explains them."""

    @classmethod
    def _from_json(cls, folder: Path, text: str) -> "Evaluation":
        return cls(folder, json.loads(text))

    @property
    def report(self) -> str:
        """The report as Markdown."""
        return (self.folder / "report.md").read_text(encoding="utf-8")

    def to_arrow(self) -> Any:
        """Every explanation, as a ``pyarrow.Table``."""
        import pyarrow.parquet

        return pyarrow.parquet.read_table(self.folder / "results.parquet")

    def to_pandas(self) -> Any:
        """Every explanation, as a ``pandas.DataFrame``."""
        return self.to_arrow().to_pandas()

    def __str__(self) -> str:
        return self.report

    def __repr__(self) -> str:
        return f"Evaluation({self.folder})"

    def _repr_markdown_(self) -> str:
        return self.report
