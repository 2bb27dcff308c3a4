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
    """The weights by which a scripted judge decides."""

    name: str
    # Its name and description for people.
    title: str
    plays: str
    # What a quote that is in the text, a quote that is not, and a message each add to the log-odds
    # of the side that they support.
    found: float
    not_found: float
    said: float
    # The confidence, in percent, at which it stops if stopping early is rewarded.
    sure: int
    # The largest initial preference for a side, in log-odds. Each judge draws its own, so that
    # jurors who have read the same may differ.
    leaning: float
    # How many quotes each of the first messages of a side should bring.
    expects: float = 0.0


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
            "not, and doubts a side that soon has nothing left to quote.",
            *(0.8, -1.6, 0.1, 75, 0.4, 1.6),
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

# The share of invented quotes when a seat argues for an answer that the text contradicts; a better
# liar uses more real quotes.
INVENTED: Mapping[str, float] = {"easy": 0.75, "medium": 0.35, "hard": 0.0}


def turn_record(
    seed: int, seat: str, level: str | None = None, strategy: str | None = None
) -> dict[str, Any]:
    """Return the record of a scripted player in a version 2 protocol.

    It gets a seed of its own that does not reveal the episode's. Its level, of :data:`INVENTED`,
    says how well it argues, and its strategy, of :data:`JUDGES`, how it judges.
    """
    drawn = int.from_bytes(stable_hash("nip-turn-seat/1", seed, seat)[:2], "big")
    named = {"level": level, "strategy": strategy}
    return {"kind": "scripted", **{k: v for k, v in named.items() if v}, "seed": drawn}
