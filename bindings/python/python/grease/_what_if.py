"""What a list would be."""

from __future__ import annotations

import html
import json
from dataclasses import asdict, dataclass
from typing import Any, Optional


@dataclass(frozen=True)
class Moved:
    """An item, and where it stands as things are and as they would be. A rank is None for what is in the history."""

    item: str
    title: Optional[str]
    rank_before: Optional[int]
    rank_after: Optional[int]
    score_before: float
    score_after: float

    @property
    def name(self) -> str:
        """What to call it."""
        return self.title or self.item


@dataclass(frozen=True)
class WhatIf:
    """Somebody's list as it is, and as it would be."""

    before: tuple[Moved, ...]
    after: tuple[Moved, ...]

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
        """Both lists."""
        return {"before": [asdict(m) for m in self.before], "after": [asdict(m) for m in self.after]}

    def __str__(self) -> str:
        return "\n".join(f"{m.rank_after:>3}. {m.name}{_said(m, len(self.before))}" for m in self.after)

    def _repr_html_(self) -> str:
        rows = "".join(f"<li>{html.escape(m.name)}{_said(m, len(self.before))}</li>" for m in self.after)
        return f"<ol>{rows}</ol>"


def _said(moved: Moved, k: int) -> str:
    was, now = moved.rank_before, moved.rank_after
    if was is None or was > k:
        return f" (new, was {was})" if was else " (new)"
    if now is None or was == now:
        return ""
    return f" (up from {was})" if was > now else f" (down from {was})"
