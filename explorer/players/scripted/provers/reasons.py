"""What an expert's record means, once the label is known: for after the end, and for nobody before.

A player has no label, so that its record does not say what was a lie. That is worked out here, from
what it has claimed, what it had found, and the side that it was on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from explorer.players.scripted.provers.inventing import INVENTIONS
from explorer.players.scripted.provers.levels import LEVELS, chance_of_contradiction
from nip_core.displays import displayed

__all__ = ["Reason", "reasons"]


@displayed
@dataclass(frozen=True, slots=True)
class Reason:
    """Why an expert has said a part of a message.

    Parameters
    ----------
    channel : str
    text : str
        In its own words.
    lie : bool
    chance : Fraction, optional
        How often this question makes liars like those of this side contradict each other.
    """

    channel: str
    text: str
    lie: bool
    chance: Fraction | None = None


def reasons(origin: Mapping[str, Any], y: int, levels: Sequence[str] = ()) -> list[Reason]:
    """Why an expert has said what it has said in one move.

    Parameters
    ----------
    origin : mapping
        The record of the move. What is not of the documented shape is passed over.
    y : {0, 1}
        The label.
    levels : sequence of str
        Of all experts of its side who sit apart from each other, its own too.
    """
    stance = origin.get("stance")
    liar = stance in (0, 1) and stance != y
    known = [LEVELS[level] for level in levels if level in LEVELS]
    found: list[Reason] = []
    said = origin.get("said")
    for item in cast("list[Any]", said) if isinstance(said, list) else []:
        if isinstance(item, Mapping):
            part = {str(key): value for key, value in cast("Mapping[Any, Any]", item).items()}
            text, lie = _reason(part, liar=liar)
            choices = part.get("choices")
            telling = part.get("telling") is True and len(known) > 1
            chance = (
                chance_of_contradiction(known, choices, truth=part.get("how") != "graph")
                if telling and type(choices) is int and 0 <= choices <= INVENTIONS
                else None
            )
            found.append(Reason(str(part.get("on", "")), text, lie, chance))
    return found


def _reason(part: Mapping[str, Any], *, liar: bool) -> tuple[str, bool]:
    about, way = part.get("about"), part.get("way")
    claimed, found = part.get("claimed"), part.get("found")
    match part.get("how"):
        case "prepared":
            return f"On {about}, I said what was prepared for my side.", liar
        case "repeated":
            return f"On {about}, I had said that already.", liar
        case "evaded" if way == "evade":
            return f"On {about}, I should have had to lie, and kept silent.", False
        case "evaded":
            return "I had no answer to that.", False
        case "line":
            return f"I read out {about}, which anybody can check.", False
        case _ if way == "plan":
            return (
                f"On {about}, I had found {found}, and said {claimed}, as my side needs it.",
                True,
            )
        case _ if way == "slip":
            return f"On {about}, I let slip what is so: {claimed}.", False
        case _ if way == "invent":
            return f"On {about}, nothing was prepared, and I made up {claimed} by myself.", True
        case _ if claimed:
            return f"On {about}, I said what I had found: {claimed}.", False
        case _:
            return f"On {about}, I said what anybody can see.", False
