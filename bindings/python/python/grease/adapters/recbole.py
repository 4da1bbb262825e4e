"""LightGCN and NGCF of RecBole."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np

from .._errors import ModelError
from .._ids import Id
from .._interactions import Interactions, Words
from ._edges import Array, Edges
from .._needs import needs
from ._twin import fingerprint, twin_of

_PARTS = ("interaction_matrix", "norm_adj_matrix", "get_norm_adj_mat", "user_embedding", "item_embedding", "full_sort_predict")


class RecBoleModel:
    """A trained LightGCN or NGCF of RecBole, asked by its own code: ``full_sort_predict`` over its adjacency of the edited graph.

    The graph is the model's: the interactions RecBole trained it on, which ``self.interactions`` are. RecBole's id 0 is padding and has no
    row: rows are its ids less one.

    The neutral profile is a zero row in the place of what was learned about a user; somebody new is RecBole's padding user with a
    zero row.

    Args:
        model: the trained model.
        dataset: ``train_data.dataset``, or the whole one: gives ids their tokens; without it, ids are RecBole's numbers.
        interactions: others than the model's own, if they are the same, row for row.
        name: what to call it in stored explanations.
        version: what tells it from others of that name; a hash of its weights unless it is said.

    Examples:
        >>> asked = grease.adapters.RecBoleModel(model, train_data.dataset)         # doctest: +SKIP
        >>> grease.Explainer(asked, asked.interactions).explain_list("196")         # doctest: +SKIP
    """

    abilities = frozenset({"neutral", "newcomers", "others"})
    """What it can do beside scoring its own people on other histories of theirs."""

    def __init__(
        self,
        model: Any,
        dataset: Any = None,
        interactions: Optional[Interactions] = None,
        *,
        name: Optional[str] = None,
        version: Optional[str] = None,
    ) -> None:
        self._torch = needs("torch", "torch")
        self._sparse = needs("scipy.sparse", "scipy")
        kind = type(model).__name__
        if lacking := [part for part in _PARTS if not hasattr(model, part)]:
            raise ModelError(
                f"{kind} is not made like RecBole's LightGCN or NGCF: it has no {', '.join(lacking)}; GraphModel is for other "
                "networks"
            )
        if interactions is None:
            interactions = _of_model(model, dataset)
        else:
            _check_same(model, interactions)
        self.interactions = interactions
        self._edges = Edges(interactions)
        self._model = twin_of(model)
        self._model.restore_user_e = self._model.restore_item_e = None
        self.name = name or f"recbole.{kind}"
        self.version = fingerprint(model) if version is None else version

    def score_rows(self, user: int, edits: Any, neutral: bool) -> Array:
        """Scores of all items for the row ``user``, a row for each of ``edits``; with ``neutral``, without what was learned about them."""
        new = user == self._edges.user_count
        id = 0 if new else user + 1
        table = None
        with self._torch.no_grad():
            if new or neutral:
                table = self._model.user_embedding.weight.detach().clone()
                table[id] = 0
            rows = [self._scores(id, removed, added, table) for removed, added in edits]
        return np.stack(rows) if rows else np.empty((0, self._edges.item_count), np.float32)

    def embeddings(self) -> tuple[Array, Array]:
        """What the model makes of users and items on the unedited graph."""
        with self._torch.no_grad():
            users, items = twin_of(self._model).forward()
        return users[1:].cpu().numpy(), items[1:].cpu().numpy()

    def weights(self) -> dict[str, Array]:
        """What was learned, under RecBole's names and without the padding rows, for ``grease.from_weights``."""
        tensors = {name: tensor.detach().cpu().numpy().copy() for name, tensor in self._model.state_dict().items()}
        for name in ("user_embedding.weight", "item_embedding.weight"):
            tensors[name] = tensors[name][1:]
        return tensors

    def _scores(self, id: int, removed: Array, added: Array, table: Any) -> Array:
        torch, model = self._torch, twin_of(self._model)
        if table is not None:
            model.user_embedding.weight = torch.nn.Parameter(table, requires_grad=False)
        if len(removed) or len(added):
            users, items, _ = self._edges.edited(removed, added)
            # Somebody new has the row after the last user, and here the padding's id.
            ids = (users + 1) % (self._edges.user_count + 1)
            ones = np.ones(len(users), np.float32)
            model.interaction_matrix = self._sparse.coo_matrix((ones, (ids, items + 1)), shape=model.interaction_matrix.shape)
            model.norm_adj_matrix = model.get_norm_adj_mat().to(self._model.norm_adj_matrix.device)
        whose = torch.tensor([id], device=model.user_embedding.weight.device)
        scores: Array = model.full_sort_predict({model.USER_ID: whose}).detach().cpu().numpy()
        return scores[1:]


def recbole_interactions(
    dataset: Any,
    *,
    titles: Optional[Mapping[Id, str]] = None,
    words: Optional[Words] = None,
) -> Interactions:
    """The interactions of a RecBole ``dataset``, with its tokens as ids and without its padding: rows are RecBole's ids less one.

    ``titles`` are titles by item id, ``words`` how sentences speak about the data.
    """
    users, items = (_ids(dataset.inter_feat[field]) for field in (dataset.uid_field, dataset.iid_field))
    return _made(users, items, *_tokens(dataset), titles=titles, words=words)


def _of_model(model: Any, dataset: Any) -> Interactions:
    """The model's own graph; a data set only names its rows."""
    users, items = model.interaction_matrix.shape
    user_ids, item_ids = (range(1, users), range(1, items)) if dataset is None else _tokens(dataset)
    if (len(user_ids), len(item_ids)) != (users - 1, items - 1):
        raise ModelError(
            f"the data set has {len(user_ids)} users and {len(item_ids)} items, but the model has {users - 1} and {items - 1}"
        )
    return _made(*_graph(model), user_ids, item_ids)


def _made(users: Array, items: Array, user_ids: Any, item_ids: Any, **more: Any) -> Interactions:
    # A person may have touched an item more than once; a graph has an edge or has none.
    pairs = np.unique(np.stack([users, items], axis=1).astype(np.int64) - 1, axis=0)
    return Interactions.from_arrays(pairs[:, 0], pairs[:, 1], user_ids=user_ids, item_ids=item_ids, **more)


def _check_same(model: Any, interactions: Interactions) -> None:
    users, items = model.interaction_matrix.shape
    if interactions.shape != (users - 1, items - 1):
        raise ModelError(
            f"the interactions have {interactions.shape[0]} users and {interactions.shape[1]} items, but the model has "
            f"{users - 1} and {items - 1}: leave them out, and use the adapter's own"
        )
    theirs = np.unique(np.stack(_graph(model), axis=1).astype(np.int64) - 1, axis=0)
    if not np.array_equal(theirs, np.stack(interactions.rows(), axis=1)):
        raise ModelError(
            "the model was not trained on these interactions, row for row: leave them out, and use the adapter's own"
        )


def _graph(model: Any) -> tuple[Array, Array]:
    matrix = model.interaction_matrix.tocoo()
    return matrix.row, matrix.col


def _tokens(dataset: Any) -> tuple[list[str], list[str]]:
    users, items = (dataset.field2id_token[field] for field in (dataset.uid_field, dataset.iid_field))
    return [str(token) for token in users[1:]], [str(token) for token in items[1:]]


def _ids(column: Any) -> Array:
    return np.asarray(column.cpu() if hasattr(column, "cpu") else column)
