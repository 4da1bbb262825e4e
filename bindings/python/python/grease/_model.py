"""Models trained here."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _native
from ._ids import Id, texts_of
from ._interactions import Interactions
from ._progress import Progress
from ._recommender import plain


class Model:
    """A LightGCN or an NGCF with the data it was trained on; from :func:`train` or :func:`load`."""

    def __init__(self, native: _native.Model) -> None:
        self._native = native

    @property
    def manifest(self) -> dict[str, Any]:
        """What the folder's ``model.json`` says: kind, sizes, training, recall@20, hashes."""
        manifest: dict[str, Any] = json.loads(self._native.manifest())
        return manifest

    @property
    def interactions(self) -> Interactions:
        """What the model learned from."""
        return Interactions._of(self._native.interactions())

    def __repr__(self) -> str:
        m = self.manifest
        return f"Model({m['kind']}, {m['users']} users, {m['items']} items, {m['train_interactions']} interactions)"


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
    progress: Optional[bool] = None,
) -> Model:
    """Trains a LightGCN or an NGCF, as ``grease train`` does: same data, options and seed, same model to the byte.

    A fifth of each user's interactions is held out to test it unless ``train_share`` says otherwise. ``early_stopping`` is the number
    of looks without improvement after which it stops. With ``out`` the model folder is kept there (``force`` replaces one). Ctrl-C
    ends it. ``progress`` shows a bar if tqdm is installed; by default only on a terminal or in a notebook.
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
        return Model(_native.Model.train(interactions._native, json.dumps(options), path, force, tell))


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

    ``weights`` are arrays by the names their program gives them (a PyTorch ``state_dict`` will do), or the name of a ``.safetensors`` or ``.npz`` file,
    or of two ``.npy`` files. docs/import.md has the names of LightGCN-PyTorch, PyTorch Geometric and RecBole that are recognised.
    Row n is the n-th user, or item, of ``interactions`` unless ``user_ids`` and ``item_ids`` say otherwise. All interactions are the model's
    graph. ``layers`` is needed where the weights do not tell. With ``out`` the model folder is kept there.
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
    """Reads a model folder made by :func:`train`, ``grease train`` or ``grease import``."""
    return Model(_native.Model.load(os.fspath(folder)))
