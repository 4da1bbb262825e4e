"""The rows of ``grease batch``, in any engine that sends record batches through a function.

``explain_batches`` is the whole of it; ``grease.ray`` and ``grease.spark`` only hand it to their engines. What it says of a person
depends on the model, the person and the question alone, so it does not matter who is explained where, or twice. docs/scale.md has the
settings that matter.

Examples:
    >>> import grease, grease.distributed, pyarrow
    >>> data = grease.Interactions.sample(users=80, artists=60)
    >>> model = grease.train(data, epochs=30, dim=16, batch=256, learning_rate=0.01, loss="bpr")
    >>> people = pyarrow.record_batch({"user": ["mira", "nobody", "theo"]})
    >>> rows = pyarrow.Table.from_batches(grease.distributed.explain_batches([people], model, k=3))
    >>> rows.num_rows, rows["user"].unique().to_pylist(), rows["error"].drop_null().to_pylist()[0][:12]
    (13, ['mira', 'nobody', 'theo'], 'unknown user')
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Optional, Union

from . import _native
from ._errors import UsageError
from ._explainer import asked_of_many, asked_of_lists
from ._ids import Id
from ._incoming import PEOPLE, stretches
from ._interactions import Words
from ._method import Method
from ._rows import batch_of, schema_of
from ._source import Given, source

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LISTS_SCHEMA", "LISTS_SPARK_DDL", "PEOPLE", "SCHEMA", "SPARK_DDL", "explain_batches", "recommend_batches", "run"]

SCHEMA: "pa.Schema"
"""The columns ``explain_batches`` gives: those of docs/batch.md."""
SPARK_DDL: str
"""The same as Spark writes them. It has no unsigned numbers: ``seed`` is ``decimal(20,0)``, as in whatever Spark reads."""
LISTS_SCHEMA: "pa.Schema"
"""The columns ``recommend_batches`` gives."""
LISTS_SPARK_DDL: str
"""The same as Spark writes them."""


def explain_batches(
    batches: "Iterable[pa.RecordBatch]",
    model: Given,
    *,
    user_col: str = "user",
    item_col: Optional[str] = None,
    threads: int = 1,
    k: int = 10,
    goal: str = "both",
    scope: str = "own",
    method: "Union[str, Method, None]" = None,
    words: Optional[Words] = None,
    show_user_ids: bool = False,
    **search: Any,
) -> "Iterator[pa.RecordBatch]":
    """Explains the lists of the people in a column, and gives the rows of every 32 of them as soon as they are there.

    Who cannot be explained anything has a row with ``error``. A recommender that fails is an exception.

    Args:
        batches: record batches with the people.
        model: a model folder, a ``Model``, an ``Explainer``, or a function without arguments that makes one of them. It is opened once a
            process.
        user_col: the column of people.
        item_col: a column of items they are asked about in the place of their list; the rows of one person have to follow each other.
        threads: how many people are explained at a time.
        k: length of a list.
        goal: as for ``Explainer.explain``.
        scope: as for ``Explainer.explain``.
        method: how explanations are searched for, where ``model`` is not an explainer already.
        words: how sentences speak about the data, likewise.
        show_user_ids: as for ``Explainer.explain``.
        search: as for ``Explainer.explain_many``.
    """
    question = asked_of_many(k, goal, scope, **search)
    of = source(model, method, words)

    def rows(users: Any, items: Any) -> Any:
        return of.explainer()._native.explain_rows(users, items, question, show_user_ids, threads, PEOPLE)

    return _handed_over("explain", stretches(batches, user_col, item_col), rows)


def recommend_batches(
    batches: "Iterable[pa.RecordBatch]",
    model: Given,
    *,
    user_col: str = "user",
    threads: int = 1,
    k: int = 10,
    candidates: Optional[Iterable[Id]] = None,
    exclude: Optional[Iterable[Id]] = None,
) -> "Iterator[pa.RecordBatch]":
    """The lists of the people in a column, a row an item.

    ``batches``, ``model``, ``user_col`` and ``threads`` are as for ``explain_batches``; ``k``, ``candidates`` and ``exclude`` as for
    ``Explainer.recommend_many``.
    """
    question = asked_of_lists(k, candidates, exclude)
    of = source(model)

    def rows(users: Any, items: Any) -> Any:
        return of.explainer()._native.recommend_rows(users, question, threads, PEOPLE)

    return _handed_over("recommend", stretches(batches, user_col, None), rows)


def run(
    model: Given,
    out: "Optional[str | os.PathLike[str]]" = None,
    *,
    what: str = "explain",
    method: "Union[str, Method, None]" = None,
    words: Optional[Words] = None,
    show_user_ids: bool = False,
    **question: Any,
) -> dict[str, Any]:
    """The settings one run of ``grease batch`` would store.

    ``grease merge --run`` takes them to make of an engine's output, in any order, the file of that one run.

    Args:
        model: as for ``explain_batches``.
        out: the file to write them to.
        what: "explain", or "recommend" for a run of ``grease recommend``.
        method: as for ``explain_batches``.
        words: as for ``explain_batches``.
        show_user_ids: as for ``explain_batches``.
        question: what the engine was asked: ``k``, ``goal``, ``scope`` and so on.
    """
    if what not in ("explain", "recommend"):
        raise UsageError(f'what is "explain" or "recommend", not {what!r}')
    asked = asked_of_many(**question) if what == "explain" else asked_of_lists(**question)
    settings: dict[str, Any] = json.loads(source(model, method, words).explainer()._native.run(what, asked, show_user_ids))
    if out is not None:
        _write(Path(out), json.dumps(settings, indent=2, ensure_ascii=False) + "\n")
    return settings


def _handed_over(what: str, people: "Iterator[tuple[Any, Any]]", rows: Callable[[Any, Any], Any]) -> "Iterator[pa.RecordBatch]":
    schema = schema_of(what)
    for users, items in people:
        for some in rows(users, items):
            yield batch_of(some, schema)


def _write(path: Path, text: str) -> None:
    """Aside first: a file is there whole or not at all."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)


#: Made when somebody asks for them, so that nothing here needs pyarrow before it is used.
_MADE_LATER: "dict[str, Callable[[], Any]]" = {
    "SCHEMA": lambda: schema_of("explain"),
    "SPARK_DDL": lambda: _native.spark_ddl("explain"),
    "LISTS_SCHEMA": lambda: schema_of("recommend"),
    "LISTS_SPARK_DDL": lambda: _native.spark_ddl("recommend"),
}


def __getattr__(name: str) -> Any:
    if name not in _MADE_LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, _MADE_LATER[name]())
