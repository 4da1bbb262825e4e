"""GREASE tells people why a recommender put an item in their list, and proves it.

Any object with ``scores(user, removed, added)`` is a recommender too; see ``Recommender`` and ``grease.adapters``.

Examples:
    >>> import grease
    >>> data = grease.Interactions.sample(users=80, artists=60)
    >>> model = grease.train(data, epochs=30, dim=16, batch=256, learning_rate=0.01, loss="bpr")
    >>> explainer = grease.Explainer(model)
    >>> why = explainer.explain_list("mira", k=5)
    >>> len(why)
    10
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._native import __version__

if TYPE_CHECKING:
    from ._public import *


# The command `grease` comes through here too, and should not wait for what only Python programs need (numpy above all).
def __getattr__(name: str) -> Any:
    public = import_module("._public", __name__)
    if name == "__all__" or name in public.__all__:
        found = globals()[name] = getattr(public, name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> "list[str]":
    return sorted({*globals(), *import_module("._public", __name__).__all__})
