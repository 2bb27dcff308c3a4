"""Judge stories that one cannot read, with a consultant or with two debaters who quote them."""

from __future__ import annotations

from typing import Any

from nip_core.tasks import Passage, passages

__all__ = ["COST", "FRONT", "PUBLISHED", "STORIES", "TITLE", "data"]

TITLE = "Judge a story that you cannot read"
FRONT = "touch_fog"
STORIES = 8
COST = 0.05  # of a quote, as Michael and others charge for each further round
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
    return {
        "title": passage.title,
        "question": passage.question,
        "words": len(passage.text.split()),
        # The right answer first; which side it stands on is drawn when the story begins.
        "sides": [
            {"text": side.text, "argument": side.argument, "quotes": list(side.support)}
            for side in (passage.answers[right], passage.answers[rival])
        ],
    }
