"""The notebook is executed from its first cell to its last, and shows what is stored in it.

What somebody sees is compared: text that is printed, and the text of tables, pictures and pages. Numbers with a decimal point may
differ by a hundredth, as other processors round otherwise. A cell with the tag "varies" is executed, but only the kind of its outputs is compared.
Bars are not compared: they tell times.

After a change, store the outputs anew, and look at them:

    GREASE_UPDATE_DOCS=1 python -m pytest tests/adapters/test_notebook.py
"""

from __future__ import annotations

import html
import os
import re
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed")
nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")
pytest.importorskip("torch_geometric", reason="torch_geometric is not installed")

NOTEBOOK = Path(__file__).parents[4] / "docs" / "tutorials" / "explain_and_compare.ipynb"
SECONDS = 300
NUMBER = re.compile(r"-?\d+\.\d+")


def stored() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook as it comes out in an empty folder, without what is different every time."""
    fresh = stored()
    metadata = fresh.metadata.copy()
    for cell in code(fresh):
        cell.outputs, cell.execution_count = [], None
    folder = tmp_path_factory.mktemp("notebook")
    client = nbclient.NotebookClient(
        fresh, timeout=SECONDS, coalesce_streams=True, resources={"metadata": {"path": str(folder)}}
    )
    # What libraries warn of names their folders; one thread adds numbers up in one order.
    client.execute(env={**os.environ, "PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": "1"})
    fresh.metadata = metadata
    for cell in code(fresh):
        cell.metadata.pop("execution", None)
    if os.environ.get("GREASE_UPDATE_DOCS"):
        nbformat.write(fresh, NOTEBOOK)
    return fresh


def code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def kinds(outputs: list[Any]) -> list[list[str]]:
    return [sorted(output.data) if "data" in output else [output.name] for output in outputs if output.get("name") != "stderr"]


def seen(outputs: list[Any]) -> str:
    """The text somebody sees: where there is HTML, that of the HTML."""
    texts = []
    for output in outputs:
        if output.output_type == "stream" and output.name == "stdout":
            texts.append(output.text)
        elif "data" in output:
            shown = output.data.get("text/html")
            texts.append(output.data.get("text/plain", "") if shown is None else without_tags(shown))
    return "\n".join(texts)


def without_tags(markup: str) -> str:
    markup = re.sub(r"<style.*?</style>", " ", markup, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup)).split())


def same(one: str, other: str) -> bool:
    """Whether two texts are the same but for the last digits of numbers."""
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    return all(abs(float(a) - float(b)) <= 0.01 for a, b in zip(NUMBER.findall(one), NUMBER.findall(other)))


def test_every_cell_runs_and_shows_what_is_stored(executed: Any) -> None:
    compared = 0
    for before, after in zip(code(stored()), code(executed)):
        assert kinds(before.outputs) == kinds(after.outputs), before.source
        if "varies" not in before.metadata.get("tags", ()):
            assert same(seen(before.outputs), seen(after.outputs)), differing(before, after)
            compared += bool(seen(before.outputs))
    assert compared > 10


def differing(before: Any, after: Any) -> str:
    return f"{before.source}\n\nstored:\n{seen(before.outputs)}\n\nnow:\n{seen(after.outputs)}"


def test_it_is_small_and_says_nothing_of_this_machine() -> None:
    notebook, text = stored(), NOTEBOOK.read_text(encoding="utf-8")
    assert len(text) < 300_000
    assert not re.search(r"/(home|root|tmp|work|Users)/", text)
    assert all(cell.source.strip() for cell in notebook.cells)
    counts = [cell.execution_count for cell in code(notebook)]
    assert counts == list(range(1, len(counts) + 1)), "stored as executed, in order"


def test_texts_are_compared_but_for_the_last_digits() -> None:
    assert same("loss 0.213, 3 of 4", "loss 0.208, 3 of 4")
    assert not same("loss 0.213", "loss 0.313") and not same("3 of 4", "2 of 4") and not same("rum", "tea")
    assert without_tags("<style>p { x }</style><p>a &lt; <b>b</b></p>") == "a < b"
