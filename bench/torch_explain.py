#!/usr/bin/env python3
"""The paper's explainer in plain PyTorch: what `cargo xtask bench explain` compares GREASE's explaining with.

For each pair of a user and an item, from nothing but the interactions and the recommender's output embeddings: the 2-hop
neighbourhood of both with all interactions inside it; a two-layer R-GCN fitted to the embeddings of every node there (Adam,
full batch, 300 steps); then Algorithm 1, counterfactual: 200 steps of a mask of the edges, evaluated at its 0/1 values, with
gradients taken there by autograd. The hinge is on the margin to the k-th best of the other candidates and a step is divided by
its largest entry, without which nothing moves. Two styles are timed:

- `plain`: an edge list, messages gathered by index and summed by `index_add`, as research scripts are written;
- `tuned`: sums as CSR products with 32-bit indices, both directions prepared once, the mask's gradient by a rule of its own.

    python bench/torch_explain.py --task FOLDER --style plain

FOLDER is what `crates/explain/benches/explain` writes with `--dump`. The last line of standard output is one JSON object; progress goes
to standard error.
"""

import argparse
import json
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import torch
import torch.nn.functional as F
from torch import nn

from torch_reference import peak_rss_mb

HOPS = 2
FIT_STEPS = 300
FIT_LEARNING_RATE = 0.01
SEARCH_STEPS = 200
MASK_STEP = 0.1
EPSILON = 0.05
CAP = 10
WARM_UP = 2


# ---------------------------------------------------------------------------------------------------------------- data


@dataclass(frozen=True)
class Task:
    """The recommender as far as it is shown, and the pairs to explain."""

    by_user: sp.csr_matrix  # [users, items], 1 where there is an interaction
    by_item: sp.csr_matrix  # its transpose
    user_embeddings: np.ndarray
    item_embeddings: np.ndarray
    k: int
    pairs: list[tuple[int, int]]


def read_task(folder: Path) -> Task:
    shapes = json.loads((folder / "task.json").read_text())
    users, items, width = shapes["users"], shapes["items"], shapes["width"]
    edges = np.fromfile(folder / "edges.u32", dtype="<u4").reshape(-1, 2).astype(np.int64)
    ones = np.ones(len(edges), dtype=np.float32)
    by_user = sp.csr_matrix((ones, (edges[:, 0], edges[:, 1])), shape=(users, items))
    return Task(
        by_user,
        by_user.T.tocsr(),
        np.fromfile(folder / "users.f32", dtype="<f4").reshape(users, width),
        np.fromfile(folder / "items.f32", dtype="<f4").reshape(items, width),
        shapes["k"],
        [tuple(pair) for pair in shapes["pairs"]],
    )


@dataclass(frozen=True)
class Subgraph:
    """Nodes are users, then items; edge e joins user node `user[e]` and item node `item[e]`."""

    users: np.ndarray  # rows in the whole graph
    items: np.ndarray
    user: torch.Tensor  # [edges] int64
    item: torch.Tensor  # [edges] int64
    features: torch.Tensor  # [nodes, width]

    @property
    def nodes(self) -> int:
        return len(self.users) + len(self.items)


def neighbours(matrix: sp.csr_matrix, rows: np.ndarray) -> np.ndarray:
    """A mask of the columns any of the rows has."""
    mask = np.zeros(matrix.shape[1], dtype=bool)
    mask[matrix[np.flatnonzero(rows)].indices] = True
    return mask


def subgraph_around(task: Task, user: int, item: int) -> Subgraph:
    """Everything within two hops of either, with all interactions among it."""
    users, items = np.zeros(task.by_user.shape[0], dtype=bool), np.zeros(task.by_user.shape[1], dtype=bool)
    users[user] = items[item] = True
    for _ in range(HOPS):
        users, items = users | neighbours(task.by_item, items), items | neighbours(task.by_user, users)
    user_rows, item_rows = np.flatnonzero(users), np.flatnonzero(items)
    edges = task.by_user[user_rows][:, item_rows].tocoo()
    features = np.concatenate([task.user_embeddings[user_rows], task.item_embeddings[item_rows]])
    return Subgraph(
        user_rows,
        item_rows,
        torch.from_numpy(edges.row.astype(np.int64)),
        torch.from_numpy(edges.col.astype(np.int64) + len(user_rows)),
        torch.from_numpy(features),
    )


# --------------------------------------------------------------------------------------------------------- aggregation


class EdgeList:
    """Weighted sums over neighbours, message by message."""

    def __init__(self, graph: Subgraph):
        self.graph = graph

    def sums(self, weights: torch.Tensor, to_users: bool, messages: torch.Tensor) -> torch.Tensor:
        source, target = self.graph.item, self.graph.user
        if not to_users:
            source, target = target, source
        along = messages[source] * weights.unsqueeze(1)
        return torch.zeros(self.graph.nodes, messages.shape[1]).index_add(0, target, along)


class Sparse:
    """The same by CSR products, whose patterns are made once."""

    def __init__(self, graph: Subgraph):
        edges = torch.arange(len(graph.user)).numpy()
        self.ends = (graph.user, graph.item)
        self.patterns = []
        for rows, columns in [(graph.user, graph.item), (graph.item, graph.user)]:
            # The numbers of the edges from 1, as scipy would drop a 0.
            matrix = sp.csr_matrix((edges + 1.0, (rows.numpy(), columns.numpy())), shape=(graph.nodes, graph.nodes))
            self.patterns.append(
                (
                    torch.from_numpy(matrix.indptr.astype(np.int32)),
                    torch.from_numpy(matrix.indices.astype(np.int32)),
                    torch.from_numpy(matrix.data.astype(np.int64) - 1),
                )
            )
        self.nodes = graph.nodes

    def product(self, weights: torch.Tensor, to_users: bool, x: torch.Tensor) -> torch.Tensor:
        offsets, indices, order = self.patterns[0 if to_users else 1]
        size = (self.nodes, self.nodes)
        return torch.sparse_csr_tensor(offsets, indices, weights[order], size=size, check_invariants=False) @ x

    def sums(self, weights: torch.Tensor, to_users: bool, messages: torch.Tensor) -> torch.Tensor:
        return SparseSums.apply(weights, messages, self, to_users)


class SparseSums(torch.autograd.Function):
    """Autograd's own backward would transpose the matrix at every call."""

    @staticmethod
    def forward(ctx, weights, messages, sparse, to_users):
        ctx.save_for_backward(weights, messages)
        ctx.sparse, ctx.to_users = sparse, to_users
        return sparse.product(weights, to_users, messages)

    @staticmethod
    def backward(ctx, gradient):
        weights, messages = ctx.saved_tensors
        user, item = ctx.sparse.ends
        source, target = (item, user) if ctx.to_users else (user, item)
        of_weights = None
        if ctx.needs_input_grad[0]:
            of_weights = (F.embedding(target, gradient) * F.embedding(source, messages)).sum(1)
        return of_weights, ctx.sparse.product(weights, not ctx.to_users, gradient), None, None


STYLES = {"plain": EdgeList, "tuned": Sparse}


# ----------------------------------------------------------------------------------------------------------- surrogate


