"""Tests of what makes and checks the site: python docs/site/tests.py"""

import json
import pathlib
import sys
import tempfile
import unittest

import built
import docstrings
import links
import nav
import notebook
import walk

ROOT = pathlib.Path(__file__).resolve().parents[2]
KNOWN = {"index.md", "oracle.md", "results/README.md", "how-it-works/architecture.md", "demo.svg", "tutorials/explain.md"}


class Links(unittest.TestCase):
    def in_the_site(self, markdown, path):
        return links.in_the_site(markdown, path, KNOWN, ROOT)

    def test_pages_of_the_root_link_into_the_site(self):
        self.assertEqual(self.in_the_site("[a](docs/oracle.md#top)", "ARCHITECTURE.md"), "[a](../oracle.md#top)")
        self.assertEqual(self.in_the_site("[a](docs/results)", "ARCHITECTURE.md"), "[a](../results/README.md)")
        self.assertEqual(self.in_the_site("![a](demo.svg)", "docs/oracle.md"), "![a](demo.svg)")
        self.assertEqual(self.in_the_site("[a](../ARCHITECTURE.md)", "docs/oracle.md"), "[a](how-it-works/architecture.md)")
        self.assertEqual(self.in_the_site("[a](../tutorials/explain.ipynb)", "docs/results/README.md"), "[a](../tutorials/explain.md)")

    def test_a_file_that_is_not_shown_is_only_named(self):
        self.assertEqual(self.in_the_site("[the manifest](../Cargo.toml)", "docs/oracle.md"), "the manifest (`Cargo.toml`)")
        self.assertEqual(self.in_the_site("[`Cargo.toml`](../Cargo.toml)", "docs/oracle.md"), "`Cargo.toml`")

    def test_what_leads_nowhere_stays_and_is_found(self):
        self.assertEqual(self.in_the_site("[a](nowhere.md)", "docs/oracle.md"), "[a](nowhere.md)")
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "a.md"
            page.write_text("# One `--two` (three)\n[a](a.md#one---two-three) [b](#two) [c](b.md) [d](https://e.f)\n```text\n[e](f.md)\n```\n")
            said = list(links.broken(page, pathlib.Path(folder)))
        self.assertEqual(said, ["a.md: #two leads to no heading of the page", "a.md: b.md leads to no file"])

    def test_blocks_are_left_alone_and_names_linked(self):
        page = "see docs/oracle.md, docs/none.md\n```text\ndocs/oracle.md\n```\n"
        linked = links.pages_by_name(page, "reference/cli/explain.md", KNOWN)
        self.assertEqual(linked, page.replace("see docs/oracle.md", "see [docs/oracle.md](../../oracle.md)"))


class Pages(unittest.TestCase):
    def test_a_folder_of_the_navigation_is_its_pages(self):
        pages = ["a/data-b.md", "a/data.md", "a/index.md", "a/named.md", "a/deep/c.md", "d.md"]
        expanded = nav.expanded(["d.md", {"A": "a/"}, {"B": ["a/named.md"]}], pages)
        self.assertEqual(expanded, ["d.md", {"A": ["a/index.md", "a/data.md", "a/data-b.md"]}, {"B": ["a/named.md"]}])

    def test_a_notebook_shows_what_came_of_it(self):
        html = {"text/html": "<table>\n\n<tr></tr></table>", "text/plain": "a table"}
        outputs = [
            {"output_type": "stream", "name": "stdout", "text": ["0 %\r100 %\n", "\x1b[1mdone\x1b[0m\n"]},
            {"output_type": "stream", "name": "stderr", "text": "progress"},
            {"output_type": "display_data", "data": {"image/svg+xml": ["<svg/>"], "text/plain": "a \"b\""}},
            {"output_type": "execute_result", "data": html},
        ]
        cells = [
            {"cell_type": "markdown", "source": ["# Title\n", "words"]},
            {"cell_type": "code", "source": "print('```')", "outputs": outputs},
        ]
        page = notebook.page(json.dumps({"cells": cells}))
        self.assertTrue(page.startswith("# Title\nwords\n\n````python\nprint('```')\n````\n\n"), page)
        self.assertIn('<div class="notebook-output" markdown="1">\n\n```text\n100 %\ndone\n```\n\n</div>', page)
        self.assertNotIn("progress", page)
        self.assertIn('<img alt="a &quot;b&quot;" src="data:image/svg+xml;base64,PHN2Zy8+">', page)
        self.assertIn('<div class="notebook-output">\n<table>\n<tr></tr></table>\n</div>', page)

    def test_docstrings_become_markdown(self):
        text = "See ``Model``, ``k`` and docs/scale.md.\n\nExamples:\n    >>> ``Model``  # doctest: +SKIP\n    1\n\nMore: ``explain``, ``Explainer.k``, ``nothing``"
        shown = {"grease.Model": True, "grease.Explainer.k": False, "grease.Explainer.explain": True, "grease.k": False}
        markdown = docstrings.in_markdown(text, "grease._explainer.Explainer.why", shown)
        wanted = (
            "See [`Model`][grease.Model], `k` and [docs/scale.md](../scale.md).\n\n"
            "Examples:\n    ```pycon\n    >>> ``Model``\n    1\n    ```\n\n"
            "More: [`explain`][grease.Explainer.explain], [`Explainer.k`][grease.Explainer.k], `nothing`"
        )
        self.assertEqual(markdown, wanted)


class Site(unittest.TestCase):
    """A site of three pages, of which one is two clicks away."""

    FIRST = (
        '<nav class="md-tabs"><a href="a.html">Tab</a></nav><nav class="md-nav--primary"><ul>'
        '<li class="md-nav__item md-nav__item--nested"><a href="b.html">Folded</a></li></ul></nav>'
        '<article class="md-content__inner"><h1 id="top">First<a class="headerlink" href="#top">¶</a></h1>'
        '<a href="https://elsewhere.example">out</a><a href="#none">gone</a><p>| a | b |</p></article>'
    )
    SECOND = '<link href="//cdn.example/x.css"><article class="md-content__inner"><a href="b.html#part">On</a></article>'

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name, text in {"index": self.FIRST, "a": self.SECOND, "b": '<h1 id="part">B</h1>'}.items():
            (pathlib.Path(self.folder.name) / f"{name}.html").write_text(text, encoding="utf-8")
        self.pages = built.read(self.folder.name)

    def test_it_is_clicked_through(self):
        self.assertEqual(walk.paths(self.pages), {"index.html": [], "a.html": ["Tab"], "b.html": ["Tab", "On"]})
        self.assertEqual(self.pages["index.html"].title, "First")

    def test_what_is_wrong_is_found(self):
        self.assertEqual(list(built.broken(self.folder.name, self.pages)), ["index.html: #none leads to no such part of index.html"])
        self.assertEqual(list(built.from_elsewhere(self.folder.name, self.pages)), ["a.html loads //cdn.example/x.css"])
        self.assertEqual(list(built.not_rendered(self.pages)), ["index.html: '| a | b |'"])
        self.assertEqual(built.outside(self.pages), ["https://elsewhere.example"])


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
