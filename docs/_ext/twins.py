"""A Markdown twin of each page, for programs: `PAGE.md` beside `PAGE.html`, and `llms.txt`.

Sources are Markdown already. What only a browser can show is replaced by words: a schedule by its
description, the gallery by a list, a module's page by signatures and docstrings.
"""

from __future__ import annotations

import inspect
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

from docs._ext.generated import in_markdown, names_of
from docs._ext.nip_site import FRAMED, LIVE, still
from explorer.gallery import gallery

__all__ = ["INDEX", "MOST", "index_of", "twin", "twins"]

INDEX = "llms.txt"
# Directives that open a frame, and the key of their argument in its address.
FRAMES = {"lesson": "lesson", "playable": "name"}
MOST = 10_000  # bytes of the index
BLOCK = re.compile(r"^(`{3,}|:{3,})\{([\w-]+)\}[ ]*([^\n]*)\n(.*?)^\1[ ]*\n?", re.M | re.S)
PICTURE = re.compile(r"(!\[[^\]]*\]\()([^)]+)\)")
HEAD = re.compile(r"# (.*)\n+((?:[^#`|!\n-].*\n)*)")


def twins(source: Path, plain: Mapping[str, str]) -> dict[str, str]:
    """Return the twins of all pages by place; `plain` has pages that have another text for it."""
    pages = sorted(path.relative_to(source).as_posix() for path in source.rglob("*.md"))
    return {
        page: twin(plain.get(page) or (source / page).read_text("utf-8"), page) for page in pages
    }


def twin(text: str, page: str) -> str:
    """Return a page without directives."""
    up = "../" * page.count("/")

    def words(block: re.Match[str]) -> str:
        _, kind, argument, _ = block.groups()
        if kind == "schedule":
            picture = still(argument, "light")
            return f"![{picture.description}]({up}{LIVE}/{argument}-light.svg)\n"
        if kind == "protocol-gallery":
            return "\n".join(all_protocols())
        if kind in FRAMES:
            address = f"{up}{FRAMED}/embed.html#{kind}?{FRAMES[kind]}={argument}"
            return f"[{argument}]({address}) (in a browser)\n"
        if kind == "eval-rst":
            return in_words(posixpath.basename(page).removesuffix(".md"))
        return ""

    text = BLOCK.sub(words, text)
    moved = PICTURE.sub(lambda found: f"{found[1]}{picture_at(found[2], up)})", text)
    return re.sub(r"\n{3,}", "\n\n", moved).rstrip("\n") + "\n"


def picture_at(address: str, up: str) -> str:
    """Return where Sphinx puts a picture of the sources."""
    return address if LIVE in address else f"{up}_images/{posixpath.basename(address)}"


def all_protocols() -> list[str]:
    """Return a list of all protocols, by family."""
    lines: list[str] = []
    for family in gallery():
        lines += [f"## {family['name']}", "", family["about"], ""]
        lines += [f"- [{c['title']}]({c['name']}.md) ({c['note']})" for c in family["cards"]]
        lines.append("")
    return lines


def in_words(module: str) -> str:
    """Return what a module has: signatures and docstrings."""
    lines: list[str] = []
    for name, value in names_of(module):
        try:
            signature = str(inspect.signature(value)) if callable(value) else ""
        except ValueError:
            signature = ""
        about = inspect.getdoc(value) if callable(value) else f"A {type(value).__name__}."
        first = in_markdown((about or "").partition("\n\n")[0])
        lines += [f"## {name}", "", f"`{name}{signature}`", "", first, ""]
    return "\n".join(lines)


def index_of(menu: str, pages: Mapping[str, str]) -> str:
    """Return `llms.txt`: a link to each twin in the order of the menu, and to each protocol's."""
    title, about = head(pages["index.md"])
    lines = ["# NIP Explorer", "", f"> {title} {about}", ""]
    for caption, names in MENU.findall(menu):
        lines += [f"## {caption}", ""]
        for name in names.split():
            title, about = head(pages[f"{name}.md"])
            short = about.partition(". ")[0].rstrip(".")
            said = f": {short}" if 0 < len(short) < 120 else ""
            lines.append(f"- [{title}]({name}.md){said}")
        if caption == "Protocols":
            lines += [f"- [{head(pages[p])[0]}]({p})" for p in pages if is_protocol(p)]
        lines.append("")
    return "\n".join(lines)


def is_protocol(page: str) -> bool:
    """Return whether a page is about one protocol."""
    return page.startswith("protocols/") and page != "protocols/index.md"


MENU = re.compile(r"```\{toctree\}\n:caption: (.*)\n:hidden:\n\n((?:[^`\n]+\n)+)```")


def head(text: str) -> tuple[str, str]:
    """Return a page's title, and its first paragraph on one line, without links."""
    found = HEAD.match(text)
    if found is None:
        return "", ""
    about = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(found[2].split()))
    return found[1], about
