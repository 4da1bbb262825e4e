"""Spark's interface on Sail, an engine without a JVM: its tasks are threads of this process."""


import pyarrow.parquet
import pytest

import grease
import grease.distributed
import grease.spark
from conftest import K, NOBODY

pysail = pytest.importorskip("pysail.spark")
from pyspark.sql import SparkSession  # noqa: E402


@pytest.fixture(scope="module")
def address():
    server = pysail.SparkConnectServer()
    server.start()
    yield f"sc://127.0.0.1:{server.listening_address[1]}"
    server.stop()


@pytest.fixture(scope="module")
def spark(address):
    session = SparkSession.builder.remote(address).getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def people(spark, job):
    return spark.createDataFrame([(user,) for user in job.people], "who string").repartition(5)


def test_merged_rows_are_the_batch_to_the_byte(people, job, tmp_path):
    why = grease.spark.explain(people, model=job.model, user_col="who", k=K)
    assert not (tmp_path / "why").exists() and why.columns == grease.distributed.SCHEMA.names
    why.write.parquet(str(tmp_path / "why"))
    rows = pyarrow.parquet.read_table(tmp_path / "why")
    assert rows.filter(rows["error"].is_valid())["user"].to_pylist() == [NOBODY]
    assert job.merged(tmp_path / "why") == job.alone("batch")


def test_merged_lists_are_those_of_one_machine_to_the_byte(people, job, tmp_path):
    grease.spark.recommend(people, model=job.model, user_col="who", k=K).write.parquet(str(tmp_path / "lists"))
    assert job.merged(tmp_path / "lists", what="recommend") == job.alone("recommend")


def test_a_function_is_called_once_however_many_tasks_there_are(people, job, tmp_path):
    called = tmp_path / "called"

    def make():
        with open(called, "a") as log:
            log.write("once\n")
        return grease.load(job.model)

    why = grease.spark.explain(people, model=make, user_col="who", k=1, goal="factual")
    assert why.count() == len(job.people) and why.count() == len(job.people)
    assert called.read_text() == "once\n"


def test_pairs_of_people_and_items(spark, job):
    explainer = grease.Explainer(grease.load(job.model))
    pairs = [(user, one.item) for user in ("mira", "theo") for one in explainer.recommend(user, k=K)[1:3]]
    asked = spark.createDataFrame(pairs, "user string, item string").repartition(2, "user").sortWithinPartitions("user")
    rows = grease.spark.explain(asked, model=job.model, item_col="item", k=K, goal="counterfactual").toArrow()
    assert sorted(zip(rows["user"].to_pylist(), rows["item"].to_pylist())) == sorted(pairs)


def test_wrong_settings_are_said_before_anything_runs(people, job):
    with pytest.raises(grease.UsageError, match="no column 'user' among who"):
        grease.spark.explain(people, model=job.model)
    with pytest.raises(grease.UsageError, match="no goal 'why'"):
        grease.spark.explain(people, model=job.model, user_col="who", goal="why")
    with pytest.raises(TypeError, match="in memory only"):
        data = grease.Interactions.sample(users=20, artists=20)
        grease.spark.explain(people, model=grease.train(data, epochs=1, dim=4), user_col="who")


def test_the_example(address, job, tmp_path):
    job.example("spark_explain.py", tmp_path, "--partitions", 3, SPARK_REMOTE=address)
    assert job.merged(tmp_path / "rows", run=tmp_path / "run.json") == job.alone("batch")
