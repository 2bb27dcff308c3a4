"""A table: an episode, the people and players in its seats, and the journal that stores it."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar, cast

from explorer.play.comments import check_author
from explorer.play.desks import known_verifier
from explorer.play.for_beginners import next_first_game
from explorer.play.headline import seats_at
from explorer.play.screens import Seen
from explorer.play.seats import (
    HUMAN,
    PERSON,
    PLAYED_HERE,
    ModelMaker,
    Start,
    next_games,
    stand_in,
)
from explorer.players import (
    Acted,
    Player,
    RandomPlayer,
    astep,
    scripted_player,
    step,
)
from explorer.storage import ConflictError, HaltedError
from nip_core.displays import line
from nip_core.errors import IllegalMoveError
from nip_core.play import STANDS_IN_FOR, Commented, Episode, Move, Moved, Seated

if TYPE_CHECKING:
    from nip_core.language import Specification


# These players answer at once; all others may take long, fail, or be stopped.
QUICK = ("scripted", "random", "replay")

Result = TypeVar("Result")


def now() -> str:
    """Return the time, for the record."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def player_of(episode: Episode, agent: str, models: ModelMaker | None = None) -> Player | None:
    """Return the player of a seat; None for a person, and for a model without `models`."""
    kind = kind_of(episode.players.get(agent))
    if kind == "random":
        return RandomPlayer(episode.setup.seed)
    if kind == "scripted":
        return scripted_player(episode.setup, agent, episode.players[agent])
    if kind == "llm" and models is not None:
        return models(agent, episode.players[agent])
    return None


def kind_of(player: Mapping[str, Any] | None) -> str:
    """Return the kind of player of a seat; a person if the record names an unknown kind.

    The record may come from a newer version or an uploaded file, and play must be able to go on.
    """
    kind = HUMAN if player is None else player.get("kind")
    return kind if kind in PLAYED_HERE else HUMAN


class Journal:
    """Keeps what happens at a table. This base class keeps only the episode itself, in memory."""

    def __repr__(self) -> str:
        return line(self)

    def append(self, episode: Episode) -> None:
        """Keep what has happened in the episode since the last call.

        If this raises an error, the table takes its last change back and passes the error on.
        """

    def catch_up(self) -> Episode | None:
        """Return the episode as others have continued it; None if nobody has."""
        return None


class Table:
    """An episode that people and players sit at.

    When a method returns, its change is in the journal; a change that could not be kept is undone.
    Pages must not show `episode` itself. They use :meth:`seen_by`, :meth:`public_episode`, and the
    properties beside them.

    Parameters
    ----------
    episode : Episode
        Changed in place, until the journal returns one that others have continued.
    journal : Journal, optional
        In memory only, if it is left out.
    players : mapping of str to Player, optional
        Players of seats, which take precedence over the record. The players of other seats are made
        from the record.
    timed : bool
        Whether times are recorded. Studies leave them out, so that the same study gives the same
        bytes.

    Attributes
    ----------
    models : callable, optional
        Makes the player of a language model's seat from its record. Without it, models wait.
    lock : RLock
        Held while something changes.
    """

    def __repr__(self) -> str:
        return line(self, f"round={self.round}", f"over={self.over}")

    def __init__(
        self,
        episode: Episode,
        journal: Journal | None = None,
        players: Mapping[str, Player] | None = None,
        *,
        timed: bool = True,
    ) -> None:
        self.episode = episode
        self.journal = journal or Journal()
        self.players: dict[str, Player] = dict(players or {})
        self.models: ModelMaker | None = None
        self.lock = threading.RLock()
        self._timed = timed

    # -- the players ------------------------------------------------------------------------------

    @property
    def humans(self) -> list[str]:
        """The seats of people."""
        players, names = self.episode.players, self.spec.agent_names
        people = (agent for agent in names if kind_of(players.get(agent)) == HUMAN)
        return [agent for agent in people if not self._is_given(agent)]

    @property
    def waits_for(self) -> list[str]:
        """The people whose moves the present round needs."""
        people = self.humans
        return [agent for agent in self.episode.to_move if agent in people]

    def called(self, seat: str) -> list[str]:
        """Return the seats to call for a seat: itself, or all anonymous ones if it is anonymous."""
        anonymous = self.episode.setup.anonymous_agents
        return [a for a in self.humans if a in anonymous] if seat in anonymous else [seat]

    def players_to_move(self) -> dict[str, Player]:
        """Return the players of seats that are to move. Secret, since it reveals who has moved."""
        made = {a: self._player(a) for a in self.episode.to_move}
        return {agent: player for agent, player in made.items() if player is not None}

    def slow_to_move(self) -> list[str]:
        """Return the seats that are to move whose players, such as models, may fail or take long.

        Never shown to a seat, since it reveals who has moved.
        """
        people = self.humans
        waiting = [agent for agent in self.episode.to_move if agent not in people]
        return [agent for agent in waiting if self._kind(agent) not in QUICK]

    def _kind(self, agent: str) -> Any:
        if self._is_given(agent):
            return self.players[agent].kind
        return self.episode.players.get(agent, PERSON).get("kind")

    def _player(self, agent: str) -> Player | None:
        if self._is_given(agent):
            return self.players[agent]
        return player_of(self.episode, agent, self.models)

    def _is_given(self, agent: str) -> bool:
        """Return whether one of `players` plays a seat and has not been replaced for a move."""
        stood_in = STANDS_IN_FOR in self.episode.players.get(agent, {})
        return agent in self.players and not stood_in

    # -- what pages may show: one seat's view, what is public, and what every seat knows --------

    def seen_by(self, seat: str) -> Seen:
        """Return the episode as a seat sees it."""
        return Seen(self.episode, seat, verifier=known_verifier(self.episode))

    def public_episode(self) -> Episode:
        """Return the episode as everybody may read it; see :meth:`Episode.finished`."""
        return self.episode.finished()

    @property
    def spec(self) -> Specification:
        """The rules of the protocol."""
        return self.episode.rules

    @property
    def over(self) -> bool:
        """Whether the present variation has ended."""
        return self.episode.over

    @property
    def settled(self) -> bool:
        """Whether all variations have ended."""
        return self.episode.settled

    @property
    def round(self) -> int:
        """How many rounds have been played in the present variation."""
        return self.episode.node.round

    @property
    def model_seats(self) -> dict[str, Mapping[str, Any]]:
        """The seats of language models, and each one's record."""
        players = self.episode.players
        return {a: players[a] for a in self.spec.agent_names if kind_of(players.get(a)) == "llm"}

    @property
    def models_in_turn(self) -> list[str]:
        """The seats of models that may act in this turn, by what every seat may know."""
        if self.over:
            return []
        may = seats_at(self.spec, self.round)
        return [agent for agent in self.model_seats if agent in may]

    @property
    def once_models(self) -> dict[str, Mapping[str, Any]]:
        """The seats in which language models have sat, and each one's latest record."""
        said = {
            event.agent: event.player
            for event in self.episode.events
            if isinstance(event, Seated) and kind_of(event.player) == "llm"
        }
        return {agent: said[agent] for agent in self.spec.agent_names if agent in said}

    @property
    def next_games(self) -> Sequence[tuple[str, Start, Any]]:
        """The games to offer once the episode is over; see :func:`next_games`."""
        if not self.over:
            return []
        following = next_first_game(self.episode)
        first = [] if following is None else [("Next game", following, None)]
        return [*first, *next_games(self.episode)]

    # -- acting --------------------------------------------------------------------------------

    def play(self, move: Move) -> None:
        """Make a person's move; raise an error if it is illegal or cannot be kept."""
        self._do(lambda: self._play(move))

    def play_with_answers(self, move: Move, *, beside_people: bool = False) -> None:
        """Make a person's move, and those of players until it is a person's turn.

        All are kept together, so that others are notified once. A player that fails does not take
        the person's move back; its error is raised when players are next let move. With
        `beside_people`, players also move while people have yet to move in the same round.
        """

        def act() -> None:
            self._play(move)
            with contextlib.suppress(Exception):
                while (beside_people or not self.waits_for) and self._step() is not None:
                    pass

        self._do(act)

    def _play(self, move: Move) -> None:
        if move.agent in self.spec.agent_names and move.agent not in self.humans:
            raise IllegalMoveError("Nobody sits in this seat. Take it first.")
        self.episode.verify(move)
        if self.episode.players.get(move.agent, PERSON).get("kind") != HUMAN:
            # The record names an unknown kind of player, so a person moves in its place.
            self._seat(move.agent, PERSON)
        self.episode.play(move, at=self._now())
        self._give_back(move.agent)

    def take(self, agent: str, acted: Acted) -> None:
        """Make the move that a seat's player has decided on."""

        def act() -> None:
            self.episode.play(acted.move, at=self._now(), origin=acted.origin)
            self._give_back(agent)

        self._do(act)

    def step(self) -> str | None:
        """Make the next player's move; return its seat, or None if only people are to move."""
        return self._do(self._step)

    def _step(self) -> str | None:
        players = self.players_to_move()
        agent = step(self.episode, players, at=self._now()) if players else None
        if agent is not None:
            self._give_back(agent)
        return agent

    def step_together(self) -> list[str]:
        """Let all players of this round move at the same time; return the seats that have moved.

        Each move is kept as soon as it is made.
        """
        return asyncio.run(self.astep_together())

    async def astep_together(self, players: Mapping[str, Player] | None = None) -> list[str]:
        """Do the same as :meth:`step_together`, asynchronously.

        `players` replaces :meth:`players_to_move`.
        """
        players = self.players_to_move() if players is None else players
        asked, place = self.episode.players, self.episode.node.id

        def keep(agent: str, play: Callable[[Episode], Moved]) -> None:
            def act() -> None:
                play(self.episode)
                self._give_back(agent)

            while True:
                try:
                    return self._do(act)
                except HaltedError:
                    raise
                except ConflictError:
                    # The move still counts if another seat has moved in the same round, but not if
                    # the position or the player has changed since the request.
                    same = self.episode.node.id == place and agent in self.episode.to_move
                    if not same or self.episode.players.get(agent) != asked.get(agent):
                        raise

        return await astep(self.episode, players, now if self._timed else None, keep)

    def play_until_a_person(self) -> int:
        """Let players move until it is a person's turn or the end; return the number of moves."""
        steps = 0
        while not self.waits_for and self.step() is not None:
            steps += 1
        return steps

    def play_to_the_end(self) -> int:
        """Let players move as long as they can; return the number of moves."""
        steps = 0
        while self.step() is not None:
            steps += 1
        return steps

    def seat(self, agent: str, player: Mapping[str, Any]) -> None:
        """Replace the player of a seat."""
        self._do(lambda: self._seat(agent, player))

    def replace_models(self, kind: str = HUMAN, *, once: bool = False) -> None:
        """Replace models, and other players that may fail, in the seats that are to move.

        Parameters
        ----------
        kind : str
            ``"human"`` for the person at the screen, or ``"scripted"`` (random where no script
            fits).
        once : bool
            For this move only.
        """

        def act() -> None:
            for agent in self.slow_to_move():
                player = stand_in(self.episode, agent, kind)
                if once:
                    player[STANDS_IN_FOR] = dict(self.episode.players[agent])
                self._seat(agent, player)

        self._do(act)

    def undo(self, agent: str | None = None) -> None:
        """Go back to before a seat's last move; see :meth:`Episode.undo`."""
        self._do(lambda: self.episode.undo(agent, at=self._now()))

    def goto(self, node: int) -> None:
        """Go to another position."""
        self._do(lambda: self.episode.goto(node, at=self._now()))

    def comment(self, comment: Commented, *, visitor: str) -> None:
        """Add a comment; raise a PlayError if it would replace another visitor's."""
        check_author(self.episode, comment, visitor)
        self._do(lambda: self.episode.apply(dataclasses.replace(comment, at=now())))

    def refresh(self) -> bool:
        """Load what others have done at the same table; return whether there was anything."""
        newer = self.journal.catch_up()
        if newer is not None:
            self.episode = newer
        return newer is not None

    def _now(self) -> str | None:
        return now() if self._timed else None

    def _seat(self, agent: str, player: Mapping[str, Any]) -> None:
        self.episode.apply(Seated(agent=agent, player=dict(player), at=self._now()))

    def _give_back(self, agent: str) -> None:
        """Give a seat back to the player that was replaced for one move."""
        player = self.episode.players.get(agent, {}).get(STANDS_IN_FOR)
        if isinstance(player, dict):
            self._seat(agent, cast("dict[str, Any]", player))

    def _do(self, act: Callable[[], Result]) -> Result:
        """Act, and keep the new events in the journal; if that fails, undo the action."""
        with self.lock:
            before = len(self.episode.events)
            try:
                result = act()
                self.journal.append(self.episode)
            except Exception as error:
                self._take_back(before)
                if isinstance(error, ConflictError):
                    self.refresh()
                raise
            return result

    def _take_back(self, events: int) -> None:
        """Remove all but the first `events` events, in place, since others may hold the episode."""
        if len(self.episode.events) > events:
            known = self.episode.events[:events]
            vars(self.episode).update(vars(Episode.from_setup(self.episode.setup, known)))
