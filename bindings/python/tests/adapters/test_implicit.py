"""Alternating least squares of implicit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import grease
from grease.adapters import ImplicitModel
from rechecking import edges_of, recheck

implicit = pytest.importorskip("implicit", reason="implicit is not installed")
sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:OpenBLAS is configured")

NOTHING = np.empty((0, 2), np.int64)


def matrix_of(data: grease.Interactions, value: float = 1.0) -> Any:
    users, items = data.rows()
    return sparse.csr_matrix((np.full(len(users), value, np.float32), (users, items)), shape=data.shape)


@pytest.fixture(scope="module")
def model(data: grease.Interactions) -> Any:
    from implicit.cpu.als import AlternatingLeastSquares

    model = AlternatingLeastSquares(factors=8, regularization=0.05, alpha=3.0, iterations=8, num_threads=1, random_state=1)
    model.fit(matrix_of(data), show_progress=False)
    return model


def ask_implicit(model: Any, data: grease.Interactions) -> Any:
    """Implicit's own recommend, asked without the adapter."""
    users, items = data.shape

    def ask(user: int, edges: set[tuple[int, int]], neutral: bool) -> np.ndarray:
        history = sorted(i for u, i in edges if u == user)
        row = sparse.csr_matrix((np.ones(len(history), np.float32), history, [0, len(history)]), shape=(1, items))
        ids, scores = model.recommend(0, row, N=items, filter_already_liked_items=False, recalculate_user=True)
        return scores[np.argsort(ids)]

    return ask


def test_every_verified_explanation_holds_when_implicit_itself_is_asked(model: Any, data: grease.Interactions) -> None:
    explainer = grease.Explainer(ImplicitModel(model, data), data)
    why = [one for user in data.user_ids[:4] for one in explainer.explain_list(user, k=3)]
    assert recheck(why, data, ask_implicit(model, data)) >= 12


def test_somebody_new_gets_the_list_implicit_would_give_them(model: Any, data: grease.Interactions) -> None:
    items = data.shape[1]
    row = sparse.csr_matrix((np.ones(2, np.float32), [4, 9], [0, 2]), shape=(1, items))
    wanted, _ = model.recommend(0, row, N=5, recalculate_user=True)
    listed = grease.Explainer(ImplicitModel(model, data), data).recommend(history=[data.item_ids[4], data.item_ids[9]], k=5)
    assert [one.item for one in listed] == [data.item_ids[row] for row in wanted]


def test_the_model_is_the_same_after_as_before(data: grease.Interactions) -> None:
    from implicit.cpu.als import AlternatingLeastSquares

    model = AlternatingLeastSquares(factors=8, iterations=3, num_threads=2, random_state=1)
    model.fit(matrix_of(data), show_progress=False)
    before = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in vars(model).items()}
    grease.Explainer(ImplicitModel(model, data), data).explain_list("mira", k=3)
    assert vars(model).keys() == before.keys()
    for name, value in vars(model).items():
        assert np.array_equal(value, before[name]) if isinstance(value, np.ndarray) else value == before[name], name


def test_the_same_question_has_the_same_answer_in_any_company_and_thread(model: Any, data: grease.Interactions) -> None:
    adapter = ImplicitModel(model, data)
    mine = [item for user, item in sorted(edges_of(data)) if user == 0]
    edits = [(np.array([[0, item]]), NOTHING) for item in mine]
    together = adapter.score_rows(0, edits, False)
    for row, edit in enumerate(edits):
        assert np.array_equal(adapter.score_rows(0, [edit], False)[0], together[row])
    with ThreadPoolExecutor(4) as pool:
        for answer in pool.map(lambda _: adapter.score_rows(0, edits, True), range(12)):
            assert np.array_equal(answer, together)


def test_weights_of_interactions_are_those_it_was_fitted_with(model: Any, data: grease.Interactions) -> None:
    weights = np.linspace(0.5, 4, len(data), dtype=np.float32)
    users, items = data.rows()
    own = users == 6
    row = sparse.csr_matrix((weights[own], items[own], [0, own.sum()]), shape=(1, data.shape[1]))
    wanted = model.item_factors @ model.recalculate_user(0, row).ravel()
    scores = ImplicitModel(model, data, weight=weights).score_rows(6, [(NOTHING, NOTHING)], False)
    np.testing.assert_allclose(scores[0], wanted, atol=1e-5)
    with pytest.raises(grease.ModelError, match="one for each interaction"):
        ImplicitModel(model, data, weight=[1.0, 2.0])


def test_others_cannot_be_edited(model: Any, data: grease.Interactions) -> None:
    adapter = ImplicitModel(model, data)
    assert "others" not in adapter.abilities
    with pytest.raises(grease.RecommenderError, match="only the history of the user"):
        adapter.score_rows(0, [(NOTHING, np.array([[1, 2]]))], False)


@pytest.mark.parametrize("kind", ["bpr.BayesianPersonalizedRanking", "lmf.LogisticMatrixFactorization"])
def test_models_that_cannot_fold_in_are_refused_with_the_way_out(kind: str, data: grease.Interactions) -> None:
    import importlib

    module, name = kind.split(".")
    kind_of = getattr(importlib.import_module(f"implicit.cpu.{module}"), name)
    model = kind_of(factors=4, iterations=2, num_threads=1, random_state=1)
    with pytest.raises(grease.ModelError, match="fit it first"):
        ImplicitModel(model, data)
    model.fit(matrix_of(data), show_progress=False)
    with pytest.raises(grease.ModelError, match=f"{name} cannot find.*grease.FrozenEmbeddings"):
        ImplicitModel(model, data)
    frozen = grease.FrozenEmbeddings(model.user_factors, model.item_factors)
    assert not any(one.verified for one in grease.Explainer(frozen, data).explain_list("mira", k=3))


def test_interactions_of_another_matrix_are_refused(model: Any) -> None:
    with pytest.raises(grease.ModelError, match="factors of 60 items, but the interactions have 50"):
        ImplicitModel(model, grease.Interactions.sample(users=80, artists=50))
