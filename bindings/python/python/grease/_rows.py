"""Rows of native code as pyarrow has them."""

from __future__ import annotations

from typing import Any

from . import _native
from ._needs import needs


def schema_of(what: str) -> Any:
    """The columns of "explain" or "recommend", as everybody can write them.

    What is inside structs and lists may be null here, though it never is where there is a struct: pyarrow's Parquet writer refuses
    what is declared never to be null even where the whole struct is.
    """
    pyarrow = needs("pyarrow", "'grease-rec[tables]'")
    exact = pyarrow.schema(_native.columns(what))
    return pyarrow.schema([field.with_type(_lenient(field.type)) for field in exact])


def batch_of(rows: Any, schema: Any) -> Any:
    """A record batch of rows."""
    import pyarrow

    batch = pyarrow.record_batch(rows)
    columns = [column.cast(field.type) for column, field in zip(batch.columns, schema)]
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)


def _lenient(kind: Any) -> Any:
    import pyarrow

    if pyarrow.types.is_struct(kind):
        return pyarrow.struct([_lenient_field(kind.field(at)) for at in range(kind.num_fields)])
    return pyarrow.list_(_lenient_field(kind.value_field)) if pyarrow.types.is_list(kind) else kind


def _lenient_field(field: Any) -> Any:
    return field.with_type(_lenient(field.type)).with_nullable(True)
