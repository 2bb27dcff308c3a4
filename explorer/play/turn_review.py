"""The review of a finished game of a version 2 protocol, made from what everybody may read then."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from nip_core.language import Wording
from nip_core.play import Episode

if TYPE_CHECKING:
    from nip_core.language import Specification


NOT_THERE = "This is quoted, and it is not in the text."


def turn_courses(public: Episode, node: int | None = None) -> list[dict[str, Any]]:
    """Return how each probability that is paid by a proper score changed over a variation.

    A course is as for version 1, with ``about``, what the probability is of, and ``true``, whether
    that came true.
    """
    spec, result = public.rules, public.result(node)
    found: list[dict[str, Any]] = []
    words = Wording(spec)
    for name, each in spec.roles.estimates.items():
        if each.about not in result.choices:
            continue
        true = result.choices[each.about] == each.option
        notes = [
            (number, option)
            for number, turn in enumerate(public.path(node)[1:])
            if isinstance(option := public.chosen(turn.id).get(name), int)
        ]
        if not notes:
            continue
        brier = sum((value / 100 - true) ** 2 for _, value in notes) / len(notes)
        changes = [(abs(now - past), -at) for (_, past), (at, now) in pairwise(notes)]
        points, at = max(changes, default=(0, 0))
        found.append(
            {
                "agent": spec.choice(name).by,
                "notes": [list(note) for note in notes],
                "brier": round(brier, 4),
                "swing": [-at, points] if points else None,
                "about": words.event(name),
                "true": true,
            }
        )
    return found


def turn_reviewed(public: Episode, node: int) -> dict[str, Any]:
    """Return the same parts as the review of version 1; parts that do not apply are empty.

    Questions that a seat should have asked, and lies in its own words, can be worked out for
    programs and graphs only. Here a lie that anybody can check is a quote that is not in the text.
    """
    result = public.result(node)
    truth = result.choices.get(public.rules.roles.truth or "")
    return {
        "truth": None if truth is None else str(truth),
        "courses": turn_courses(public, node),
        "question": None,
        "could_ask": False,
        "by_hand": None,
        "lies": _made_up(public, node),
        "readings": [],
        "note": _note(public.rules),
    }


def _made_up(public: Episode, node: int) -> list[dict[str, Any]]:
    """Return the first quote of each seat that is not in the text."""
    found: dict[str, dict[str, Any]] = {}
    for number, turn in enumerate(public.path(node)[1:]):
        release = turn.release
        for message in release.messages if release is not None else ():
            wrong = [quote.text for quote in message.quotes if not quote.found]
            if wrong and message.seat is not None:
                found.setdefault(
                    message.seat,
                    {
                        "round": number,
                        "node": turn.id,
                        "agent": message.seat,
                        "quote": wrong[0],
                        "why": NOT_THERE,
                        "facts": [],
                    },
                )
    return list(found.values())


def _note(spec: Specification) -> str:
    """Say which parts of the review are missing, and why."""
    missing: list[str] = []
    if not spec.roles.estimates:
        missing.append("This protocol does not ask how sure the judge was.")
    if not any(part.quotable for part in spec.parts):
        missing.append("It has no text to quote, so no quote was checked.")
    missing.append("The best questions can only be computed for programs and graphs.")
    return " ".join(missing)
