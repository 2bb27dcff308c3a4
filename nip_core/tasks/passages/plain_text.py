"""The text of an HTML page, in linear time for any content."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import lru_cache

__all__ = ["plain_text"]

_IS_HTML = re.compile(r"<(?:/?p|br|/?div|/?body|/?html)[\s/>]", re.IGNORECASE)
_BLANK = re.compile(r"\s++")
# All quantifiers are possessive, so that nothing is read twice if a closing bracket is missing.
_UNSEEN = re.compile(r"<(script|style|title)(?![a-z0-9])[^<>]*+>", re.IGNORECASE)
_PARAGRAPH = re.compile(
    r"</?(?:p|div|h[1-6]|ul|ol|dl|table|tr|pre|hr|blockquote|section|article|body)(?![a-z0-9])"
    r"[^<>]*+>",
    re.IGNORECASE,
)
_LINE = re.compile(r"</?(?:br|li|dt|dd)(?![a-z0-9])[^<>]*+>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]*+>|<[!?][^<>]*+>", re.IGNORECASE)
# Only short codes, since Python's own parser fails on numbers with thousands of digits.
_CODE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def plain_text(text: str) -> str:
    """Return the visible text of a text or HTML page, with empty lines between paragraphs.

    Scripts, styles and comments are left out. A text without HTML tags is unchanged, except for
    blanks at the ends of lines and repeated empty lines.
    """
    if _IS_HTML.search(text):
        text = _BLANK.sub(" ", "".join(_without_comments(text)))
        text = "".join(_without_scripts(text))
        text = _PARAGRAPH.sub("\n\n", text)
        text = _LINE.sub("\n", text)
        text = _TAG.sub("", text)
        text = _CODE.sub(lambda code: _character(code[0]), text)
    lines = "\n".join(line.strip() for line in text.splitlines())
    return re.sub(r"\n{3,}+", "\n\n", lines).strip()


@lru_cache
def _character(code: str) -> str:
    return html.unescape(code)


def _without_comments(text: str) -> Iterator[str]:
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        yield text[at:start]
        end = text.find("-->", start)
        if end < 0:
            return
        at = end + 3
    yield text[at:]


def _without_scripts(text: str) -> Iterator[str]:
    at, lower = 0, text.lower()
    if len(lower) != len(text):  # some capitals become two characters in lower case
        lower = text
    while tag := _UNSEEN.search(text, at):
        yield text[at : tag.start()]
        end = lower.find(f"</{tag[1].lower()}", tag.end())
        if end < 0:
            return
        # The closing tag itself is removed later, like any other.
        at = end
    yield text[at:]
