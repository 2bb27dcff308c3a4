"""The text of an HTML page, in time that grows with its length whatever is in it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

__all__ = ["plain_text"]

_IS_HTML = re.compile(r"<(?:/?p|br|/?div|/?body|/?html)[\s/>]", re.IGNORECASE)
# Possessive, so that nothing is read twice where the closing bracket is missing.
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*+)[^<>]*+>|<[!?][^<>]*+>")
_CODE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_BLANK = re.compile(r"\s++")
_HEADINGS = (f"h{level}" for level in range(1, 7))
_BLOCKS = ("p", "div", "ul", "ol", "dl", "table", "tr", "pre", "hr", "blockquote", "section")
_PARAGRAPHS = frozenset((*_HEADINGS, *_BLOCKS, "article", "body"))
_LINES = frozenset(("br", "li", "dt", "dd"))
_UNSEEN = frozenset(("script", "style", "title"))


def plain_text(text: str) -> str:
    """Return what a reader sees of a text that may be HTML: paragraphs with empty lines between.

    Scripts, styles and comments are left out. A text without tags of HTML stays as it is, but for
    blanks at the ends of its lines and more than one empty line in a row.
    """
    if _IS_HTML.search(text):
        text = "".join(_pieces(text))
    lines = "\n".join(each.strip() for each in text.splitlines())
    return re.sub(r"\n{3,}+", "\n\n", lines).strip()


def _pieces(text: str) -> Iterator[str]:
    unseen, at = "", 0
    while (start := text.find("<", at)) >= 0:
        if not unseen:
            yield _seen(text[at:start])
        if text.startswith("<!--", start):
            end = text.find("-->", start)
            if end < 0:
                return
            at = end + 3
            continue
        tag = _TAG.match(text, start)
        at = start + 1 if tag is None else tag.end()
        name = "" if tag is None else (tag[2] or "").lower()
        if unseen:
            unseen = "" if tag and tag[1] and name == unseen else unseen
        elif tag is None:
            yield "<"
        elif name in _UNSEEN and not tag[1]:
            unseen = name
        elif name in _PARAGRAPHS:
            yield "\n\n"
        elif name in _LINES:
            yield "\n"
    if not unseen:
        yield _seen(text[at:])


def _seen(piece: str) -> str:
    # Codes are short here: Python's own reader fails on numbers of thousands of digits.
    return _CODE.sub(lambda code: html.unescape(code[0]), _BLANK.sub(" ", piece))
