"""Matrix factorisation of implicit."""

from __future__ import annotations

import copy
import hashlib
from typing import Any, Optional

import numpy as np

from .._errors import ModelError, RecommenderError
from .._interactions import Interactions
from ._edges import Array, Edges
from .._needs import needs


class ImplicitModel:
    """A fitted ``implicit.als.AlternatingLeastSquares``, which finds a user's factors again from the edited history.

    The user is folded in for every question, the unedited one too, so that answers differ by the history alone.
    Since nothing is used that was learned about the user before, every answer is that of the neutral profile. It can be asked
    about somebody new, but not about others: items' factors stay as they are.

    Args:
        model: the fitted model.
        interactions: their rows are the rows and columns of the matrix it was fitted with.
        weight: the value an interaction had in that matrix: one for all, or one each in the order of ``interactions.rows()``.
        added_weight: the value of an interaction that is added; ``weight`` where that is one for all, else 1.
        name: what to call it in stored explanations.
        version: what tells it from others of that name; a hash of its factors unless it is said.
    """

    abilities = frozenset({"neutral", "newcomers"})
    """What it can do beside scoring its own people on other histories of theirs."""

    def __init__(
        self,
        model: Any,
        interactions: Interactions,
        *,
        weight: Any = 1.0,
        added_weight: Optional[float] = None,
        name: Optional[str] = None,
        version: Optional[str] = None,
    ) -> None:
        self._sparse = needs("scipy.sparse", "scipy")
        self._edges = Edges(interactions)
        weights = np.asarray(weight, np.float32)
        if weights.shape not in ((), (len(interactions),)):
            raise ModelError(
                f"weight has the shape {weights.shape}: it is one number, or {len(interactions)}, one for each interaction"
            )
        self._weights = np.broadcast_to(weights, len(interactions))
        usual = 1.0 if weights.shape else float(weights)
        self._added_weight = usual if added_weight is None else added_weight
        kind = type(model).__name__
        self._users, self._items = _array(getattr(model, "user_factors", None)), _array(getattr(model, "item_factors", None))
        if self._items is None:
            raise ModelError(f"this {kind} has no item factors: fit it first (nearest neighbours and the like have none at all)")
        if len(self._items) != self._edges.item_count:
            raise ModelError(
                f"the {kind} has factors of {len(self._items)} items, but the interactions have {self._edges.item_count}: their "
                "rows have to be the rows and columns of the matrix it was fitted with"
            )
        # What the model computes when first asked it keeps: on the copy, which also has to make do with one thread.
        self._model = copy.copy(model)
        self._model.num_threads = 1
        self.name = name or f"implicit.{kind}"
        self.version = version or _fingerprint(model, self._items)
        self._check_folds_in(kind)

    def score_rows(self, user: int, edits: Any, neutral: bool) -> Array:
        """Scores of all items for the row ``user``, a row for each of ``edits``; ``neutral`` or not, as nothing but the history is used."""
        if not len(edits):
            return np.empty((0, self._edges.item_count), np.float32)
        histories = [self._history(user, removed, added) for removed, added in edits]
        ends = np.cumsum([0, *(len(items) for items, _ in histories)])
        items, weights = (np.concatenate(parts) for parts in zip(*histories))
        shape = (len(edits), self._edges.item_count)
        matrix = self._sparse.csr_matrix((weights, items.astype(np.int32), ends.astype(np.int32)), shape=shape)
        factors = _array(self._model.recalculate_user(np.arange(len(edits)), matrix))
        # Row by row and not as one product of matrices, whose last bits depend on what else is asked at the same time.
        return np.stack([np.einsum("if,f->i", self._items, row) for row in factors])

    def embeddings(self) -> Optional[tuple[Array, Array]]:
        """The fitted factors, where they are of the same people."""
        if self._users is None or len(self._users) != self._edges.user_count:
            return None
        return self._users, self._items

    def _history(self, user: int, removed: Array, added: Array) -> tuple[Array, Array]:
        if (removed[:, 0] != user).any() or (added[:, 0] != user).any():
            raise RecommenderError("only the history of the user who is asked about can be edited: items' factors stay")
        own = self._edges.between(user)
        left = np.isin(self._edges.items[own], removed[:, 1], invert=True)
        items = np.concatenate([self._edges.items[own][left], added[:, 1]])
        weights = np.concatenate([self._weights[own][left], np.full(len(added), self._added_weight, np.float32)])
        return items, weights

    def _check_folds_in(self, kind: str) -> None:
        nobody = self._sparse.csr_matrix((1, self._edges.item_count), dtype=np.float32)
        try:
            self._model.recalculate_user(np.arange(1), nobody)
        except (AttributeError, NotImplementedError):
            raise ModelError(
                f"{kind} cannot find a user's factors again from another history (it has no recalculate_user), so nothing could "
                "be verified; grease.FrozenEmbeddings(model.user_factors, model.item_factors) explains it by guesses that say so"
            ) from None


def _array(factors: Any) -> Any:
    """Factors as an array; those on a graphics card are fetched."""
    return factors if factors is None else np.asarray(factors.to_numpy() if hasattr(factors, "to_numpy") else factors, np.float32)


def _fingerprint(model: Any, items: Array) -> str:
    digest = hashlib.sha256(np.ascontiguousarray(items).tobytes())
    digest.update(f"{items.shape} {getattr(model, 'regularization', None)} {getattr(model, 'alpha', None)}".encode())
    return digest.hexdigest()[:16]
