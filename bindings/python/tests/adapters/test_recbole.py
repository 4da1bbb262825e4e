"""LightGCN and NGCF of RecBole, trained by RecBole on a data set written here."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import grease
from grease.adapters import RecBoleModel, recbole_interactions
from rechecking import edges_of, recheck

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("recbole", reason="RecBole is not installed")
sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

NOTHING = np.empty((0, 2), np.int64)
LAYERS = 2


class Trained(NamedTuple):
    model: Any
    dataset: Any
    train: Any


@pytest.fixture(scope="module", params=["LightGCN", "NGCF"])
def trained(request: pytest.FixtureRequest, data: grease.Interactions, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """Trained for a few epochs by RecBole's own trainer."""
    from recbole.config import Config
    from recbole.data import create_dataset, data_preparation
    from recbole.utils import get_model, get_trainer, init_seed

    folder = tmp_path_factory.mktemp(request.param)
    (folder / "small").mkdir()
    lines = [f"{data.user_ids[user]}\t{data.item_ids[item]}" for user, item in zip(*data.rows())]
    (folder / "small" / "small.inter").write_text("user_id:token\titem_id:token\n" + "\n".join(lines) + "\n")
    settings = {
        "data_path": str(folder),
        "checkpoint_dir": str(folder / "saved"),
        "load_col": {"inter": ["user_id", "item_id"]},
        "embedding_size": 8,
        "n_layers": LAYERS,
        "hidden_size_list": [8] * LAYERS,
        "node_dropout": 0.1,
        "message_dropout": 0.1,
        "epochs": 15,
        "train_batch_size": 512,
        "learning_rate": 0.02,
        "eval_args": {"split": {"RS": [0.9, 0.05, 0.05]}, "order": "RO", "group_by": "user", "mode": "full"},
        "use_gpu": False,
        "show_progress": False,
        "state": "ERROR",
        "seed": 1,
        "reproducibility": True,
    }
    # Config reads the command line, which here is pytest's; the trainer keeps its logs wherever it is run.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["test"])
        patch.chdir(folder)
        config = Config(model=request.param, dataset="small", config_dict=settings)
        init_seed(config["seed"], config["reproducibility"])
        dataset = create_dataset(config)
        train, _, _ = data_preparation(config, dataset)
        model = get_model(config["model"])(config, train.dataset)
        trainer = get_trainer(config["MODEL_TYPE"], config["model"])(config, model)
        trainer.fit(train, verbose=False, saved=False, show_progress=False)
    return Trained(model, dataset, train.dataset)


def own_scores(model: Any, user: int) -> np.ndarray:
    """RecBole's own scores, without the padding item."""
    model.eval()
    model.restore_user_e = model.restore_item_e = None
    with torch.no_grad():
        scores = model.full_sort_predict({model.USER_ID: torch.tensor([user + 1])})
    model.restore_user_e = model.restore_item_e = None
    return scores.numpy()[1:]


def test_unedited_scores_are_those_of_full_sort_predict(trained: Trained) -> None:
    adapter = RecBoleModel(trained.model, trained.train)
    users, items = adapter.embeddings()
    for user in range(adapter.interactions.shape[0]):
        scores = adapter.score_rows(user, [(NOTHING, NOTHING)], False)[0]
        assert np.array_equal(scores, own_scores(trained.model, user))
        np.testing.assert_allclose(items @ users[user], scores, atol=1e-5)


def test_interactions_have_the_tokens_and_are_those_the_model_was_trained_on(trained: Trained, data: grease.Interactions) -> None:
    whole = recbole_interactions(trained.dataset, titles={data.item_ids[0]: "A Title"})
    named = {(data.user_ids[user], data.item_ids[item]) for user, item in edges_of(data)}
    assert {(whole.user_ids[user], whole.item_ids[item]) for user, item in edges_of(whole)} == named
    assert "A Title" in whole.titles and "[PAD]" not in whole.user_ids
    # Whichever data set gives the names, the graph is the model's own.
    part = recbole_interactions(trained.train)
    assert len(part) < len(whole)
    for dataset in (trained.dataset, trained.train):
        made = RecBoleModel(trained.model, dataset).interactions
        assert made.user_ids == part.user_ids and edges_of(made) == edges_of(part)
    assert RecBoleModel(trained.model).interactions.user_ids[:3] == [1, 2, 3]


