"""The examples run, and say something that was verified."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import grease

EXAMPLES = Path(__file__).parents[4] / "examples"
NEEDS = {
    "any_python_object.py": [],
    "implicit_als.py": ["implicit", "scipy", "threadpoolctl"],
    "pyg_lightgcn.py": ["torch", "torch_geometric"],
}


def test_every_example_is_run() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(NEEDS), "say above what a new example needs"


@pytest.mark.parametrize("name", NEEDS)
def test_an_example_runs_and_tells_why(name: str, tmp_path: Path) -> None:
    for module in NEEDS[name]:
        pytest.importorskip(module, reason=f"{module} is not installed")
    package = str(Path(grease.__file__).parents[1])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    ran = subprocess.run(
        [sys.executable, str(EXAMPLES / name)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
    )
    assert ran.returncode == 0, ran.stderr
    said = " ".join(ran.stdout.split())
    assert "Knowing only that you listened to" in said and "Had you" in said
    if name == "pyg_lightgcn.py":
        assert (tmp_path / "why.svg").read_text(encoding="utf-8").startswith("<svg")
