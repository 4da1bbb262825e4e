"""The package itself: its examples, its types, its names."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import grease
import grease.distributed
import grease.ray
import grease.spark

ROOT = Path(__file__).parents[1]


def modules():
    for found in pkgutil.iter_modules(grease.__path__):
        if found.name not in ("adapters", "_native"):
            yield importlib.import_module(f"grease.{found.name}")


def test_examples_in_docstrings():
    tried = 0
    for module in [grease, *modules()]:
        failed, some = doctest.testmod(module)
        assert failed == 0, module.__name__
        tried += some
    assert tried > 8


def test_everything_public_is_documented():
    named = [(module, name) for module in (grease, grease.distributed, grease.ray, grease.spark) for name in module.__all__]
    for module, name in named:
        thing = getattr(module, name)
        assert name.startswith("__") or thing.__doc__, name
        for member, value in vars(thing).items() if isinstance(thing, type) else ():
            if not member.startswith("_") and callable(value):
                assert value.__doc__, f"{name}.{member}"


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
