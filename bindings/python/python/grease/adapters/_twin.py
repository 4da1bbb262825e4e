"""Asking a PyTorch module without touching it."""

from __future__ import annotations

import hashlib
from types import MethodType
from typing import Any, Optional

from .._needs import needs


def twin_of(module: Any) -> Any:
    """The same module over the same tensors, in evaluation mode and with its caches off, whose attributes are its own.

    What is set on it (a mode, a parameter, what a forward pass keeps) the caller's module never sees.
    ``torch.func.functional_call`` would not do: it swaps the tensors of the module itself while it runs, so another thread might
    see them.
    """
    return _twin(module, {})


def _twin(module: Any, known: dict[int, Any]) -> Any:
    if id(module) in known:
        return known[id(module)]
    twin = module.__class__.__new__(module.__class__)
    known[id(module)] = twin
    own = twin.__dict__
    own.update(module.__dict__)
    for tensors in ("_parameters", "_buffers"):
        own[tensors] = dict(own[tensors])
    own["_modules"] = {name: None if child is None else _twin(child, known) for name, child in own["_modules"].items()}
    own["training"] = False
    if own.get("cached"):
        # Layers of PyTorch Geometric made with cached=True would answer every question with the first graph they saw.
        own["cached"] = False
        own.update({name: None for name in own if name.startswith("_cached")})
    return twin


def callable_twin(call: Any) -> Any:
    """A callable's twin where it is a module or a method of one; otherwise itself, as nobody can look inside."""
    module = needs("torch", "torch").nn.Module
    if isinstance(call, module):
        return twin_of(call)
    if isinstance(call, MethodType) and isinstance(call.__self__, module):
        return MethodType(call.__func__, twin_of(call.__self__))
    return call


def module_of(call: Any) -> Optional[Any]:
    """The module a callable is, or is a method of."""
    module = needs("torch", "torch").nn.Module
    owner = getattr(call, "__self__", call)
    return owner if isinstance(owner, module) else None


def fingerprint(module: Any) -> str:
    """A short hash of all tensors of a module."""
    digest = hashlib.sha256()
    for name, tensor in sorted(module.state_dict().items()):
        if hasattr(tensor, "detach"):
            values = tensor.detach().cpu().contiguous().numpy()
            digest.update(f"{name} {values.dtype} {values.shape}\n".encode())
            digest.update(values.tobytes())
    return digest.hexdigest()[:16]
