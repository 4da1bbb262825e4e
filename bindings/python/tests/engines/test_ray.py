"""Ray itself, on this machine."""

import uuid

import pytest

import grease
import grease.ray
from conftest import K, mortal

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    with pytest.MonkeyPatch.context() as patch:
        # Nothing is to be sent home, nor written there.
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_AUTH_TOKEN", uuid.uuid4().hex)
        ray.init(num_cpus=3, include_dashboard=False, object_store_memory=100 << 20, log_to_driver=False, logging_level="ERROR")
        # Small enough that an actor has handed over some of a block's rows before it is killed.
        ray.data.DataContext.get_current().target_max_block_size = 16 << 10
        yield ray
        ray.shutdown()


@pytest.fixture
def people(job):
    return ray.data.read_text(str(job.users)).repartition(2)


def test_a_killed_actor_loses_nobody_and_doubles_nobody(people, job, tmp_path):
    mark = tmp_path / "killed"
    make = mortal(job.model, job.people[len(job.people) // 2], mark, 0)
    why = grease.ray.explain(people, model=make, user_col="text", concurrency=2, k=K)
    why.write_parquet(str(tmp_path / "why"))
    assert mark.exists() and len(list((tmp_path / "why").iterdir())) > 6
    assert job.merged(tmp_path / "why") == job.alone("batch")


def test_lists(people, job, tmp_path):
    lists = grease.ray.recommend(people, model=job.model, user_col="text", concurrency=1, num_cpus=2, k=K)
    lists.write_parquet(str(tmp_path / "lists"))
    assert job.merged(tmp_path / "lists", what="recommend") == job.alone("recommend")


def test_settings_under_which_ray_waits_for_ever_are_refused(people, job):
    with pytest.raises(grease.UsageError, match="3 actors of 1 CPUs leave none of the cluster's 3 free"):
        grease.ray.explain(people, model=job.model, user_col="text", concurrency=3)
    with pytest.raises(grease.UsageError, match="num_cpus is a whole number"):
        grease.ray.explain(people, model=job.model, user_col="text", num_cpus=0.5)
    assert grease.ray.explain(people, model=job.model, user_col="text", concurrency=3, cluster_cpus=12) is not None


def test_the_example(job, tmp_path):
    address = ray.get_runtime_context().gcs_address
    job.example("ray_explain.py", tmp_path, "--actors", 2, "--blocks", 4, RAY_ADDRESS=address)
    assert job.merged(tmp_path / "rows", run=tmp_path / "run.json") == job.alone("batch")
