"""Everybody's explanations and lists on Ray: a dataset of people in, a dataset of rows out.

::

    import ray, grease.ray

    people = ray.data.read_parquet("people").repartition(200)
    why = grease.ray.explain(people, model="/shared/model", concurrency=8, num_cpus=2, k=10)
    why.write_parquet("parts")

Nothing runs before the rows are asked for. docs/scale.md has the settings of Ray that matter, and how ``grease merge`` makes of the parts
the file one machine would have written.
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, Iterator, Optional

from ._errors import UsageError
from ._ids import Id, settled
from ._interactions import Words
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
    cluster_cpus: Optional[float] = None,
    method: Optional[str] = None,
    words: Optional[Words] = None,
    **question: Any,
) -> Any:
    """Explanations of the people in a column, as a lazy ``ray.data.Dataset`` with the columns of docs/batch.md.

    ``concurrency`` actors open the model once each and use ``num_cpus`` threads. What is asked is as for
    :func:`grease.distributed.explain_batches`. A block is the unit that is repeated when an actor dies, and goes to an actor whole unless
    ``batch_size`` says otherwise: ``dataset.repartition(n)`` to blocks of one to five minutes.

    Ray Data waits for ever if its actors hold all CPUs, so that is refused; ``cluster_cpus`` says how many there will be where the cluster
    grows by itself.
    """
    of = source(model, method, words).sent()
    asked = {"user_col": user_col, "item_col": item_col, **settled(question)}
    # Wrong settings are said here, not by an actor.
    explain_batches((), of, **asked)
    return _mapped(dataset, explain_batches, of, asked, concurrency, num_cpus, batch_size, cluster_cpus)


def recommend(
    dataset: Any,
    model: Given,
    *,
    user_col: str = "user",
    concurrency: int = 1,
    num_cpus: int = 1,
    batch_size: Optional[int] = None,
    cluster_cpus: Optional[float] = None,
    k: int = 10,
    candidates: Optional[Iterable[Id]] = None,
    exclude: Optional[Iterable[Id]] = None,
) -> Any:
    """Lists of the people in a column, a row an item; otherwise as :func:`explain`."""
    asked = settled({"user_col": user_col, "k": k, "candidates": candidates, "exclude": exclude})
    return _mapped(dataset, recommend_batches, source(model).sent(), asked, concurrency, num_cpus, batch_size, cluster_cpus)


class _Worker:
    """An actor: opens the model when it starts, and keeps it."""

    def __init__(self, rows: Callable[..., Iterator[Any]], of: Source, asked: "dict[str, Any]") -> None:
        self._rows, self._of, self._asked = rows, of, asked
        of.explainer()

    def __call__(self, people: Any) -> Iterator[Any]:
        import pyarrow

        for batch in self._rows(people.to_batches(), self._of, **self._asked):
            yield pyarrow.Table.from_batches([batch])


def _mapped(
    dataset: Any,
    rows: Callable[..., Iterator[Any]],
    of: Source,
    asked: "dict[str, Any]",
    concurrency: int,
    num_cpus: int,
    batch_size: Optional[int],
    cluster_cpus: Optional[float],
) -> Any:
    data = needs("ray.data", "'grease[ray]'")
    _leaves_a_cpu(concurrency, num_cpus, cluster_cpus)
    # One block at work and one at hand: more would wait behind a busy actor while others are idle.
    pool = data.ActorPoolStrategy(size=concurrency, max_tasks_in_flight_per_actor=2)
    return dataset.map_batches(
        _Worker,
        fn_constructor_kwargs={"rows": rows, "of": of, "asked": {"threads": num_cpus, **asked}},
        batch_format="pyarrow",
        batch_size=batch_size,
        compute=pool,
        num_cpus=num_cpus,
    )


def _leaves_a_cpu(concurrency: int, num_cpus: int, cluster_cpus: Optional[float]) -> None:
    for name, number in (("concurrency", concurrency), ("num_cpus", num_cpus)):
        if not isinstance(number, int) or number < 1:
            raise UsageError(f"{name} is a whole number from 1 on, not {number!r}")
    there = needs("ray", "'grease[ray]'").cluster_resources().get("CPU", 0) if cluster_cpus is None else cluster_cpus
    if concurrency * num_cpus >= there:
        raise UsageError(
            f"{concurrency} actors of {num_cpus} CPUs leave none of the cluster's {there:g} free for reading and writing, and Ray Data would "
            "wait for ever: ask for fewer, or say cluster_cpus= if the cluster grows"
        )
