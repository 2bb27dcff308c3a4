"""Check a built site: every link, anchor and picture leads somewhere. Sphinx misses raw HTML.

The Markdown twins of pages are checked, too: their links, and that they have no HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

__all__ = ["LARGEST", "problems", "problems_of_twins", "weight"]

# What a page loads or leads to.
LEADS = {"href", "src", "data-frame", *(LATER := ("data-live", "data-module", "data-style"))}
# Links to other pages in the head of a page.
MENU = ("index", "search", "next", "prev", "author", "copyright")
OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
# Links in a twin, and HTML outside of code.
IN_MARKDOWN = re.compile(r"(?<=\]\()([^)\s]+)")
CODE = re.compile(r"^(`{3,}).*?^\1[^\n]*$|^ {4}[^\n]*$|`+[^`\n]*`+", re.MULTILINE | re.DOTALL)
MARKUP = re.compile(r"<(?:/?[a-z][\w-]*[\s>/]|!--)")
LARGEST = 550_000  # bytes of a page with everything that it loads before somebody presses something
FONT = re.compile(r"url\(([^)]+\.woff2)\)")


class Page(HTMLParser):
    """The ids and links of a page, and its pictures without a description."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.silent: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        given = {name: value or "" for name, value in attrs}
        self.ids.update(given[name] for name in ("id", "name") if given.get(name))
        self.links += [value for name, value in given.items() if name in LEADS]
        if tag == "img" and "alt" not in given:
            self.silent.append(given.get("src", ""))
        loads = given.get("rel") not in ("alternate", "canonical", "license", *MENU)
        if "only-dark" in given.get("class", ""):
            return  # in place of one that has been counted
        loaded = given.get("src") or (given.get("href") if tag == "link" and loads else None)
        later = (given.get(name) for name in LATER)
        self.loads += filter(None, (loaded, *later))


@cache
def page(path: Path) -> Page:
    """Return a page of the site."""
    return Page(path.read_text("utf-8"))


def problems(site: Path) -> Iterator[str]:
    """Yield each problem of a built site, with the page that has it."""
    site = site.resolve()
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        if (size := weight(path)) > LARGEST:
            yield f"{name}: loads {size:,} bytes, more than {LARGEST:,}"
        found = page(path)
        yield from (f"{name}: a picture has no description: {src}" for src in found.silent)
        for address in found.loads:
            if OUTSIDE.match(address) and not address.startswith("data:"):
                yield f"{name}: loads something from another server: {address}"
        for link in dict.fromkeys(found.links):
            if why := wrong(site, path, link):
                yield f"{name}: {why}: {link}"


def weight(path: Path) -> int:
    """Return the bytes of a page and of what it loads, each file once."""
    files = {path}
    for address in page(path).loads:
        if not OUTSIDE.match(address):
            files.add((path.parent / unquote(urldefrag(address)[0].partition("?")[0])).resolve())
    for sheet in [file for file in files if file.name == "fonts.css"]:
        files |= {sheet.parent / font for font in FONT.findall(sheet.read_text("utf-8"))}
    return sum(file.stat().st_size for file in files if file.is_file())


def problems_of_twins(site: Path) -> Iterator[str]:
    """Yield each problem of a Markdown twin."""
    site = site.resolve()
    for path in sorted((*site.rglob("*.md"), *site.glob("*.txt"))):
        name = path.relative_to(site).as_posix()
        text = CODE.sub("", path.read_text("utf-8"))
        for markup in MARKUP.findall(text):
            yield f"{name}: has HTML: {markup}"
        for link in dict.fromkeys(IN_MARKDOWN.findall(text)):
            if why := wrong(site, path, link):
                yield f"{name}: {why}: {link}"


def wrong(site: Path, path: Path, link: str) -> str:
    """Return what is wrong with a link of a page; empty if nothing is, or it leads outside."""
    if OUTSIDE.match(link):
        return ""
    address, anchor = urldefrag(link)
    address = unquote(address.partition("?")[0])
    to = (path.parent / address).resolve() if address else path
    to = to / "index.html" if to.is_dir() else to
    if not to.is_relative_to(site):
        return "a link leads out of the site"
    if not to.is_file():
        return "a link leads nowhere"
    # One with a question mark is read by a script of the page.
    is_place = anchor and "?" not in anchor and to.suffix == ".html"
    if is_place and unquote(anchor) not in page(to).ids:
        return "there is no such place on the page"
    return ""
