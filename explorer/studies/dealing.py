"""What an episode of an outside program is about, and who plays the seats without a model there.

Inspect's tasks and environments for training begin their episodes in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from explorer.choice import ProtocolChoice
from explorer.play import prepared_for, reads_passages, task_for
from explorer.players import LEVELS, Player, RandomPlayer, scripted_player, scripts_for
from explorer.studies.inspect.errors import EvalsError
from explorer.studies.study import StudyTask
from nip_core.displays import displayed
from nip_core.documents import stable_hash
from nip_core.errors import NipError
from nip_core.language import Specification
from nip_core.play import Setup
from nip_core.tasks import load_quality, load_tasks


def chosen(protocol: str | Specification, settings: Mapping[str, object]) -> ProtocolChoice:
    """Return a protocol with settings by name; an EvalsError says which it cannot have."""
    try:
        return ProtocolChoice.of(protocol).with_settings(settings)
    except NipError as error:
        raise EvalsError(str(error)) from None


@displayed
@dataclass(frozen=True)
class Dealer:
    """Deals the episodes of a protocol.

    Parameters
    ----------
    tasks : str
        ``bundled``, or a file: of passages in QuALITY's format for protocols about passages, of
        statements for all others.
    difficulty : str, optional
        Only tasks of this difficulty.
    seats : mapping of str to str
        Seats that are not models, by the seat's name or role (``verifier`` if it decides, else
        ``prover``): ``random``, ``scripted``, a level of a scripted player (``easy``, ``medium``,
        ``hard``), or a strategy of a scripted verifier or judge.
    seed : int
        With the task and the number of the repetition, determines each episode's seed.
    informed_provers : bool
        Whether provers see the label, where the protocol does not say so itself.
    max_response_words : int
        The longest message, in words, if the protocol has no limit.

    Raises
    ------
    EvalsError
        If there are no such tasks, or a seat cannot be played like that.
    """

    choice: ProtocolChoice
    tasks: str = "bundled"
    difficulty: str | None = None
    seats: Mapping[str, str] = field(default_factory=dict[str, str])
    seed: int = 0
    informed_provers: bool = False
    max_response_words: int = 150

    def __post_init__(self) -> None:
        # Mistakes are said before anything is played.
        _ = self.known, self.named

    @property
    def known(self) -> Mapping[str, StudyTask]:
        """The tasks by id."""
        return _tasks(self.choice, self.tasks, self.difficulty)

    @property
    def named(self) -> dict[str, str]:
        """What plays the seats that are not models, by seat."""
        rules = self.choice.rules
        roles = {seat: role_of(rules, seat) for seat in rules.seat_names}
        known = {*roles, *roles.values()}
        if unknown := sorted(self.seats.keys() - known):
            raise EvalsError(
                f"There is no seat or role {', '.join(unknown)}; there are "
                f"{', '.join(sorted(known))}."
            )
        named = {seat: self.seats.get(seat, self.seats.get(role)) for seat, role in roles.items()}
        for seat, player in named.items():
            strategies = scripts_for(self.choice, seat).strategies
            if player not in (None, "random", "scripted", *LEVELS, *strategies):
                raise EvalsError(f"{seat} cannot be played by {player!r}.")
        return {seat: player for seat, player in named.items() if player is not None}

    def deal(self, task: str, repetition: int, *, purpose: str) -> Setup:
        """Return the setup of the episode about a task.

        Programs with different purposes draw different episodes.
        """
        about = self.known[task]
        drawn = stable_hash(purpose, self.seed, about.id, repetition)
        number = int.from_bytes(drawn[:6], "big")
        return Setup.of(
            self.choice.protocol,
            task_for(self.choice.rules, about, number),
            number,
            informed_provers=self.informed_provers,
            max_response_words=self.max_response_words,
        )


@cache
def _tasks(choice: ProtocolChoice, tasks: str, difficulty: str | None) -> dict[str, StudyTask]:
    rules = choice.rules
    found: Iterable[StudyTask] = (
        prepared_for(rules)
        if tasks == "bundled"
        else load_quality(tasks).passages
        if reads_passages(rules)
        else load_tasks(tasks).tasks
    )
    kept = {
        one.id: one
        for one in found
        if difficulty is None or getattr(one, "difficulty", None) == difficulty
    }
    if not kept:
        of = "" if difficulty is None else f" of difficulty {difficulty!r}"
        raise EvalsError(f"There are no tasks{of} for {rules.name!r} in {tasks!r}.")
    return kept


def role_of(rules: Specification, seat: str) -> str:
    """Return the role by which a model or a player can be named for a seat."""
    return "verifier" if seat in rules.roles.deciders else "prover"


def player_named(setup: Setup, seat: str, named: str) -> Player:
    """Return the player with a name of :attr:`Dealer.seats`."""
    if named == "random":
        return RandomPlayer(setup.seed)
    scripts = scripts_for(setup, seat)
    level = named if named in LEVELS else None
    strategy = named if named in scripts.strategies else None
    return scripted_player(setup, seat, scripts.record(setup.seed, seat, level, strategy))
