"""Docstrings as Markdown: what the sources write for Python's own tools becomes links, blocks and tables of the site."""

import re
import textwrap

import griffe

ROLE = re.compile(r":(?:class|func|meth|mod|attr|exc|data):`~?([\w.]+)`")
RULE = re.compile(r"^=+(?: +=+)+$")


class Docstrings(griffe.Extension):
    """Rewrites every docstring of the package once all of it is read."""

    def on_package(self, *, pkg, **_):
        for thing in everything(pkg):
            if thing.docstring is not None:
                thing.docstring.value = in_markdown(thing.docstring.value, lambda name, thing=thing: reference(name, thing, pkg))


def everything(thing):
    """An object and all below it that is its own."""
    yield thing
    for member in thing.members.values():
        if not member.is_alias:
            yield from everything(member)


def in_markdown(text, find):
    """A docstring with roles as references, examples as blocks and tables as tables; `find` says what a name refers to."""
    text = "\n".join(_blocks(text.split("\n")))
    text = ROLE.sub(lambda role: f"[`{role[1]}`][{find(role[1])}]", text)
    # In Markdown one backtick is enough; and a page is named by where it stands in the repository.
    text = re.sub(r"``([^`\n]+)``", r"`\1`", text)
    return re.sub(r"(?<![\w/`(])docs/([\w/-]+)\.md\b", r"[docs/\1.md](../\1.md)", text)


def _blocks(lines):
    at = 0
    while at < len(lines):
        end = at + 1
        if lines[at].startswith(">>>"):
            while end < len(lines) and lines[end].strip():
                end += 1
            yield from ["```pycon", *lines[at:end], "```"]
        elif RULE.match(lines[at]):
            while end < len(lines) and lines[end].strip():
                end += 1
            yield from _table(lines[at:end])
        elif lines[at].endswith("::"):
            while end < len(lines) and (not lines[end].strip() or lines[end].startswith(" ")):
                end += 1
            introduction = lines[at][:-1] if lines[at] != "::" else ""
            block = textwrap.dedent("\n".join(lines[at + 1 : end])).strip("\n")
            yield from [introduction, "```python", block, "```", ""]
        else:
            yield lines[at]
        at = end


def _table(lines):
    """Columns are as wide as the rule above them."""
    columns = [(part.start(), part.end()) for part in re.finditer(r"=+", lines[0])]
    starts = [start for start, _ in columns]
    rows = [line for line in lines if not RULE.match(line)]
    cells = [[line[start:end].strip() for start, end in zip(starts, starts[1:] + [None])] for line in rows]
    head, body = cells[0], cells[1:]
    return ["", *(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *body]), ""]


def reference(name, thing, package):
    """The public path of what a docstring names: from the class it stands in, its module, or the package."""
    if name.split(".")[0] == package.name:
        return name
    scope = thing
    while scope is not None:
        if name.split(".")[0] in scope.members:
            return public(f"{scope.path}.{name}")
        scope = scope.parent
    return public(f"{package.name}.{name}")


def public(path):
    """`grease._explainer.Explainer` is shown as `grease.Explainer`."""
    return ".".join(part for part in path.split(".") if not part.startswith("_"))
