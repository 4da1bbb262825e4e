"""Explanations as Python sees them."""

from __future__ import annotations

import html
import itertools
import json
import os
from dataclasses import dataclass, field
from typing import Any, Iterable, Iterator, Optional, Sequence, overload

from . import _native
from ._needs import needs
from ._notebook import SHOWN, Picture, block, cut, more, note, picture
from ._rows import schema_of


@dataclass(frozen=True)
class Edge:
    """An interaction an explanation names."""

    change: str
    """What is imagined of it: "removed", "kept" or "added"."""
    user: str
    """Whose interaction it is."""
    item: str
    """The item's id."""
    title: Optional[str] = None
    """The item's title, where it is known."""

    @property
    def name(self) -> str:
        """What to call the item: the title, or else the id."""
        return self.title or self.item


@dataclass(frozen=True)
class Alone:
    """Where an item stands for somebody known by a few interactions alone."""

    rank: int
    """Its place, from 1."""
    margin: Optional[float]
    """Its score minus the k-th best of the others; None where fewer than k others compete."""


@dataclass(frozen=True)
class Retrained:
    """How often such an explanation holds for a model trained again, with its interval."""

    share: float
    """How often, 0 to 1."""
    low: float
    """Where the interval of 95 % begins."""
    high: float
    """Where it ends."""


@dataclass(frozen=True)
class Instead:
    """The answer to the nearest weaker question, checked as any other."""

    question: str
    """Which question: "history_alone" (without what was learned about the person), "many" (with more interactions than may be named) or
    "parts" (what is needed as removed and what is enough as kept, where nothing is both)."""
    profile: str
    """How what was learned about the person was read: "kept" or "neutral"."""
    edges: tuple[Edge, ...]
    """The interactions it names."""
    rank_after: int
    """The item's place then."""
    margin_after: Optional[float]
    """Its margin then."""
    minimal: Optional[bool]
    """Whether no single interaction can be spared; None where that was not found out."""

    def named(self, change: str) -> tuple[Edge, ...]:
        """The interactions with this ``change``: "removed" is what is needed, "kept" what is enough."""
        return tuple(edge for edge in self.edges if edge.change == change)


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why an item is on somebody's list, or is not. The fields are those of the JSON; docs/explanation.md explains each at length.

    A notebook shows the sentence and the picture.

    Examples:
        >>> import grease
        >>> data = grease.Interactions.sample(users=80, artists=60)
        >>> model = grease.train(data, epochs=30, dim=16, batch=256, learning_rate=0.01, loss="bpr")
        >>> told = grease.Explainer(model).explain_list("mira", k=3).counterfactual
        >>> told.verified, told.rank_before <= told.k < told.rank_after
        (True, True)
        >>> [edge.change for edge in told.edges] == ["removed"] * len(told.edges)
        True
        >>> grease.Explanation.from_json(told.to_json()) == told
        True
    """

    user: str
    """The person's id; "newcomer" for somebody the recommender has never seen."""
    item: str
    """The explained item's id."""
    item_title: Optional[str]
    """Its title, where it is known."""
    k: int
    """Length of the list."""
    goal: str
    """What was asked: "factual" (what is enough), "counterfactual" (what is needed), "joint" (what is both) or "why_not"."""
    scope: str
    """Which interactions could be named: "own" (the person's), "target" (also the item's) or "hops" (the whole neighbourhood)."""
    profile: str
    """"kept": with what the recommender has learned about the person; "neutral": without it."""
    method: str
    """Who found it."""
    status: str
    """"verified" (checked on the recommender), "refuted", "trivial" (holds with nothing named), "unverified" (cannot be asked) or "not_found"."""
    reason: Optional[str]
    """Why nothing was found: a code, a colon, and what to do about it."""
    edges: tuple[Edge, ...]
    """The interactions it names, strongest first."""
    evicted: Optional[str]
    """What was taken away before a factual search: "own" (all of the person's interactions) or "target" (also the item's)."""
    rank_before: int
    """The item's place as things are, from 1."""
    margin_before: Optional[float]
    """Its score minus the k-th best of the others, as things are; None where fewer than k others compete."""
    rank_start: Optional[int]
    """Its place where the search began; None where ties decide."""
    rank_after: Optional[int]
    """Its place with the explanation applied."""
    margin_after: Optional[float]
    """Its margin then."""
    replaced_by: Optional[str]
    """The best item that would be listed instead, by id."""
    replaced_by_title: Optional[str]
    """That item's title."""
    minimal: Optional[bool]
    """Whether no single interaction can be spared; None where that was not found out."""
    profile_share: Optional[float]
    """Share of the score that what was learned about the person carries, 0 to 1."""
    queries: float
    """Edits the recommender was asked about, with this one's share of those asked for the whole list."""
    seed: int
    """The seed: the same seed gives the same bytes."""
    model: str
    """Hash of the model."""
    data: str
    """Hash of the data."""
    sentence: str
    """All of this in plain words, for the person."""
    history: Optional[tuple[str, ...]] = None
    """What a newcomer brought, by id; None for everybody else."""
    surrogate: Optional[dict[str, Any]] = None
    """What the surrogate thinks: ``rank_before``, ``rank_after`` and ``fidelity``, where there is one."""
    neighbourhood: Optional[dict[str, Any]] = None
    """What the surrogate was fitted on: ``users``, ``items``, ``edges`` and ``left_out``."""
    minimum: Optional[str] = None
    """"proved": no smaller set does it; "searched": none was found; None where nothing was checked."""
    proof_queries: Optional[int] = None
    """Edits tried only for ``minimum``; not among ``queries``."""
    firm: Optional[int] = None
    """How many places beyond the edge of the list it had to reach; None where just past it was enough."""
    alone: Optional[Alone] = None
    """Goal "joint": where the item stands for the person known by the named interactions alone."""
    holds_when_retrained: Optional[Retrained] = None
    """How often such an explanation holds for a model trained again, where an audit found that out."""
    instead: Optional[Instead] = None
    """Where nothing was found: the answer to the nearest weaker question."""
    schema: str = "grease.explanation/2"
    """The version of these fields."""
    _line: str = field(default="", repr=False, compare=False)
    _words: tuple[str, str, str, str] = field(default=("person", "chose", "item", "items"), repr=False, compare=False)

    @classmethod
    def from_json(cls, line: str, words: tuple[str, str, str, str] = ("person", "chose", "item", "items")) -> "Explanation":
        """From a ``line`` of JSON, as ``grease explain --format jsonl`` writes it.

        ``words`` are those a picture speaks with: person, did, item, items.
        """
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
        """What to call the item: the title, or else the id."""
        return self.item_title or self.item

    def to_json(self) -> str:
        """One line, byte for byte what the command line writes."""
        return self._line

    def to_dict(self) -> dict[str, Any]:
        """The JSON as a dictionary."""
        fields: dict[str, Any] = json.loads(self._line)
        return fields

    def to_svg(self) -> Picture:
        """A picture: SVG, as text."""
        return Picture(_native.picture(self._line, self._words))

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"Explanation({self.user!r}, {self.item!r}, k={self.k}, {self.goal}, {self.status}, {len(self.edges)} edges)"

    def _repr_html_(self) -> str:
        return block(f"<p>{html.escape(self.sentence)}</p>", picture(self.to_svg()))


