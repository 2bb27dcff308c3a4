"""Make scripted players from seats' records, make new records, and give players' reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from explorer.players.base import Player
from explorer.players.scripted.judges import (
    DEFAULT_JUDGE,
    INVENTED,
    JUDGES,
    Judge,
    turn_record,
)
from explorer.players.scripted.levels import LEVELS, reasons
from explorer.players.scripted.prover import ScriptedExpert, script_for
from explorer.players.scripted.verifiers import (
    DEFAULT_STRATEGY,
    STRATEGIES,
    Strategy,
    verifier_of,
)
from nip_core.displays import displayed
from nip_core.documents import stable_hash
from nip_core.errors import UnknownNameError
from nip_core.play import Episode, Moved, Node, Origin, Setup
from nip_core.tasks import Task

if TYPE_CHECKING:
    from explorer.choice import ProtocolChoice

DEFAULT_LEVEL = "medium"


@displayed
@dataclass(frozen=True, slots=True)
class Scripts:
    """The scripts that can sit in a seat.

    Parameters
    ----------
    family : {"rounds", "turns"}
        Experts and verifiers who know statements, or players of any seat.
    verifies : bool
        Whether the seat decides.
    levels : mapping of str to str
        What a player does at each level; empty if the level makes no difference.
    strategies : mapping of str to Strategy or Judge
        By which a seat that argues for nothing can judge.
    """

    family: Literal["rounds", "turns"]
    verifies: bool
    levels: Mapping[str, str]
    strategies: Mapping[str, Strategy | Judge]

    @property
    def title(self) -> str:
        """The name of such a player in tags and on screens."""
        if self.family == "turns":
            return "scripted player"
        return "scripted verifier" if self.verifies else "scripted prover"

    @property
    def level(self) -> str:
        """The level of a player whose record names none."""
        return DEFAULT_LEVEL if self.family == "rounds" else "hard"

    @property
    def strategy(self) -> str:
        """The strategy of a player whose record names none; empty where there are none."""
        usual = DEFAULT_STRATEGY if self.family == "rounds" else DEFAULT_JUDGE
        return usual if self.strategies else ""

    def about(self, strategy: str) -> str:
        """Return what a strategy does, in sentences."""
        return self.strategies[strategy].plays

    def record(
        self, seed: int, seat: str, level: str | None = None, strategy: str | None = None
    ) -> dict[str, Any]:
        """Return the seat's record for a new player of an episode with this seed."""
        if self.family == "turns":
            return turn_record(seed, seat, level, strategy)
        if self.verifies:
            return scripted_record(seed, seat, None, strategy or self.strategy)
        return scripted_record(seed, seat, level or self.level)


def scripts_for(playing: ProtocolChoice | Setup, seat: str) -> Scripts:
    """Return the scripts that can sit in a seat.

    There are experts on statements. All other protocols have players that know nothing but what
    the seat sees.
    """
    rules = playing.rules
    roles, verifies = rules.roles, seat in rules.roles.deciders
    if playing.is_about_a_statement:
        levels = {name: level.about for name, level in LEVELS.items()}
        # A verifier is its five numbers, and has no levels.
        return Scripts(
            "rounds", verifies, {} if verifies else levels, STRATEGIES if verifies else {}
        )
    # Imported here, since games about statements do not need it.
    from explorer.players.scripted.seats import levels_of_seat

    levels = levels_of_seat(rules, seat)
    judges = JUDGES if roles.judges(seat) and (verifies or not levels) else dict[str, Judge]()
    return Scripts("turns", verifies, levels, judges)


def scripted_record(
    seed: int, agent: str, level: str | None = DEFAULT_LEVEL, strategy: str | None = None
) -> dict[str, Any]:
    """Return the record of a seat for a new scripted player; a verifier has a strategy, no level.

    The player gets a seed of its own that does not reveal the episode's, since that determines
    facts that the player may not know.
    """
    named = {"strategy": strategy} if strategy is not None else {"level": level}
    return {"kind": "scripted", **named, "seed": _drawn(seed, agent)}


def _drawn(seed: int, *agents: str) -> int:
    """Return the seed for a seat's own draws; it does not reveal the episode's seed."""
    return int.from_bytes(stable_hash("nip-scripted-seat/1", seed, *agents)[:2], "big")


def _check_written(record: Mapping[str, Any], scripts: Scripts) -> None:
    """Refuse fields of a record that this version would otherwise ignore."""
    known = {"level": scripts.levels, "strategy": scripts.strategies}
    known = {name: values for name, values in known.items() if values}
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
    scripts = scripts_for(setup, agent)
    if record is not None and "kind" not in record:
        _check_written(record, scripts)
    said = scripts.record(setup.seed, agent) if record is None else record
    level, seed = said.get("level"), said.get("seed")
    if scripts.family == "turns":
        from explorer.players.scripted.seats import SeatScript

        judge = said.get("strategy")
        return SeatScript(
            seed if type(seed) is int else 0,
            str(level) if level in INVENTED else scripts.level,
            str(judge) if judge in JUDGES else DEFAULT_JUDGE,
        )
    if scripts.verifies:
        return verifier_of(said, setup.seed)
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
