"""What a recommender is, in Python."""

from __future__ import annotations

import time
from typing import Any, Optional, Protocol, Sequence, Union, runtime_checkable

import numpy as np

from ._errors import ModelError, RecommenderError
from ._ids import Id
from ._interactions import Interactions

#: What a recommender may be able to do beside scoring its own people on other histories of theirs.
ABILITIES = ("neutral", "newcomers", "others")


@runtime_checkable
class Recommender(Protocol):
    """Any object that scores all items for a user had their history been another.

    ``scores(user, removed, added)`` returns an array with a score for every item, in the order of ``interactions.item_ids``; ``removed``
    and ``added`` are lists of item ids the user's history is to be without, or to have besides. The same question must always
    get the same answer.

    What more it can do it says in ``abilities``, a set of:

    - ``"others"``: it can imagine other people's interactions too; ``removed`` and ``added`` are then (user, item) pairs;
    - ``"neutral"``: it can set aside what it has learned about the user: ``scores(..., neutral=True)``;
    - ``"newcomers"``: it can score somebody it has never seen; ``user`` is then None, and their history is what is ``added``.

    An ``embeddings()`` that returns two matrices, users x width and items x width, helps to search widely. ``name`` and ``version``
    tell it from others in stored explanations.
    """

    def scores(self, user: Optional[Id], removed: Any, added: Any) -> Any:
        """A score for every item, had the history of ``user`` been without the items ``removed`` and with those ``added``."""


@runtime_checkable
class RowRecommender(Protocol):
    """The same by row numbers, many questions at once: what the adapters of ``grease.adapters`` are.

    ``score_rows(user, edits, neutral)`` returns a matrix, edits x items. ``user`` is a row of ``interactions`` (or their number, for somebody
    new); each edit is a pair of arrays [n, 2] of (user row, item row): removed, added.
    """

    def score_rows(self, user: int, edits: Any, neutral: bool) -> Any:
        """Scores of all items for the row ``user``, a row for each of ``edits``; with ``neutral``, without what was learned about them."""


class FrozenEmbeddings:
    """Embeddings exported once: explanations are guesses, and say so (status ``unverified``).

    Args:
        users: users x width, rows as in the interactions.
        items: items x width, likewise.
        score: "dot" or "cosine".
        name: what to call them in stored explanations.
        version: what tells them from others of that name.
    """

    def __init__(self, users: Any, items: Any, *, score: str = "dot", name: str = "embeddings", version: str = "") -> None:
        users, items = np.array(users, np.float32, ndmin=2), np.array(items, np.float32, ndmin=2)
        if score not in ("dot", "cosine"):
            raise ValueError(f'score is "dot" or "cosine", not {score!r}')
        if score == "cosine":
            for what, table in (("user", users), ("item", items)):
                lengths = np.linalg.norm(table, axis=1, keepdims=True)
                if not lengths.all():
                    row = int(np.flatnonzero(lengths[:, 0] == 0)[0])
                    raise ModelError(f"the embedding of {what} row {row} is zero: it has no direction to compare")
                table /= lengths
        self._users, self._items = users, items
        self.name, self.version = name, version or score

    frozen = True
    """It cannot be asked about other histories."""

    def embeddings(self) -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """Both matrices: users x width, items x width."""
        return self._users, self._items

    def score_rows(self, user: int, edits: Any, neutral: bool) -> Any:
        """Scores of all items for the row ``user``, the same for each of ``edits``, ``neutral`` or not: none is ever asked about."""
        return np.tile(self._items @ self._users[user], (len(edits), 1))


class Bridge:
    """Stands between native code and a recommender: rows to ids, answers to arrays, and a count of both."""

    def __init__(self, recommender: "Union[Recommender, RowRecommender]", interactions: Interactions) -> None:
        if not hasattr(recommender, "score_rows") and not hasattr(recommender, "scores"):
            raise TypeError(
                f"{type(recommender).__name__} is no recommender: it needs scores(user, removed, added), or an adapter of grease.adapters"
            )
        declared = set(getattr(recommender, "abilities", ()) or ())
        if unknown := declared - set(ABILITIES):
            raise TypeError(f"unknown abilities {sorted(unknown)}; there are {', '.join(ABILITIES)}")
        self.recommender: Any = recommender
        self.abilities = tuple(ability in declared for ability in ABILITIES)
        self.frozen = bool(getattr(recommender, "frozen", False))
        self.users, self.items = interactions.shape
        self._by_rows = hasattr(recommender, "score_rows")
        self._pairs = "others" in declared
        self._user_ids: list[Optional[Id]] = []
        self._item_ids: list[Id] = []
        if not self._by_rows:
            self._user_ids = [*interactions.user_ids, None]
            self._item_ids = interactions.item_ids
        self.questions = 0
        self.requests = 0
        self.seconds = 0.0

    @property
    def identity(self) -> list[str]:
        """What tells it from another, as far as anybody can know."""
        kind = type(self.recommender)
        name = getattr(self.recommender, "name", None) or f"{kind.__module__}.{kind.__qualname__}"
        return [str(name), str(getattr(self.recommender, "version", None) or "")]

    def embeddings(self) -> "Optional[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]":
        """Two matrices of one width, where it shows them."""
        show = getattr(self.recommender, "embeddings", None)
        shown = show() if callable(show) else None
        if shown is None:
            return None
        users, items = (np.ascontiguousarray(plain(table), np.float32) for table in shown)
        if users.ndim != 2 or items.ndim != 2 or users.shape[1] != items.shape[1]:
            raise ModelError(f"embeddings are two matrices of one width, not {users.shape} and {items.shape}")
        for what, table, rows in (("users", users, self.users), ("items", items, self.items)):
            if len(table) != rows:
                raise ModelError(f"there are embeddings of {len(table)} {what}, but {rows} {what}")
            if not np.isfinite(table).all():
                row = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
                raise ModelError(f"the embedding of {what} row {row} has a value that is not a finite number")
        return users, items

    def score(self, user: int, neutral: bool, edits: Sequence[Any]) -> "np.ndarray[Any, Any]":
        """Scores of all items, a row for each edit."""
        began = time.perf_counter()
        if self._by_rows:
            pairs = [(removed.reshape(-1, 2), added.reshape(-1, 2)) for removed, added in edits]
            answer = plain(self.recommender.score_rows(user, pairs, neutral and user < self.users))
        else:
            answer = [self._scores(user, neutral, removed, added) for removed, added in edits]
        scores = np.ascontiguousarray(answer, np.float32)
        self.seconds += time.perf_counter() - began
        self.questions += len(edits)
        self.requests += 1
        if scores.shape != (len(edits), self.items):
            raise RecommenderError(f"scores of shape {scores.shape} came back where {(len(edits), self.items)} are needed")
        return scores

    def _scores(self, user: int, neutral: bool, removed: Any, added: Any) -> Any:
        options = {"neutral": True} if neutral and user < self.users else {}
        whose = self._user_ids[user]
        answer = plain(self.recommender.scores(whose, self._named(removed), self._named(added), **options))
        if np.shape(answer) != (self.items,):
            raise RecommenderError(f"scores of shape {np.shape(answer)} came back where {(self.items,)} are needed")
        return answer

    def _named(self, flat: Any) -> Any:
        rows = flat.tolist()
        items = [self._item_ids[row] for row in rows[1::2]]
        if not self._pairs:
            return items
        return list(zip((self._user_ids[row] for row in rows[::2]), items))


def plain(answer: Any) -> Any:
    """Tensors of PyTorch as arrays."""
    return answer.detach().cpu().numpy() if hasattr(answer, "detach") else np.asarray(answer)
