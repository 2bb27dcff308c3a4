"""Build the documentation: ``make docs``.

The pages of `docs/`, files of the repository's root, the notebooks and the generated pages are put
together in one folder, of which Sphinx makes the site. Everything that is wrong fails the build.
"""

from __future__ import annotations

import argparse
import posixpath
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from sphinx.cmd.build import main as sphinx

from docs._ext.check import problems, problems_of_twins
from docs._ext.generated import api_pages, protocol_pages
from docs._ext.nip_site import FRAMED
from docs._ext.notebook_pages import notebook_page
from docs._ext.reference_pages import reference_pages
from docs._ext.twins import INDEX, index_of, twins
from explorer.front import LETTERS
from explorer.site.build import embedded_files, site_files
from explorer.site.pyodide import pyodide_files

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parent
# Where files from outside `docs/` are in the site.
ELSEWHERE = {
    ".github/SECURITY.md": "reference/security.md",
    "CHANGELOG.md": "reference/changelog.md",
    "CONTRIBUTING.md": "design/contributing.md",
    "DIVERGENCES.md": "reference/differences.md",
}
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LOOKS = ROOT / "explorer"
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)")
FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1\s*$", re.MULTILINE | re.DOTALL)


def place_in_site(file: str) -> str:
    """Return the place of a file of the repository in the site's sources."""
    if file.startswith("notebooks/"):
        return f"start/{file.removesuffix('.ipynb')}.md"
    return ELSEWHERE.get(file) or posixpath.relpath(file, "docs")


def with_links(text: str, file: str) -> str:
    """Return a page with its links to files changed to where they are in the site."""
    here = posixpath.dirname(place_in_site(file))

    def moved(found: re.Match[str]) -> str:
        linked = posixpath.normpath(posixpath.join(posixpath.dirname(file), found[1]))
        return posixpath.relpath(place_in_site(linked), here or ".")

    return outside_of_code(text, lambda part: LINK.sub(moved, part))


def outside_of_code(text: str, change: Callable[[str], str]) -> str:
    """Change a page, but not its blocks of code."""
    parts: list[str] = []
    at = 0
    for block in FENCE.finditer(text):
        parts += [change(text[at : block.start()]), block[0]]
        at = block.end()
    return "".join([*parts, change(text[at:])])


def assemble(to: Path) -> None:
    """Write all sources of the site into a folder."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(HERE, to, ignore=shutil.ignore_patterns("*.md", "*.pyc", "_ext", "__init__.py"))
    for path in (*HERE.rglob("*.md"), *(ROOT / name for name in ELSEWHERE)):
        file = path.relative_to(ROOT).as_posix()
        write(to / place_in_site(file), with_links(path.read_text("utf-8"), file))
    for path in NOTEBOOKS:
        file = path.relative_to(ROOT).as_posix()
        write(to / place_in_site(file), with_links(notebook_page(path), file))
    for place, text in (*protocol_pages(), *api_pages(), *reference_pages()):
        write(to / place, text)
    look(to / "_static")


def look(to: Path) -> None:
    """Write the app's logo and fonts."""
    faces: list[str] = []
    for family, weight, name in LETTERS:
        faces.append(
            f"@font-face {{ font-family: '{family}'; font-weight: {weight}; "
            f"font-display: optional; src: url(fonts/{name}.woff2) format('woff2'); }}"
        )
        (to / "fonts").mkdir(exist_ok=True)
        shutil.copy(LOOKS / "static" / f"{name}.woff2", to / "fonts")
    write(to / "fonts.css", "\n".join(faces))
    shutil.copy(LOOKS / "favicon.svg", to)


def write_twins(source: Path, site: Path) -> None:
    """Write each page as Markdown beside the page, and the list of them."""
    plain: dict[str, str] = {}
    for path in NOTEBOOKS:
        file = path.relative_to(ROOT).as_posix()
        plain[place_in_site(file)] = with_links(notebook_page(path, pictures=False), file)
    pages = twins(source, plain)
    for place, text in pages.items():
        write(site / place, text)
    write(site / INDEX, index_of((source / "index.md").read_text("utf-8"), pages))


# What stands in for Python and for the app, to which links lead.
WITHOUT = {
    "worker.js": 'self.postMessage({ failed: "this documentation was built without it" });\n',
    "index.html": """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>NIP Explorer</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="page.css">
<body class="embedded"><main id="main"><h1>NIP Explorer</h1>
<p>The app is not part of this documentation. <a href="../start/install.html">Install it</a>, or
<a href="../protocols/index.html">look at the protocols</a>.</p></main></html>
""",
}


def write_framed(to: Path, pyodide: Path | None) -> None:
    """Write what frames with lessons and drawings load."""
    files = (
        site_files(pyodide_files(pyodide))
        if pyodide
        else embedded_files() | {name: text.encode() for name, text in WITHOUT.items()}
    )
    for place, content in files.items():
        (to / place).parent.mkdir(parents=True, exist_ok=True)
        (to / place).write_bytes(content)


def write(path: Path, text: str) -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def main(words: Iterable[str] | None = None) -> int:
    """Build the site, and return the exit status."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "docs")
    parser.add_argument(
        "--pyodide",
        type=Path,
        metavar="PATH",
        help="the npm package of Python for browsers, with which games in lessons work, too",
    )
    given = parser.parse_args(words if words is None else [*words])
    out = given.out
    began = time.process_time()
    source, site = out / "source", out / "html"
    assemble(source)
    shutil.rmtree(site, ignore_errors=True)
    strict = ["-W", "--keep-going", "-n", "-q", "-E"]
    failed = sphinx([*strict, "-b", "html", "-d", str(out / "doctrees"), str(source), str(site)])
    if not failed:
        write_twins(source, site)
        write_framed(site / FRAMED, given.pyodide)
    for problem in (found := [*problems(site), *problems_of_twins(site)]):
        print(problem, file=sys.stderr)
    if failed or found:
        return 1
    print(f"{site}/index.html   ({time.process_time() - began:.0f} s of processor time)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
