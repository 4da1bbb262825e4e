"""Models trained here."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _native
from ._ids import Id, texts_of
from ._interactions import Interactions
from ._notebook import Cell, table
from ._progress import Progress, Wanted
from ._recommender import plain


class Model:
    """A LightGCN or an NGCF with the data it was trained on; from ``train``, ``from_weights`` or ``load``.

    Examples:
        >>> import grease
        >>> data = grease.Interactions.sample(users=80, artists=60)
        >>> model = grease.train(data, epochs=30, dim=16, batch=256, learning_rate=0.01, loss="bpr")
        >>> model.manifest["kind"], model.manifest["dim"]
        ('lightgcn', 16)
        >>> model.interactions.shape
        (80, 60)
    """

    def __init__(self, native: _native.Model) -> None:
        """Made of the ``native`` half; ``train``, ``from_weights`` and ``load`` are how people get one."""
        self._native = native

    @property
    def manifest(self) -> dict[str, Any]:
        """What the folder's ``model.json`` says: kind, sizes, training, recall@20, hashes."""
        manifest: dict[str, Any] = json.loads(self._native.manifest())
        return manifest

    @property
    def trained_on(self) -> Optional[str]:
        """The device it was trained on, and why not on another, such as "cuda:0 (NVIDIA H200)"; None for one that was not trained just now."""
        return self._native.trained_on()

    @property
    def interactions(self) -> Interactions:
        """What the model learned from."""
        return Interactions._of(self._native.interactions())

    def __repr__(self) -> str:
        m = self.manifest
        return f"Model({m['kind']}, {m['users']} users, {m['items']} items, {m['train_interactions']} interactions)"

    def _repr_html_(self) -> str:
        return table(["model", ""], _told(self.manifest))


def _told(manifest: "dict[str, Any]") -> "list[tuple[str, Cell]]":
    """What of a manifest is worth a line."""
    names = {
        "kind": "kind",
        "layers": "layers",
        "dim": "width",
        "users": "users",
        "items": "items",
        "train_interactions": "interactions",
        "recall_at_20": "recall@20",
        "ndcg_at_20": "ndcg@20",
    }
    return [(told, manifest[name]) for name, told in names.items() if manifest.get(name) is not None]


def train(
    interactions: Interactions,
    *,
    kind: str = "lightgcn",
    loss: str = "bce",
    dim: Optional[int] = None,
    layers: Optional[int] = None,
    epochs: Optional[int] = None,
    batch: Optional[int] = None,
    learning_rate: Optional[float] = None,
    l2: Optional[float] = None,
    dropout: Optional[float] = None,
    seed: Optional[int] = None,
    early_stopping: Optional[int] = None,
    train_share: Optional[float] = None,
    out: "Optional[str | os.PathLike[str]]" = None,
    force: bool = False,
    device: str = "auto",
    progress: Wanted = None,
) -> Model:
    """Trains a LightGCN or an NGCF, as ``grease train`` does: same data, options, seed and device, same model to the byte.

    Ctrl-C ends it. Where nothing is said, the defaults are those of ``grease train``.

    Args:
        interactions: what to learn from.
        kind: "lightgcn" or "ngcf".
        loss: "bce" or "bpr".
        dim: width of the embeddings.
        layers: how many times the graph is gone over.
        epochs: how often all interactions are gone through.
        batch: interactions a step.
        learning_rate: how far a step goes.
        l2: how strongly weights are held back.
        dropout: share of values left out in the layers of an NGCF while training.
        seed: what chance starts from.
        early_stopping: looks without improvement after which it stops.
        train_share: share of each user's interactions to learn from; the others test the model. 0.8 unless it is said.
        out: where to keep the model folder; without it the model is in memory only.
        force: replaces a model folder that is there.
        device: where to train: "auto" (a card, if there is one), "cpu", "cuda" or "cuda:N"; ``trained_on`` then says where it was.
        progress: True shows a bar (needs tqdm), False none, a function is called with (done, all); by default there is a bar on a
            terminal and in a notebook.
    """
    options = {
        "kind": kind,
        "loss": loss,
        "dim": dim,
        "layers": layers,
        "epochs": epochs,
        "batch": batch,
        "learning_rate": learning_rate,
        "l2": l2,
        "dropout": dropout,
        "seed": seed,
        "early_stopping": early_stopping,
        "train_share": train_share,
    }
    with Progress(progress, "training", "epoch") as tell:
        path = None if out is None else os.fspath(out)
        return Model(_native.Model.train(interactions._native, json.dumps(options), path, force, device, tell))


def from_weights(
    kind: str,
    weights: "Union[Mapping[str, Any], str, os.PathLike[str], Sequence[Union[str, os.PathLike[str]]]]",
    interactions: Interactions,
    *,
    layers: Optional[int] = None,
    layout: Optional[str] = None,
    user_ids: Optional[Sequence[Id]] = None,
    item_ids: Optional[Sequence[Id]] = None,
    out: "Optional[str | os.PathLike[str]]" = None,
    force: bool = False,
) -> Model:
    """A LightGCN or an NGCF that was trained elsewhere, as ``grease import`` takes it in.

    All interactions are the model's graph.

    Args:
        kind: "lightgcn" or "ngcf".
        weights: arrays by the names their program gives them (a PyTorch ``state_dict`` will do), or the name of a ``.safetensors`` or
            ``.npz`` file, or of two ``.npy`` files. docs/import.md has the names that are recognised: those of LightGCN-PyTorch, PyTorch
            Geometric and RecBole.
        interactions: what the model was trained on.
        layers: how many layers it has, where the weights do not tell.
        layout: whose names they are, instead of finding out: "grease", "lightgcn-pytorch", "pyg" or "recbole".
        user_ids: the user of each row; by default those of ``interactions``, in their order.
        item_ids: the item of each row, likewise.
        out: where to keep the model folder.
        force: replaces a model folder that is there.
    """
    files: list[str] = []
    tensors: list[tuple[str, Any]] = []
    if isinstance(weights, Mapping):
        tensors = [(name, np.ascontiguousarray(plain(tensor), np.float32)) for name, tensor in weights.items()]
    elif isinstance(weights, (str, os.PathLike)):
        files = [os.fspath(weights)]
    else:
        files = [os.fspath(file) for file in weights]
    ids = (
        texts_of(interactions.user_ids if user_ids is None else user_ids, "user_ids"),
        texts_of(interactions.item_ids if item_ids is None else item_ids, "item_ids"),
    )
    path = None if out is None else os.fspath(out)
    native = _native.Model.from_weights(kind, tensors, files, interactions._native, ids, layers, layout, path, force)
    return Model(native)


def load(folder: "str | os.PathLike[str]") -> Model:
    """Reads a model ``folder`` made by ``train``, ``from_weights``, ``grease train`` or ``grease import``."""
    return Model(_native.Model.load(os.fspath(folder)))
