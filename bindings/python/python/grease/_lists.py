"""Many people's lists as a table."""

from __future__ import annotations

import os
from typing import Any, Callable, Optional

from . import _native
from ._incoming import PEOPLE
from ._needs import needs
from ._rows import batch_of, schema_of


class Lists:
    """What ``Explainer.recommend_many`` found: rows of user, rank, item, item_title, score and error.

    Who has no list, such as somebody the recommender does not know, has one row with ``user`` and ``error``. Whatever speaks Arrow
    reads it as it is: ``polars.DataFrame(lists)``.
    """

    def __init__(self, table: Any) -> None:
        self._table = table

    @classmethod
    def _of(cls, explainer: _native.Explainer, people: list[str], question: str, tell: Optional[Callable[[int, int], None]]) -> "Lists":
        pyarrow = needs("pyarrow", "'grease[tables]'")
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
