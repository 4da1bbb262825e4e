"""LightGCN of PyTorch Geometric, trained here and explained."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import grease
from grease.adapters import PyGLightGCN, edge_index
from rechecking import edges_of, recheck

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
nn = pytest.importorskip("torch_geometric.nn", reason="PyTorch Geometric is not installed")

NOTHING = np.empty((0, 2), np.int64)


def plain_edge_index(edges: set[tuple[int, int]], users: int) -> Any:
    there = [(u, users + i) for u, i in sorted(edges)]
    return torch.tensor(there + [(b, a) for a, b in there], dtype=torch.long).reshape(-1, 2).T


@pytest.fixture(scope="module")
def model(data: grease.Interactions) -> Any:
    torch.manual_seed(1)
    users, items = data.shape
    model = nn.LightGCN(users + items, embedding_dim=16, num_layers=3)
    graph = edge_index(data)
    there = graph[:, : len(data)]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(60):
        others = torch.randint(users, users + items, (there.shape[1],))
        ranks = model(graph, torch.cat([there, torch.stack([there[0], others])], dim=1))
        loss = model.recommendation_loss(*ranks.chunk(2), node_id=there.unique())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


def ask_torch(model: Any, data: grease.Interactions) -> Any:
    """The model itself, asked without the adapter."""
    users, items = data.shape

    def ask(user: int, edges: set[tuple[int, int]], neutral: bool) -> np.ndarray:
        asked = copy.deepcopy(model)
        with torch.no_grad():
            if neutral:
                asked.embedding.weight[user] = 0
            table = asked.get_embedding(plain_edge_index(edges, users))
            return (table[users:] @ table[user]).numpy()

    return ask


def test_the_edge_index_has_every_interaction_both_ways(data: grease.Interactions) -> None:
    graph = edge_index(data)
    assert graph.dtype == torch.long and graph.shape == (2, 2 * len(data))
    wanted = plain_edge_index(edges_of(data), data.shape[0])
    assert {tuple(pair) for pair in graph.T.tolist()} == {tuple(pair) for pair in wanted.T.tolist()}


def test_unedited_scores_are_the_models_own(model: Any, data: grease.Interactions) -> None:
    adapter = PyGLightGCN(model, data)
    scores = adapter.score_rows(3, [(NOTHING, NOTHING)], False)
    np.testing.assert_allclose(scores[0], ask_torch(model, data)(3, edges_of(data), False), atol=1e-6)
    users, items = adapter.embeddings()
    np.testing.assert_allclose(items @ users[3], scores[0], atol=1e-6)


@pytest.mark.parametrize(("scope", "goal"), [("own", "both"), ("target", "both"), ("hops", "counterfactual")])
def test_every_verified_explanation_holds_when_the_model_is_asked_without_the_adapter(
    model: Any, data: grease.Interactions, scope: str, goal: str
) -> None:
    explainer = grease.Explainer(PyGLightGCN(model, data), data)
    checked = 0
    for user in data.user_ids[:3]:
        why = explainer.explain_list(user, k=3, goal=goal, scope=scope, show_user_ids=True)
        checked += recheck(why, data, ask_torch(model, data))
    assert checked >= (9 if goal == "both" else 6)


def test_the_model_is_the_same_after_as_before_also_when_a_question_fails(model: Any, data: grease.Interactions) -> None:
    model.train()
    tensors = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    attributes, weight, modules = dict(vars(model)), model.embedding.weight, list(model.modules())
    adapter = PyGLightGCN(model, data)
    explainer = grease.Explainer(adapter, data)
    explainer.explain_list("mira", k=3)
    explainer.recommend(history=data.item_ids[:3])
    with pytest.raises(grease.RecommenderError, match="to take away"):
        adapter.score_rows(data.shape[0], [(np.array([[0, 59], [0, 58], [0, 57]] * 20), NOTHING)], True)
    assert vars(model) == attributes and list(model.modules()) == modules
    assert all(module.training for module in modules)
    assert model.embedding.weight is weight and weight.requires_grad
    assert all(torch.equal(tensor, tensors[name]) for name, tensor in model.state_dict().items())


def test_the_neutral_profile_is_a_zero_row(model: Any, data: grease.Interactions) -> None:
    scores = PyGLightGCN(model, data).score_rows(5, [(NOTHING, NOTHING)], True)
    np.testing.assert_allclose(scores[0], ask_torch(model, data)(5, edges_of(data), True), atol=1e-6)


def test_somebody_new_is_one_user_more_with_a_zero_row(model: Any, data: grease.Interactions) -> None:
    users, items = data.shape
    history = [2, 7, 11]
    larger = nn.LightGCN(users + 1 + items, embedding_dim=16, num_layers=3)
    with torch.no_grad():
        old = model.embedding.weight
        larger.embedding.weight.copy_(torch.cat([old[:users], torch.zeros(1, 16), old[users:]]))
        edges = edges_of(data) | {(users, item) for item in history}
        table = larger.get_embedding(plain_edge_index(edges, users + 1))
        wanted = table[users + 1 :] @ table[users]
    added = np.array([[users, item] for item in history])
    scores = PyGLightGCN(model, data).score_rows(users, [(NOTHING, added), (NOTHING, NOTHING)], False)
    np.testing.assert_allclose(scores[0], wanted.numpy(), atol=1e-6)
    assert not scores[1].any()


def test_the_same_question_has_the_same_answer_in_any_company_and_thread(model: Any, data: grease.Interactions) -> None:
    adapter = PyGLightGCN(model, data)
    users, items = data.rows()
    edits = [(np.array([[u, i]]), NOTHING) for u, i in zip(users[:8], items[:8])]
    edits = [(removed, added) for removed, added in edits if removed[0, 0] == 0]
    together = adapter.score_rows(0, edits, True)
    with ThreadPoolExecutor(4) as pool:
        questions = [(0, True), (0, False), (data.shape[0], False), (1, True)] * 6
        answers = list(pool.map(lambda asked: adapter.score_rows(asked[0], edits, asked[1]), questions))
    for row, edit in enumerate(edits):
        assert np.array_equal(adapter.score_rows(0, [edit], True)[0], together[row])
    for (user, neutral), answer in zip(questions, answers):
        assert np.array_equal(answer, adapter.score_rows(user, edits, neutral))


def test_nodes_in_another_order_are_said_by_two_arrays(model: Any, data: grease.Interactions) -> None:
    users, items = data.shape
    order = np.random.default_rng(1).permutation(users + items + 4)
    user_nodes, item_nodes = order[:users], order[users : users + items]
    shuffled = nn.LightGCN(users + items + 4, embedding_dim=16, num_layers=3)
    with torch.no_grad():
        shuffled.embedding.weight[torch.from_numpy(order[: users + items])] = model.embedding.weight
    adapter = PyGLightGCN(shuffled, data, user_nodes=user_nodes, item_nodes=item_nodes)
    usual = PyGLightGCN(model, data)
    mine = np.array([[0, data.rows()[1][0]]])
    for user in (0, users):
        asked = [(NOTHING, NOTHING), (mine, NOTHING), (NOTHING, np.array([[user, 59]]))]
        np.testing.assert_allclose(adapter.score_rows(user, asked, True), usual.score_rows(user, asked, True), atol=1e-6)
    assert np.array_equal(adapter.weights()["embedding.weight"], usual.weights()["embedding.weight"])


def test_edges_may_have_weights(model: Any, data: grease.Interactions) -> None:
    users, _ = data.shape
    weight = np.linspace(0.5, 2, len(data), dtype=np.float32)
    adapter = PyGLightGCN(model, data, edge_weight=weight, added_weight=0.5)
    rows, items = data.rows()
    new = next(item for item in range(data.shape[1]) if (0, item) not in edges_of(data))
    scores = adapter.score_rows(0, [(np.array([[rows[0], items[0]]]), np.array([[0, new]]))], False)
    there = torch.tensor([[*rows[1:].tolist(), 0], [*(users + items[1:]).tolist(), users + new]])
    one_way = torch.tensor([*weight[1:].tolist(), 0.5])
    with torch.no_grad():
        table = model.get_embedding(torch.cat([there, there.flip(0)], dim=1), torch.cat([one_way, one_way]))
    np.testing.assert_allclose(scores[0], (table[users:] @ table[0]).numpy(), atol=1e-6)
    with pytest.raises(grease.ModelError, match="cannot be imported"):
        adapter.weights()


def test_what_does_not_fit_is_refused_with_the_way_out(model: Any, data: grease.Interactions) -> None:
    with pytest.raises(grease.ModelError, match=r"the model has 140 nodes.*user_nodes and item_nodes"):
        PyGLightGCN(model, grease.Interactions.sample(users=70, artists=60))
    with pytest.raises(grease.ModelError, match="GraphModel is for other networks"):
        PyGLightGCN(torch.nn.Linear(2, 2), data)
    with pytest.raises(grease.ModelError, match="same node"):
        PyGLightGCN(model, data, item_nodes=np.arange(60))
    with pytest.raises(grease.ModelError, match="names? node 159, but the model has 140"):
        PyGLightGCN(model, data, item_nodes=np.arange(100, 160))
    with pytest.raises(grease.ModelError, match="one an interaction"):
        PyGLightGCN(model, data, edge_weight=np.ones(3))


def test_another_training_is_another_version(model: Any, data: grease.Interactions) -> None:
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.embedding.weight[0, 0] += 1
    assert PyGLightGCN(model, data).version == PyGLightGCN(copy.deepcopy(model), data).version
    assert PyGLightGCN(model, data).version != PyGLightGCN(other, data).version


def test_same_as_native(model: Any, data: grease.Interactions) -> None:
    """Imported, the model is looked at closely by other code altogether: it finds as much, names no more, and what it says holds."""
    adapter = PyGLightGCN(model, data)
    slow, fast = grease.Explainer(adapter, data), grease.Explainer(grease.from_weights("lightgcn", adapter.weights(), data))
    verified, same = 0, 0
    for user in data.user_ids[:4]:
        for one, other in zip(slow.explain_list(user, k=5), fast.explain_list(user, k=5), strict=True):
            assert (one.user, one.item, one.goal) == (other.user, other.item, other.goal)
            assert (one.rank_before, one.rank_start) == (other.rank_before, other.rank_start)
            assert one.margin_before == pytest.approx(other.margin_before, abs=1e-4)
            if one.verified:
                assert other.verified and len(other.edges) <= len(one.edges), one.sentence
                assert slow.verify(other)[0].holds, other.sentence
                verified += 1
            if one.verified and one.edges == other.edges:
                assert one.rank_after == other.rank_after
                assert one.margin_after == pytest.approx(other.margin_after, abs=1e-4)
                same += 1
    assert verified >= 10
    assert same > verified / 2
