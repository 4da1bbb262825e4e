"""Explains everybody's list on a Ray cluster.

    pip install 'grease[ray]'                       # on every node
    python ray_explain.py --model /shared/model --users people.txt --out parts --actors 8 --cpus 2
    grease merge --run parts/run.json --users people.txt parts/rows --out why.parquet

The model folder and people.txt, an id a line, have to be where every node can read them. docs/scale.md says how to choose the numbers.
"""

import argparse
from pathlib import Path

import grease.distributed
import grease.ray
import ray


def main() -> None:
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("--model", type=Path, required=True, help="a model folder")
    said.add_argument("--users", type=Path, required=True, help="a file with an id a line")
    said.add_argument("--out", type=Path, required=True, help="a folder for run.json and rows")
    said.add_argument("-k", type=int, default=10, help="the length of lists")
    said.add_argument("--actors", type=int, default=1, help="how many load the model")
    said.add_argument("--cpus", type=int, default=1, help="threads of each")
    said.add_argument("--blocks", type=int, default=100, help="parts of the work; one to five minutes each is good")
    options = said.parse_args()

    ray.init()
    # An actor keeps its rows until they fill a block: the usual 128 MB would be most of its memory.
    ray.data.DataContext.get_current().target_max_block_size = 16 << 20
    options.out.mkdir(parents=True, exist_ok=True)
    question = {"k": options.k, "goal": "both"}
    grease.distributed.run(options.model, options.out / "run.json", **question)
    people = ray.data.read_text(str(options.users)).repartition(options.blocks)
    why = grease.ray.explain(
        people, model=options.model, user_col="text", concurrency=options.actors, num_cpus=options.cpus, **question
    )
    why.write_parquet(str(options.out / "rows"))


if __name__ == "__main__":
    main()
