"""Clicks through the built site, from its first page to what newcomers look for."""

import collections
import re
from dataclasses import dataclass

CLICKS = 3
"""The most that may be needed."""

LOOKED_FOR = [
    ("explaining a PyTorch model", r"tutorials/pyg-model\.html", None),
    ("putting the page behind a login", r"serving\.html", r"log-?in|proxy"),
    ("what a certificate proves", r"concepts/certificate\.html", None),
    ("every flag of explain", r"reference/cli/explain\.html", r"^--goal$"),
]
"""What somebody looks for, the page that has it and, of a part of a page, its anchor."""

SEEN = ("tabs", "sidebar", "article")
"""Where links are that a person sees; of the sidebar only what is unfolded."""


def paths(pages):
    """The fewest clicks to each page, as the words that were clicked."""
    found, waiting = {"index.html": []}, collections.deque(["index.html"])
    while waiting:
        page = pages[waiting.popleft()]
        for link in page.links:
            target = page.target(link.href) if link.place in SEEN else None
            if target is not None and target[0] in pages and target[0] not in found:
                found[target[0]] = [*found[page.uri], link.text]
                waiting.append(target[0])
    return found


@dataclass
class Walked:
    """What was looked for, the words clicked on the way to it and the title found there, and what is wrong."""

    what: str
    clicks: list
    title: str
    faults: list

    def __str__(self):
        return " > ".join(["Home", *self.clicks]) + f": “{self.title.strip()}”"


def walk(pages):
    """Looks for everything people look for."""
    found = paths(pages)
    for what, page, anchor in LOOKED_FOR:
        uri = next((uri for uri in found if re.fullmatch(page, uri)), None)
        if uri is None:
            yield Walked(what, [], "", [f"no clicks lead to {page}"])
            continue
        faults = [f"it takes {len(found[uri])} clicks"] if len(found[uri]) > CLICKS else []
        if anchor is not None and not any(re.search(anchor, name) for name in pages[uri].ids):
            faults.append(f"{uri} has no part about it: no anchor {anchor}")
        yield Walked(what, found[uri], pages[uri].title, faults)
