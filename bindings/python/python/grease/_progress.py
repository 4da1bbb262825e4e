"""A bar where somebody watches and tqdm is installed; nothing otherwise."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Callable, Optional, Type


class Progress:
    """Gives what native code is to call with (done, all), or nothing."""

    def __init__(self, wanted: Optional[bool], doing: str, unit: str) -> None:
        self._bar: Any = None
        if wanted is False or (wanted is None and not _watched()):
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self._bar = tqdm(desc=doing, unit=unit, leave=False)

    def __enter__(self) -> Optional[Callable[[int, int], None]]:
        return None if self._bar is None else self._tell

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def _tell(self, done: int, all: int) -> None:
        self._bar.total = all
        self._bar.update(done - self._bar.n)


def _watched() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules
