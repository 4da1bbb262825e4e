"""The exceptions, with the same messages as the command line's."""

from ._native import (
    DataError,
    GreaseError,
    MethodError,
    ModelError,
    OutOfBudgetError,
    RecommenderError,
    UnknownIdError,
    UsageError,
)

__all__ = [
    "DataError",
    "GreaseError",
    "MethodError",
    "ModelError",
    "OutOfBudgetError",
    "RecommenderError",
    "UnknownIdError",
    "UsageError",
]
