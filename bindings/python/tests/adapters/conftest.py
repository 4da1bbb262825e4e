"""What the tests of adapters share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import grease

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def data() -> grease.Interactions:
    """A small music service."""
    return grease.Interactions.sample(users=80, artists=60)
