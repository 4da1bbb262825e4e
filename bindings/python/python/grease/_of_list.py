"""What a whole list rests on."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from typing import Any, Optional

from . import _native
from ._explanation import Edge
from ._notebook import Picture, block, picture


@dataclass(frozen=True)
class ListItem:
    """An item of a list."""

    item: str
    """The item's id."""
    title: Optional[str]
    """Its title, where it is known."""
    moved: bool
    """Whether it is on one of the two lists only."""

    @property
    def name(self) -> str:
        """What to call it: the title, or else the id."""
        return self.title or self.item


class ListExplanation:
    """The fewest interactions found without which a share of somebody's list would be another, and the list then.

    From ``Explainer.explain_whole_list``. A notebook shows the sentence and the picture.
    """

    def __init__(self, line: str, words: tuple[str, str, str, str]) -> None:
        """Made of a ``line`` of JSON and the ``words`` to speak with: person, did, item, items."""
        self._line = line
        self._words = words
        self._fields: dict[str, Any] = json.loads(line)

    @property
    def verified(self) -> bool:
        """Whether something was found; what was is checked on the recommender."""
        return bool(self._fields["status"] == "verified")

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The interactions left out."""
        return tuple(Edge(**edge) for edge in self._fields["edges"])

    @property
    def before(self) -> tuple[ListItem, ...]:
        """The list as it is, best first."""
        return tuple(ListItem(**item) for item in self._fields["before"])

    @property
    def after(self) -> tuple[ListItem, ...]:
        """The list without them, best first; empty where nothing was found."""
        return tuple(ListItem(**item) for item in self._fields["after"])

    @property
    def changed(self) -> Optional[float]:
        """Share of the list afterwards that is new (PN-S)."""
        share: Optional[float] = self._fields["changed"]
        return share

    @property
    def changed_by_rank(self) -> Optional[float]:
        """The same, the first places counting most (PN-R)."""
        share: Optional[float] = self._fields["changed_by_rank"]
        return share

    @property
    def minimal(self) -> Optional[bool]:
        """Whether no single interaction can be spared."""
        minimal: Optional[bool] = self._fields["minimal"]
        return minimal

    @property
    def sentence(self) -> str:
        """In plain words."""
        return str(self._fields["sentence"])

    def to_json(self) -> str:
        """One line, byte for byte what the command line writes."""
        return self._line

    def to_dict(self) -> dict[str, Any]:
        """The JSON as a dictionary."""
        return dict(self._fields)

    def to_svg(self) -> Picture:
        """A picture: SVG, as text."""
        return Picture(_native.list_picture(self._line, self._words))

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"ListExplanation({self._fields['user']!r}, k={self._fields['k']}, {len(self._fields['edges'])} edges)"

    def _repr_html_(self) -> str:
        return block(f"<p>{html.escape(self.sentence)}</p>", picture(self.to_svg()))
