"""Runs tutorials: every command is run, every block of Python executed, and what comes of it compared with the page.

    python3 docs/tutorials/run.py [--grease PATH] PAGE.md …
    python3 docs/tutorials/run.py --self-test

Fenced blocks that are run, in the order of the page, in one fresh folder a page:

  ```console        lines that begin with `$ ` are commands for bash; a trailing `\\` goes on with the next line, a trailing `&`
                    starts the command in the background until the end of the page. Other lines are the expected stdout.
  ```python         executed; all blocks of a page share their names. A following ```text block is the expected stdout.
  ```python file=NAME.py    written to that file instead.

In expected output a line that is only `…` stands for any number of lines, and `…` inside a line for any text. Everything
else on the page is prose. The exit code is 1 if any page differs.
"""

import argparse
import contextlib
import difflib
import io
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import traceback
import unittest

ANY = "…"
SECONDS = 600


def line_matches(expected, got):
    """Whether a line is as expected, `…` standing for any text."""
    pattern = ".*".join(re.escape(part) for part in expected.split(ANY))
    return re.fullmatch(pattern, got) is not None


def matches(expected, got):
    """Whether lines are as expected, a line `…` standing for any number of them."""
    reachable = {0}  # numbers of lines of `got` that the lines of `expected` so far can stand for
    for line in expected:
        if line.strip() == ANY:
            reachable = set(range(min(reachable), len(got) + 1)) if reachable else set()
        else:
            reachable = {at + 1 for at in reachable if at < len(got) and line_matches(line, got[at])}
    return len(got) in reachable


def tidy(text):
    """The lines of a text, without spaces at their ends and empty lines at its end."""
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def blocks(page):
    """The fenced blocks of a page: line number, info string, lines."""
    fence, start, info, found = None, 0, "", []
    body = []
    for number, line in enumerate(page.split("\n"), 1):
        if fence is None:
            opened = re.match(r"^(`{3,})\s*([^`]*)$", line)
            if opened:
                fence, info, start, body = opened[1], opened[2].strip(), number, []
        elif re.match(rf"^`{{{len(fence)},}}\s*$", line):
            found.append((start, info, body))
            fence = None
        else:
            body.append(line)
    if fence is not None:
        raise SystemExit(f"line {start}: a block that does not end")
    return found


def commands(lines):
    """The commands of a console block, each with the output that is expected of it."""
    found = []
    going_on = False
    for line in lines:
        if going_on:
            found[-1][0] += "\n" + line
        elif line.startswith("$ "):
            found.append([line[2:], []])
        elif not found:
            raise ValueError(f"a console block begins with a command, not with: {line}")
        else:
            found[-1][1].append(line)
            continue
        going_on = found[-1][0].endswith("\\")
    return [(command, expected) for command, expected in found]


class Mismatch(Exception):
    """What was not as expected, in words."""


def compare(what, expected, got, more=""):
    expected, got = tidy("\n".join(expected)), tidy(got)
    if not matches(expected, got):
        diff = "\n".join(difflib.unified_diff(expected, got, "expected", "got", lineterm=""))
        raise Mismatch(f"{what}\n{diff}\n{more}")


