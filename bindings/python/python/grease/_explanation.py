"""Explanations as Python sees them."""

from __future__ import annotations

import html
import itertools
import json
import os
from dataclasses import dataclass, field
from typing import Any, Iterable, Iterator, Optional, Sequence, overload

from . import _native
from ._rows import schema_of


@dataclass(frozen=True)
class Edge:
    """An interaction an explanation names."""

    change: str
    """"removed", "kept" or "added"."""
    user: str
    item: str
    title: Optional[str] = None

    @property
    def name(self) -> str:
        """What to call the item."""
        return self.title or self.item


@dataclass(frozen=True)
class Alone:
    """Where an item stands for somebody known by a few interactions alone."""

    rank: int
    margin: Optional[float]
    """None where fewer than k others compete."""


@dataclass(frozen=True)
class Retrained:
    """How often such an explanation holds for a model trained again, with its interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Instead:
    """The answer to the nearest weaker question, checked as any other."""

    question: str
    """"history_alone" (without what was learned about the person), "many" (with more interactions than may be named) or "parts" (what is
    needed as removed and what is enough as kept, where nothing is both)."""
    profile: str
    edges: tuple[Edge, ...]
    rank_after: int
    margin_after: Optional[float]
    minimal: Optional[bool]

    def named(self, change: str) -> tuple[Edge, ...]:
        """Those with this change: "removed" is what is needed, "kept" what is enough."""
        return tuple(edge for edge in self.edges if edge.change == change)


@dataclass(frozen=True)
class Explanation:
    """Why an item is on somebody's list, or is not. The fields are those of the JSON; docs/explanation.md explains each."""

    user: str
    item: str
    item_title: Optional[str]
    k: int
    goal: str
    scope: str
    profile: str
    method: str
    status: str
    reason: Optional[str]
    edges: tuple[Edge, ...]
    evicted: Optional[str]
    rank_before: int
    margin_before: Optional[float]
    rank_start: Optional[int]
    rank_after: Optional[int]
    margin_after: Optional[float]
    replaced_by: Optional[str]
    replaced_by_title: Optional[str]
    minimal: Optional[bool]
    profile_share: Optional[float]
    queries: float
    seed: int
    model: str
    data: str
    sentence: str
    history: Optional[tuple[str, ...]] = None
    surrogate: Optional[dict[str, Any]] = None
    neighbourhood: Optional[dict[str, Any]] = None
    minimum: Optional[str] = None
    proof_queries: Optional[int] = None
    firm: Optional[int] = None
    """How many places beyond the edge of the list it had to reach; None where just past it was enough."""
    alone: Optional[Alone] = None
    """Goal "joint": where the item stands for the person known by the named interactions alone."""
    holds_when_retrained: Optional[Retrained] = None
    instead: Optional[Instead] = None
    """Where nothing was found: the answer to the nearest weaker question."""
    schema: str = "grease.explanation/2"
    _line: str = field(default="", repr=False, compare=False)
    _words: tuple[str, str, str, str] = field(default=("person", "chose", "item", "items"), repr=False, compare=False)

    @classmethod
    def from_json(cls, line: str, words: tuple[str, str, str, str] = ("person", "chose", "item", "items")) -> "Explanation":
        """From a line of JSON, as ``grease explain --format jsonl`` writes it."""
        known = {name for name in cls.__dataclass_fields__ if not name.startswith("_")}
        values = {name: value for name, value in json.loads(line).items() if name in known}
        values["edges"] = tuple(Edge(**edge) for edge in values["edges"])
        if values.get("history") is not None:
            values["history"] = tuple(values["history"])
        if values.get("alone") is not None:
            values["alone"] = Alone(**values["alone"])
        if values.get("holds_when_retrained") is not None:
            values["holds_when_retrained"] = Retrained(**values["holds_when_retrained"])
        if values.get("instead") is not None:
            told = values["instead"]
            values["instead"] = Instead(**{**told, "edges": tuple(Edge(**edge) for edge in told["edges"])})
        return cls(**values, _line=line.strip(), _words=words)

    @property
    def verified(self) -> bool:
        """Whether the recommender itself was asked, and it holds."""
        return self.status == "verified"

    @property
    def item_name(self) -> str:
        """What to call the item."""
        return self.item_title or self.item

    def to_json(self) -> str:
        """One line, byte for byte what the command line writes."""
        return self._line

    def to_dict(self) -> dict[str, Any]:
        """The JSON as a dictionary."""
        fields: dict[str, Any] = json.loads(self._line)
        return fields

    def to_svg(self) -> str:
        """A picture."""
        return _native.picture(self._line, self._words)

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return f"<div><p>{html.escape(self.sentence)}</p>{self.to_svg()}</div>"


