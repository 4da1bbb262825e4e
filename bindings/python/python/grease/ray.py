"""Everybody's explanations and lists on Ray: a dataset of people in, a dataset of rows out.

```python
import ray, grease.ray

people = ray.data.read_parquet("people").repartition(200)
why = grease.ray.explain(people, model="/shared/model", concurrency=8, num_cpus=2, k=10)
why.write_parquet("parts")
```

Nothing runs before the rows are asked for. docs/scale.md has the settings of Ray that matter, and how ``grease merge`` makes of the parts
the file one machine would have written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator, Optional, Union

from ._allocator import settle
from ._errors import UsageError
from ._ids import Id, settled
from ._interactions import Words
from ._method import Method
from ._needs import needs
from ._source import Given, Source, source
from .distributed import explain_batches, recommend_batches

__all__ = ["explain", "recommend"]


def explain(
    dataset: Any,
    model: Given,
    *,
    user_col: str = "user",
    item_col: Optional[str] = None,
    concurrency: int = 1,
    num_cpus: int = 1,
    batch_size: Optional[int] = None,
    memory: Optional[float] = None,
    cluster_cpus: Optional[float] = None,
    method: "Union[str, Method, None]" = None,
    words: Optional[Words] = None,
    **question: Any,
) -> Any:
    """Explanations of the people in a column, as a lazy ``ray.data.Dataset`` with the columns of docs/batch.md.

    A block is the unit that is repeated when an actor dies: ``dataset.repartition(n)`` to blocks of one to five minutes. Ray Data waits for
    ever if its actors hold all CPUs, so that is refused.

    Args:
        dataset: a ``ray.data.Dataset`` with the people.
        model: as for ``grease.distributed.explain_batches``.
        user_col: the column of people.
        item_col: a column of items, as for ``grease.distributed.explain_batches``.
        concurrency: how many actors, each of which opens the model once.
        num_cpus: CPUs, and so threads, of an actor.
        batch_size: rows an actor is given at a time; a whole block unless it is said.
        memory: what Ray sets aside for an actor, in bytes.
        cluster_cpus: CPUs there will be, where the cluster grows by itself.
        method: how explanations are searched for.
        words: how sentences speak about the data.
        question: what is asked, as for ``grease.distributed.explain_batches``.
    """
    of = source(model, method, words).sent()
    asked = {"user_col": user_col, "item_col": item_col, **settled(question)}
    if "threads" in asked:
        raise UsageError("threads are as many as num_cpus says; leave them out")
    # Wrong settings are said here, not by an actor.
    explain_batches((), of, **asked)
    return _mapped(dataset, explain_batches, of, asked, _Pool(concurrency, num_cpus, memory, cluster_cpus), batch_size)


def recommend(
    dataset: Any,
    model: Given,
    *,
    user_col: str = "user",
    concurrency: int = 1,
    num_cpus: int = 1,
    batch_size: Optional[int] = None,
    memory: Optional[float] = None,
    cluster_cpus: Optional[float] = None,
    k: int = 10,
    candidates: Optional[Iterable[Id]] = None,
    exclude: Optional[Iterable[Id]] = None,
) -> Any:
    """Lists of the people in a column, a row an item.

    ``dataset``, ``model``, ``user_col``, ``concurrency``, ``num_cpus``, ``batch_size``, ``memory`` and ``cluster_cpus`` are as for ``explain``;
    ``k``, ``candidates`` and ``exclude`` as for ``Explainer.recommend_many``.
    """
    asked = settled({"user_col": user_col, "k": k, "candidates": candidates, "exclude": exclude})
    pool = _Pool(concurrency, num_cpus, memory, cluster_cpus)
    return _mapped(dataset, recommend_batches, source(model).sent(), asked, pool, batch_size)


class _Worker:
    """An actor: opens the model when it starts, and keeps it."""

    def __init__(self, rows: Callable[..., Iterator[Any]], of: Source, asked: "dict[str, Any]") -> None:
        self._rows, self._of, self._asked = rows, of, asked
        settle(asked["threads"])
        of.explainer()

    def __call__(self, people: Any) -> Iterator[Any]:
        import pyarrow

        for batch in self._rows(people.to_batches(), self._of, **self._asked):
            yield pyarrow.Table.from_batches([batch])


@dataclass(frozen=True)
class _Pool:
    """How many actors there are, and what each of them may use."""

    concurrency: int
    num_cpus: int
    memory: Optional[float]
    cluster_cpus: Optional[float]

    def check(self) -> None:
        """Refuses what Ray Data would wait for, for ever."""
        for name, number in (("concurrency", self.concurrency), ("num_cpus", self.num_cpus)):
            if not isinstance(number, int) or number < 1:
                raise UsageError(f"{name} is a whole number from 1 on, not {number!r}")
        there = self.cluster_cpus
        if there is None:
            there = needs("ray", "'grease-rec[ray]'").cluster_resources().get("CPU", 0)
        if self.concurrency * self.num_cpus >= there:
            raise UsageError(
                f"{self.concurrency} actors of {self.num_cpus} CPUs leave none of the cluster's {there:g} free for reading and writing, and "
                "Ray Data would wait for ever: ask for fewer, or say cluster_cpus= if the cluster grows"
            )


def _mapped(
    dataset: Any, rows: Callable[..., Iterator[Any]], of: Source, asked: "dict[str, Any]", pool: _Pool, batch_size: Optional[int]
) -> Any:
    data = needs("ray.data", "'grease-rec[ray]'")
    pool.check()
    return dataset.map_batches(
        _Worker,
        fn_constructor_kwargs={"rows": rows, "of": of, "asked": {"threads": pool.num_cpus, **asked}},
        batch_format="pyarrow",
        batch_size=batch_size,
        # One block at work and one at hand: more would wait behind a busy actor while others are idle.
        compute=data.ActorPoolStrategy(size=pool.concurrency, max_tasks_in_flight_per_actor=2),
        num_cpus=pool.num_cpus,
        memory=pool.memory,
        # Before the process starts: Ray has many threads there, each with an arena, by the time `settle` is called.
        runtime_env={"env_vars": {"MALLOC_ARENA_MAX": str(pool.num_cpus + 1)}},
    )
