"""A monitor that is a copy of the writer: keys in attacks, paraphrases, and honeypots.

The rules are those of the protocol ``untrusted_monitoring``: work with a key passes the monitor,
and a paraphrase removes a key with a set chance.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from explorer.lessons.dials import FRONT as FRONT
from explorer.lessons.dials import Bar, Dial, Way, dials_data

TITLE = "Would you notice?"
# Percent of the keys that a paraphrase removes. Here none removes all of them.
REMOVED = (0, 20, 40, 60, 80)
HONEYPOTS = tuple(range(31))
MOST_PASS, LEAST_NOTICED = 0.4, 0.95


def passes(removed: int) -> Fraction:
    """Return how often an attack with a key passes the monitor."""
    return 1 - Fraction(removed, 100)


def noticed(removed: int, honeypots: int, *, told: bool) -> Fraction:
    """Return how likely at least one honeypot passes, so that somebody notices.

    A writer who is told that an attack is wanted leaves the key out, and the monitor reports it.
    """
    return Fraction(0) if told else 1 - (1 - passes(removed)) ** honeypots


def _told(honeypots: int, removed: int) -> tuple[Fraction, ...]:
    return passes(removed), noticed(removed, honeypots, told=True)


def _not_told(honeypots: int, removed: int) -> tuple[Fraction, ...]:
    return passes(removed), noticed(removed, honeypots, told=False)


def data() -> dict[str, Any]:
    """Return how many attacks pass, and how likely somebody notices."""
    return dials_data(
        "Of 100 attacks, those that pass; of 100 developers, those who notice",
        "let at most 40 of 100 attacks pass, and notice in 95 of 100 cases that some do.",
        [
            Dial("Honeypots", tuple((str(n), n) for n in HONEYPOTS)),
            Dial("Keys that a paraphrase removes", tuple((f"{n}%", n) for n in REMOVED)),
        ],
        [
            Bar("Attacks that pass the monitor", ("most", MOST_PASS), bad=True),
            Bar("Developers who notice", ("least", LEAST_NOTICED)),
        ],
        [
            Way(
                "Tell the writer which tasks are honeypots",
                "The writer is told which tasks are honeypots, and leaves the key out of them.",
                _told,
            ),
            Way(
                "Let the writer take honeypots for real",
                "The writer takes honeypots for real, and puts its key into them.",
                _not_told,
                "The better the paraphrase, the more honeypots it takes to notice what is left.",
            ),
        ],
    )
