"""Links of Markdown pages: those of the repository, and what becomes of them in the site."""

import pathlib
import posixpath
import re

OF_THE_ROOT = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "how-it-works/architecture.md",
    "CONTRIBUTING.md": "how-it-works/contributing.md",
    "CHANGELOG.md": "how-it-works/changelog.md",
    "LICENSE-MIT": "how-it-works/licence.md",
    "LICENSE-APACHE": "how-it-works/licence.md",
}
"""Files beside docs/ and the pages of the site that show them."""

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
ELSEWHERE = re.compile(r"^[a-z]+:", re.IGNORECASE)
FENCE = re.compile(r"^( *`{3,}).*?^\1`*\s*$", re.MULTILINE | re.DOTALL)


def in_repository(uri):
    """Where a page of the site stands in the repository."""
    of_root = {page: name for name, page in OF_THE_ROOT.items() if page != "index.md"}
    return of_root.get(uri, f"docs/{uri}")


def in_the_site(markdown, path, known, root):
    """A page's links for the site: to pages that are in it, and the name alone of a file that is not."""
    uri = _uri(path, known)

    def mended(link):
        mark, text, target = link.groups()
        if ELSEWHERE.match(target) or target.startswith("#"):
            return link[0]
        file, anchor = (target.split("#", 1) + [""])[:2]
        file = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
        page = _uri(file, known)
        if page in known:
            there = posixpath.relpath(page, posixpath.dirname(uri) or ".")
            return f"{mark}[{text}]({there}{'#' + anchor if anchor else ''})"
        if (root / file).exists():
            return text if "`" in text else f"`{text}`" if "/" in text or "." in text else f"{text} (`{file}`)"
        return link[0]

    return outside_blocks(markdown, lambda prose: LINK.sub(mended, prose))


def pages_by_name(markdown, uri, known):
    """A page that is only named, as help texts and docstrings do (`docs/oracle.md`), is linked."""

    def linked(name):
        page = name[1]
        there = posixpath.relpath(page, posixpath.dirname(uri) or ".")
        return f"[{name[0]}]({there})" if page in known else name[0]

    return outside_blocks(markdown, lambda prose: re.sub(r"(?<![\w/`(])docs/([\w/-]+\.md)\b", linked, prose))


def outside_blocks(markdown, change):
    """The page with whatever is not in a fenced block changed."""
    parts, at = [], 0
    for fence in FENCE.finditer(markdown):
        parts += [change(markdown[at : fence.start()]), fence[0]]
        at = fence.end()
    return "".join([*parts, change(markdown[at:])])


def targets(markdown):
    """What a page links to."""
    found = []

    def note(prose):
        found.extend(link[3] for link in LINK.finditer(re.sub(r"`[^`\n]+`", "", prose)))
        return prose

    outside_blocks(markdown, note)
    return found


def anchors(markdown):
    """The anchors of a page's headings, as GitHub and the site name them."""
    found, counted = set(), {}

    def note(prose):
        for heading in re.finditer(r"^#{1,6} +(.*?)\s*$", prose, re.MULTILINE):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "").lower()
            slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            seen = counted.get(slug, 0)
            counted[slug] = seen + 1
            found.add(slug if not seen else f"{slug}-{seen}")
        found.update(re.findall(r'(?:id|name)="([^"]+)"', prose))
        return prose

    outside_blocks(markdown, note)
    return found


def broken(path, root):
    """Relative links of a page of the repository that lead to no file, or to no heading of it."""
    for target in targets(path.read_text(encoding="utf-8")):
        if ELSEWHERE.match(target):
            continue
        file, anchor = (target.split("#", 1) + [""])[:2]
        there = path if not file else path.parent / file
        if not there.exists():
            yield f"{path.relative_to(root)}: {target} leads to no file"
        elif anchor and there.suffix == ".md" and anchor not in anchors(there.read_text(encoding="utf-8")):
            yield f"{path.relative_to(root)}: {target} leads to no heading of {file or 'the page'}"


def _uri(file, known):
    """The page of the site that shows a file or folder of the repository, or nothing that exists."""
    page = OF_THE_ROOT.get(file) or (file[len("docs/") :] if file.startswith("docs/") else file)
    for first in ("README.md", "index.md"):
        if page not in known and f"{page}/{first}" in known:
            return f"{page}/{first}"
    if page.endswith(".ipynb"):
        return str(pathlib.PurePosixPath(page).with_suffix(".md"))
    return page if file in OF_THE_ROOT or file.startswith("docs/") else f"/{file}"
