"""The built site, read back: what each page links to, what it loads, what can be linked to."""

import html.parser
import pathlib
import posixpath
import re
import urllib.parse
from dataclasses import dataclass, field

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
LOADS = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("source", "srcset"), ("object", "data"), ("video", "src"), ("audio", "src")}
"""What a browser fetches by itself."""


@dataclass
class Link:
    """An `<a href>`: where it stands is the tabs, the sidebar, the table of contents, the article, or elsewhere."""

    href: str
    place: str
    text: str = ""


@dataclass
class Page:
    """A page of the site."""

    uri: str
    title: str = ""
    ids: set = field(default_factory=set)
    links: list = field(default_factory=list)
    loads: list = field(default_factory=list)
    paragraphs: list = field(default_factory=list)

    def target(self, href):
        """The page of the site a link leads to, and the anchor in it; nothing where it leads elsewhere."""
        parts = urllib.parse.urlsplit(href)
        if parts.scheme or parts.netloc:
            return None
        path = urllib.parse.unquote(parts.path)
        uri = posixpath.normpath(posixpath.join(posixpath.dirname(self.uri), path)) if path else self.uri
        return ("index.html" if uri == "." else uri), urllib.parse.unquote(parts.fragment)


class Reader(html.parser.HTMLParser):
    """Reads one page."""

    def __init__(self, uri):
        super().__init__()
        self.page, self.stack = Page(uri), []
        self.link = self.paragraph = None

    def handle_starttag(self, tag, attributes):
        given = {name: value or "" for name, value in attributes}
        if "id" in given:
            self.page.ids.add(given["id"])
        self.page.loads += [given[name] for name in given if (tag, name) in LOADS]
        if tag == "a" and "href" in given:
            self.link = Link(given["href"], self.place(given.get("class", "")))
            self.page.links.append(self.link)
        if tag == "p":
            self.paragraph = []
        if tag not in VOID:
            self.stack.append((tag, given.get("class", "").split()))

    def handle_endtag(self, tag):
        while self.stack and self.stack.pop()[0] != tag:
            pass
        if tag == "a":
            self.link = None
        if tag == "p" and self.paragraph is not None:
            self.page.paragraphs.append("".join(self.paragraph))
            self.paragraph = None

    def handle_data(self, data):
        if self.link is not None:
            self.link.text = f"{self.link.text} {data.strip()}".strip()
        if any(tag == "h1" for tag, _ in self.stack) and not (self.link and self.link.place == "permalink"):
            self.page.title += data
        if self.paragraph is not None and not any(tag == "code" for tag, _ in self.stack):
            self.paragraph.append(data)

    def place(self, classes):
        around = [name for _, names in self.stack for name in names]
        if "md-tabs" in around:
            return "tabs"
        if "md-nav--secondary" in around:
            return "contents"
        if "md-nav--primary" in around:
            # Of a folded section nobody sees more than its own page.
            folded = sum("md-nav__item--nested" in names and "md-nav__item--active" not in names for _, names in self.stack)
            return "folded" if folded > ("md-nav__container" in around) else "sidebar"
        if "md-content__inner" in around:
            return "permalink" if "headerlink" in classes.split() else "article"
        return "elsewhere"


def read(site):
    """All pages of a site, by where they are in it."""
    pages = {}
    for path in sorted(pathlib.Path(site).rglob("*.html")):
        reader = Reader(path.relative_to(site).as_posix())
        reader.feed(path.read_text(encoding="utf-8"))
        pages[reader.page.uri] = reader.page
    return pages


def from_elsewhere(site, pages):
    """What a browser would fetch from another machine to show a page."""
    outside = re.compile(r"^\s*(?:[a-z]+:)?//", re.IGNORECASE)
    for page in pages.values():
        yield from (f"{page.uri} loads {url}" for url in page.loads if outside.match(url))
    for path in sorted(pathlib.Path(site).rglob("*.css")):
        for url in re.findall(r"(?:url\(|@import\s+)['\"]?((?:https?:)?//[^'\")\s]+)", path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)} loads {url}"


def broken(site, pages):
    """Links within the site to what is not there."""
    for page in pages.values():
        # A server shows it in the place of any page: its links are from the root.
        for link in page.links if page.uri != "404.html" else []:
            target = page.target(link.href)
            if target is None:
                continue
            uri, anchor = target
            if uri in pages:
                if anchor and anchor not in pages[uri].ids:
                    yield f"{page.uri}: {link.href} leads to no such part of {uri}"
            elif not (pathlib.Path(site) / uri).is_file():
                yield f"{page.uri}: {link.href} leads nowhere"


def not_rendered(pages):
    """Paragraphs in which Markdown is still to be seen: a table, a list or a link that was not taken for one."""
    marks = re.compile(r"^\s*\|.*\|\s*$|^\s*(?:[-*]|\d+\.) +\S.*\n\s*(?:[-*]|\d+\.) +\S|\]\([\w./#-]+\)|^:::", re.MULTILINE)
    for page in pages.values():
        yield from (f"{page.uri}: {text.strip()[:80]!r}" for text in page.paragraphs if marks.search(text))


def outside(pages):
    """Addresses elsewhere that pages link to, which nobody fetches here."""
    urls = {link.href for page in pages.values() for link in page.links if link.place == "article"}
    return sorted(url for url in urls if urllib.parse.urlsplit(url).scheme in ("http", "https"))
