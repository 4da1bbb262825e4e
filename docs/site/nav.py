"""The navigation, and blocks of pages as this site's Markdown wants them."""

import re


def expanded(nav, pages):
    """The navigation of mkdocs.yml with every folder, which ends with a slash, replaced by the pages in it that stand nowhere else."""
    named = set(_named(nav))
    return _expanded(nav, [page for page in pages if page not in named])


def _named(nav):
    for entry in nav:
        entry = next(iter(entry.values())) if isinstance(entry, dict) else entry
        if isinstance(entry, list):
            yield from _named(entry)
        else:
            yield entry


def _expanded(nav, pages):
    found = []
    for entry in nav:
        title, value = next(iter(entry.items())) if isinstance(entry, dict) else (None, entry)
        if isinstance(value, list):
            found.append({title: _expanded(value, pages)})
        elif value.endswith("/"):
            inside = _of_folder(value, pages)
            found.extend(inside if title is None else [{title: inside}])
        else:
            found.append(entry)
    return found


def _of_folder(folder, pages):
    inside = [page for page in pages if page.startswith(folder) and "/" not in page[len(folder):]]
    first = [page for page in inside if page[len(folder):] in ("index.md", "README.md")]
    # By name without the ending: `data` stands before `data-convert`.
    return first + sorted((page for page in inside if page not in first), key=lambda page: page[: -len(".md")])


def shown(markdown):
    """Blocks written to a file have its name above them, and what folds has Markdown inside."""
    markdown = re.sub(r"^```python file=(\S+)$", r'```python title="\1"', markdown, flags=re.MULTILINE)
    return re.sub(r"^<details>", '<details markdown="1">', markdown, flags=re.MULTILINE)
