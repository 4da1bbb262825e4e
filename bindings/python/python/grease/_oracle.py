"""Recommenders in other processes and behind HTTP."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional


@dataclass(frozen=True)
class Oracle:
    """A recommender asked by messages, as docs/oracle.md has them.

    It is a ``command`` that reads questions and writes answers, or the ``url`` of a service. ``workers`` processes, or requests at a
    time; ``timeout`` seconds for an answer. A ``token`` is sent as ``Authorization: Bearer TOKEN``, or bare in ``token_header``. What a
    command says on stderr goes to the log ``grease.oracle``. ``longest`` is the longest list that will be asked for; it matters for
    oracles that answer only their first items.
    """

    command: Optional[str] = None
    url: Optional[str] = None
    workers: int = 1
    timeout: float = 60.0
    token: Optional[str] = field(default=None, repr=False)
    token_header: Optional[str] = None
    longest: int = 0

    def __post_init__(self) -> None:
        if (self.command is None) == (self.url is None):
            raise TypeError("an oracle is a command or a url: say one of them")
