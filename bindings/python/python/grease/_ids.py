"""Ids as people write them: text or whole numbers."""

from __future__ import annotations

import operator
from typing import Any, Iterable, Union

Id = Union[str, int]


def text_of(id: Any) -> str:
    """The id as it is kept: text. Whole numbers of any kind are written as such."""
    if isinstance(id, str):
        return id
    try:
        return str(operator.index(id))
    except TypeError:
        raise TypeError(f"an id is text or a whole number, not {id!r}") from None


def texts_of(ids: Iterable[Any], what: str) -> list[str]:
    """Several of them. A single string is most likely meant as one id, and would be taken apart letter by letter."""
    if isinstance(ids, (str, bytes)):
        raise TypeError(f"{what} are several ids: a list, not {ids!r}")
    return [text_of(id) for id in ids]


#: What of a question is several ids.
_LISTS = ("items", "candidates", "exclude", "never_cite")


def settled(question: "dict[str, Any]") -> "dict[str, Any]":
    """The question with its lists of ids as lists of text: what can be gone through once only cannot be sent to several workers."""
    return {
        name: texts_of(value, name) if name in _LISTS and value is not None else value for name, value in question.items()
    }
