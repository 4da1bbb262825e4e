"""A recommender in plain Python whose scores anybody can count: people who touched what you touched also touched."""

from __future__ import annotations

import grease


class Carts:
    """Counts, for every item, the interactions shared with each other person who has it."""

    def __init__(self, data: grease.Interactions) -> None:
        users, items = data.user_ids, data.item_ids
        self.items = items
        self.carts: dict = {user: set() for user in users}
        for user, item in zip(*(rows.tolist() for rows in data.rows())):
            self.carts[users[user]].add(items[item])

    def scores(self, user, removed, added):
        return self.count(user, (self.carts[user] - set(removed)) | set(added), self.carts)

    def count(self, user, mine, carts):
        scores = dict.fromkeys(self.items, 0)
        for who, cart in carts.items():
            shared = len(mine & cart) if who != user else 0
            if shared:
                for item in cart:
                    scores[item] += shared
        return [scores[item] for item in self.items]


class AbleCarts(Carts):
    """The same, and everything else it can be asked."""

    abilities = {"others", "neutral", "newcomers"}
    name, version = "carts", "2"

    def scores(self, user, removed, added, neutral=False):
        carts = {who: set(cart) for who, cart in self.carts.items()}
        carts.setdefault(user, set())
        for who, item in removed:
            carts[who].remove(item)
        for who, item in added:
            carts.setdefault(who, set()).add(item)
        return self.count(user, carts[user], carts)


def rank(scores, items, history, item, ties=None):
    """Where an item stands among those outside a history.

    At equal scores the earlier row is better; or the item itself (ties="won"), or everybody else (ties="lost").
    """
    mine = items.index(item)
    at_equal = {None: lambda at: at < mine, "won": lambda at: False, "lost": lambda at: True}[ties]
    better = [
        at for at, other in enumerate(items)
        if at != mine and other not in history and (scores[at] > scores[mine] or scores[at] == scores[mine] and at_equal(at))
    ]
    return len(better) + 1
