"""When does a debate help a judge who has an impression of their own?

As in ``nip_core.values``: the side that is right has evidence more often than the other one.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from explorer.lessons.dials import FRONT as FRONT
from explorer.lessons.dials import Bar, Dial, Way, dials_data

TITLE = "Does the debate help this judge?"
OWN = (50, 60, 70, 80, 90, 95)
SHOWS = (50, 60, 70, 80, 90)
FAKES = Fraction(2, 5)
GAIN = 0.10


def right(own: Fraction, shows: Fraction, fakes: Fraction) -> Fraction:
    """Return how often the verdict is right, with debaters who show what evidence they have.

    The judge weighs an own impression, which is right with chance `own`, and who of both shows
    evidence.
    """
    found = Fraction(0)
    for true_side, other_side in product((True, False), repeat=2):
        ways = [_seen(shows, true_side) * _seen(fakes, other_side)]
        ways.append(_seen(fakes, true_side) * _seen(shows, other_side))
        # The impression agrees with the side that is right, or with the other one. Each
        # observation comes with its mirror image, in which sides change places.
        for impression in (own, 1 - own):
            mine, mirrored = ways[0] * impression, ways[1] * (1 - impression)
            found += mine if mine > mirrored else mine / 2 if mine == mirrored else 0
    return found


def _seen(chance: Fraction, seen: bool) -> Fraction:
    return chance if seen else 1 - chance


def _shares(own: int, shows: int, *, checks: bool) -> tuple[Fraction, ...]:
    alone, true = Fraction(own, 100), Fraction(shows, 100)
    # Without a check, invented evidence looks like real evidence.
    helped = right(alone, true, FAKES if checks else true)
    return alone, helped, helped - alone


def data() -> dict[str, Any]:
    """Return how often the judge is right alone and after a debate."""
    return dials_data(
        "Of 100 verdicts, those that are right alone and after a debate",
        "let the debate mend at least 10 of 100 verdicts.",
        [
            Dial("Alone, the judge is right in", tuple((f"{n}%", n) for n in OWN), 3),
            Dial("Real evidence for the truth in", tuple((f"{n}%", n) for n in SHOWS), 3),
        ],
        [
            Bar("Right alone"),
            Bar("Right after the debate"),
            Bar("Mended by the debate", ("least", GAIN)),
        ],
        [
            Way(
                "Check the evidence again",
                "The judge checks all evidence. For what is false there is some in 40% of cases.",
                partial(_shares, checks=True),
                "Now let the judge stop checking.",
            ),
            Way(
                "Let the judge stop checking",
                "The judge checks nothing, so a liar invents evidence as often as there is some.",
                partial(_shares, checks=False),
            ),
        ],
    )
