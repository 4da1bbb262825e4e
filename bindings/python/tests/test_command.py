"""The command ``grease`` that comes with the package: the same as the binary."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import grease

MODULE = [sys.executable, "-m", "grease"]


def run(*words, **more):
    return subprocess.run([*MODULE, *words], capture_output=True, text=True, **more)


def test_it_is_installed_beside_the_interpreter():
    command = Path(sys.executable).with_name("grease")
    said = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    assert said.startswith(f"grease {grease.__version__} (commit ")
    assert said == run("--version", check=True).stdout


def test_exit_codes_and_messages_are_those_of_the_binary(tmp_path):
    binary = os.environ.get("GREASE_BIN")
    if binary is None:
        pytest.skip("GREASE_BIN names no binary to compare with")
    commands = (
        ["recommend"],
        ["data", "describe", "nowhere.csv"],
        ["explain", "--model", "nowhere", "--user", "x"],
        ["data", "sample", "--out", "music", "--users", "80", "--artists", "40"],
        ["--help"],
    )
    codes = []
    programs = {"package": MODULE, "binary": [binary]}
    for name in programs:
        (tmp_path / name).mkdir()
    for words in commands:
        got, wanted = (
            subprocess.run([*program, *words], cwd=tmp_path / name, capture_output=True) for name, program in programs.items()
        )
        assert (got.returncode, got.stdout, got.stderr) == (wanted.returncode, wanted.stdout, wanted.stderr), words
        codes.append(got.returncode)
    assert codes == [2, 3, 4, 0, 0]


def test_commands_to_try_next_can_be_pasted(tmp_path):
    said = run("demo", "--keep", "kept", cwd=tmp_path, check=True).stdout
    line = next(line for line in said.splitlines() if " recommend " in line)
    assert " -m grease recommend " in line
    assert subprocess.run(line, shell=True, cwd=tmp_path, stdout=subprocess.DEVNULL).returncode == 0


def test_nobody_reading_is_no_error():
    line = f"{sys.executable} -m grease --quiet demo | head -n 1; exit ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_ctrl_c_ends_it_where_it_is(tmp_path):
    run("data", "sample", "--out", "music", "--users", "80", "--artists", "40", cwd=tmp_path, check=True)
    train = ["train", "--interactions", "music", "--epochs", "1000000", "--out", "model"]
    process = subprocess.Popen([*MODULE, *train], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while not (tmp_path / "model").exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert (tmp_path / "model" / "checkpoint.safetensors").exists()


def test_numpy_is_not_loaded_for_it():
    code = "import grease, grease.__main__, sys; assert 'numpy' not in sys.modules; grease.Explainer; assert 'numpy' in sys.modules"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_what_is_not_there_is_said_so():
    with pytest.raises(AttributeError, match="module 'grease' has no attribute 'explane'"):
        grease.explane
    assert set(grease.__all__) <= set(dir(grease))
