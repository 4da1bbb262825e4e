"""A job on Ray or Spark on this machine: how long it takes, and the memory of those who do it.

Does a small job first, so that what starting takes can be taken off, then the whole. Memory is read off /proc twice a second: of the workers,
of the same workers with a job that only hands pyarrow batches on, and of the driver. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Callable, Iterator

MB = 1 << 20


def resident(process: int) -> int:
    """Bytes a process has in memory, but for what it shares with others (Ray's store of objects); 0 when it is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    said = {line.split(":")[0]: line.split() for line in lines}
    kib = [int(said[name][1]) for name in ("VmRSS", "RssShmem") if name in said]
    return (kib[0] - sum(kib[1:])) * 1024 if kib else 0


def workers() -> "list[int]":
    """Processes that do an engine's work in Python."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if line.startswith("ray::MapWorker"):
            found.append(int(entry.name))
        elif "pyspark.daemon" in line or "pyspark/daemon" in line:
            # Those the daemon has forked; not the daemon.
            if "daemon" in Path(f"/proc/{parent}/cmdline").read_text():
                found.append(int(entry.name))
    return found


class Watch:
    """Memory over time, the largest of all workers, and the driver's."""

    def __init__(self) -> None:
        self.worker: "list[int]" = []
        self.driver: "list[int]" = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self._ended.wait(0.5):
            there = [resident(process) for process in workers()]
            if there:
                self.worker.append(max(there))
            self.driver.append(resident(os.getpid()))

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._ended.set()
        self._thread.join()

    @staticmethod
    def told(seen: "list[int]") -> "dict[str, float]":
        """The largest of all, of the second quarter and of the last: what is flat has the last two alike."""
        quarter = max(1, len(seen) // 4)
        parts = {"peak": seen, "early": seen[quarter : 2 * quarter] or seen, "late": seen[-quarter:]}
        return {name: max(part, default=0) / MB for name, part in parts.items()}


class Idle:
    """An actor that has pyarrow and nothing to do."""

    def __init__(self) -> None:
        import pyarrow.parquet  # noqa: F401

    def __call__(self, people: Any) -> Any:
        time.sleep(0.2)
        return people


def idle(batches: "Iterator[Any]") -> "Iterator[Any]":
    """The same for Spark."""
    import pyarrow.parquet  # noqa: F401

    for batch in batches:
        time.sleep(0.2)
        yield batch


def on_ray(options: argparse.Namespace) -> "tuple[Callable[[Path, Path], None], Callable[[Path, Path], None]]":
    import grease.ray
    import ray

    ray.init(num_cpus=options.workers + 1, include_dashboard=False, log_to_driver=False, logging_level="ERROR", object_store_memory=256 * MB)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.target_max_block_size = 16 * MB
    do = {"explain": grease.ray.explain, "recommend": grease.ray.recommend}[options.what]

    def work(users: Path, out: Path) -> None:
        people = ray.data.read_text(str(users)).repartition(options.blocks)
        do(people, model=options.model, user_col="text", concurrency=options.workers, k=options.k).write_parquet(str(out))

    def nothing(users: Path, out: Path) -> None:
        people = ray.data.read_text(str(users)).repartition(options.blocks)
        pool = ray.data.ActorPoolStrategy(size=options.workers)
        people.map_batches(Idle, batch_format="pyarrow", compute=pool, num_cpus=1).write_parquet(str(out))

    return work, nothing


def on_spark(options: argparse.Namespace) -> "tuple[Callable[[Path, Path], None], Callable[[Path, Path], None]]":
    import grease.spark
    from pyspark.sql import SparkSession

    if shutil.which("java") is None:
        sys.exit("no java was found: Spark needs 17 or later")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.local.dir": str(options.out),
        "spark.driver.memory": "1g",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(f"local[{options.workers}]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    do = {"explain": grease.spark.explain, "recommend": grease.spark.recommend}[options.what]

    def work(users: Path, out: Path) -> None:
        people = session.read.text(str(users)).repartition(options.blocks)
        do(people, model=options.model, user_col="value", k=options.k).write.parquet(str(out))

    def nothing(users: Path, out: Path) -> None:
        people = session.read.text(str(users)).repartition(options.blocks)
        people.mapInArrow(idle, people.schema).write.parquet(str(out))

    return work, nothing


def of_a_model(folder: str) -> float:
    """Megabytes a model takes once it has been asked, in a process of its own that does nothing else with it."""
    import subprocess

    program = (
        "import sys, pyarrow.parquet, grease\n"
        "from scale import MB, resident\n"
        "import os\n"
        "before = resident(os.getpid())\n"
        "from grease._allocator import settle\n"
        "settle(1)\n"
        "model = grease.Explainer(grease.load(sys.argv[1]))\n"
        "model.explain_many(model._native.people()[-1:], k=1, progress=False)\n"
        "print((resident(os.getpid()) - before) / MB)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, folder], cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    said = argparse.ArgumentParser(description=__doc__)
    said.add_argument("--engine", choices=["ray", "spark"], required=True)
    said.add_argument("--what", choices=["explain", "recommend"], default="explain")
    said.add_argument("--model", required=True)
    said.add_argument("--users", type=Path, required=True)
    said.add_argument("--workers", type=int, default=1)
    said.add_argument("--blocks", type=int, default=8)
    said.add_argument("-k", type=int, default=10)
    options = said.parse_args()
    options.out = Path(tempfile.mkdtemp(prefix="grease-scale-"))
    people = options.users.read_text().split("\n")
    few = options.out / "few.txt"
    few.write_text("\n".join(people[: 2 * options.blocks]))

    model = of_a_model(options.model)
    work, nothing = {"ray": on_ray, "spark": on_spark}[options.engine](options)
    with Watch() as at_rest:
        nothing(options.users, options.out / "nothing")
    began = time.perf_counter()
    work(few, options.out / "small")
    small = time.perf_counter() - began
    with Watch() as watch:
        began = time.perf_counter()
        work(options.users, options.out / "rows")
        whole = time.perf_counter() - began
    told = {
        "seconds": whole - small,
        "people": len(people) - 2 * options.blocks,
        "starting": small,
        "model": model,
        "idle": Watch.told(at_rest.worker)["peak"],
        "worker": Watch.told(watch.worker),
        "driver": Watch.told(watch.driver),
    }
    shutil.rmtree(options.out, ignore_errors=True)
    print(json.dumps(told))


if __name__ == "__main__":
    main()
