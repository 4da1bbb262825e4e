"""Runs the pages of the docs: every command is run, every block of Python executed, and what comes of it compared with the page.

    python3 docs/tutorials/run.py [--grease PATH] [--needs ENVIRONMENT] [PAGE.md …]
    python3 docs/tutorials/run.py --count
    python3 docs/tutorials/run.py --self-test

Without pages: README.md and all of docs/ but what programs write. Of these the pages that need no more than the package, or
with --needs those that say they need that environment. Two at a time.

Fenced blocks that are run, in the order of the page, in one fresh folder a page:

  ```console        lines that begin with `$ ` are commands for bash; a trailing `\\` goes on with the next line, a trailing `&`
                    starts the command in the background until the end of the page. Other lines are the expected stdout.
                    (`sh` and `bash` are the same.)
  ```python         executed; all blocks of a page share their names. A following ```text block is the expected stdout.
  ```python file=NAME.py    written to that file instead.

In expected output a line that is only `…` stands for any number of lines, and `…` inside a line for any text. Everything
else on the page is prose, but for comments:

  <!-- not run: REASON -->  the block that follows is not run; such blocks are counted, by their reasons.
  <!-- run                  what stands in the comment is run in its place, and not shown: commands as in a console block,
  $ COMMAND                 or Python after `<!-- run python`.
  -->
  <!-- needs: torch -->     at the top: the page is run in that environment alone.

The exit code is 1 if any page differs.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import dataclasses
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
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


@dataclasses.dataclass
class Block:
    """A fenced block, or a comment that is run: where it begins, what is said behind its fence, what is in it."""

    line: int
    info: str
    body: list
    shown: bool = True
    not_run: str = None

    @property
    def kind(self):
        kind = (self.info.split() or [""])[0]
        return "console" if kind in ("sh", "bash") else kind

    @property
    def file(self):
        """The file it is written to, if any."""
        return next((word[len("file=") :] for word in self.info.split()[1:] if word.startswith("file=")), None)

    @property
    def runs(self):
        return self.kind in ("console", "python") and self.not_run is None


def blocks(page):
    """The blocks of a page, in order."""
    found, open_block, fence, comment, reason = [], None, None, None, None
    for number, line in enumerate(page.split("\n"), 1):
        if fence is not None:
            if re.match(rf"^{fence}`*\s*$", line):
                found.append(open_block)
                fence = None
            else:
                open_block.body.append(line)
            continue
        if comment is None and (opened := re.match(r"^(`{3,})\s*([^`]*)$", line)):
            fence, open_block = opened[1], Block(number, opened[2].strip(), [], not_run=reason)
            reason = None
            continue
        if comment is None and line.startswith("<!--"):
            comment, begins, line = [], number, line[len("<!--") :]
        if comment is not None:
            comment.append(line.split("-->")[0])
            if "-->" in line:
                reason = said_in(comment, begins, found) or reason
                comment = None
        elif reason is not None and line.strip():
            raise ValueError(f"line {number}: a reason not to run something, and no block after it")
    if fence is not None:
        raise ValueError(f"line {open_block.line}: a block that does not end")
    return found


def said_in(comment, line, found):
    """A comment that is run becomes a block; of one that says why the next is not run, the reason is returned."""
    first, *rest = comment
    words = first.split()
    if words[:1] == ["run"]:
        kind = "python" if words[1:] == ["python"] else "console"
        found.append(Block(line, kind, [text for text in rest if text.strip() or kind == "python"], shown=False))
    whole = " ".join(" ".join(comment).split())
    return whole[len("not run:") :].strip() if whole.startswith("not run:") else None


def needed(page):
    """The environment a page says it needs."""
    said = re.search(r"^<!-- needs: (\w+) -->", "\n".join(page.split("\n")[:5]), re.MULTILINE)
    return said and said[1]


def pages(needs):
    """README.md and the pages of docs/ that people write and that need that environment, or none."""
    there = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path for path in there if not generated(path) and needed(path.read_text(encoding="utf-8")) == needs]


def generated(path):
    """Whether a program wrote the page: the API's, and reports, which have their figures beside them."""
    return path == ROOT / "docs" / "api.md" or path.with_suffix(".json").exists()


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
            raise ValueError(f"commands begin with `$ `, and what is not run with <!-- not run: REASON -->; this begins with: {line}")
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

    def run(self, found):
        for at, block in enumerate(found):
            following = found[at + 1] if at + 1 < len(found) else Block(0, "", [])
            try:
                if block.runs:
                    self.block(block, following.body if following.kind == "text" else None)
            except Mismatch as mismatch:
                raise Mismatch(f"block at line {block.line}: {mismatch}") from None
            except ValueError as error:
                raise Mismatch(f"block at line {block.line}: {error}") from None

    def block(self, block, printed):
        if block.kind == "console":
            for command, expected in commands(block.body):
                self.command(command, expected)
        elif block.file is not None:
            (self.folder / block.file).write_text("\n".join(block.body) + "\n", encoding="utf-8")
        else:
            self.python("\n".join(block.body), printed)

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
            page.run(blocks(path.read_text(encoding="utf-8")))
        except (Mismatch, ValueError) as mismatch:
            return str(mismatch)
        finally:
            page.end()
    return None


def run_apart(path, grease):
    """The same in a process of its own, so that pages share no names, modules or folders."""
    given = [] if grease is None else ["--grease", str(grease)]
    process = subprocess.run([sys.executable, __file__, "--here", *given, str(path)], capture_output=True)
    if process.returncode == 0:
        return None
    return (process.stdout + process.stderr).decode("utf-8", "replace").strip()


