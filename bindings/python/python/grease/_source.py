"""Where an explainer comes from, in a form that can be sent to other processes."""

from __future__ import annotations

import os
import uuid
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

from . import _native
from ._errors import UsageError
from ._explainer import Explainer, opened
from ._interactions import Words
from ._kept import Kept
from ._method import Method
from ._model import Model

#: What people may give as a model.
Given = Union[str, "os.PathLike[str]", Model, Explainer, "Callable[[], Any]", "Source"]

_MADE: Kept[Explainer] = Kept()


class Source:
    """What ``explainer()`` comes from: once a process, however often this is sent there."""

    def explainer(self) -> Explainer:
        """The explainer of this process."""
        raise NotImplementedError

    def sent(self) -> "Source":
        """Itself, or an error that says why it cannot be sent."""
        return self


@dataclass(frozen=True)
class _Folder(Source):
    """A model folder, which must hold the same model wherever it is opened."""

    path: str
    hash: str
    method: "Union[str, Method, None]"
    words: Optional[Words]
    token: Optional[str]

    def explainer(self) -> Explainer:
        return opened(self.path, self.hash, self.method or "grease", self.words, None, token=self.token)


@dataclass(frozen=True)
class _Made(Source):
    """What a function makes. The token stays the same when it is sent, unlike the function, which then is another object."""

    make: Callable[[], Any]
    token: str
    method: "Union[str, Method, None]"
    words: Optional[Words]

    def explainer(self) -> Explainer:
        return _MADE.get(self.token, lambda: source(self.make(), self.method, self.words).explainer())


@dataclass(frozen=True)
class _Held(Source):
    """An explainer that is there already, and is sent as it is itself."""

    held: Explainer

    def explainer(self) -> Explainer:
        return self.held

    def sent(self) -> Source:
        self.held.__reduce__()
        return self


def source(model: Given, method: "Union[str, Method, None]" = None, words: Optional[Words] = None) -> Source:
    """Where the explainer of what was given comes from; a folder is looked at, so that another model elsewhere is noticed."""
    if isinstance(model, (Source, Explainer)):
        if method is not None or words is not None:
            raise UsageError("an explainer has its method and its words; say them where it is made")
        return model if isinstance(model, Source) else _Held(model)
    if isinstance(model, Model):
        return _Held(Explainer(model, method=method or "grease", words=words))
    if isinstance(model, (str, os.PathLike)):
        path = os.path.abspath(model)
        # A method of somebody's own is another object in every process it is sent to: the token stays the same.
        token = None if method is None or isinstance(method, str) else uuid.uuid4().hex
        return _Folder(path, _native.model_hash(path), method, words, token)
    if callable(model):
        return _Made(model, uuid.uuid4().hex, method, words)
    raise TypeError(f"a model is a folder, a Model, an Explainer or a function that makes one of them, not {model!r}")
