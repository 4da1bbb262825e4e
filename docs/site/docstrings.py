"""Docstrings as Markdown: examples become blocks, and what is named in passing is linked."""

import pathlib
import re
import sys

import griffe

# Griffe loads this file by its path.
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import documented  # noqa: E402
import links  # noqa: E402

SPAN = re.compile(r"``?([\w.]+)``?")


class Docstrings(griffe.Extension):
    """Rewrites every docstring of the package once all of it is read."""

    def on_package(self, *, pkg, **_):
        things = dict(documented.public(pkg.filepath.parent.parent))
        shown = {path: thing.is_function or thing.is_class for path, thing in things.items()}
        shown.update(dict.fromkeys(documented.MODULES[1:], True))
        for thing in everything(pkg):
            if thing.docstring is not None:
                thing.docstring.value = in_markdown(thing.docstring.value, thing.path, shown)


def everything(thing):
    """An object and all below it that is its own."""
    yield thing
    for member in thing.members.values():
        if not member.is_alias:
            yield from everything(member)


def in_markdown(text, path, shown):
    """The docstring of what has that path; `shown` has the paths that can be linked to, and whether by their last part alone."""

    def linked(span):
        there = reference(span[1], path, shown)
        # In Markdown one backtick is enough.
        return f"`{span[1]}`" if there is None else f"[`{span[1]}`][{there}]"

    text = "\n".join(_with_blocks(text.split("\n")))
    text = links.outside_blocks(text, lambda prose: SPAN.sub(linked, prose))
    # The reference stands one folder below the other pages.
    return re.sub(r"(?<![\w/`(])docs/([\w/-]+)\.md\b", r"[docs/\1.md](../\1.md)", text)


def _with_blocks(lines):
    """Examples are fenced, up to the empty line after them."""
    inside = False
    for line in lines:
        begins = re.match(r"^ *>>> ", line)
        if begins and not inside:
            inside, margin = True, " " * (begins.end() - len(">>> "))
            yield f"{margin}```pycon"
        if inside and not line.strip():
            inside = False
            yield f"{margin}```"
        # What doctest is told is not for readers.
        yield re.sub(r" *# doctest: .*", "", line) if inside else line
    if inside:
        yield f"{margin}```"


def reference(name, path, shown):
    """The public path of what a docstring names: from where it stands outwards. A plain word may be a parameter, and is then no link."""
    around = public(path).split(".")
    scopes = [".".join(around[:length]) for length in range(len(around), 0, -1)]
    for there in [name, *(f"{scope}.{name}" for scope in scopes)]:
        if there in shown and there != public(path) and (shown[there] or "." in name):
            return there
    return None


def public(path):
    """`grease._explainer.Explainer` is shown as `grease.Explainer`."""
    return ".".join(part for part in path.split(".") if not part.startswith("_"))
