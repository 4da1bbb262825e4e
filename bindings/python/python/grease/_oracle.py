"""Recommenders in other processes and behind HTTP."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional


@dataclass(frozen=True)
class Oracle:
    """A recommender asked by messages, as docs/oracle.md has them.

    It is a ``command``, or it has a ``url``. What a command says on stderr goes to the log ``grease.oracle``.
    """

    command: Optional[str] = None
    """A program that reads questions from stdin and writes answers to stdout."""
    url: Optional[str] = None
    """The address of a service."""
    workers: int = 1
    """How many processes, or requests at a time."""
    timeout: float = 60.0
    """Seconds to wait for an answer."""
    token: Optional[str] = field(default=None, repr=False)
    """What a service lets one in by: sent as ``Authorization: Bearer TOKEN``, or bare in ``token_header``."""
    token_header: Optional[str] = None
    """The header the token is sent in, where it is another."""
    longest: int = 0
    """The longest list that will be asked for; it matters for oracles that answer only their first items."""

    def __post_init__(self) -> None:
        if (self.command is None) == (self.url is None):
            raise TypeError("an oracle is a command or a url: say one of them")
