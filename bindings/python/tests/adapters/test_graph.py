"""Any network over a graph: of PyTorch Geometric, and of plain PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import grease
from grease.adapters import GraphModel
from rechecking import edges_of, recheck

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

NOTHING = np.empty((0, 2), np.int64)


class Neighbours(torch.nn.Module):
    """A network of plain PyTorch: a learned vector, and the mean of the neighbours' ones, twice."""

    def __init__(self, users: int, items: int, width: int = 8) -> None:
        super().__init__()
        self.users = users
        self.table = torch.nn.Embedding(users + items, width)
        self.mix = torch.nn.Linear(width, width)
        self.dropout = torch.nn.Dropout(0.5)

    def embed(self, edge_index: Any, table: Any) -> Any:
        source, target = edge_index
        degree = torch.zeros(len(table)).index_add(0, target, torch.ones(len(target))).clamp(min=1)
        for _ in range(2):
            mean = torch.zeros_like(table).index_add(0, target, table[source]) / degree[:, None]
            table = table + self.dropout(self.mix(mean))
        return table

    def forward(self, edge_index: Any) -> Any:
        return self.embed(edge_index, self.table.weight)

    def without(self, edge_index: Any, user: int) -> Any:
        table = self.table.weight.clone()
        table[user] = 0
        return self.embed(edge_index, table)

    def with_newcomer(self, edge_index: Any) -> tuple[Any, Any]:
        table = self.table.weight
        table = self.embed(edge_index, torch.cat([table, table.new_zeros(1, table.shape[1])]))
        return torch.cat([table[: self.users], table[-1:]]), table[self.users : -1]


def fit(network: Any, embed: Any, data: grease.Interactions, rounds: int = 40) -> None:
    """A few rounds of pairwise ranking."""
    users, items = data.shape
    who, what = (torch.from_numpy(rows.astype(np.int64)) for rows in data.rows())
    graph = torch.stack([torch.cat([who, users + what]), torch.cat([users + what, who])])
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(rounds):
        table = embed(graph)
        other = torch.randint(items, (len(who),))
        better = (table[who] * (table[users + what] - table[users + other])).sum(1)
        loss = -torch.nn.functional.logsigmoid(better).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@pytest.fixture(scope="module")
def network(data: grease.Interactions) -> Any:
    torch.manual_seed(2)
    network = Neighbours(*data.shape)
    fit(network, network, data)
    return network


def plain_edge_index(edges: set[tuple[int, int]], users: int) -> Any:
    there = [(u, users + i) for u, i in sorted(edges)]
    return torch.tensor(there + [(b, a) for a, b in there], dtype=torch.long).reshape(-1, 2).T


def test_a_plain_network_is_explained_and_every_verified_explanation_holds(network: Any, data: grease.Interactions) -> None:
    users, _ = data.shape
    # It is still in training, with dropout: the adapter asks it as if it were not.
    assert network.training
    adapter = GraphModel(network, data, embed_without=network.without)
    assert adapter.abilities == {"others", "neutral"} and adapter.name == "Neighbours"

    def ask(user: int, edges: set[tuple[int, int]], neutral: bool) -> np.ndarray:
        network.eval()
        graph = plain_edge_index(edges, users)
        with torch.no_grad():
            table = network.without(graph, user) if neutral else network(graph)
        network.train()
        return (table[users:] @ table[user]).numpy()

    explainer = grease.Explainer(adapter, data)
    why = [one for user in data.user_ids[:3] for one in explainer.explain_list(user, k=3)]
    assert recheck(why, data, ask) >= 6
    assert network.training and network.dropout.training


