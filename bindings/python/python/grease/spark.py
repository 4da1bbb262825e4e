"""Everybody's explanations and lists on Spark: a DataFrame of people in, a DataFrame of rows out.

```python
import grease.spark

people = spark.read.parquet("people").repartition(200)
why = grease.spark.explain(people, model="/shared/model", k=10)
why.write.parquet("parts")
```

Nothing runs before the rows are asked for, and nothing is collected. docs/scale.md has the settings of Spark that matter, and how ``grease
merge`` makes of the parts the file one machine would have written.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator, Optional, Union

from . import _native
from ._allocator import settle
from ._errors import ModelError, UsageError
from ._ids import Id, settled
from ._interactions import Words
from ._method import Method
from ._needs import needs
from ._source import Given, Source, source
from .distributed import explain_batches, recommend_batches

__all__ = ["explain", "recommend"]

_ARCHIVE = "archive:"


def explain(
    df: Any,
    model: Given,
    *,
    user_col: str = "user",
    item_col: Optional[str] = None,
    method: "Union[str, Method, None]" = None,
    words: Optional[Words] = None,
    **question: Any,
) -> Any:
    """Explanations of the people in a column, as a lazy ``DataFrame`` with the columns of docs/batch.md.

    As many threads are used as ``spark.task.cpus`` says. Spark has no unsigned numbers: ``seed`` is a ``decimal(20,0)``, which is also what
    Spark makes of ``grease batch``'s.

    Args:
        df: a ``DataFrame`` with the people.
        model: a folder every worker can read, a function that makes the model there, or ``"archive:NAME"``: what
            ``spark.sparkContext.addArchive("model.zip#NAME")`` or ``spark.addArtifacts("model.zip#NAME", archive=True)`` has sent.
        user_col: the column of people.
        item_col: a column of items they are asked about in the place of their list; the rows of one person have to follow each other:
            ``df.repartition(n, "user").sortWithinPartitions("user")``.
        method: how explanations are searched for.
        words: how sentences speak about the data.
        question: what is asked, as for ``grease.distributed.explain_batches``.
    """
    of = source(_unpacked(model), method, words).sent()
    asked = {"user_col": user_col, "item_col": item_col, **settled(question)}
    if "threads" in asked:
        raise UsageError("threads are as many as spark.task.cpus says; leave them out")
    # Wrong settings are said here, not by a task.
    explain_batches((), of, **asked)
    columns = [user_col] if item_col is None else [user_col, item_col]
    return _mapped(df, columns, explain_batches, of, asked, _native.spark_ddl("explain"))


def recommend(
    df: Any,
    model: Given,
    *,
    user_col: str = "user",
    k: int = 10,
    candidates: Optional[Iterable[Id]] = None,
    exclude: Optional[Iterable[Id]] = None,
) -> Any:
    """Lists of the people in a column, a row an item.

    ``df``, ``model`` and ``user_col`` are as for ``explain``; ``k``, ``candidates`` and ``exclude`` as for ``Explainer.recommend_many``.
    """
    asked = settled({"user_col": user_col, "k": k, "candidates": candidates, "exclude": exclude})
    return _mapped(df, [user_col], recommend_batches, source(_unpacked(model)).sent(), asked, _native.spark_ddl("recommend"))


def _mapped(
    df: Any, columns: "list[str]", rows: Callable[..., Iterator[Any]], of: Source, asked: "dict[str, Any]", ddl: str
) -> Any:
    if missing := [name for name in columns if name not in df.columns]:
        raise UsageError(f"there is no column {missing[0]!r} among {', '.join(df.columns)}")

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        return map(_without_unsigned, rows(batches, of, threads=_slot(), **asked))

    return df.select(*columns).mapInArrow(task, ddl)


def _slot() -> int:
    """The CPUs Spark gives to this task; one where nobody says."""
    context = needs("pyspark", "'grease-rec[spark]'").TaskContext.get()
    if context is None:
        # The engine's own process, whose memory is not ours to settle.
        return 1
    threads: int = max(1, context.cpus())
    settle(threads)
    return threads


def _without_unsigned(batch: Any) -> Any:
    import pyarrow

    for at, field in enumerate(batch.schema):
        if field.type == pyarrow.uint64():
            field = field.with_type(pyarrow.decimal128(20, 0))
            batch = batch.set_column(at, field, batch.column(at).cast(field.type))
    return batch


@dataclass(frozen=True)
class _Archive:
    """A model folder in an archive that Spark has sent and unpacked."""

    name: str

    def __call__(self) -> str:
        """Where it is on this worker: at the top of the archive, or the one folder in it."""
        unpacked = needs("pyspark", "'grease-rec[spark]'").SparkFiles.get(self.name)
        places = [unpacked, *(os.path.join(unpacked, inside) for inside in (os.listdir(unpacked) if os.path.isdir(unpacked) else ()))]
        for place in places:
            if os.path.exists(os.path.join(place, "model.json")):
                return str(place)
        raise ModelError(f"the archive {self.name!r} was not sent, or has no model in it: addArchive(\"model.zip#{self.name}\") sends one")


def _unpacked(model: Given) -> Given:
    return _Archive(model[len(_ARCHIVE) :]) if isinstance(model, str) and model.startswith(_ARCHIVE) else model
