"""How far long work is: a bar of tqdm, somebody's own function, or nothing."""

from __future__ import annotations

import sys
import warnings
from types import TracebackType
from typing import Any, Callable, Optional, Type, Union

#: What a caller may say: True a bar, False none, None a bar where somebody watches, or a function that is called with (done, all).
Wanted = Union[bool, Callable[[int, int], None], None]


class Progress:
    """Gives what is to be called with (done, all) while the work goes on, or nothing.

    A bar is closed however the work ends; where it was interrupted it stays at what was done.
    """

    def __init__(self, wanted: Wanted, doing: str, unit: str, total: Optional[int] = None) -> None:
        self._tell: Optional[Callable[[int, int], None]] = None
        self._bar: Any = None
        if callable(wanted):
            self._tell = wanted
        elif wanted or (wanted is None and _watched()):
            tqdm = _tqdm(asked_for=wanted is True)
            if tqdm is not None:
                self._bar = tqdm(desc=doing, unit=unit, total=total)
                self._tell = self._move

    def __enter__(self) -> Optional[Callable[[int, int], None]]:
        return self._tell

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def _move(self, done: int, all: int) -> None:
        if all and all != self._bar.total:
            # Not by setting `total`: a notebook's widget would not learn of it. The clock goes on, or the speed would be wrong.
            began = self._bar.start_t
            self._bar.reset(total=all)
            self._bar.start_t = began
        self._bar.update(done - self._bar.n)


def _watched() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def _tqdm(asked_for: bool) -> Any:
    """The bar for where this runs: a widget in notebooks that have ipywidgets, else text."""
    try:
        with warnings.catch_warnings():
            # That ipywidgets is missing is no fault: the bar is text then.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
    except ImportError:
        if asked_for:
            said = "a progress bar needs tqdm, which is not installed: pip install 'grease-rec[progress]'"
            warnings.warn(said, stacklevel=4)
        return None
    return tqdm