class Layer(nn.Module):
    """mean over items of x W1 (to users), mean over users of x W2 (to items), plus x W0; a mean divides by at least 1."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.to_users = nn.Linear(inputs, outputs, bias=False)
        self.to_items = nn.Linear(inputs, outputs, bias=False)
        self.own = nn.Linear(inputs, outputs, bias=False)

    def forward(self, aggregate, weights: torch.Tensor, degrees: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        sums = aggregate.sums(weights, True, self.to_users(x)) + aggregate.sums(weights, False, self.to_items(x))
        return sums / degrees.clamp(min=1).unsqueeze(1) + self.own(x)


class RGCN(nn.Module):
    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.first = Layer(width, hidden)
        self.second = Layer(hidden, width)

    def forward(self, graph: Subgraph, aggregate, weights: torch.Tensor) -> torch.Tensor:
        degrees = torch.zeros(graph.nodes).index_add(0, graph.user, weights).index_add(0, graph.item, weights)
        hidden = F.relu(self.first(aggregate, weights, degrees, graph.features))
        return self.second(aggregate, weights, degrees, hidden)


class Steps:
    """Runs a loop whole, or only its first steps, and says how long the whole takes."""

    def __init__(self, total: int, timed: int):
        self.scaled = 0 < timed < total - WARM_UP
        self.count = timed + WARM_UP if self.scaled else total
        self.total = total
        self.ends = []

    def __iter__(self):
        self.ends.append(time.perf_counter())
        for step in range(self.count):
            yield step
            self.ends.append(time.perf_counter())

    def seconds(self) -> float:
        if not self.scaled:
            return self.ends[-1] - self.ends[0]
        return (self.ends[-1] - self.ends[WARM_UP]) / (len(self.ends) - 1 - WARM_UP) * self.total


def fit(graph: Subgraph, aggregate, hidden: int, timed: int, tuned: bool) -> tuple[RGCN, Steps, float]:
    model = RGCN(graph.features.shape[1], hidden)
    optimiser = torch.optim.Adam(model.parameters(), lr=FIT_LEARNING_RATE, fused=tuned)
    ones = torch.ones(len(graph.user))
    steps = Steps(FIT_STEPS, timed)
    for _ in steps:
        loss = F.mse_loss(model(graph, aggregate, ones), graph.features)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model, steps, loss.item()


# -------------------------------------------------------------------------------------------------------------- search


def search(task: Task, graph: Subgraph, aggregate, model: RGCN, user: int, item: int, timed: int) -> tuple[dict, Steps]:
    """Algorithm 1, counterfactual: the fewest edges whose removal takes the item off the surrogate's own list."""
    candidate = np.ones(task.by_user.shape[1], dtype=bool)
    candidate[task.by_user[user].indices] = False
    candidate[item] = False
    inside = torch.from_numpy(np.flatnonzero(candidate[graph.items]) + len(graph.users))
    candidate[graph.items] = False
    # Candidates without a surrogate embedding keep the recommender's.
    outside = torch.from_numpy(task.item_embeddings[candidate])
    user_node = int(np.searchsorted(graph.users, user))
    item_node = int(np.searchsorted(graph.items, item)) + len(graph.users)
    for parameter in model.parameters():
        parameter.requires_grad_(False)

    mask = torch.ones(len(graph.user))
    found = {"edges": None, "settled_at": None, "in_list_at_start": None}
    epsilon = None
    steps = Steps(SEARCH_STEPS, timed)
    for step in steps:
        weights = (mask >= 0).float().requires_grad_(True)
        out = model(graph, aggregate, weights)
        own = out[user_node]
        target = own @ out[item_node]
        best = torch.cat([out[inside] @ own, outside @ own]).topk(task.k).values
        if epsilon is None:
            epsilon = EPSILON * (torch.maximum(best[0], target) - best[-1]).item()
            found["in_list_at_start"] = bool(target > best[-1])
        removed = int((mask < 0).sum())
        if removed and target <= best[-1] and removed <= CAP and (found["edges"] is None or removed < found["edges"]):
            found["edges"] = removed
        loss = F.relu(target - best[-1] + epsilon)
        loss.backward()
        largest = weights.grad.abs().max()
        if largest > 0:
            mask = (mask - MASK_STEP * weights.grad / largest).clamp(-1, 1)
        elif found["settled_at"] is None:
            found["settled_at"] = step
    return found, steps


# ---------------------------------------------------------------------------------------------------------------- main


def explain(task: Task, pair: tuple[int, int], options: argparse.Namespace) -> dict:
    user, item = pair
    start = time.perf_counter()
    graph = subgraph_around(task, user, item)
    aggregate = STYLES[options.style](graph)
    around = time.perf_counter() - start
    model, fitting, loss = fit(graph, aggregate, options.hidden, options.steps_timed, options.style == "tuned")
    found, searching = search(task, graph, aggregate, model, user, item, options.steps_timed)
    fit_seconds, search_seconds = fitting.seconds(), searching.seconds()
    report = {
        "nodes": graph.nodes,
        "edges": len(graph.user),
        "subgraph_seconds": around,
        "fit_seconds": fit_seconds,
        "search_seconds": search_seconds,
        "seconds": around + fit_seconds + search_seconds,
        "scaled": fitting.scaled,
        "fit_loss": loss,
        **{f"found_{name}": value for name, value in found.items()},
    }
    print(json.dumps(report), file=sys.stderr)
    return report


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", type=Path, required=True, help="folder the bench program wrote")
    parser.add_argument("--style", choices=sorted(STYLES), default="plain", help="how messages are summed")
    parser.add_argument("--hidden", type=int, default=32)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps-timed", type=int, default=0, help="time so many steps of each loop instead, scaled")
    parser.add_argument("--pairs", type=int, default=0, help="explain so many instead of all")
    return parser.parse_args()


def main() -> None:
    options = parse_arguments()
    warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    imported_rss = peak_rss_mb()
    task = read_task(options.task)
    cpu, wall = time.process_time(), time.perf_counter()
    pairs = [explain(task, pair, options) for pair in task.pairs[: options.pairs or None]]
    result = {
        "torch": torch.__version__,
        "style": options.style,
        "threads": options.threads,
        "hidden": options.hidden,
        "fit_steps": FIT_STEPS,
        "search_steps": SEARCH_STEPS,
        "steps_timed": options.steps_timed,
        "pairs": pairs,
        "wall_seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - cpu,
        "import_rss_mb": imported_rss,
        "peak_rss_mb": peak_rss_mb(),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