@dataclass(frozen=True)
class Failed:
    """Somebody who could not be explained anything."""

    user: str
    """The id they were asked about by."""
    error: str
    """Why not."""


class Explanations(Sequence[Explanation]):
    """Several explanations, in order: a sequence, which can be made a table, a page, or text.

    A notebook shows every item with its sentences, and the picture of each sentence that is opened.

    Examples:
        >>> import grease
        >>> data = grease.Interactions.sample(users=80, artists=60)
        >>> model = grease.train(data, epochs=30, dim=16, batch=256, learning_rate=0.01, loss="bpr")
        >>> why = grease.Explainer(model).explain_many(["mira", "nobody"], k=3)
        >>> len(why), why.failed[0].user
        (6, 'nobody')
        >>> {one.goal for one in why[:2]} == {"factual", "counterfactual"}
        True
    """

    def __init__(
        self,
        lines: Iterable[str],
        words: tuple[str, str, str, str] = ("person", "chose", "item", "items"),
    ) -> None:
        """Made of ``lines`` of JSON and the ``words`` to speak with: person, did, item, items."""
        self._lines = [line for line in (line.strip() for line in lines) if line]
        self._words = words
        self._failed = [Failed(**row) for row in map(json.loads, self._lines) if "error" in row]
        self._all = [Explanation.from_json(line, words) for line in self._lines if '"schema"' in line]

    @classmethod
    def read(cls, path: "str | os.PathLike[str]") -> "Explanations":
        """From the file ``path`` of ``grease explain --format jsonl`` or of ``grease batch``."""
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
        """As the command line prints them, lines at most ``width`` characters long."""
        return _native.text([one.to_json() for one in self._all], self._words, width)

    def to_html(self, title: str = "Why") -> str:
        """A page of its own, under a ``title``."""
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
        pyarrow = needs("pyarrow", "'grease-rec[tables]'")
        return pyarrow.table(self).cast(schema_of("explain"))

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` with the columns of docs/batch.md."""
        return self.to_arrow().to_pandas()

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        """Every item with its sentences; opened, each shows its picture."""
        groups = [list(group) for _, group in itertools.groupby(self._all, lambda one: (one.user, one.item))]
        left = more(len(groups) - SHOWN, "items", "to_html() is a page of all, to_pandas() a table")
        failed = [note(f"{one.user} could not be explained anything: {cut(one.error)}") for one in self._failed[:SHOWN]]
        left_failed = more(len(self._failed) - SHOWN, "people who could not be explained anything", "failed has all")
        return block(*map(_folded, groups[:SHOWN]), left, *failed, left_failed)


def _folded(about_one_item: "list[Explanation]") -> str:
    first = about_one_item[0]
    title = f"{first.rank_before}. {html.escape(cut(first.item_name))}"
    told = "".join(
        f'<details style="margin:.2em 0 .2em 1em"><summary>{html.escape(one.sentence)}</summary>{picture(one.to_svg())}</details>'
        for one in about_one_item
    )
    return f'<p style="margin:.8em 0 .2em"><b>{title}</b> <small>{html.escape(cut(first.user))}</small></p>{told}'
