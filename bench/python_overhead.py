"""What asking through Python costs; prints one JSON object.

overhead: explains lists of a recommender that answers at once, and divides the time by the questions it was asked.
explain: explains the lists of many people with a model of ours, timing only that.
"""

import argparse
import json
import time

import numpy as np

import grease


class Instant:
    """Answers at once, and differently for different questions, so that searches go their usual way."""

    def __init__(self, items: int, answers: int = 97) -> None:
        self.prepared = np.random.default_rng(1).normal(size=(answers, items)).astype(np.float32)

    def scores(self, user, removed, added):
        return self.prepared[len(removed) % len(self.prepared)]


class InstantRows(Instant):
    """The same by rows, many questions a call."""

    def score_rows(self, user, edits, neutral):
        return self.prepared[[len(removed) % len(self.prepared) for removed, _ in edits]]


def overhead(items: int, rows: bool) -> dict:
    rng = np.random.default_rng(2)
    users = 200
    data = grease.Interactions.from_arrays(
        rng.integers(0, users, 12_000), rng.integers(0, items, 12_000), user_ids=range(users), item_ids=range(items)
    )
    explainer = grease.Explainer((InstantRows if rows else Instant)(items), data)
    explainer.explain_list(0)
    before, began = explainer.questions, time.perf_counter()
    for user in range(40):
        explainer.explain_list(user)
    seconds, after = time.perf_counter() - began, explainer.questions
    asked = after.questions - before.questions
    return {
        "items": items,
        "door": "score_rows" if rows else "scores",
        "questions": asked,
        "requests": after.requests - before.requests,
        "ms_a_question": 1e3 * seconds / asked,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model")
    parser.add_argument("--users")
    arguments = parser.parse_args()
    if arguments.model is None:
        print(json.dumps({"rows": [overhead(items, rows) for items in (2_000, 20_000) for rows in (False, True)]}))
        return
    with open(arguments.users, encoding="utf-8") as file:
        users = file.read().split()
    began = time.perf_counter()
    explainer = grease.Explainer(grease.load(arguments.model))
    loaded = time.perf_counter()
    lines = explainer.explain_many(users, progress=False).to_jsonl()
    print(json.dumps({"load": loaded - began, "explain": time.perf_counter() - loaded, "lines": lines.count("\n")}))


if __name__ == "__main__":
    main()
