"""The package itself: its types, and that they are shipped."""

import subprocess
import sys
from pathlib import Path

import pytest

import grease

ROOT = Path(__file__).parents[1]


def test_types():
    pytest.importorskip("mypy")
    checked = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


def test_the_stubs_say_what_there_is():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "grease._native", "--ignore-missing-stub", "--allowlist", "tests/stubtest.txt"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


def test_types_are_shipped():
    assert (Path(grease.__file__).parent / "py.typed").exists()
    assert (Path(grease.__file__).parent / "_native.pyi").exists()