def test_somebody_new_is_one_row_more(network: Any, data: grease.Interactions) -> None:
    users, items = data.shape
    adapter = GraphModel(network, data, embed_newcomer=network.with_newcomer)
    assert adapter.abilities == {"others", "newcomers"}
    scores = adapter.score_rows(users, [(NOTHING, np.array([[users, 3], [users, 4]]))], False)
    edges = plain_edge_index(edges_of(data), users)
    node = users + items
    new = torch.tensor([[node, node, users + 3, users + 4], [users + 3, users + 4, node, node]])
    network.eval()
    with torch.no_grad():
        people, things = network.with_newcomer(torch.cat([edges, new], dim=1))
    network.train()
    np.testing.assert_allclose(scores[0], (things @ people[-1]).numpy(), atol=1e-5)
    listed = grease.Explainer(adapter, data).recommend(history=data.item_ids[3:5], k=5)
    assert len(listed) == 5


def test_scores_need_not_be_dot_products(network: Any, data: grease.Interactions) -> None:
    users, _ = data.shape
    adapter = GraphModel(network, data, decode=lambda user, items: -torch.cdist(items, user[None])[:, 0])
    assert adapter.embeddings() is None
    network.eval()
    with torch.no_grad():
        table = network(plain_edge_index(edges_of(data), users))
    network.train()
    wanted = -np.linalg.norm(table[users:].numpy() - table[7].numpy(), axis=1)
    np.testing.assert_allclose(adapter.score_rows(7, [(NOTHING, NOTHING)], False)[0], wanted, atol=1e-4)
    assert grease.Explainer(adapter, data).explain(data.user_ids[7], k=3, goal="counterfactual")


def test_an_answer_that_changes_is_refused(network: Any, data: grease.Interactions) -> None:
    assert network.training
    with pytest.raises(grease.ModelError, match=r"call eval\(\)"):
        GraphModel(lambda edge_index: network(edge_index), data)


def test_tables_of_the_wrong_size_are_refused(data: grease.Interactions) -> None:
    with pytest.raises(grease.ModelError, match=r"shape \(5, 2\) where 140 rows are needed"):
        GraphModel(lambda edge_index: torch.zeros(5, 2), data)
    with pytest.raises(grease.ModelError, match="gave 60 users and 80 items where there are 80 and 60"):
        GraphModel(lambda edge_index: (torch.zeros(60, 2), torch.zeros(80, 2)), data)
    with pytest.raises(grease.ModelError, match="decode gave scores of shape"):
        adapter = GraphModel(lambda edge_index: torch.zeros(140, 2), data, decode=lambda user, items: items)
        adapter.score_rows(0, [(NOTHING, NOTHING)], False)


@pytest.mark.parametrize("layer", ["GCNConv", "SAGEConv"])
def test_layers_of_pytorch_geometric_are_explained(layer: str, data: grease.Interactions) -> None:
    nn = pytest.importorskip("torch_geometric.nn", reason="PyTorch Geometric is not installed")
    users, items = data.shape

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = torch.nn.Embedding(users + items, 8)
            # A layer that keeps the first graph it has seen would answer every question alike.
            options = {"cached": True} if layer == "GCNConv" else {}
            self.layers = torch.nn.ModuleList([getattr(nn, layer)(8, 8, **options) for _ in range(2)])

        def encode(self, edge_index: Any) -> Any:
            x = self.table.weight
            for conv in self.layers:
                x = x + conv(x, edge_index)
            return x

    torch.manual_seed(3)
    network = Network()
    fit(network, network.encode, data)
    fresh = Network()
    fresh.load_state_dict(network.state_dict())

    def ask(user: int, edges: set[tuple[int, int]], neutral: bool) -> np.ndarray:
        assert not neutral
        for conv in fresh.layers:
            conv.cached = False
        with torch.no_grad():
            table = fresh.encode(plain_edge_index(edges, users))
        return (table[users:] @ table[user]).numpy()

    kept = getattr(network.layers[0], "_cached_edge_index", None)
    explainer = grease.Explainer(GraphModel(network.encode, data), data)
    why = [one for user in data.user_ids[:4] for one in explainer.explain_list(user, k=3, goal="counterfactual")]
    assert recheck(why, data, ask) >= 4
    assert getattr(network.layers[0], "_cached_edge_index", None) is kept
