"""Devices: which there are, and where work is done."""

import pickle

import pytest

import grease


@pytest.fixture(scope="module")
def data():
    return grease.Interactions.sample(users=60, artists=40)


def trained(data, **more):
    return grease.train(data, epochs=1, dim=8, **more)


def test_there_is_always_a_processor():
    here, *others = grease.devices()
    assert (here.device, here.usable, here.why) == ("cpu", True, None)
    assert "thread" in here.name
    assert others, "a card, or why there is none"
    assert all(one.device.startswith("cuda") and one.usable == (one.why is None) for one in others)
    assert "<td" in grease.devices()._repr_html_()


def test_training_says_where_it_was(data, tmp_path):
    here = trained(data, device="cpu", out=tmp_path / "model")
    assert here.trained_on == "cpu"
    assert grease.load(tmp_path / "model").trained_on is None
    if not any(one.usable for one in grease.devices()[1:]):
        auto = trained(data)
        assert auto.trained_on.startswith("cpu ("), "the reason is told"
        assert auto.manifest["hashes"] == here.manifest["hashes"], "the device is no part of the model"
    with pytest.raises(grease.UsageError, match="known are auto, cpu, cuda and cuda:N"):
        trained(data, device="gpu")
    with pytest.raises(grease.UsageError, match=r"devices\(\) lists what there is"):
        trained(data, device="cuda:4711")


def test_asking_says_where_it_is(data, tmp_path):
    model = trained(data, device="cpu", out=tmp_path / "model")
    assert grease.Explainer(model, device="cpu").device == "cpu"
    assert grease.Explainer(model).device == "cpu (lightgcn is asked on the processor, which is quicker)"
    with pytest.raises(grease.UsageError, match="which is quicker"):
        grease.Explainer(model, device="cuda")
    with pytest.raises(grease.UsageError, match="`gpu` is no device"):
        grease.Explainer(model, device="gpu")
    sent = pickle.loads(pickle.dumps(grease.Explainer(model, device="cpu")))
    assert sent.device == "cpu"


def test_somebody_elses_recommender_answers_wherever_it_runs(data):
    class Nothing:
        def scores(self, user, removed, added):
            return [0.0] * len(data.item_ids)

    assert grease.Explainer(Nothing(), data).device is None
    with pytest.raises(grease.UsageError, match="wherever it runs"):
        grease.Explainer(Nothing(), data, device="cuda")
