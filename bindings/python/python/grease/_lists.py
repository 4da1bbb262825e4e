"""Lists of recommended items: one person's, and many people's as a table."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Any, Callable, Optional

from . import _native
from ._incoming import PEOPLE
from ._needs import needs
from ._notebook import SHOWN, block, more, table
from ._rows import batch_of, schema_of


@dataclass(frozen=True)
class Recommendation:
    """A place on a list."""

    rank: int
    """The place: 1 is the best."""
    item: str
    """The item's id."""
    title: Optional[str]
    """Its title, where it is known."""
    score: float
    """What the recommender scores it."""


class Recommendations(list[Recommendation]):
    """A person's list, best first: an ordinary list, which a notebook shows as a table."""

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` with the columns rank, item, title and score."""
        columns = list(Recommendation.__dataclass_fields__)
        return needs("pandas", "'grease-rec[tables]'").DataFrame([asdict(place) for place in self], columns=columns)

    def _repr_html_(self) -> str:
        rows = [(place.rank, place.title or place.item, place.item, place.score) for place in self[: 2 * SHOWN]]
        left = len(self) - len(rows)
        return block(table(["place", "title", "item", "score"], rows), more(left, "places", "to_pandas() has all"))


class Lists:
    """What ``Explainer.recommend_many`` found: rows of user, rank, item, item_title, score and error.

    Who has no list, such as somebody the recommender does not know, has one row with ``user`` and ``error``. Whatever speaks Arrow
    reads it as it is: ``polars.DataFrame(lists)``.
    """

    def __init__(self, table: Any) -> None:
        """Made of a ``pyarrow.Table``, the ``table`` it then holds."""
        self._table = table

    @classmethod
    def _of(cls, explainer: _native.Explainer, people: list[str], question: str, tell: Optional[Callable[[int, int], None]]) -> "Lists":
        pyarrow = needs("pyarrow", "'grease-rec[tables]'")
        schema = schema_of("recommend")
        users = pyarrow.array(people, pyarrow.string())
        pieces = []
        for piece in explainer.recommend_rows(users, question, os.cpu_count() or 1, PEOPLE):
            pieces.append(batch_of(piece, schema))
            if tell is not None:
                tell(min(PEOPLE * len(pieces), len(people)), len(people))
        return cls(pyarrow.Table.from_batches(pieces, schema))

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __repr__(self) -> str:
        return f"Lists({len(self)} rows)"

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Whoever speaks Arrow can read them as they are."""
        return self._table.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table``."""
        return self._table

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame``."""
        return self._table.to_pandas()

    def _repr_html_(self) -> str:
        columns = [name for name in self._table.column_names if name != "error"]
        rows = []
        for row in self._table.slice(0, SHOWN).to_pylist():
            refused = row["error"]
            rows.append([row["user"], None, refused, None, None] if refused else [row[name] for name in columns])
        return block(table(columns, rows), more(len(self) - len(rows), "rows", "to_pandas() has all"))
