"""The exceptions, with the same messages as the command line's."""

from ._native import DataError, GreaseError, ModelError, RecommenderError, UnknownIdError, UsageError

__all__ = ["DataError", "GreaseError", "ModelError", "RecommenderError", "UnknownIdError", "UsageError"]
