"""Checks the documentation: the pages as they are written, and the site as it was built.

    python docs/site/check.py SITE

The last line counts the checks: `N passed, N failed`.
"""

import pathlib
import sys

import built
import documented
import links
import walk

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE, README = 250, 110
"""The most lines of a page that people write, and of the README."""
BESIDE = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "bindings/python/README.md"]
"""Pages that stand beside docs/."""

sys.path.insert(0, str(ROOT / "docs" / "tutorials"))
import run  # noqa: E402


def too_long():
    written = [path for path in sorted((ROOT / "docs").rglob("*.md")) if not run.generated(path)]
    for path, most in [*((path, PAGE) for path in written), (ROOT / "README.md", README)]:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > most:
            yield f"{path.relative_to(ROOT)} has {lines} lines; {most} are the most"


def checks(site):
    """Each check by its name, with what it found wrong."""
    pages = built.read(site)
    things = list(documented.public(ROOT / "bindings" / "python" / "python"))
    ids = set().union(*(page.ids for uri, page in pages.items() if uri.startswith("reference/python")))
    yield "no page is too long", too_long()
    yield "links of pages beside docs lead somewhere", (fault for name in BESIDE for fault in links.broken(ROOT / name, ROOT))
    yield "links of the site lead somewhere", built.broken(site, pages)
    yield "nothing is loaded from elsewhere", built.from_elsewhere(site, pages)
    yield "all Markdown is rendered", built.not_rendered(pages)
    yield "everything public in Python has a docstring", documented.undocumented(things)
    yield "everything public in Python is in the reference", documented.not_shown(things, ids)
    for walked in walk.walk(pages):
        print(f"  {walked.what}: {walked}")
        yield f"found in {walk.CLICKS} clicks: {walked.what}", walked.faults
    outside = built.outside(pages)
    print(f"  {len(pages)} pages; addresses elsewhere, which nobody fetches: {' '.join(outside) or 'none'}")


def main():
    passed = failed = 0
    for name, faults in checks(pathlib.Path(sys.argv[1])):
        faults = list(faults)
        passed, failed = passed + (not faults), failed + bool(faults)
        if faults:
            print(f"{name}: not so")
            for fault in faults:
                print(f"  {fault}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
