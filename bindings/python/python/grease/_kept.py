"""What is made once a process, however many tasks want it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Callable, Generic, Hashable, TypeVar

Thing = TypeVar("Thing")

#: A worker that lives long must not gather the models of all jobs it ever worked for.
AT_MOST = 4


class Kept(Generic[Thing]):
    """Things by their keys. Who asks for one that is being made waits for it; one that could not be made is tried again."""

    def __init__(self) -> None:
        self._things: "OrderedDict[Hashable, Thing]" = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._turn = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Thing]) -> Thing:
        """The thing of this key, made if it is not there."""
        with self._turn:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._turn:
                if key in self._things:
                    self._things.move_to_end(key)
                    return self._things[key]
            thing = make()
            with self._turn:
                self._things[key] = thing
                while len(self._things) > AT_MOST:
                    forgotten, _ = self._things.popitem(last=False)
                    self._making.pop(forgotten, None)
            return thing
