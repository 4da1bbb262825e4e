"""One job for every engine, and what one machine makes of it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import grease
import grease.distributed
from service import TRAINING

EXAMPLES = Path(__file__).parents[4] / "examples" / "cluster"
K = 4
NOBODY = "nobody-of-this-name"


@dataclass
class Job:
    """A model, people, and the command line that does it all by itself."""

    folder: Path
    people: "list[str]"
    grease: object

    @property
    def model(self) -> Path:
        return self.folder / "model"

    @property
    def users(self) -> Path:
        return self.folder / "people.txt"

    def alone(self, verb: str) -> bytes:
        """The file of one run on one machine."""
        out = self.folder / f"{verb}.parquet"
        if not out.exists():
            self.grease(verb, "--model", self.model, "--users", self.users, "--out", out, "-k", K)
        return out.read_bytes()

    def merged(self, parts: Path, what: str = "explain", run: "Path | None" = None) -> bytes:
        """What an engine wrote, made one file."""
        if run is None:
            run = parts.with_suffix(".json")
            grease.distributed.run(self.model, run, what=what, k=K)
        out = parts.with_suffix(".parquet")
        self.grease("merge", "--run", run, "--users", self.users, parts, "--out", out)
        return out.read_bytes()

    def example(self, name: str, out: Path, *more: object, **variables: str) -> None:
        """Runs a program as its users do."""
        command = [sys.executable, EXAMPLES / name, "--model", self.model, "--users", self.users, "--out", out, "-k", K, *more]
        done = subprocess.run([*map(str, command)], env={**os.environ, **variables}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def job(command_line, tmp_path_factory) -> Job:
    folder = tmp_path_factory.mktemp("job")
    data = grease.Interactions.sample(users=160, artists=80)
    grease.train(data, out=folder / "model", **TRAINING)
    people = [*data.user_ids, NOBODY]
    random.Random(17).shuffle(people)
    (folder / "people.txt").write_text("".join(f"{user}\n" for user in people), encoding="utf-8")
    return Job(folder, people, command_line)


def mortal(folder: Path, victim: str, mark: Path, ancestor: int):
    """Makes an explainer whose process, or the ancestor of it so many steps up, dies in the middle of one person's share of the people; once.

    The first rows of that share have been handed over by then, and had time to go further. Everything is inside, because only what no module has is sent to workers whole.
    """

    def make():
        import os
        import signal
        import time

        import grease

        class Dying:
            def __init__(self, native):
                self.native = native

            def __getattr__(self, name):
                return getattr(self.native, name)

            def explain_rows(self, users, *more):
                for at, piece in enumerate(self.native.explain_rows(users, *more)):
                    if at == 1 and victim in users.to_pylist() and first():
                        time.sleep(2)
                        os.kill(condemned(), signal.SIGKILL)
                        time.sleep(60)
                    yield piece

        def first():
            try:
                os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return False
            return True

        def condemned():
            process = os.getpid()
            for _ in range(ancestor):
                with open(f"/proc/{process}/stat") as stat:
                    process = int(stat.read().rsplit(")", 1)[1].split()[1])
            return process

        explainer = grease.Explainer(grease.load(folder))
        explainer._native = Dying(explainer._native)
        return explainer

    return make
