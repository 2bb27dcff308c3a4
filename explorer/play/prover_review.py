"""What a prover learns from a finished game: which of its claims hold, and where belief fell."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from explorer.play.claims import checked_claims
from nip_core.play import Episode, Moved, Origin

# A verifier's belief has fallen if it has lost so many points.
LEAST_FALL = 5


def told_claims(episode: Episode, node: int | None = None) -> list[dict[str, Any]]:
    """Return the claims of provers that can be checked, in the order in which they were made.

    Each has the ``round``; the ``agent``; as in :func:`~.review.first_lies` the ``clause``, what it
    is ``about``, and what was ``claimed``, is ``actual`` and ``expected``; and whether it
    ``holds``.
    """
    public = episode.finished()
    if not public.setup.is_about_a_statement:
        return []
    found: list[dict[str, Any]] = []
    asked: dict[str, str] = {}
    for position in public.path(node)[1:]:
        for agent in public.rules.provers:
            move = position.moves.get(agent)
            for channel, text in () if move is None else move.messages.items():
                here = {"round": position.round - 1, "agent": agent}
                claims = checked_claims(public, agent, text, asked.get(channel, ""))
                made = ({**here, **claim} for claim in claims)
                # The same text on several channels makes one claim.
                found += [each for each in made if each not in found]
        # A prover that writes in the same round has not read this yet.
        for verifier in public.rules.roles.deciders:
            if verifier in position.moves:
                asked.update(position.moves[verifier].messages)
    return found


def belief_falls(episode: Episode, node: int | None = None) -> list[dict[str, Any]]:
    """Return where the belief of each scripted verifier fell most, and why.

    Each has the ``agent``; the ``round`` in which it believed less; the ``said`` round before it,
    and who spoke there (``by``); its belief in percent ``before`` and ``after``; and ``why``, its
    own reasons. Nothing is returned for people and models, who give no reasons.
    """
    public = episode.finished()
    path, rules = public.path(node), public.rules
    origins = {id(e.move): e.origin for e in public.events if isinstance(e, Moved)}
    found: list[dict[str, Any]] = []
    for agent, notes in public.result(node).confidence.items():
        drops = [(before[1] - now[1], before, now) for before, now in pairwise(notes)]
        drop, before, now = max(drops, default=(0, (0, 0), (0, 0)))
        origin = origins.get(id(path[now[0] + 1].moves.get(agent)), {})
        if drop < LEAST_FALL or origin.get("kind") != "scripted":
            continue
        heard = [
            (number, seat)
            for number in range(before[0], now[0])
            for seat in rules.provers
            if seat in path[number + 1].moves
        ]
        lines = Origin.from_dict(origin).reasoning.splitlines()
        found.append(
            {
                "agent": agent,
                "round": now[0],
                "said": heard[-1][0] if heard else None,
                "by": [seat for number, seat in heard if number == heard[-1][0]],
                "before": before[1],
                "after": now[1],
                "why": [line for line in lines if not line.startswith(BELIEF)],
            }
        )
    return found


# How a scripted verifier ends its reasons: the chart shows it.
BELIEF = "I think that it is true"
