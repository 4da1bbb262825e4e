#!/usr/bin/env python3
"""LightGCN and NGCF in plain PyTorch: what `cargo xtask bench train` and `bench cuda` compare GREASE's training with.

The program is meant to be a fair opponent: it does what a careful PyTorch user would do and nothing exotic (no compiler, no custom
kernels), on the CPU or, with `--device cuda`, wholly on a card. Every optimisation step propagates the whole graph, takes gradients by
autograd and updates every parameter with Adam. Two styles are timed:

- `plain`: as the published LightGCN and NGCF codes are written: a coalesced COO matrix, `torch.sparse.mm` and whatever autograd makes
  of it, rows picked by indexing, Adam as it comes;
- `tuned`: a CSR matrix with 32-bit indices, autograd told that the matrix is symmetric, rows picked by `F.embedding`, fused Adam. We know
  of no published code that does all this, but somebody who has profiled theirs might.

    python bench/torch_reference.py --data ../shared/data/lastfm --kind lightgcn --epochs 200 --evaluate

The last line of standard output is one JSON object; progress goes to standard error.
"""

import argparse
import json
import resource
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

TEST_SHARE = 0.2
TOP_K = 20
LEARNING_RATE = 1e-3
L2 = 1e-4
LEAKY_SLOPE = 0.2
MESSAGE_DROPOUT = 0.1


# ---------------------------------------------------------------------------------------------------------------- data


@dataclass(frozen=True)
class Split:
    """Interactions as (user row, item row) pairs, divided into a training and a test part."""

    users: int
    items: int
    train: np.ndarray  # [n, 2] int64
    test: np.ndarray  # [m, 2] int64


def read_split(path: Path, seed: int) -> Split:
    """Reads a folder (or one of its files): `interactions.tsv`, split here, or `train.txt` and `test.txt` as given."""
    folder = path if path.is_dir() else path.parent
    table = path if path.suffix == ".tsv" else folder / "interactions.tsv"
    if path.suffix != ".txt" and table.exists():
        train, test = split_per_user(read_table(table), seed)
    elif (folder / "train.txt").exists():
        train, test = read_adjacency(folder / "train.txt"), read_adjacency(folder / "test.txt")
    else:
        sys.exit(f"{path}: found neither interactions.tsv nor train.txt")
    return renumber(train, test)


def read_table(path: Path) -> np.ndarray:
    """One interaction a line, `user<TAB>item`, under a header."""
    return np.loadtxt(path, dtype=np.int64, delimiter="\t", skiprows=1, usecols=(0, 1))


def read_adjacency(path: Path) -> np.ndarray:
    """One user a line, `user item item ...`; a user may have no items."""
    lines = [np.array(line.split(), dtype=np.int64) for line in path.read_text().splitlines() if line.strip()]
    users = np.repeat([line[0] for line in lines], [len(line) - 1 for line in lines])
    return np.stack([users, np.concatenate([line[1:] for line in lines])], axis=1)


