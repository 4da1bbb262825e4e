"""Checks explanations a second time, in plain Python: no code of the package makes the graph or ranks the items."""

from __future__ import annotations

from typing import Callable, Iterable

import numpy as np

import grease

#: Scores of all items for a user row on a set of (user row, item row), with or without what was learned about the user.
Ask = Callable[[int, "set[tuple[int, int]]", bool], "np.ndarray"]


def edges_of(data: grease.Interactions) -> set[tuple[int, int]]:
    """All interactions as pairs of rows."""
    users, items = data.rows()
    return set(zip(users.tolist(), items.tolist()))


def recheck(explanations: Iterable[grease.Explanation], data: grease.Interactions, ask: Ask) -> int:
    """Asks the model itself what each verified explanation says; how many there were."""
    user_row = {id: row for row, id in enumerate(data.user_ids)}
    item_row = {id: row for row, id in enumerate(data.item_ids)}
    edges, checked = edges_of(data), 0
    for why in explanations:
        if not why.verified:
            continue
        user, item = user_row[why.user], item_row[why.item]
        cited = {(user_row[edge.user], item_row[edge.item]) for edge in why.edges}
        history = {i for u, i in edges if u == user}
        assert why.rank_before == _rank(ask(user, edges, False), history, item, why.rank_before)
        if why.goal == "counterfactual":
            assert cited <= edges
            left = edges - cited
        else:
            assert why.goal == "factual"
            evicted = {(u, i) for u, i in edges if u == user or (why.evicted == "target" and i == item)}
            left = (edges - evicted) | cited
        rank = _rank(ask(user, left, why.profile == "neutral"), history, item, why.rank_after)
        assert rank == why.rank_after, why.sentence
        assert (rank > why.k) == (why.goal == "counterfactual"), why.sentence
        checked += 1
    return checked


def _rank(scores: "np.ndarray", history: set[int], item: int, said: int) -> int:
    """Its place among what the person does not have; where scores are equal to the last bits, any of the places is right."""
    others = np.array([score for row, score in enumerate(scores) if row not in history and row != item])
    close = 1e-6 * max(1.0, float(np.abs(scores).max()))
    best, worst = 1 + (others > scores[item] + close).sum(), 1 + (others > scores[item] - close).sum()
    return said if best <= said <= worst else int(best)