def has_something_to_run(path):
    """A page that cannot be read has: that is to be told."""
    try:
        return any(block.runs for block in blocks(path.read_text(encoding="utf-8")))
    except ValueError:
        return True


def tally(paths):
    """How many blocks of the pages run, and how many do not for which reason."""
    ran, not_run = 0, collections.Counter()
    for path in paths:
        with contextlib.suppress(ValueError):
            for block in blocks(path.read_text(encoding="utf-8")):
                ran += block.runs and block.shown
                if block.not_run is not None:
                    not_run[block.not_run] += 1
    return ran, not_run


def told(ran, not_run):
    reasons = "".join(f"\n  {number:3}  {reason}" for reason, number in sorted(not_run.items(), key=lambda item: (-item[1], item[0])))
    return f"{ran} blocks run, {not_run.total()} not run{':' if reasons else ''}{reasons}"


def count(paths):
    """What would run, page by page; and what could not, being neither a command nor marked."""
    faults = 0
    for path in paths:
        page = path.read_text(encoding="utf-8")
        ran, not_run = tally([path])
        print(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}: {ran} run, {not_run.total()} not run")
        try:
            for block in blocks(page):
                if block.kind == "console" and block.runs:
                    commands(block.body)
        except ValueError as error:
            faults += 1
            print(f"  {error}")
    print(told(*tally(paths)))
    return faults


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
        self.assertEqual([(block.line, block.info) for block in found], [(2, "console"), (8, "text")])
        self.assertEqual(commands(found[0].body), [("one \\\n  more", ["out"]), ("two &", [])])
        self.assertEqual(found[1].body, ["```"])
        with self.assertRaises(ValueError):
            commands(["no command"])
        with self.assertRaises(ValueError):
            blocks("```console\n$ true\n")

    def test_a_reason_stands_before_a_block(self):
        page = "<!-- not run: needs\na cluster -->\n\n```console\n$ sbatch\n```\n<!-- other -->\n```bash\n$ true\n```\n"
        first, second = blocks(page)
        self.assertEqual((first.not_run, first.runs), ("needs a cluster", False))
        self.assertEqual((second.not_run, second.runs, second.kind), (None, True, "console"))
        with self.assertRaises(ValueError):
            blocks("<!-- not run: nothing -->\nprose\n")
        self.assertEqual(blocks("```text\n<!-- not run: no comment -->\n```\n")[0].not_run, None)

    def test_comments_that_are_run_are_not_shown(self):
        page = "<!-- run\n$ echo 1 > one\n\n-->\n<!-- run python\nx = 2\n-->\n```python\nprint(open('one').read().strip(), x)\n```\n```text\n1 2\n```\n"
        hidden, more, shown, _ = blocks(page)
        self.assertEqual((hidden.kind, hidden.body, hidden.shown), ("console", ["$ echo 1 > one"], False))
        self.assertEqual((more.kind, more.shown, shown.shown), ("python", False, True))
        self.assertIsNone(self.of(page))
        self.assertIn("block at line 1: $ false", self.of("<!-- run\n$ false\n-->\n"))

    def test_blocks_are_counted_by_what_becomes_of_them(self):
        marked = "<!-- not run: takes hours -->\n```console\n$ sleep 9999\n```\n"
        page = marked + "```json\n{}\n```\n<!-- run\n$ true\n-->\n```sh\n$ true\n```\n" + marked
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.md"
            path.write_text(page, encoding="utf-8")
            ran, not_run = tally([path])
        self.assertEqual((ran, not_run), (1, {"takes hours": 2}))
        self.assertEqual(told(ran, not_run), "1 blocks run, 2 not run:\n    2  takes hours")

    def test_pages_say_what_they_need_at_their_top(self):
        self.assertEqual(needed("<!-- needs: torch -->\n# Page\n"), "torch")
        self.assertIsNone(needed("# Page\n" + "\n" * 9 + "<!-- needs: torch -->\n"))
        light, torch = pages(None), pages("torch")
        self.assertIn(ROOT / "README.md", light)
        self.assertNotIn(ROOT / "docs" / "api.md", light)
        self.assertFalse(set(light) & set(torch))

    def of(self, page):
        """What running a page says, in a process of its own."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.md"
            path.write_text(page, encoding="utf-8")
            return run_apart(path, None)

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
    arguments = argparse.ArgumentParser(description="Runs pages and compares what comes of them with what they say.")
    arguments.add_argument("pages", nargs="*", type=pathlib.Path, metavar="PAGE.md")
    arguments.add_argument("--grease", type=pathlib.Path, metavar="PATH", help="the grease to run")
    arguments.add_argument("--needs", metavar="ENVIRONMENT", help="the pages that need it, instead of those that need none")
    arguments.add_argument("--count", action="store_true", help="say what would run and what would not")
    arguments.add_argument("--here", action="store_true", help="run in this process, one page after the other")
    arguments.add_argument("--self-test", action="store_true", help="test this program itself")
    given = arguments.parse_args()
    if given.self_test:
        result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(SelfTest))
        sys.exit(0 if result.wasSuccessful() else 1)
    paths = given.pages or pages(given.needs)
    if given.count:
        sys.exit(1 if count(paths) else 0)
    if given.here:
        said = [said for path in paths if (said := run(path, given.grease)) is not None]
        print("\n".join(said))
        sys.exit(1 if said else 0)
    to_run = [path for path in paths if has_something_to_run(path)]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as both:
        said = list(both.map(lambda path: run_apart(path, given.grease), to_run))
    for path, words in zip(to_run, said):
        if words is not None:
            print(f"{path}: {words}\n")
    failed = sum(words is not None for words in said)
    print(told(*tally(paths)))
    print(f"{len(to_run) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