def split_per_user(pairs: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Keeps four fifths (rounded, halves up) of each user's interactions and holds the rest back, by a seeded permutation."""
    shuffled = pairs[np.random.default_rng(seed).permutation(len(pairs))]
    grouped = shuffled[np.argsort(shuffled[:, 0], kind="stable")]
    _, start, count = np.unique(grouped[:, 0], return_index=True, return_counts=True)
    place = np.arange(len(grouped)) - np.repeat(start, count)
    kept = np.floor(count * (1 - TEST_SHARE) + 0.5).astype(np.int64)
    held_back = place < np.repeat(count - kept, count)
    return grouped[~held_back], grouped[held_back]


def renumber(train: np.ndarray, test: np.ndarray) -> Split:
    """Gives a row to every user and item that occurs anywhere, in the order of their ids."""
    both = np.concatenate([train, test])
    users, user_rows = np.unique(both[:, 0], return_inverse=True)
    items, item_rows = np.unique(both[:, 1], return_inverse=True)
    rows = np.stack([user_rows, item_rows], axis=1)
    return Split(len(users), len(items), rows[: len(train)], rows[len(train) :])


def normalised_adjacency(split: Split, tuned: bool) -> torch.Tensor:
    """D^-1/2 A D^-1/2 over users and items, no self loops; COO, or tuned: CSR, whose 32-bit indices let MKL run its product."""
    pairs = np.unique(split.train, axis=0)  # a pair listed twice is one edge
    users, items = pairs[:, 0], pairs[:, 1] + split.users
    rows, columns = np.concatenate([users, items]), np.concatenate([items, users])
    order = np.lexsort([columns, rows])
    rows, columns = rows[order], columns[order]
    nodes = split.users + split.items
    degree = np.bincount(rows, minlength=nodes)
    scale = 1.0 / np.sqrt(np.maximum(degree, 1.0))
    values = torch.from_numpy((scale[rows] * scale[columns]).astype(np.float32))
    if not tuned:
        return torch.sparse_coo_tensor(torch.from_numpy(np.stack([rows, columns])), values, (nodes, nodes)).coalesce()
    return torch.sparse_csr_tensor(
        torch.from_numpy(np.append(0, degree.cumsum()).astype(np.int32)),
        torch.from_numpy(columns.astype(np.int32)),
        values,
        size=(nodes, nodes),
        check_invariants=True,
    )


# -------------------------------------------------------------------------------------------------------------- models


class Propagate(torch.autograd.Function):
    """`A x` for a constant symmetric A, so that the gradient is `A g`.

    Autograd's own backward transposes the matrix at every call, which costs more than the product itself, for CSR and
    for COO. On Yelp2018 forward and backward together take about half as long this way as with either.
    """

    @staticmethod
    def forward(ctx, adjacency, x):
        ctx.adjacency = adjacency
        return torch.mm(adjacency, x)

    @staticmethod
    def backward(ctx, gradient):
        return None, torch.mm(ctx.adjacency, gradient)


STYLES = ["plain", "tuned"]


class LightGCN(nn.Module):
    """The mean of layers 0..L of repeated propagation."""

    def __init__(self, nodes: int, dim: int, layers: int, propagate):
        super().__init__()
        self.layers = layers
        self.propagate = propagate
        self.embedding = nn.Parameter(torch.empty(nodes, dim).normal_(std=0.1))

    def forward(self, adjacency: torch.Tensor) -> torch.Tensor:
        h = self.embedding
        total = h
        for _ in range(self.layers):
            h = self.propagate(adjacency, h)
            total = total + h
        return total / (self.layers + 1)


class NGCF(nn.Module):
    """h' = LeakyReLU((A h + h) w1 + b1 + ((A h) * h) w2 + b2); the embedding joins h0 and every normalised layer."""

    def __init__(self, nodes: int, dim: int, layers: int, propagate):
        super().__init__()
        self.propagate = propagate
        self.embedding = nn.Parameter(nn.init.xavier_uniform_(torch.empty(nodes, dim)))
        self.sums = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))
        self.products = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))
        for linear in [*self.sums, *self.products]:
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, adjacency: torch.Tensor) -> torch.Tensor:
        h = self.embedding
        outputs = [h]
        for of_sum, of_product in zip(self.sums, self.products):
            messages = self.propagate(adjacency, h)
            h = F.leaky_relu(of_sum(messages + h) + of_product(messages * h), LEAKY_SLOPE)
            h = F.dropout(h, MESSAGE_DROPOUT, self.training)
            outputs.append(F.normalize(h, dim=1))
        return torch.cat(outputs, dim=1)


MODELS = {"lightgcn": LightGCN, "ngcf": NGCF}


# ------------------------------------------------------------------------------------------------------------ training


class NegativeSampler:
    """Draws, for each user of a batch, one item uniformly from those outside the user's training history."""

    def __init__(self, split: Split, generator: torch.Generator):
        self.items = split.items
        self.generator = generator
        self.device = generator.device
        # Sorted keys `user * items + item`; the sentinel keeps a search past the last key in bounds.
        keys = np.unique(split.train[:, 0] * split.items + split.train[:, 1])
        self.history = torch.from_numpy(np.append(keys, np.iinfo(np.int64).max)).to(self.device)

    def draw(self, users: torch.Tensor) -> torch.Tensor:
        items = torch.randint(self.items, users.shape, generator=self.generator, device=self.device)
        open_ = torch.arange(len(users), device=self.device)
        while True:
            keys = users[open_] * self.items + items[open_]
            open_ = open_[self.history[torch.searchsorted(self.history, keys)] == keys]
            if not len(open_):
                return items
            items[open_] = torch.randint(self.items, open_.shape, generator=self.generator, device=self.device)


