"""Names of rounds, seats and channels for people.

Python, documents and tables use the names of a specification and count rounds from 0. Screens,
pictures, messages, addresses and the command line use these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from nip_core.spec.parts import Agent, Channel, Role

__all__ = ["channel_titles", "round_of_shown", "seat_names", "shown_round"]

ROLE_NAMES: dict[Role, str] = {
    "prover": "Prover",
    "verifier": "Verifier",
    "adversarial_verifier": "Adversarial verifier",
    "simulator": "Simulator",
}


def shown_round(round_id: int) -> int:
    """Return the number of a round for people, who count from 1."""
    return round_id + 1


def round_of_shown(number: int) -> int:
    """Return the round that people give this number; the inverse of :func:`shown_round`."""
    return number - 1


def seat_names(agents: Sequence[Agent]) -> dict[str, str]:
    """Return each seat's name for people: its role, with a number if several have the role."""
    counts = Counter(agent.role for agent in agents)
    met: Counter[Role] = Counter()
    names: dict[str, str] = {}
    for agent in agents:
        met[agent.role] += 1
        number = f" {met[agent.role]}" if counts[agent.role] > 1 else ""
        names[agent.name] = ROLE_NAMES[agent.role] + number
    return names


def channel_titles(channels: Sequence[Channel], seats: dict[str, str]) -> dict[str, str]:
    """Return each channel's title: its name in words, with seats' names for people."""
    names = "|".join(sorted(map(re.escape, seats), key=len, reverse=True))
    seat = re.compile(rf"(?<![^\W_])({names})(?![^\W_])")

    def words(name: str) -> str:
        text = seat.sub(lambda match: seats[match[0]].lower(), name).replace("_", " ")
        text = " ".join(text.split())
        return text[:1].upper() + text[1:]

    titles = {
        channel.name: words(channel.name if channel.base is None else channel.base)
        + (f", {channel.copy}" if channel.copy else "")
        for channel in channels
    }
    # Two channels may get the same title; each then keeps its name.
    same_title = Counter(titles.values())
    return {
        name: title if title and same_title[title] == 1 else name for name, title in titles.items()
    }
