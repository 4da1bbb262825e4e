"""Explains a recommender of your own: any object with scores(user, removed, added) is one.

Needs: pip install . in the repository
"""

import numpy as np

import grease


class Neighbours:
    """Recommends what people with a similar history listened to."""

    # It knows nothing about anybody but their history, so it can always do without what it has learned about them.
    abilities = {"neutral"}

    def __init__(self, data: grease.Interactions) -> None:
        self.row = {id: row for row, id in enumerate(data.user_ids)}
        self.column = {id: column for column, id in enumerate(data.item_ids)}
        self.history = np.zeros(data.shape)
        self.history[data.rows()] = 1

    def scores(self, user: str, removed: list[str], added: list[str], neutral: bool = False) -> np.ndarray:
        """A score for every artist, had the user's history been another."""
        mine = self.history[self.row[user]].copy()
        mine[[self.column[item] for item in removed]] = 0
        mine[[self.column[item] for item in added]] = 1
        lengths = np.sqrt(self.history.sum(axis=1) * max(mine.sum(), 1)) + 1
        alike = self.history @ mine / lengths
        alike[self.row[user]] = 0
        return alike @ self.history


data = grease.Interactions.sample()
explainer = grease.Explainer(Neighbours(data), data)
print(explainer.explain_list("noor", k=5))
print(explainer.questions)
