"""Memory that is given back: how a worker's allocator is set."""

from __future__ import annotations

import ctypes

#: What glibc calls the settings.
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
#: From this size on memory is the system's as soon as it is freed.
_GIVEN_BACK = 1 << 20


def settle(threads: int) -> None:
    """For a process whose work is explaining: what one person took is not kept for the next.

    Every stretch of people is worked on by new threads. With an arena for each of them, and large pieces kept in arenas, what was freed
    stays with the process: on Yelp2018 that is as much again as the model. Elsewhere than on glibc nothing is changed.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    mallopt(_MMAP_THRESHOLD, _GIVEN_BACK)
    mallopt(_ARENA_MAX, threads + 1)
