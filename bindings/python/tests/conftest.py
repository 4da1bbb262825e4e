"""A small service, a model of it, and the command line to compare with."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import grease
from service import TRAINING


@pytest.fixture(scope="session")
def data() -> grease.Interactions:
    return grease.Interactions.sample(users=80, artists=60)


@pytest.fixture(scope="session")
def model(data: grease.Interactions) -> grease.Model:
    return grease.train(data, **TRAINING)


@pytest.fixture(scope="session")
def explainer(model: grease.Model) -> grease.Explainer:
    return grease.Explainer(model)


class CommandLine:
    """The `grease` command."""

    def __init__(self, program: str) -> None:
        self.program = program

    def __call__(self, *arguments: object) -> str:
        command = [self.program, "--quiet", *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="session")
def command_line() -> CommandLine:
    program = os.environ.get("GREASE_BIN")
    if program is None:
        for profile in ("debug", "release"):
            built = Path(__file__).parents[3] / "target" / profile / "grease"
            program = program or (str(built) if built.exists() else None)
    if program is None:
        pytest.skip("the command line is not built: `cargo build`, or set GREASE_BIN")
    return CommandLine(program)
