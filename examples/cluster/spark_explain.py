"""Explains everybody's list on a Spark cluster.

    pip install 'grease[spark]'                     # on every node
    spark-submit spark_explain.py --model /shared/model --users people.txt --out parts
    grease merge --run parts/run.json --users people.txt parts/rows --out why.parquet

The model folder has to be where every node can read it. docs/scale.md says how to send it with the job, and which settings matter.
"""

import argparse
from pathlib import Path

import grease.distributed
import grease.spark
from pyspark.sql import SparkSession


def main() -> None:
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("--model", type=Path, required=True, help="a model folder")
    said.add_argument("--users", type=Path, required=True, help="a file with an id a line")
    said.add_argument("--out", type=Path, required=True, help="a folder for run.json and rows")
    said.add_argument("-k", type=int, default=10, help="the length of lists")
    said.add_argument("--partitions", type=int, default=100, help="parts of the work; one to five minutes each is good")
    options = said.parse_args()

    spark = SparkSession.builder.appName("grease").getOrCreate()
    options.out.mkdir(parents=True, exist_ok=True)
    question = {"k": options.k, "goal": "both"}
    grease.distributed.run(options.model, options.out / "run.json", **question)
    people = spark.read.text(str(options.users)).repartition(options.partitions)
    why = grease.spark.explain(people, model=options.model, user_col="value", **question)
    why.write.parquet(str(options.out / "rows"))
    spark.stop()


if __name__ == "__main__":
    main()
