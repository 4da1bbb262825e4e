"""Devices that work can be done on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Optional

from . import _native
from ._notebook import table


@dataclass(frozen=True)
class Device:
    """A device, or why there is none of its sort."""

    device: str
    """As it is chosen: "cpu", "cuda:0"; "cuda" where there is no card."""
    usable: bool
    """Whether work can be done on it."""
    name: Optional[str] = None
    """As its maker calls it; the number of threads of a processor."""
    why: Optional[str] = None
    """Why it cannot be used."""
    memory: Optional[int] = None
    """Bytes, of a card."""
    capability: Optional[str] = None
    """What a card's processors can do, as "9.0"."""
    cuda: Optional[str] = None
    """The newest CUDA a card's driver speaks, as "12.8"."""
    code: Optional[str] = None
    """How the kernels come to a card: "compiled" on this machine, or "shipped" with the package."""


class Devices(list[Device]):
    """Devices: an ordinary list, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        return table(["device", "name", "usable"], [(one.device, one.name, one.why or "yes") for one in self])


def devices() -> Devices:
    """What devices there are, and why one cannot be used, as ``grease devices`` lists them.

    Examples:
        >>> import grease
        >>> grease.devices()[0].device
        'cpu'
    """
    return Devices(Device(**json.loads(line)) for line in _native.devices())