@dataclass(frozen=True)
class Failed:
    """Somebody who could not be explained anything."""

    user: str
    error: str


class Explanations(Sequence[Explanation]):
    """Several explanations, in order; a table, a page, or text of them."""

    def __init__(
        self,
        lines: Iterable[str],
        words: tuple[str, str, str, str] = ("person", "chose", "item", "items"),
    ) -> None:
        self._lines = [line for line in (line.strip() for line in lines) if line]
        self._words = words
        self._failed = [Failed(**row) for row in map(json.loads, self._lines) if "error" in row]
        self._all = [Explanation.from_json(line, words) for line in self._lines if '"schema"' in line]

    @classmethod
    def read(cls, path: "str | os.PathLike[str]") -> "Explanations":
        """From a file of ``grease explain --format jsonl`` or of ``grease batch``."""
        with open(path, encoding="utf-8") as file:
            return cls(file)

    @overload
    def __getitem__(self, at: int) -> Explanation: ...
    @overload
    def __getitem__(self, at: slice) -> "Explanations": ...
    def __getitem__(self, at: "int | slice") -> "Explanation | Explanations":
        if isinstance(at, slice):
            return Explanations((one.to_json() for one in self._all[at]), self._words)
        return self._all[at]

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self._all)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Explanations) and self._lines == other._lines

    def __repr__(self) -> str:
        verified = sum(one.verified for one in self._all)
        failed = f", {len(self._failed)} people failed" if self._failed else ""
        return f"Explanations({len(self._all)}, {verified} verified{failed})"

    @property
    def factual(self) -> Optional[Explanation]:
        """The first factual one."""
        return next((one for one in self._all if one.goal == "factual"), None)

    @property
    def counterfactual(self) -> Optional[Explanation]:
        """The first counterfactual one."""
        return next((one for one in self._all if one.goal == "counterfactual"), None)

    @property
    def joint(self) -> Optional[Explanation]:
        """The first that is both at once."""
        return next((one for one in self._all if one.goal == "joint"), None)

    @property
    def failed(self) -> list[Failed]:
        """Those who could not be explained anything, and why."""
        return list(self._failed)

    @property
    def sentences(self) -> list[str]:
        """All sentences."""
        return [one.sentence for one in self._all]

    def to_text(self, width: int = 100) -> str:
        """As the command line prints them."""
        return _native.text([one.to_json() for one in self._all], self._words, width)

    def to_html(self, title: str = "Why") -> str:
        """A page of its own."""
        return _native.page(title, [one.to_json() for one in self._all], self._words)

    def to_jsonl(self) -> str:
        """An object a line, byte for byte what the command line writes."""
        return "".join(line + "\n" for line in self._lines)

    def to_dicts(self) -> list[dict[str, Any]]:
        """The JSON as dictionaries."""
        return [one.to_dict() for one in self._all]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Whoever speaks Arrow can read them as they are: ``polars.DataFrame(why)``."""
        return _native.table(self._lines).__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table`` with the columns of docs/batch.md."""
        import pyarrow

        return pyarrow.table(self).cast(schema_of("explain"))

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` with the columns of docs/batch.md."""
        return self.to_arrow().to_pandas()

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        """Every item with its sentences; opened, each shows its picture."""
        parts = []
        for (user, _), group in itertools.groupby(self._all, lambda one: (one.user, one.item)):
            items = list(group)
            said = "".join(
                f'<details style="margin:.2em 0 .2em 1em"><summary>{html.escape(one.sentence)}</summary>{one.to_svg()}</details>'
                for one in items
            )
            title = f"{items[0].rank_before}. {html.escape(items[0].item_name)}"
            parts.append(f'<p style="margin:.8em 0 .2em"><b>{title}</b> <small>{html.escape(user)}</small></p>{said}')
        return f"<div>{''.join(parts)}</div>"
