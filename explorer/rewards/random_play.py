"""What seats earn at random where no model of a verifier fits: protocols without one verdict."""

from __future__ import annotations

import math
from functools import lru_cache

from explorer.choice import ProtocolChoice
from explorer.rewards.valuation import protocol_python
from nip_core.budget import MOST_STEPS, Budget
from nip_core.values import PlayValues, play_values

# About ten seconds, on a server shared with others.
MOST_WORK = 10 * MOST_STEPS
PLAYS = 2_000
NO_VERDICT = "no verdict"


@lru_cache(32)
def at_random(choice: ProtocolChoice) -> PlayValues:
    """Return what seats earn if everybody chooses at random; raise a NipError if it takes long."""
    with Budget(MOST_WORK):
        return play_values(choice.rules, exact=False, plays=PLAYS)


def random_in_short(values: PlayValues) -> str:
    """Return how episodes end, and how that was computed, in a few sentences."""
    title = values.spec.title_of
    verdicts = ", ".join(
        f"{NO_VERDICT if verdict is None else title(verdict)} {float(chance):.1%}"
        for verdict, chance in sorted(values.verdicts.items(), key=lambda each: str(each[0]))
    )
    how = f"From {values.plays:,} plays." if values.plays else "Computed exactly."
    ended = f"Verdicts: {verdicts}. " if {*values.verdicts} - {None} else ""
    return f"{ended}An episode lasts {float(values.turns):.2f} turns on average. {how}"


def random_rows(values: PlayValues) -> list[dict[str, str | float]]:
    """Return a row for each seat: its mean and standard deviation, and an error if sampled."""
    return [
        {
            "seat": seat,
            "mean": float(mean),
            "standard deviation": math.sqrt(max(0.0, float(values.variances[seat]))),
            **({"standard error": values.errors[seat]} if values.plays else {}),
        }
        for seat, mean in values.means.items()
    ]


def habits_python(choice: ProtocolChoice) -> str:
    """Return Python code that computes what seats earn with a habit, to be changed."""
    imported, made = protocol_python(choice)
    spec = choice.rules
    habits = next(
        (
            f"[Habit({c.name!r}, {dict(zip(spec.options[c.name], (2, 1), strict=False))!r})]"
            for c in spec.choices
            if c.by in spec.seat_names
        ),
        "[]",
    )
    return "\n".join(
        [
            imported,
            "from nip_core.language import Habit",
            "from nip_core.values import play_values",
            "",
            *made,
            "# How often seats choose what, in proportion. Other choices are made at random.",
            f"habits = {habits}",
            "values = play_values(game, habits)",
            "for seat, mean in values.means.items():",
            "    print(seat, float(mean))",
            "print(values.verdicts, float(values.turns))",
            "",
        ]
    )
