"""What happens where a library is not installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import grease
from grease.adapters import GraphModel, ImplicitModel, PyGLightGCN, RecBoleModel, edge_index


def test_nothing_is_imported_before_it_is_needed() -> None:
    said = "import sys, grease.adapters; print({'torch', 'torch_geometric', 'recbole', 'implicit', 'scipy'} & set(sys.modules))"
    environment = {**os.environ, "PYTHONPATH": str(Path(grease.__file__).parents[1])}
    ran = subprocess.run([sys.executable, "-c", said], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"


def test_what_to_install_is_said(data: grease.Interactions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    for made in (lambda: PyGLightGCN(None, data), lambda: GraphModel(len, data), lambda: RecBoleModel(None), lambda: edge_index(data)):
        with pytest.raises(ImportError, match="pip install torch"):
            made()
    with pytest.raises(ImportError, match="pip install scipy"):
        ImplicitModel(None, data)
