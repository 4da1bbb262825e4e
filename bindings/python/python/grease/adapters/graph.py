"""Any network that embeds users and items by their graph."""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from .._errors import ModelError
from .._interactions import Interactions
from ._edges import Array, Edges, Nodes
from .._needs import needs
from ._twin import callable_twin, fingerprint, module_of

_NOTHING = np.empty((0, 2), np.int64)


class GraphModel:
    """Any PyTorch network that turns a graph into embeddings.

    A module, or a method of one, is asked in evaluation mode and with the caches of its layers off, whatever its own state, which
    stays as it is. Inside a function nobody can look: one that uses a module has to be given after ``module.eval()``, without
    ``cached=True``.

    Args:
        embed: ``embed(edge_index)`` returns [users + items, width], or a pair (users, items). ``edge_index`` is [2, 2 x interactions], each
            interaction both ways; the node of item row i is users + i.
        interactions: those of the graph it was trained on.
        embed_without: ``embed_without(edge_index, user)`` embeds without what was learned about a user row: the ability "neutral".
        embed_newcomer: ``embed_newcomer(edge_index)`` embeds with one node more, users + items, for somebody new (in a pair, one more row of
            users): the ability "newcomers".
        decode: ``decode(user, items)`` makes scores of one user's embedding and all items'; their dot product unless it is given.
        device: where ``edge_index`` is put; where the module's weights are unless it is said.
        name: what to call it in stored explanations.
        version: what tells it from others of that name; a hash of a module's weights unless it is said.
    """

    def __init__(
        self,
        embed: Callable[[Any], Any],
        interactions: Interactions,
        *,
        embed_without: Optional[Callable[[Any, int], Any]] = None,
        embed_newcomer: Optional[Callable[[Any], Any]] = None,
        decode: Optional[Callable[[Any, Any], Any]] = None,
        device: Any = None,
        name: Optional[str] = None,
        version: Optional[str] = None,
    ) -> None:
        self._torch = needs("torch", "torch")
        self._edges, self._nodes = Edges(interactions), Nodes(interactions)
        self._embed, self._decode = callable_twin(embed), callable_twin(decode)
        self._without, self._newcomer = callable_twin(embed_without), callable_twin(embed_newcomer)
        able = {"others": True, "neutral": embed_without is not None, "newcomers": embed_newcomer is not None}
        self.abilities = frozenset(ability for ability, there in able.items() if there)
        module = module_of(embed)
        learned = next(module.parameters(), None) if module is not None else None
        self._device = device if device is not None or learned is None else learned.device
        of = embed if module is None else type(module)
        self.name = name or getattr(of, "__qualname__", type(embed).__qualname__)
        self.version = version if version is not None else "" if module is None else fingerprint(module)
        self._check_answers()

    def score_rows(self, user: int, edits: Any, neutral: bool) -> Array:
        """Scores of all items for the row ``user``, a row for each of ``edits``; with ``neutral``, without what was learned about them."""
        scores = np.empty((len(edits), self._edges.item_count), np.float32)
        with self._torch.no_grad():
            for row, (removed, added) in zip(scores, edits):
                users, items = self._tables(user, removed, added, neutral)
                answer = items @ users[user] if self._decode is None else self._decode(users[user], items)
                if tuple(answer.shape) != row.shape:
                    raise ModelError(f"decode gave scores of shape {tuple(answer.shape)} where {row.shape} are needed")
                row[:] = answer.detach().cpu().numpy()
        return scores

    def embeddings(self) -> Optional[tuple[Array, Array]]:
        """Users and items on the unedited graph; None where a score is not their dot product."""
        if self._decode is not None:
            return None
        with self._torch.no_grad():
            users, items = self._tables(None, _NOTHING, _NOTHING, False)
        return users.cpu().numpy(), items.cpu().numpy()

    def _tables(self, user: Optional[int], removed: Array, added: Array, neutral: bool) -> tuple[Any, Any]:
        users, items, _ = self._edges.edited(removed, added)
        count = self._edges.user_count
        new = user == count
        newcomer = count + self._edges.item_count if new else None
        edge_index = self._torch.from_numpy(self._nodes.edge_index(users, items, newcomer)).to(self._device or "cpu")
        if new:
            if self._newcomer is None:
                raise ModelError("somebody new can only be asked about with embed_newcomer")
            tables = self._newcomer(edge_index)
        elif neutral:
            if self._without is None:
                raise ModelError("the neutral profile can only be asked for with embed_without")
            tables = self._without(edge_index, user)
        else:
            tables = self._embed(edge_index)
        return self._split(tables, new)

    def _split(self, tables: Any, new: bool) -> tuple[Any, Any]:
        """Users (with somebody new as the last) and items."""
        torch, (users, items) = self._torch, (self._edges.user_count, self._edges.item_count)
        if isinstance(tables, (tuple, list)):
            if len(tables) != 2:
                raise ModelError(f"embed gave {len(tables)} things; it returns one tensor, or a pair: users, items")
            found = tuple(len(table) for table in tables)
            if found != (users + new, items):
                raise ModelError(f"embed gave {found[0]} users and {found[1]} items where there are {users + new} and {items}")
            return tables[0].detach(), tables[1].detach()
        if tables.ndim != 2 or len(tables) != users + items + new:
            raise ModelError(
                f"embed gave a tensor of shape {tuple(tables.shape)} where {users + items + new} rows are needed: {users} users, "
                f"{items} items"
                + (", somebody new" if new else "")
            )
        tables = tables.detach()
        own = tables[:users]
        return torch.cat([own, tables[users + items :]]) if new else own, tables[users : users + items]

    def _check_answers(self) -> None:
        """The same question, twice: dropout that is still on shows at once."""
        with self._torch.no_grad():
            first, second = (self._tables(None, _NOTHING, _NOTHING, False) for _ in range(2))
        if not all(self._torch.equal(one, other) for one, other in zip(first, second)):
            raise ModelError(
                "embed gave two answers to one question: call eval() on the network it uses, so that none of it is random"
            )