def pair_loss(kind: str, positive: torch.Tensor, negative: torch.Tensor) -> torch.Tensor:
    if kind == "bpr":
        return F.softplus(negative - positive).mean()
    return 0.5 * (F.softplus(-positive).mean() + F.softplus(negative).mean())  # BCE with logits over both halves


class Trainer:
    def __init__(self, split: Split, options: argparse.Namespace):
        torch.manual_seed(options.seed)
        self.generator = torch.Generator(options.device).manual_seed(options.seed)
        self.users = split.users
        self.pairs = torch.from_numpy(split.train).to(options.device)
        self.adjacency = normalised_adjacency(split, options.style == "tuned").to(options.device)
        self.negatives = NegativeSampler(split, self.generator)
        tuned = options.style == "tuned"
        propagate = Propagate.apply if tuned else torch.sparse.mm
        self.pick = F.embedding if tuned else lambda rows, table: table[rows]
        self.model = MODELS[options.kind](split.users + split.items, options.dim, options.layers, propagate)
        self.model.to(options.device)
        self.optimiser = torch.optim.Adam(self.model.parameters(), lr=LEARNING_RATE, fused=tuned)
        self.batch = options.batch
        self.loss = options.loss

    @property
    def steps_per_epoch(self) -> int:
        return -(-len(self.pairs) // self.batch)

    def batches(self):
        """The training pairs of one epoch in random order."""
        order = torch.randperm(len(self.pairs), generator=self.generator, device=self.generator.device)
        return self.pairs[order].split(self.batch)

    def step(self, pairs: torch.Tensor) -> torch.Tensor:
        users, positives = pairs.unbind(dim=1)
        negatives = self.negatives.draw(users)
        rows = torch.cat([users, positives + self.users, negatives + self.users])

        # `F.embedding` gathers rows as indexing does, with a gradient that runs in parallel.
        user, positive, negative = self.pick(rows, self.model(self.adjacency)).chunk(3)
        loss = pair_loss(self.loss, (user * positive).sum(dim=1), (user * negative).sum(dim=1))
        penalty = 0.5 * self.pick(rows, self.model.embedding).square().sum() / len(pairs)

        self.optimiser.zero_grad(set_to_none=True)
        (loss + L2 * penalty).backward()
        self.optimiser.step()
        return loss.detach()

    def run(self, batches) -> float:
        """Trains on the batches given; the mean loss. Reading it waits for all work to be done."""
        return torch.stack([self.step(pairs) for pairs in batches]).mean().item()

    def stream(self):
        """Batches without end, an epoch after another."""
        while True:
            yield from self.batches()


@dataclass
class Timing:
    """Wall seconds a whole epoch takes, one figure an epoch, and the wall and processor time of all timed work."""

    epoch_seconds: list[float]
    losses: list[float]
    steps: int
    wall_seconds: float
    cpu_seconds: float


def train(trainer: Trainer, epochs: int, steps: int, warmup: int) -> Timing:
    """Whole epochs, or `steps` optimisation steps scaled to one epoch; `warmup` untimed steps go first."""
    trainer.model.train()
    stream = trainer.stream()
    if warmup:
        trainer.run(next(stream) for _ in range(warmup))
    timing = Timing([], [], 0, 0.0, 0.0)
    for epoch in range(1 if steps else epochs):
        wall, cpu = time.perf_counter(), time.process_time()
        batches = [next(stream) for _ in range(steps)] if steps else trainer.batches()
        loss = trainer.run(batches)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        timing.epoch_seconds.append(wall * trainer.steps_per_epoch / len(batches))
        timing.losses.append(loss)
        timing.steps += len(batches)
        timing.wall_seconds += wall
        timing.cpu_seconds += cpu
        print(f"epoch {epoch + 1}: loss {loss:.5f}, {timing.epoch_seconds[-1]:.3f} s/epoch", file=sys.stderr)
    return timing


# ---------------------------------------------------------------------------------------------------------- evaluation


@torch.no_grad()
def evaluate(trainer: Trainer, split: Split, block: int = 1024) -> tuple[float, float]:
    """Recall@20 and NDCG@20: the mean over users with a test item, training items excluded."""
    import scipy.sparse as sp

    trainer.model.eval()
    user, item = trainer.model(trainer.adjacency).cpu().split([split.users, split.items])
    ones = np.ones(len(split.train), dtype=np.float32)
    seen = sp.csr_matrix((ones, split.train.T), shape=(split.users, split.items))
    ones = np.ones(len(split.test), dtype=np.float32)
    wanted = sp.csr_matrix((ones, split.test.T), shape=(split.users, split.items))
    gains = 1.0 / torch.log2(torch.arange(2, TOP_K + 2, dtype=torch.float64))
    ideal = torch.cat([torch.zeros(1, dtype=torch.float64), gains.cumsum(0)])

    recalls, ndcgs = [], []
    tested = np.flatnonzero(np.diff(wanted.indptr))
    for start in range(0, len(tested), block):
        rows = tested[start : start + block]
        scores = user[torch.from_numpy(rows)] @ item.T
        row, column = seen[rows].nonzero()
        scores[torch.from_numpy(row), torch.from_numpy(column)] = -torch.inf
        best = scores.topk(TOP_K, dim=1).indices
        hits = torch.from_numpy(wanted[rows].toarray()).gather(1, best).double()
        relevant = torch.from_numpy(np.diff(wanted.indptr)[rows])
        recalls.append(hits.sum(1) / relevant)
        ndcgs.append(hits @ gains / ideal[relevant.clamp(max=TOP_K).long()])
    return torch.cat(recalls).mean().item(), torch.cat(ndcgs).mean().item()


# ---------------------------------------------------------------------------------------------------------------- main


def peak_rss_mb() -> float:
    """Peak resident memory; the kernel counts in KiB on Linux and in bytes on macOS."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with interactions.tsv or train.txt/test.txt")
    parser.add_argument("--kind", choices=sorted(MODELS), default="lightgcn")
    parser.add_argument("--style", choices=STYLES, default="plain", help="how gradients go back through the graph")
    parser.add_argument("--loss", choices=["bce", "bpr"], default="bce")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--steps", type=int, default=0, help="time so many steps instead, scaled to one epoch")
    parser.add_argument("--warmup", type=int, default=0, help="untimed steps before")
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu", help="cpu, or cuda for the first card")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--evaluate", action="store_true", help="also measure recall@20 and ndcg@20")
    return parser.parse_args()


def main() -> None:
    options = parse_arguments()
    warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
    torch.set_num_threads(options.threads)
    imported_rss = peak_rss_mb()
    split = read_split(options.data, options.seed)
    trainer = Trainer(split, options)
    timing = train(trainer, options.epochs, options.steps, options.warmup)
    trained_rss = peak_rss_mb()
    recall, ndcg = evaluate(trainer, split) if options.evaluate else (None, None)
    on_card = options.device != "cpu"
    result = {
        "by": "torch",
        "what": "train",
        "device": torch.cuda.get_device_name(options.device) if on_card else "cpu",
        "kind": options.kind,
        "style": options.style,
        "batch": options.batch,
        "loss": options.loss,
        "data": str(options.data),
        "torch": torch.__version__,
        "threads": options.threads,
        "users": split.users,
        "items": split.items,
        "train": len(split.train),
        "steps_per_epoch": trainer.steps_per_epoch,
        "steps": timing.steps,
        "scaled": options.steps > 0,
        "epoch_seconds": timing.epoch_seconds,
        "loss_per_epoch": timing.losses,
        "wall_seconds": timing.wall_seconds,
        "cpu_seconds": timing.cpu_seconds,
        "peak_rss_mb": trained_rss,
        "import_rss_mb": imported_rss,
        "recall@20": recall,
        "ndcg@20": ndcg,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