class Page:
    """A page on its way: its folder, its names, what runs in the background."""

    def __init__(self, folder, environment):
        self.folder, self.environment = folder, environment
        self.names, self.background = {"__name__": "__tutorial__"}, []

    def run(self, text):
        found = blocks(text)
        for at, (line, info, body) in enumerate(found):
            words = info.split()
            kind = words[0] if words else ""
            files = [word[len("file="):] for word in words[1:] if word.startswith("file=")]
            try:
                if kind == "console":
                    for command, expected in commands(body):
                        self.command(command, expected)
                elif kind == "python" and files:
                    (self.folder / files[0]).write_text("\n".join(body) + "\n", encoding="utf-8")
                elif kind == "python":
                    following = found[at + 1] if at + 1 < len(found) else (0, "", [])
                    self.python("\n".join(body), following[2] if following[1] == "text" else None)
            except Mismatch as mismatch:
                raise Mismatch(f"block at line {line}: {mismatch}") from None

    def command(self, command, expected):
        shell = ["bash", "-c", command]
        where = {"cwd": self.folder, "env": self.environment, "stdin": subprocess.DEVNULL, "start_new_session": True}
        if command.rstrip().endswith("&"):
            shell[2] = command.rstrip()[:-1]
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            self.background.append(subprocess.Popen(shell, **where, **quiet))
            return
        # What runs in the background from within a command ends with the page, too.
        process = subprocess.Popen(shell, **where, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.background.append(process)
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise Mismatch(f"$ {command}\ndid not end within {SECONDS} s") from None
        said = err.decode("utf-8", "replace")
        more = f"stderr:\n{said}" if said else ""
        if process.returncode != 0 and not (expected and "exit code" in expected[-1]):
            raise Mismatch(f"$ {command}\nended with exit code {process.returncode}\n{more}")
        got = out.decode("utf-8", "replace")
        if process.returncode != 0:
            got += f"exit code {process.returncode}\n"
        compare(f"$ {command}", expected, got, more)

    def python(self, code, expected):
        out, before = io.StringIO(), os.getcwd()
        os.chdir(self.folder)
        sys.path.insert(0, str(self.folder))
        try:
            with contextlib.redirect_stdout(out):
                exec(compile(code, "<tutorial>", "exec"), self.names)
        except Exception:
            raise Mismatch("Python ended with\n" + traceback.format_exc()) from None
        finally:
            sys.path.remove(str(self.folder))
            os.chdir(before)
        if expected is not None:
            compare("Python printed something else", expected, out.getvalue())

    def end(self):
        for process in self.background:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            with contextlib.suppress(Exception):
                process.wait(timeout=10)


def run(path, grease):
    """Runs one page in a fresh folder; what was not as expected, or nothing."""
    environment = dict(os.environ)
    if grease is not None:
        environment["PATH"] = f"{grease.resolve().parent}{os.pathsep}{environment.get('PATH', '')}"
    with tempfile.TemporaryDirectory() as folder:
        page = Page(pathlib.Path(folder), environment)
        try:
            page.run(path.read_text(encoding="utf-8"))
        except (Mismatch, ValueError) as mismatch:
            return str(mismatch)
        finally:
            page.end()
    return None


class SelfTest(unittest.TestCase):
    """What the comparison and the reading of pages must do."""

    def test_text_is_compared_line_by_line(self):
        self.assertTrue(matches(["a", "b"], ["a", "b"]))
        self.assertFalse(matches(["a"], ["a", "b"]))
        self.assertFalse(matches(["a", "b"], ["a"]))
        self.assertTrue(matches([], []))

    def test_an_ellipsis_in_a_line_stands_for_any_text(self):
        self.assertTrue(line_matches("took … ms (median …)", "took 3.2 ms (median 3)"))
        self.assertFalse(line_matches("took … ms", "took 3.2 s"))
        self.assertTrue(line_matches("a.b*…", "a.b*"))
        self.assertFalse(line_matches("a.b", "axb"))

    def test_a_line_of_an_ellipsis_stands_for_any_number_of_lines(self):
        self.assertTrue(matches(["a", "…", "z"], ["a", "z"]))
        self.assertTrue(matches(["a", "…", "z"], ["a", "b", "z", "c", "z"]))
        self.assertFalse(matches(["a", "…", "z"], ["a", "b"]))
        self.assertTrue(matches(["…"], []))
        self.assertTrue(matches(["…", "m", "…", "m", "…"], ["m", "x", "m"]))
        self.assertFalse(matches(["…", "m", "…", "m", "…"], ["x", "m"]))

    def test_blocks_and_commands_are_found(self):
        page = "prose\n```console\n$ one \\\n  more\nout\n$ two &\n```\n````text\n```\n````\n"
        found = blocks(page)
        self.assertEqual([(line, info) for line, info, _ in found], [(2, "console"), (8, "text")])
        self.assertEqual(commands(found[0][2]), [("one \\\n  more", ["out"]), ("two &", [])])
        self.assertEqual(found[1][2], ["```"])
        with self.assertRaises(ValueError):
            commands(["no command"])

    def test_a_page_runs_and_differences_are_told(self):
        page = (
            "```python file=m.py\nx = 41\n```\n```python\nimport m\nprint(m.x + 1)\n```\n```text\n42\n```\n"
            "```console\n$ sleep 600 &\n$ cat m.py\nx = …\n$ exit 3\nexit code 3\n```\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.md"
            path.write_text(page, encoding="utf-8")
            self.assertIsNone(run(path, None))
            path.write_text(page.replace("x = …", "y = …"), encoding="utf-8")
            said = run(path, None)
            self.assertIn("block at line 11", said)
            self.assertIn("-y = …\n+x = 41", said)
            path.write_text("```console\n$ false\n```\n", encoding="utf-8")
            self.assertIn("ended with exit code 1", run(path, None))
        sys.modules.pop("m", None)


def main():
    arguments = argparse.ArgumentParser(description="Runs tutorials and compares what comes of them with the page.")
    arguments.add_argument("pages", nargs="*", type=pathlib.Path, metavar="PAGE.md")
    arguments.add_argument("--grease", type=pathlib.Path, metavar="PATH", help="the grease to run")
    arguments.add_argument("--self-test", action="store_true", help="test this program itself")
    given = arguments.parse_args()
    if given.self_test:
        result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(SelfTest))
        sys.exit(0 if result.wasSuccessful() else 1)
    passed = failed = 0
    for path in given.pages:
        said = run(path, given.grease)
        if said is None:
            passed += 1
        else:
            failed += 1
            print(f"{path}: {said}\n")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
