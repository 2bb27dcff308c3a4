"""The desk of a seat that no answer belongs to: words for each of its options, from the case.

Who proposes a step, solves a sum or splits a claim, and who writes down what it found, gets the
words for each option, whichever is true. Nothing else is on it: what a seat has to find out is
none of what it knows. Seats that only choose, or give a number, have no desk.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from explorer.players.scripted.desk_parts import Desk, Suggestion
from explorer.players.scripted.judges import DEFAULT_JUDGE, JUDGES
from nip_core.play import View

# Among more options, people find the words sooner by themselves.
MOST_OPTIONS = 3


def desk_of_choices(view: View) -> Desk:
    """Return what a seat can write now, for each option of its first choice."""
    found = {each.text: each for each in _suggestions(view)}
    return Desk(suggestions=tuple(found.values()))


def _suggestions(view: View) -> Iterator[Suggestion]:
    from explorer.players.scripted.seats import kind_of_seat
    from explorer.players.scripted.seats.claims import ClaimSeat
    from explorer.players.scripted.seats.plans import PlanSeat
    from explorer.players.scripted.seats.solutions import SolutionSeat

    kind, legal = kind_of_seat(view), view.legal
    if kind not in (PlanSeat, SolutionSeat, ClaimSeat) or not legal.channels:
        return
    if kind is ClaimSeat and view.rules.roles.judges(view.agent):
        return  # which part fails, it has to find out
    if any(isinstance(option, int) for options in legal.choices.values() for option in options):
        return
    seat = kind(view, "hard", JUDGES[DEFAULT_JUDGE], random.Random(0), random.Random(0))
    made = {name: options[0] for name, options in legal.choices.items()}
    name, options = next(iter(legal.choices.items()), ("", ()))
    if len(options) > MOST_OPTIONS:
        return
    for option in options or ("",):
        text = seat.say(legal.channels[0], made | ({name: option} if name else {}))
        yield Suggestion("choice", text, option=str(option).replace("_", " "))
