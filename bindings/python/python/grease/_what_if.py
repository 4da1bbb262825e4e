"""What a list would be."""

from __future__ import annotations

import html
import json
from dataclasses import asdict, dataclass
from typing import Any, Optional

from ._needs import needs
from ._notebook import SHOWN, block, cut, more, table


@dataclass(frozen=True)
class Moved:
    """An item, and where it stands as things are and as they would be."""

    item: str
    """The item's id."""
    title: Optional[str]
    """Its title, where it is known."""
    rank_before: Optional[int]
    """Its place as things are; None for what is in the history."""
    rank_after: Optional[int]
    """Its place as it would be; None for what would be in the history."""
    score_before: float
    """Its score as things are."""
    score_after: float
    """Its score as it would be."""

    @property
    def name(self) -> str:
        """What to call it: the title, or else the id."""
        return self.title or self.item


@dataclass(frozen=True, repr=False)
class WhatIf:
    """Somebody's list as it is, and as it would be; from ``Explainer.what_if``."""

    before: tuple[Moved, ...]
    """The list as it is, best first."""
    after: tuple[Moved, ...]
    """The list as it would be, best first."""

    @classmethod
    def _from_json(cls, text: str) -> "WhatIf":
        lists = json.loads(text)
        return cls(*(tuple(Moved(**entry) for entry in lists[when]) for when in ("before", "after")))

    @property
    def gone(self) -> tuple[Moved, ...]:
        """Items that would no longer be listed."""
        left = {moved.item for moved in self.after}
        return tuple(moved for moved in self.before if moved.item not in left)

    @property
    def come(self) -> tuple[Moved, ...]:
        """Items that would be listed instead."""
        there = {moved.item for moved in self.before}
        return tuple(moved for moved in self.after if moved.item not in there)

    def to_dict(self) -> dict[str, Any]:
        """Both lists, "before" and "after", as JSON can hold them."""
        return {"before": [asdict(m) for m in self.before], "after": [asdict(m) for m in self.after]}

    def to_pandas(self) -> Any:
        """The list as it would be, and below it what would be gone, as a ``pandas.DataFrame``."""
        columns = list(Moved.__dataclass_fields__)
        rows = [asdict(moved) for moved in (*self.after, *self.gone)]
        return needs("pandas", "'grease-rec[tables]'").DataFrame(rows, columns=columns)

    def __str__(self) -> str:
        return "\n".join(f"{m.rank_after:>3}. {m.name}{_said(m, len(self.before))}" for m in self.after)

    def __repr__(self) -> str:
        return f"WhatIf({len(self.after)} places, {len(self.come)} new)"

    def _repr_html_(self) -> str:
        rows = [(m.rank_after, m.name, _said(m, len(self.before)).strip(" ()")) for m in self.after[: 2 * SHOWN]]
        left = more(len(self.after) - len(rows), "places", "to_pandas() has all")
        gone = ", ".join(f"<s>{html.escape(cut(m.name))}</s>" for m in self.gone[:SHOWN])
        also = more(len(self.gone) - SHOWN, "items gone", "gone has all")
        return block(table(["place", "item", ""], rows), left, f"<p>No longer listed: {gone}</p>" if gone else "", also)


def _said(moved: Moved, k: int) -> str:
    was, now = moved.rank_before, moved.rank_after
    if was is None or was > k:
        return f" (new, was {was})" if was else " (new)"
    if now is None or was == now:
        return ""
    return f" (up from {was})" if was > now else f" (down from {was})"
