"""Make scripted players from seats' records, make new records, and give players' reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from explorer.players.base import Player
from explorer.players.scripted.provers import LEVELS, ScriptedExpert, reasons, script_for
from explorer.players.scripted.verifiers import CARE, DEFAULT_STRATEGY, STRATEGIES, verifier_of
from nip_core.displays import displayed
from nip_core.documents import stable_hash
from nip_core.errors import UnknownNameError
from nip_core.play import Episode, Moved, Node, Origin, Setup
from nip_core.tasks import Task

DEFAULT_LEVEL = "medium"


def scripted_record(
    seed: int, agent: str, level: str = DEFAULT_LEVEL, strategy: str | None = None
) -> dict[str, Any]:
    """Return the record of a seat for a new scripted player; a verifier has a strategy.

    The player gets a seed of its own that does not reveal the episode's, since that determines
    facts that the player may not know.
    """
    named = {} if strategy is None else {"strategy": strategy}
    return {"kind": "scripted", **named, "level": level, "seed": _drawn(seed, agent)}


def _drawn(seed: int, *agents: str) -> int:
    """Return the seed for a seat's own draws; it does not reveal the episode's seed."""
    return int.from_bytes(stable_hash("nip-scripted-seat/1", seed, *agents)[:2], "big")


def _check_written(record: Mapping[str, Any], *, verifies: bool) -> None:
    """Refuse fields of a record that this version would otherwise ignore."""
    known = {"level": CARE if verifies else LEVELS} | ({"strategy": STRATEGIES} if verifies else {})
    for name, value in record.items():
        if name not in (*known, "seed"):
            raise UnknownNameError("setting of a scripted player", name, (*known, "seed"))
        if name in known and value not in known[name]:
            raise UnknownNameError(name, value, known[name])


def scripted_player(setup: Setup, agent: str, record: Mapping[str, Any] | None = None) -> Player:
    """Return the player of a seat whose record says ``kind = "scripted"``.

    Parameters
    ----------
    record : mapping, optional
        The seat's record. Missing or unknown fields get their defaults. A record written by hand
        has no ``kind`` and only the fields ``level``, ``seed`` and, for a verifier, ``strategy``.

    Raises
    ------
    UnknownNameError
        If a record that was written by hand contains an unknown name.
    """
    verifies = agent in setup.rules.roles.deciders
    if record is not None and "kind" not in record:
        _check_written(record, verifies=verifies)
    usual = DEFAULT_STRATEGY if verifies else None
    said = scripted_record(setup.seed, agent, strategy=usual) if record is None else record
    if verifies:
        return verifier_of(said, setup.seed)
    level, seed = said.get("level"), said.get("seed")
    together = seated_together(setup, agent)
    return ScriptedExpert(
        script_for(setup.task, setup.stance(agent)),
        LEVELS.get(level if isinstance(level, str) else "", LEVELS[DEFAULT_LEVEL]),
        seed if type(seed) is int else 0,
        story=_drawn(setup.seed, *together) if len(together) > 1 else None,
    )


def seated_together(setup: Setup, agent: str) -> tuple[str, ...]:
    """Return the provers of an agent's side, with itself, who see all that it sees and writes.

    Only these can agree on the lies they invent.
    """
    rules = setup.rules
    read = {prover: set(rules.visible_channels(prover)) for prover in rules.provers}
    return tuple(
        prover
        for prover in rules.provers
        if setup.stance(prover) == setup.stance(agent) and read[prover] == read[agent]
    )


@displayed
@dataclass(frozen=True, slots=True)
class Why:
    """Why a scripted player made a move."""

    round: int
    agent: str
    # Its considerations, checks and beliefs, and which of its statements were lies.
    lines: tuple[str, ...]


def why(episode: Episode, node: int | None = None) -> list[Why]:
    """Return scripted players' reasons for their moves on a variation, by default the present one.

    A PlayError says that the episode goes on.
    """
    finished = episode.finished()
    made = {id(event.move): event for event in finished.events if isinstance(event, Moved)}
    return [
        Why(position.round - 1, agent, lines)
        for position in finished.path(node)[1:]
        for agent in position.moves
        if (lines := _lines(finished, position, agent, made.get(id(position.moves[agent]))))
    ]


def _lines(finished: Episode, position: Node, agent: str, event: Moved | None) -> tuple[str, ...]:
    if event is None or event.origin.get("kind") != "scripted":
        return ()
    if agent in finished.rules.roles.deciders:
        return tuple(Origin.from_dict(event.origin).reasoning.splitlines())
    if not isinstance(finished.task, Task):
        return ()  # only experts on statements note why
    # Provers who sit together tell the same story, and cannot contradict each other.
    apart = dict.fromkeys(
        seated_together(finished.setup, prover)[0]
        for prover in finished.rules.provers
        if finished.setup.stance(prover) == finished.setup.stance(agent)
    )
    levels = [str(finished.players.get(fellow, {}).get("level")) for fellow in apart]
    found: list[str] = []
    for reason in reasons(event.origin, finished.task.y, levels):
        found.append(f"{reason.text} That was a lie." if reason.lie else reason.text)
        if reason.chance is not None:
            share = f"{float(reason.chance):.0%}"
            found.append(
                f"Liars like us, who sit apart, contradict each other there in {share} of games."
            )
    return tuple(found)
