"""People out of record batches, as native code takes them: text, and enough of them at a time."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Optional

from ._errors import UsageError

PEOPLE = 32
"""How many people's rows are handed on together, whatever number comes in: engines see progress, and memory stays flat."""


def stretches(batches: Iterable[Any], user_col: str, item_col: Optional[str]) -> "Iterator[tuple[Any, Optional[Any]]]":
    """Users, and the items they are asked about, as arrays of text: small batches gathered, large ones as they come.

    With items the last person waits for the next batch, which may have more of theirs.
    """
    held: list[Any] = []
    for batch in batches:
        if batch.num_rows:
            held.append(_texts(batch, [user_col] if item_col is None else [user_col, item_col]))
        if sum(part.num_rows for part in held) < PEOPLE:
            continue
        together = _joined(held)
        ready = together.num_rows if item_col is None else _last_person(together.column(0))
        held = [together.slice(ready)] if ready < together.num_rows else []
        if ready:
            yield _columns(together.slice(0, ready))
    if held:
        yield _columns(_joined(held))


def _texts(batch: Any, names: "list[str]") -> Any:
    import pyarrow

    return pyarrow.RecordBatch.from_arrays([_text(batch, name) for name in names], names)


def _text(batch: Any, name: str) -> Any:
    """A column of ids as text; no value of it becomes an object of Python."""
    import pyarrow
    import pyarrow.compute

    found = batch.schema.get_all_field_indices(name)
    if len(found) != 1:
        how_many = "no column" if not found else "more than one column"
        raise UsageError(f"there is {how_many} {name!r} among {', '.join(batch.schema.names)}")
    column = batch.column(found[0])
    if column.null_count:
        raise UsageError(f"the column {name!r} has {column.null_count} rows without an id; leave them out")
    kind = column.type.value_type if pyarrow.types.is_dictionary(column.type) else column.type
    if not (pyarrow.types.is_integer(kind) or str(kind) in ("string", "large_string", "string_view")):
        raise UsageError(f"the column {name!r} is of {column.type}, but ids are text or whole numbers")
    return pyarrow.compute.cast(column, pyarrow.string())


def _joined(parts: "list[Any]") -> Any:
    import pyarrow

    if len(parts) == 1:
        return parts[0]
    (together,) = pyarrow.Table.from_batches(parts).combine_chunks().to_batches()
    return together


def _last_person(users: Any) -> int:
    """The row where the last person's rows begin."""
    import pyarrow.compute

    others = pyarrow.compute.not_equal(users, users[-1])
    return len(users) - pyarrow.compute.index(others[::-1], True).as_py() if pyarrow.compute.any(others).as_py() else 0


def _columns(rows: Any) -> "tuple[Any, Optional[Any]]":
    return rows.column(0), rows.column(1) if rows.num_columns > 1 else None
