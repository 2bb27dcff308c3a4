"""Judge stories that one cannot read, with a consultant or with two debaters who quote them."""

from __future__ import annotations

from random import Random
from typing import Any

from nip_core.tasks import Passage, passages

TITLE = "Judge a story that you cannot read"
FRONT = "touch_fog"
STORIES = 8
COST = 0.05  # Of a quote: our choice. Michael and others charge it for each further round.
# Percent of right verdicts of people or models who could not read the story.
PUBLISHED = (
    (60, "unaided, Khan 2024"),
    (74, "consultancy, Michael 2023"),
    (84, "debate, Michael 2023"),
    (88, "debate, Khan 2024"),
)


def data() -> dict[str, Any]:
    """Return stories with what both sides say and quote, and the results of studies."""
    return {
        "cost": COST,
        "published": [list(each) for each in PUBLISHED],
        "stories": [_story(passage) for passage in passages()[:: len(passages()) // STORIES]],
    }


def _story(passage: Passage) -> dict[str, Any]:
    right = passage.right
    rival = (right + 1) % len(passage.answers) if passage.rival is None else passage.rival
    random = Random(passage.title)
    seal = random.getrandbits(32)
    sides = (rival, right) if opened(seal) else (right, rival)
    return {
        "title": passage.title,
        "question": passage.question,
        "words": len(passage.text.split()),
        # The page does not contain which side is right; see `opened`.
        "seal": seal,
        "sides": [
            {"text": side.text, "argument": side.argument, "quotes": list(side.support)}
            for side in (passage.answers[side] for side in sides)
        ],
    }


def opened(seal: int) -> int:
    """Return which side is right, in a form that the page does not show in plain text.

    It is the same as in ``explorer/front/touch_fog.js``: a bit of an FNV-1a hash. A reader can
    compute it on purpose, but could as well look up the story.
    """
    found = 0x811C9DC5
    for sign in str(seal).encode():
        found = (found ^ sign) * 0x01000193 % 2**32
    return found >> 15 & 1
