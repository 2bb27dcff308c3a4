"""How scripted players of version 2 protocols judge, and how well they argue, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nip_core.displays import displayed
from nip_core.documents import stable_hash


@displayed
@dataclass(frozen=True, slots=True)
class Judge:
    """How a scripted judge weighs what it has read.

    Parameters
    ----------
    name, title, plays : str
        What records call it; its name and what it does, for people.
    found, not_found, said : float
        What a quote that was found in the text, a quote that was not, and a message add to the
        log-odds of the side that they speak for.
    sure : int
        How sure it has to be, in percent, to stop where it is paid to stop early.
    leaning : float
        How far, in log-odds, it may lean to a side before it has read anything. Each judge draws
        its own leaning, so that jurors who have read the same may differ.
    """

    name: str
    title: str
    plays: str
    found: float
    not_found: float
    said: float
    sure: int
    leaning: float


DEFAULT_JUDGE = "careful"
JUDGES: Mapping[str, Judge] = {
    each.name: each
    for each in (
        Judge(
            "gullible",
            "Gullible",
            "It believes every quote, and the side that says more.",
            *(0.5, 0.5, 0.4, 60, 0.6),
        ),
        Judge(
            "careful",
            "Careful",
            "It trusts quotes that were found in the text, distrusts a side whose quotes were "
            "not, and gives a little for every message.",
            *(0.8, -1.6, 0.1, 75, 0.4),
        ),
        Judge(
            "quote-checker",
            "Quote checker",
            "It looks at the marks on quotes alone: one that is not in the text outweighs several "
            "that are.",
            *(0.4, -3.0, 0.0, 85, 0.0),
        ),
    )
}

# Of the quotes of a seat that argues for what the text does not bear out, the share that it makes
# up; a better liar quotes what is there.
INVENTED: Mapping[str, float] = {"easy": 0.75, "medium": 0.35, "hard": 0.0}


def turn_record(
    seed: int, seat: str, level: str | None = None, strategy: str | None = None
) -> dict[str, Any]:
    """Return the record of a scripted player in a version 2 protocol.

    Parameters
    ----------
    seed : int
        The episode's; the player gets one of its own, which does not reveal it.
    seat : str
    level : str, optional
        How well it argues: one of :data:`INVENTED`.
    strategy : str, optional
        How it judges: one of :data:`JUDGES`.
    """
    drawn = int.from_bytes(stable_hash("nip-turn-seat/1", seed, seat)[:2], "big")
    named = {"level": level, "strategy": strategy}
    return {"kind": "scripted", **{k: v for k, v in named.items() if v}, "seed": drawn}
