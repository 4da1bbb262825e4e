"""Progress bars: as tqdm draws them, wherever work is long, and closed however it ends."""

import io
import sys
import warnings

import pytest

import grease
from carts import Carts
from grease._progress import Progress

tqdm = pytest.importorskip("tqdm.auto")


class Bar:
    """A bar that remembers what it was told."""

    made: list = []

    def __init__(self, desc, unit, total):
        self.desc, self.unit, self.n, self.total, self.closed, self.start_t = desc, unit, 0, total, 0, 0.0
        Bar.made.append(self)

    def reset(self, total):
        self.n, self.total = 0, total

    def update(self, more):
        self.n += more

    def close(self):
        self.closed += 1

    def told(self):
        return self.desc, self.unit, self.n, self.total, self.closed


@pytest.fixture
def bars(monkeypatch):
    monkeypatch.setattr(tqdm, "tqdm", Bar)
    monkeypatch.setattr(Bar, "made", [])
    return Bar.made


LONG_WORK = {
    "training": (lambda explainer, data, folder, **how: grease.train(data, epochs=3, dim=8, **how), ("epoch", 3)),
    "explaining": (lambda explainer, data, folder, **how: explainer.explain_many(data.user_ids[:5], k=2, **how), ("person", 5)),
    "recommending": (lambda explainer, data, folder, **how: explainer.recommend_many(data.user_ids[:40], k=2, **how), ("person", 40)),
    "evaluating": (
        lambda explainer, data, folder, **how: explainer.evaluate(
            folder / "report", people=2, k=2, repeats=1, methods=["grease"], tables=["own"], force=True, **how
        ),
        ("unit", None),
    ),
}


@pytest.mark.parametrize("doing", LONG_WORK)
def test_all_long_work_has_a_bar(doing, data, bars, tmp_path):
    work, (unit, total) = LONG_WORK[doing]
    explainer = grease.Explainer(Carts(data), data)
    work(explainer, data, tmp_path, progress=True)
    (bar,) = bars
    assert bar.told() == (doing, unit, total or bar.total, total or bar.total, 1) and bar.total > 0
    work(explainer, data, tmp_path, progress=False)
    work(explainer, data, tmp_path)
    assert len(bars) == 1, "there is none where nobody watches, or nobody wants it"


@pytest.mark.parametrize("doing", LONG_WORK)
def test_a_function_is_told_instead(doing, data, bars, tmp_path):
    work, (_, total) = LONG_WORK[doing]
    told = []
    work(grease.Explainer(Carts(data), data), data, tmp_path, progress=lambda done, all: told.append((done, all)))
    done, all = told[-1]
    assert done == all == (total or all) > 0 and bars == []
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_what_a_function_raises_ends_the_work(data):
    def stop(done, all):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        grease.train(data, epochs=1_000_000, dim=8, progress=stop)


@pytest.mark.parametrize("ended", [KeyboardInterrupt, ValueError])
def test_a_bar_is_closed_when_work_fails(ended, data, bars):
    class Failing(Carts):
        def scores(self, user, removed, added):
            raise ended("no more")

    with pytest.raises((ended, grease.GreaseError)):
        grease.Explainer(Failing(data), data).explain_many(k=2, progress=True)
    assert [bar.closed for bar in bars] == [1]


def test_a_real_bar_is_drawn(monkeypatch):
    drawn = io.StringIO()
    monkeypatch.setattr(sys, "stderr", drawn)
    with Progress(True, "explaining", "person") as tell:
        tell(0, 0)
        tell(1, 4)
        tell(4, 4)
    last = drawn.getvalue().rstrip("\n").split("\r")[-1]
    assert last.startswith("explaining: 100%|") and "4/4" in last and "person" in last


def test_a_total_learned_late_does_not_restart_the_clock(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    progress = Progress(True, "training", "epoch")
    with progress as tell:
        began = progress._bar.start_t
        tell(3, 4)
        assert (progress._bar.start_t, progress._bar.n, progress._bar.total) == (began, 3, 4)


def test_without_tqdm_there_is_a_hint_and_the_work_is_done(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.warns(UserWarning, match=r"pip install 'grease-rec\[progress\]'") as told:
        model = grease.train(data, epochs=1, dim=4, progress=True)
    assert model.interactions.shape == data.shape
    assert told[0].filename == __file__, "it is said where it was asked for"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        monkeypatch.setitem(sys.modules, "ipykernel", sys)
        grease.train(data, epochs=1, dim=4)


def test_a_notebook_has_bars_by_itself(data, bars, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    grease.train(data, epochs=2, dim=4)
    assert [bar.told() for bar in bars] == [("training", "epoch", 2, 2, 1)]
