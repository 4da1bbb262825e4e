"""All that ``import grease`` offers, in one list."""

from ._devices import Device, Devices, devices
from ._errors import (
    DataError,
    GreaseError,
    MethodError,
    ModelError,
    OutOfBudgetError,
    RecommenderError,
    UnknownIdError,
    UsageError,
)
from ._evaluation import Evaluation
from ._explainer import Explainer, Questions, Verdict, Verdicts, Work
from ._explanation import Alone, Edge, Explanation, Explanations, Failed, Instead, Retrained
from ._interactions import Interactions, Words
from ._lists import Lists, Recommendation, Recommendations
from ._method import Ask, Method, Standing
from ._model import Model, from_weights, load, train
from ._native import __version__
from ._notebook import Picture
from ._of_list import ListExplanation, ListItem
from ._oracle import Oracle
from ._recommender import FrozenEmbeddings, Recommender, RowRecommender
from ._what_if import Moved, WhatIf

__all__ = [
    "Alone",
    "Ask",
    "DataError",
    "Device",
    "Devices",
    "Edge",
    "Evaluation",
    "Explainer",
    "Explanation",
    "Explanations",
    "Failed",
    "FrozenEmbeddings",
    "GreaseError",
    "Instead",
    "Interactions",
    "ListExplanation",
    "ListItem",
    "Lists",
    "Method",
    "MethodError",
    "Model",
    "ModelError",
    "Moved",
    "Oracle",
    "OutOfBudgetError",
    "Picture",
    "Questions",
    "Recommendation",
    "Recommendations",
    "Recommender",
    "RecommenderError",
    "Retrained",
    "RowRecommender",
    "Standing",
    "UnknownIdError",
    "UsageError",
    "Verdict",
    "Verdicts",
    "WhatIf",
    "Words",
    "Work",
    "__version__",
    "devices",
    "from_weights",
    "load",
    "train",
]