def test_other_interactions_are_refused(trained: Trained, data: grease.Interactions) -> None:
    RecBoleModel(trained.model, interactions=recbole_interactions(trained.train))
    with pytest.raises(grease.ModelError, match="not trained on these interactions"):
        RecBoleModel(trained.model, interactions=recbole_interactions(trained.dataset))
    with pytest.raises(grease.ModelError, match="leave them out"):
        RecBoleModel(trained.model, interactions=grease.Interactions.sample(users=30, artists=20))
    with pytest.raises(grease.ModelError, match="it has no interaction_matrix"):
        RecBoleModel(torch.nn.Linear(2, 2), trained.train)


def ask_recbole(model: Any) -> Any:
    """RecBole itself, with another matrix put in and taken out again."""

    def ask(user: int, edges: set[tuple[int, int]], neutral: bool) -> np.ndarray:
        kept = model.interaction_matrix, model.norm_adj_matrix, model.user_embedding.weight.detach().clone()
        users, items = np.array(sorted(edges)).T + 1
        model.interaction_matrix = sparse.coo_matrix((np.ones(len(users), np.float32), (users, items)), shape=kept[0].shape)
        model.norm_adj_matrix = model.get_norm_adj_mat()
        with torch.no_grad():
            if neutral:
                model.user_embedding.weight[user + 1] = 0
            scores = own_scores(model, user)
            model.user_embedding.weight.copy_(kept[2])
        model.interaction_matrix, model.norm_adj_matrix = kept[:2]
        return scores

    return ask


def test_every_verified_explanation_holds_when_recbole_is_asked_without_the_adapter(trained: Trained) -> None:
    adapter = RecBoleModel(trained.model, trained.train)
    explainer = grease.Explainer(adapter, adapter.interactions)
    checked = 0
    for user in adapter.interactions.user_ids[:3]:
        checked += recheck(explainer.explain_list(user, k=3), adapter.interactions, ask_recbole(trained.model))
    why = explainer.explain_list(adapter.interactions.user_ids[3], k=2, goal="counterfactual", scope="hops", show_user_ids=True)
    checked += recheck(why, adapter.interactions, ask_recbole(trained.model))
    assert checked >= 6


def test_the_model_is_the_same_after_as_before(trained: Trained) -> None:
    model = trained.model
    model.train()
    tensors = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    attributes, modules = dict(vars(model)), list(model.modules())
    matrix = model.interaction_matrix.copy()
    adapter = RecBoleModel(model, trained.train)
    explainer = grease.Explainer(adapter, adapter.interactions)
    explainer.explain_list(adapter.interactions.user_ids[0], k=2)
    explainer.recommend(history=adapter.interactions.item_ids[:3])
    with pytest.raises(grease.RecommenderError, match="to take away"):
        adapter.score_rows(0, [(np.array([[0, item] for item in range(60)]), NOTHING)], True)
    assert vars(model) == attributes and list(model.modules()) == modules and all(module.training for module in modules)
    assert (model.interaction_matrix != matrix).nnz == 0
    assert all(torch.equal(tensor, tensors[name]) for name, tensor in model.state_dict().items())


def test_somebody_new_is_as_a_user_of_their_history_with_a_zero_row(trained: Trained) -> None:
    adapter = RecBoleModel(trained.model, trained.train)
    users, _ = adapter.interactions.shape
    mine = [item for user, item in sorted(edges_of(adapter.interactions)) if user == 4]
    own = np.array([[4, item] for item in mine])
    # User 4 without a profile, and somebody new who takes over their history: the graph cannot tell the two apart.
    as_user = adapter.score_rows(4, [(NOTHING, NOTHING)], True)
    taken_over = (own, np.array([[users, item] for item in mine]))
    wanted = ask_recbole(trained.model)(4, edges_of(adapter.interactions), True)
    np.testing.assert_allclose(as_user[0], wanted, atol=1e-6)
    np.testing.assert_allclose(adapter.score_rows(users, [taken_over], False), as_user, atol=1e-5)


def test_imported_the_model_gives_the_same_explanations(trained: Trained) -> None:
    adapter = RecBoleModel(trained.model, trained.train)
    data = adapter.interactions
    kind = type(trained.model).__name__.lower()
    native = grease.from_weights(kind, adapter.weights(), data, layers=LAYERS)
    slow, fast = grease.Explainer(adapter, data), grease.Explainer(native)
    for user in data.user_ids[:3]:
        for mine, theirs in zip(fast.recommend(user, k=5), slow.recommend(user, k=5), strict=True):
            assert mine.item == theirs.item and mine.score == pytest.approx(theirs.score, abs=1e-4)
        for one, other in zip(slow.explain_list(user, k=3), fast.explain_list(user, k=3), strict=True):
            assert (one.item, one.goal, one.status, one.edges) == (other.item, other.goal, other.status, other.edges)
            assert (one.rank_before, one.rank_after) == (other.rank_before, other.rank_after)
