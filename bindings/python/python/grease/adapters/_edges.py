"""The interactions a recommender is asked about: all there are, less some, and some more."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .._errors import ModelError, RecommenderError
from .._interactions import Interactions
from .._needs import needs

Array = np.ndarray[Any, Any]


class Edges:
    """All interactions by row, sorted, so that those to leave out are found without a loop."""

    def __init__(self, interactions: Interactions) -> None:
        users, items = interactions.rows()
        self.user_count, self.item_count = interactions.shape
        self.users, self.items = users.astype(np.int64), items.astype(np.int64)
        self._keys = self._key(self.users, self.items)

    def __len__(self) -> int:
        return len(self._keys)

    def _key(self, users: Array, items: Array) -> Array:
        return users * self.item_count + items

    def edited(self, removed: Array, added: Array) -> tuple[Array, Array, Optional[Array]]:
        """Users and items of what is left, then of what is added; and which interactions are left (None: all)."""
        kept = self.kept(removed)
        users, items = (self.users, self.items) if kept is None else (self.users[kept], self.items[kept])
        if len(added):
            users, items = np.concatenate([users, added[:, 0]]), np.concatenate([items, added[:, 1]])
        return users, items, kept

    def kept(self, removed: Array) -> Optional[Array]:
        """A mask of what is left, or None where nothing is taken away."""
        if not len(removed):
            return None
        keys = self._key(removed[:, 0], removed[:, 1])
        at = np.searchsorted(self._keys, keys)
        there = at < len(self)
        there[there] = self._keys[at[there]] == keys[there]
        if not there.all():
            user, item = removed[~there][0].tolist()
            raise RecommenderError(f"there is no interaction of user row {user} with item row {item} to take away")
        kept = np.ones(len(self), bool)
        kept[at] = False
        return kept

    def between(self, user: int) -> slice:
        """Where the interactions of a user stand."""
        low, high = np.searchsorted(self.users, [user, user + 1])
        return slice(int(low), int(high))


class Nodes:
    """Which nodes of a graph the rows are: by default users, then items."""

    def __init__(self, interactions: Interactions, user_nodes: Any = None, item_nodes: Any = None) -> None:
        users, items = interactions.shape
        self.users = _nodes(user_nodes, np.arange(users), "user")
        self.items = _nodes(item_nodes, np.arange(users, users + items), "item")
        both = np.concatenate([self.users, self.items])
        if len(np.unique(both)) != len(both):
            raise ModelError("two rows have the same node: user_nodes and item_nodes give each row a node of its own")
        self.needed = int(both.max(initial=-1)) + 1

    def edge_index(self, users: Array, items: Array, newcomer: Optional[int] = None) -> Array:
        """Each interaction both ways, [2, 2 n]. ``newcomer`` is the node of the row after the last user."""
        nodes = self.users if newcomer is None else np.append(self.users, newcomer)
        ends = np.stack([nodes[users], self.items[items]])
        return np.concatenate([ends, ends[::-1]], axis=1)


def _nodes(given: Any, usual: Array, what: str) -> Array:
    if given is None:
        return usual.astype(np.int64)
    nodes = np.asarray(given.cpu() if hasattr(given, "cpu") else given)
    if nodes.shape != usual.shape:
        raise ModelError(f"{what}_nodes has the shape {nodes.shape}; it needs a node for each of the {len(usual)} {what} rows")
    if nodes.dtype.kind not in "iu" or (nodes < 0).any():
        raise ModelError(f"{what}_nodes are node numbers: whole numbers from 0, not {nodes.dtype}")
    return nodes.astype(np.int64)


def edge_index(interactions: Interactions, *, user_nodes: Any = None, item_nodes: Any = None) -> Any:
    """All ``interactions`` as the ``edge_index`` to train a graph network with, each both ways: int64, [2, 2 x interactions].

    Nodes are users, then items (the node of item row i is users + i), unless the arrays ``user_nodes`` and ``item_nodes`` give the node of
    each row.
    """
    torch = needs("torch", "torch")
    edges = Edges(interactions)
    return torch.from_numpy(Nodes(interactions, user_nodes, item_nodes).edge_index(edges.users, edges.items))
