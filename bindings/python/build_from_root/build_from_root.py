"""Builds the package from the repository's root, with what stands in its own pyproject.toml."""

import os
from contextlib import contextmanager
from pathlib import Path

import maturin

PACKAGE = Path(__file__).resolve().parents[1]


@contextmanager
def _inside():
    before = Path.cwd()
    os.chdir(PACKAGE)
    try:
        yield
    finally:
        os.chdir(before)


def _from_there(hook):
    def run(*arguments, **named):
        with _inside():
            return hook(*arguments, **named)

    return run


build_wheel = _from_there(maturin.build_wheel)
build_sdist = _from_there(maturin.build_sdist)
prepare_metadata_for_build_wheel = _from_there(maturin.prepare_metadata_for_build_wheel)
get_requires_for_build_wheel = _from_there(maturin.get_requires_for_build_wheel)
get_requires_for_build_sdist = _from_there(maturin.get_requires_for_build_sdist)
