"""A lesson's handout as a page to print."""

from __future__ import annotations

import re
from html import escape

from explorer.lessons.lesson import Lesson

__all__ = ["handout_html"]

STYLE = """
body { font: 12pt/1.5 Georgia, serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { font-family: system-ui, sans-serif; line-height: 1.2; }
footer { margin-top: 2rem; font-size: 9pt; color: #444; }
.answers { break-before: page; }
@page { margin: 2cm; }
@media print { body { margin: 0; max-width: none; } }
"""


def handout_html(lesson: Lesson, *, answers: bool = False) -> str:
    """The handout as a page of its own; everything in it is text.

    Parameters
    ----------
    lesson : Lesson
    answers : bool
        With the answers on a page of their own?
    """
    body = _html(lesson.facilitator.handout)
    if answers and lesson.facilitator.answers:
        said = _html(lesson.facilitator.answers)
        body += f'<section class="answers"><h2>Answers</h2>{said}</section>'
    title = escape(lesson.title)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style><body>{body}"
        f"<footer>NIP Explorer: {title}. Name: ______________________</footer></body></html>"
    )


def _html(text: str) -> str:
    """Headings, numbered and other lines; nothing else of Markdown means anything here."""
    parts: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        heading = re.match(r"(#{1,3}) (.*)", paragraph)
        if heading:
            level = len(heading.group(1))
            parts.append(f"<h{level}>{escape(heading.group(2))}</h{level}>")
            paragraph = paragraph[heading.end() :].strip()
        if paragraph:
            lines = "<br>".join(escape(line) for line in paragraph.splitlines())
            parts.append(f"<p>{lines}</p>")
    return "".join(parts)
