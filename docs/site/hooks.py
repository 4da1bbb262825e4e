"""What MkDocs is told besides mkdocs.yml: pages that are made from something else, and links as the site needs them."""

import os
import pathlib
import sys

from mkdocs.structure.files import File

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import links  # noqa: E402
import nav  # noqa: E402
import notebook  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
CLI_REFERENCE = "reference/cli"
"""Where the pages of the command line go."""
CLI_PAGES = "GREASE_CLI_REFERENCE"
"""The variable with the folder that ``grease man --format markdown`` wrote them to."""


def on_config(config):
    made = {uri: text for uri, text in made_pages()}
    config["extra"]["made_pages"] = made
    if config["nav"] is not None:
        there = {path.relative_to(config["docs_dir"]).as_posix() for path in pathlib.Path(config["docs_dir"]).rglob("*.md")}
        config["nav"] = nav.expanded(config["nav"], sorted(there | set(made)))
    return config


def on_files(files, config):
    for uri, text in config["extra"]["made_pages"].items():
        files.append(File.generated(config, uri, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    uri = page.file.src_uri
    known = {file.src_uri for file in files}
    markdown = links.in_the_site(markdown, links.in_repository(uri), known, ROOT)
    if uri.startswith(f"{CLI_REFERENCE}/"):
        markdown = links.pages_by_name(markdown, uri, known)
    return nav.shown(markdown)


def made_pages():
    """Pages that are not under docs/ as they are shown: from the root of the repository, from notebooks and from the binary."""
    for name, uri in links.OF_THE_ROOT.items():
        if uri.startswith("how-it-works/"):
            yield uri, (ROOT / name).read_text(encoding="utf-8")
    yield "how-it-works/licence.md", licence()
    for path in sorted((ROOT / "docs").rglob("*.ipynb")):
        uri = path.relative_to(ROOT / "docs").with_suffix(".md").as_posix()
        yield uri, notebook.page(path.read_text(encoding="utf-8"))
    folder = os.environ.get(CLI_PAGES)
    if folder is None:
        raise SystemExit(f"{CLI_PAGES} is not set: build the site by `cargo xtask docs`")
    for path in sorted(pathlib.Path(folder).glob("*.md")):
        yield f"{CLI_REFERENCE}/{path.name}", path.read_text(encoding="utf-8")


def licence():
    """Both licences, whole."""
    texts = [(title, (ROOT / name).read_text(encoding="utf-8")) for title, name in (("MIT", "LICENSE-MIT"), ("Apache-2.0", "LICENSE-APACHE"))]
    parts = "".join(f"\n## {title}\n\n```text\n{text.strip()}\n```\n" for title, text in texts)
    return f"# Licence\n\nMIT or Apache-2.0, at your option.\n{parts}"
