"""Libraries that need not be there."""

from __future__ import annotations

import importlib
from typing import Any


def needs(module: str, install: str) -> Any:
    """The module, or an error that says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        said = f"this needs {module}, which cannot be imported ({missing}); install it with: pip install {install}"
        raise ImportError(said) from missing
