"""LightGCN of PyTorch Geometric."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .._errors import ModelError
from .._interactions import Interactions
from ._edges import Array, Edges, Nodes
from .._needs import needs
from ._twin import fingerprint, twin_of


class PyGLightGCN:
    """A trained ``torch_geometric.nn.LightGCN``, asked by its own ``get_embedding`` on the edited graph.

    The neutral profile is a zero row in the place of what was learned about a user; somebody new is one node more, with a zero
    row.

    Args:
        model: the trained model.
        interactions: those of the graph it was trained on.
        user_nodes: the node of each user row; by default nodes are users, then items, as ``edge_index`` numbers them.
        item_nodes: the node of each item row, likewise.
        edge_weight: the weight of each interaction, in the order of ``interactions.rows()``, for a model trained with weights.
        added_weight: what an interaction weighs that is added.
        name: what to call it in stored explanations.
        version: what tells it from others of that name; a hash of its weights unless it is said.

    Examples:
        >>> from grease.adapters import PyGLightGCN, edge_index                                     # doctest: +SKIP
        >>> model = torch_geometric.nn.LightGCN(sum(data.shape), embedding_dim=32, num_layers=3)    # doctest: +SKIP
        >>> train(model, edge_index(data))                                                          # doctest: +SKIP
        >>> grease.Explainer(PyGLightGCN(model, data), data).explain_list("mira")                   # doctest: +SKIP
    """

    abilities = frozenset({"neutral", "newcomers", "others"})
    """What it can do beside scoring its own people on other histories of theirs."""

    def __init__(
        self,
        model: Any,
        interactions: Interactions,
        *,
        user_nodes: Any = None,
        item_nodes: Any = None,
        edge_weight: Any = None,
        added_weight: float = 1.0,
        name: str = "torch_geometric.nn.LightGCN",
        version: Optional[str] = None,
    ) -> None:
        self._torch = needs("torch", "torch")
        kind = needs("torch_geometric.nn", "torch torch_geometric").LightGCN
        if not isinstance(model, kind):
            raise ModelError(
                f"expected a torch_geometric.nn.LightGCN, not {type(model).__name__}; GraphModel is for other networks"
            )
        self._nodes = Nodes(interactions, user_nodes, item_nodes)
        self._edges = Edges(interactions)
        self._model = twin_of(model)
        given = user_nodes is not None or item_nodes is not None
        _check_nodes(len(model.embedding.weight), self._nodes.needed, interactions.shape, given)
        self._weight: Optional[Array] = None
        if edge_weight is not None:
            self._weight = np.asarray(edge_weight.detach().cpu() if hasattr(edge_weight, "detach") else edge_weight, np.float32)
            if self._weight.shape != (len(interactions),):
                raise ModelError(
                    f"edge_weight has the shape {self._weight.shape} where {len(interactions)}, one an interaction, are needed"
                )
        self._added_weight = added_weight
        self.name = name
        self.version = fingerprint(model) if version is None else version

    def score_rows(self, user: int, edits: Any, neutral: bool) -> Array:
        """Scores of all items for the row ``user``, a row for each of ``edits``; with ``neutral``, without what was learned about them."""
        scores = np.empty((len(edits), self._edges.item_count), np.float32)
        with self._torch.no_grad():
            model, node, newcomer = self._model_for(user, neutral)
            for row, (removed, added) in zip(scores, edits):
                users, items = self._embed(model, removed, added, node, newcomer)
                row[:] = (items @ users[0]).cpu().numpy()
        return scores

    def embeddings(self) -> tuple[Array, Array]:
        """What the model makes of users and items on the unedited graph."""
        nothing = np.empty((0, 2), np.int64)
        with self._torch.no_grad():
            users, items = self._embed(self._model, nothing, nothing, self._nodes.users)
        return users.cpu().numpy(), items.cpu().numpy()

    def weights(self) -> dict[str, Array]:
        """What was learned, for ``grease.from_weights``, which explains the same model many times faster.

        ``embedding.weight`` has users' rows, then items'; ``alpha`` is how much each layer counts.
        """
        if self._weight is not None:
            raise ModelError("a model with an edge_weight cannot be imported: LightGCN here counts every interaction once")
        if not all(conv.normalize for conv in self._model.convs):
            raise ModelError("a model with normalize=False cannot be imported: LightGCN here normalises by degrees")
        rows = np.concatenate([self._nodes.users, self._nodes.items])
        table = self._model.embedding.weight.detach().cpu().numpy()
        return {"embedding.weight": table[rows], "alpha": self._model.alpha.detach().cpu().numpy().copy()}

    def _model_for(self, user: int, neutral: bool) -> tuple[Any, Array, Optional[int]]:
        """The model to ask, the user's node in it, and that of somebody new if there is one."""
        torch, table = self._torch, self._model.embedding.weight
        if user < self._edges.user_count and not neutral:
            return self._model, self._nodes.users[user : user + 1], None
        if user < self._edges.user_count:
            newcomer, node = None, int(self._nodes.users[user])
            table = table.detach().clone()
            table[node] = 0
        else:
            newcomer = node = len(table)
            table = torch.cat([table, table.new_zeros(1, table.shape[1])])
        model = twin_of(self._model)
        model.num_nodes = len(table)
        model.embedding.weight = torch.nn.Parameter(table, requires_grad=False)
        return model, np.array([node]), newcomer

    def _embed(self, model: Any, removed: Array, added: Array, nodes: Array, newcomer: Optional[int] = None) -> tuple[Any, Any]:
        torch, device = self._torch, self._model.embedding.weight.device
        users, items, kept = self._edges.edited(removed, added)
        edge_index = torch.from_numpy(self._nodes.edge_index(users, items, newcomer)).to(device)
        weight = None
        if self._weight is not None:
            left = self._weight if kept is None else self._weight[kept]
            weight = np.concatenate([left, np.full(len(added), self._added_weight, np.float32)])
            weight = torch.from_numpy(np.concatenate([weight, weight])).to(device)
        table = model.get_embedding(edge_index, weight)
        return table[torch.from_numpy(nodes).to(device)], table[torch.from_numpy(self._nodes.items).to(device)]


def _check_nodes(there: int, needed: int, shape: tuple[int, int], given: bool) -> None:
    users, items = shape
    if given and needed > there:
        raise ModelError(f"user_nodes and item_nodes name node {needed - 1}, but the model has {there} nodes, from 0")
    if not given and needed != there:
        raise ModelError(
            f"the model has {there} nodes, but the interactions have {users} users and {items} items, which is {needed}: give "
            "the interactions it was trained on, or user_nodes and item_nodes to say which node each row is"
        )
