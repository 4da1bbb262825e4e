"""Who touched what."""

from __future__ import annotations

import os
from dataclasses import astuple, dataclass
from typing import Any, Mapping, Optional, Sequence

import numpy as np

from . import _native
from ._errors import DataError
from ._ids import Id, text_of, texts_of
from ._notebook import SHOWN, block, more, table


@dataclass(frozen=True)
class Words:
    """How to speak about the data: "listeners listened to artists"."""

    person: str = "person"
    """Who somebody is: listener."""
    did: str = "chose"
    """What they did: listened to."""
    item: str = "item"
    """What they did it with: artist."""
    items: str = "items"
    """Several of them: artists."""


class Interactions:
    """Interaction data: users, items, and who chose what. Immutable.

    Made from a data frame or table (pandas, polars, pyarrow: anything with ``__arrow_c_stream__``), which is read without a
    copy, or by ``from_arrays``, ``from_scipy``, ``read`` or ``sample``. Rows are numbered in order of first appearance.

    Args:
        table: a data frame or table.
        user: the column of users; any usual name is found without it.
        item: the column of items, likewise.
        rating: the column of ratings.
        title: the column of titles.
        min_rating: interactions rated lower are left out.
        k_core: users and items with fewer interactions are left out, until there are none.
        titles: titles by item id.
        words: how sentences speak about the data.

    Examples:
        >>> import pandas
        >>> import grease
        >>> frame = pandas.DataFrame({"listener": ["ann", "ann", "bob"], "artist": ["Hex", "Fjord", "Hex"], "stars": [5, 2, 4]})
        >>> grease.Interactions(frame, user="listener", item="artist", rating="stars", min_rating=4)
        Interactions(2 users, 1 items, 2 interactions)
        >>> data = grease.Interactions.from_arrays(["ann", "ann", "bob"], ["tea", "milk", "tea"])
        >>> data.item_ids, len(data)
        (['tea', 'milk'], 3)
    """

    def __init__(
        self,
        table: Any,
        *,
        user: Optional[str] = None,
        item: Optional[str] = None,
        rating: Optional[str] = None,
        title: Optional[str] = None,
        min_rating: Optional[float] = None,
        k_core: Optional[int] = None,
        titles: Optional[Mapping[Id, str]] = None,
        words: Optional[Words] = None,
    ) -> None:
        if not hasattr(table, "__arrow_c_stream__") and not hasattr(table, "__arrow_c_array__"):
            raise TypeError(
                f"expected a table that speaks Arrow (pandas 2.2 or later, polars, pyarrow), not {type(table).__name__}; "
                "for arrays there is Interactions.from_arrays, for sparse matrices Interactions.from_scipy"
            )
        made = _native.Interactions.from_arrow(table, (user, item, rating, title), min_rating, k_core)
        native, int_users, int_items = made
        self._set(native, titles, words, int_users, int_items)

    def _set(
        self,
        native: _native.Interactions,
        titles: Optional[Mapping[Id, str]],
        words: Optional[Words],
        int_users: bool,
        int_items: bool,
    ) -> None:
        if titles or words:
            pairs = [(text_of(id), str(title)) for id, title in (titles or {}).items()]
            native = native.described(pairs, astuple(words) if words else None)
        self._native = native
        self._int_users = int_users
        self._int_items = int_items

    @classmethod
    def _of(
        cls,
        native: _native.Interactions,
        titles: Optional[Mapping[Id, str]] = None,
        words: Optional[Words] = None,
        int_users: bool = False,
        int_items: bool = False,
    ) -> "Interactions":
        made = cls.__new__(cls)
        made._set(native, titles, words, int_users, int_items)
        return made

    @classmethod
    def from_arrays(
        cls,
        users: Any,
        items: Any,
        *,
        user_ids: Optional[Sequence[Id]] = None,
        item_ids: Optional[Sequence[Id]] = None,
        titles: Optional[Mapping[Id, str]] = None,
        words: Optional[Words] = None,
    ) -> "Interactions":
        """From two arrays of the same length.

        Args:
            users: the user of each interaction: an id (text or a whole number), or with ``user_ids`` a row number.
            items: the item of each interaction, likewise.
            user_ids: the id of each user row; without them rows follow the first appearance of ids in ``users``.
            item_ids: the id of each item row, likewise.
            titles: titles by item id.
            words: how sentences speak about the data.
        """
        users, items = np.asarray(users).ravel(), np.asarray(items).ravel()
        user_rows, user_names, int_users = _rows(users, user_ids, "user")
        item_rows, item_names, int_items = _rows(items, item_ids, "item")
        native = _native.Interactions.from_rows(user_rows, item_rows, user_names, item_names)
        return cls._of(native, titles, words, int_users, int_items)

    @classmethod
    def from_scipy(
        cls,
        matrix: Any,
        *,
        user_ids: Optional[Sequence[Id]] = None,
        item_ids: Optional[Sequence[Id]] = None,
        titles: Optional[Mapping[Id, str]] = None,
        words: Optional[Words] = None,
    ) -> "Interactions":
        """From a sparse matrix, users x items: every stored value other than zero is an interaction.

        Args:
            matrix: any sparse matrix of SciPy.
            user_ids: the id of each row; without them the row numbers.
            item_ids: the id of each column; without them the column numbers.
            titles: titles by item id.
            words: how sentences speak about the data.
        """
        matrix = matrix.tocoo()
        there = np.asarray(matrix.data) != 0
        users, items = matrix.shape
        return cls.from_arrays(
            np.asarray(matrix.row)[there],
            np.asarray(matrix.col)[there],
            user_ids=range(users) if user_ids is None else user_ids,
            item_ids=range(items) if item_ids is None else item_ids,
            titles=titles,
            words=words,
        )

    @classmethod
    def read(
        cls,
        path: "str | os.PathLike[str]",
        *,
        user: Optional[str] = None,
        item: Optional[str] = None,
        rating: Optional[str] = None,
        title: Optional[str] = None,
        min_rating: Optional[float] = None,
        k_core: Optional[int] = None,
        format: str = "auto",
        words: Optional[Words] = None,
    ) -> "Interactions":
        """From a file or a folder, in any form the command line reads: TSV, CSV, MovieLens, RecBole, Parquet, …

        Args:
            path: the file or folder.
            user: the column of users; any usual name is found without it.
            item: the column of items, likewise.
            rating: the column of ratings.
            title: the column of titles.
            min_rating: interactions rated lower are left out.
            k_core: users and items with fewer interactions are left out, until there are none.
            format: the form it has: "auto", "table", "lightgcn", "movielens", "hetrec", "recbole" or "parquet".
            words: how sentences speak about the data.
        """
        columns = (user, item, rating, title)
        native, _ = _native.Interactions.read(os.fspath(path), columns, min_rating, k_core, format)
        return cls._of(native, None, words)

    @classmethod
    def sample(cls, users: int = 600, artists: int = 400, seed: int = 1) -> "Interactions":
        """An invented music service, with names: that of ``grease demo``. The same ``users``, ``artists`` and ``seed`` give the same one."""
        return cls._of(_native.Interactions.sample(users, artists, seed))

    @property
    def user_ids(self) -> list[Id]:
        """Ids of the user rows, as they were given."""
        return _given(self._native.user_ids(), self._int_users)

    @property
    def item_ids(self) -> list[Id]:
        """Ids of the item rows, as they were given."""
        return _given(self._native.item_ids(), self._int_items)

    @property
    def titles(self) -> list[Optional[str]]:
        """Titles of the item rows, where they are known."""
        return self._native.titles()

    @property
    def shape(self) -> tuple[int, int]:
        """Users, items."""
        users, items, _ = self._native.shape()
        return users, items

    def rows(self) -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """Row numbers of the users and items of all interactions, by user, then item."""
        return self._native.rows()

    def __len__(self) -> int:
        return self._native.shape()[2]

    def __repr__(self) -> str:
        users, items, interactions = self._native.shape()
        return f"Interactions({users} users, {items} items, {interactions} interactions)"

    def _repr_html_(self) -> str:
        users, items, interactions = self._native.shape()
        user_ids, item_ids, titles = self._native.user_ids(), self._native.item_ids(), self._native.titles()
        rows = [(user_ids[user], item_ids[item], titles[item]) for user, item in zip(*(some[:SHOWN] for some in self.rows()))]
        about = f"<p>{users:,} users, {items:,} items, {interactions:,} interactions</p>"
        return block(about, table(["user", "item", "title"], rows), more(interactions - len(rows), "interactions", "rows() has all"))


def _given(ids: list[str], whole: bool) -> list[Id]:
    return [int(id) for id in ids] if whole else list(ids)


def _rows(values: Any, ids: Optional[Sequence[Id]], what: str) -> "tuple[np.ndarray[Any, Any], list[str], bool]":
    if ids is not None:
        if values.dtype.kind not in "iu" and len(values):
            raise DataError(f"with {what}_ids, {what}s are row numbers: whole numbers, not {values.dtype}")
        names = texts_of(ids, f"{what}_ids")
        return np.ascontiguousarray(values, np.int64), names, not any(isinstance(id, str) for id in ids)
    if values.dtype.kind == "f":
        raise DataError(f"{what}s are ids: text or whole numbers, not {values.dtype}")
    unique, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    names = [text_of(id) for id in unique[order].tolist()]
    return np.ascontiguousarray(rank[inverse.ravel()], np.int64), names, values.dtype.kind in "iu"
