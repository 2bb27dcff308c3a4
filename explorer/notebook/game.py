"""A game in a kernel: an episode, who plays it, and all outputs that show it."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Protocol
from weakref import WeakSet, WeakValueDictionary

from explorer.game_table.at_table import AtTable, now
from explorer.game_table.seats import HUMAN, PERSON, stand_in
from explorer.game_table.start import Start
from explorer.game_table.working import AtWork, Watched, Working
from explorer.players import Acted, Player, RandomPlayer, astep, scripted_player, step
from explorer.players.llm import LLMPlayer, Used
from nip_core.displays import line
from nip_core.errors import PlayError
from nip_core.play import STANDS_IN_FOR, Episode, Move, Moved, Seated, Setup, View
from nip_core.tasks import Task

__all__ = ["Game", "game_by_key", "game_of", "more_tokens"]

# They answer at once; whoever else plays may take long, and can be stopped.
QUICK = ("scripted", "random", "replay")
POLL = 0.5  # seconds
BUSY = "A player is at work. Stop it first, or wait for its move."


class Shows(Protocol):
    """What shows a game, and is told when it has gone on."""

    def refresh(self) -> None:
        """Show how it is now."""


class Game(AtTable):
    """An episode in this kernel, played in place, and its players.

    Parameters
    ----------
    episode : Episode

    Attributes
    ----------
    episodes : list of Episode
        All that were played one after the other, the present one last.
    players : dict of str to Player
        Of the seats where no person sits.
    shown_by : WeakSet
        What shows it.
    keeper : Shows, optional
        What keeps it in a file.
    lock : RLock
        Held while a move is made, or the game is looked at.
    key : str
        What tells it from other games of a notebook.
    """

    def __init__(self, episode: Episode) -> None:
        self.episodes: list[Episode] = []
        self._joined: list[Episode] = []
        self.players: dict[str, Player] = {}
        self.shown_by: WeakSet[Any] = WeakSet()
        self.keeper: Shows | None = None
        self.key = ""
        self._away: dict[str, Player] = {}
        self._worker: _Worker | None = None
        self.begun: dict[tuple[str, int], Used] = {}
        self.lock = threading.RLock()
        self.go_on_with(episode)

    def __repr__(self) -> str:
        return line(self, repr(self.episode))

    def go_on_with(self, episode: Episode) -> None:
        """Play this episode from now on."""
        self.episode = episode
        # Under every episode that it has been about: a cell that is run again goes on with it.
        _games[id(episode)] = self
        self.episodes.append(episode)

    def join(self, episode: Episode) -> None:
        """Let an episode that was made anew be the one with which this game has begun.

        A cell that is run again makes another object of the same episode. Both share one state
        then, so that whoever holds either of them holds what is played, a thread at work too.
        """
        first = self.episodes[0]
        if episode is not first:
            episode.__dict__ = vars(first)
            _games[id(episode)] = self
            self._joined.append(episode)

    def remember(self, key: str) -> None:
        """Let the game be found by its key, too."""
        self.key = key
        _games_by_key[key] = self

    def forget(self) -> None:
        """Keep it no longer, and let another game have its key."""
        if self.keeper is not None:
            self.shown_by.discard(self.keeper)
        self.keeper = None
        if _games_by_key.get(self.key) is self:
            del _games_by_key[self.key]

    # -- who sits where --------------------------------------------------------------------------

    @property
    def humans(self) -> list[str]:
        """The seats without a player."""
        return [agent for agent in self.spec.agent_names if agent not in self.players]

    @property
    def people_since(self) -> tuple[str, ...]:
        """Where people sit if this is no more the game that was given: they may have swapped."""
        if len(self.episodes) == 1:
            return ()
        players = self.episode.players
        return tuple(agent for agent, each in players.items() if each.get("kind") == HUMAN)

    def seat(self, people: Iterable[str], players: Mapping[str, Player]) -> None:
        """Let people sit down, and players; whoever sits already stays, the others are scripted."""
        for agent in self.spec.agent_names:
            if agent in people:
                self.players.pop(agent, None)
                known = self.episode.players.get(agent, {}).get("kind") == HUMAN
                self._note(agent, self.episode.players[agent] if known else PERSON)
            elif agent in players:
                self.players[agent] = players[agent]
                self._note(agent, players[agent].describe())
            elif agent not in self.players:
                self._script(agent)

    def _script(self, agent: str) -> None:
        known = self.episode.players.get(agent, {})
        usual = stand_in(self.episode, agent, "scripted")
        self._let_play(agent, known if known.get("kind") in ("scripted", "random") else usual)

    def _let_play(self, agent: str, record: Mapping[str, Any]) -> None:
        setup = self.episode.setup
        scripted = record["kind"] == "scripted"
        self.players[agent] = (
            scripted_player(setup, agent, record) if scripted else RandomPlayer(setup.seed)
        )
        self._note(agent, record)

    def _note(self, agent: str, record: Mapping[str, Any]) -> None:
        """Let the transcript say who sits there, once."""
        if self.episode.players.get(agent) != record:
            self.episode.apply(Seated(agent=agent, player=dict(record), at=now()))

    # -- playing ---------------------------------------------------------------------------------

    @property
    def at_work(self) -> bool:
        """Is a player making a move that takes long?"""
        return self._worker is not None and self._worker.is_alive()

    @property
    def worker(self) -> Working | None:
        """The latest that was at work, if there was one."""
        return self._worker

    @property
    def failed(self) -> Working | None:
        """The worker that has failed, if one has since anybody last played."""
        worker = self._worker
        idle = worker is not None and not worker.is_alive() and not self.over
        return worker if worker is not None and worker.failed and idle else None

    def play(self, move: Move) -> None:
        """Make a person's move, and let the players go on.

        Raises
        ------
        NipError
            Saying why it cannot be made.
        """
        with self.lock:
            self.episode.play(move, at=now())
            self._give_back(move.agent)
        self.go_on()

    def go_on(self) -> None:
        """Let players move until a person is to; those that take long do so in a thread."""
        if not self.at_work:
            self._worker = None
            while not self.waits_for and self._all_quick():
                if self.step() is None:
                    break
            if not self.waits_for and not self.over and self._to_move():
                self._worker = _Worker(self)
                self._worker.start()
                threading.Thread(target=self._follow, args=(self._worker,), daemon=True).start()
        self.tell()

    def step(self) -> str | None:
        """Let the next player move; who it was."""
        with self.lock:
            agent = step(self.episode, self.players, at=now())
            if agent is not None:
                self._give_back(agent)
            return agent

    def _to_move(self) -> list[str]:
        return [agent for agent in self.episode.to_move if agent in self.players]

    def _all_quick(self) -> bool:
        return all(self.players[agent].kind in QUICK for agent in self._to_move())

    def _follow(self, worker: Working) -> None:
        while worker.is_alive():
            worker.join(POLL)
            self.tell()

    def keep(self, episode: Episode, agent: str, play: Callable[[Episode], Moved]) -> None:
        """Make the move of a player that was at work."""
        with self.lock:
            play(episode)
            self._give_back(agent)

    def stop(self) -> None:
        """Stop what is at work."""
        if self._worker is not None:
            self._worker.cancel.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing is at work; is it so?"""
        if self._worker is not None:
            self._worker.join(seconds)
        return not self.at_work

    def undo(self, agent: str) -> None:
        """Go back to where a seat has last moved.

        Raises
        ------
        PlayError
            If there is nothing to take back, or a player is at work.
        """
        self._change(lambda: self.episode.undo(agent, at=now()))

    def goto(self, node: int) -> None:
        """Go to another position.

        Raises
        ------
        PlayError
            If there is none, or a player is at work.
        """
        self._change(lambda: self.episode.goto(node, at=now()))

    def _change(self, change: Callable[[], object]) -> None:
        if self.at_work:
            raise PlayError(BUSY)
        with self.lock:
            change()
        self._worker = None
        self.tell()

    def begin(self, start: Start, task: Task | None) -> None:
        """Play another game, at which the same sit, or have changed seats."""
        if self.at_work:
            raise PlayError(BUSY)
        before = self.episode
        setup = start.setup(task)
        if task is None and setup.spec != before.spec:
            # A protocol that no parameters make.
            drawn = before.setup
            setup = Setup.of(
                before.spec,
                setup.task,
                setup.seed,
                informed_provers=drawn.informed_provers,
                max_response_words=drawn.max_response_words,
            )
        players = {agent: player for agent, player in self.players.items() if self._stays(player)}
        people = [a for a in setup.spec.agent_names if start.seats.get(a) in ("me", "friend")]
        self.players, self._away, self._worker = {}, {}, None
        self.begun = {}
        self.go_on_with(Episode.from_setup(setup))
        self.seat(people, {a: p for a, p in players.items() if a in setup.spec.agent_names})
        self.go_on()

    @staticmethod
    def _stays(player: Player) -> bool:
        """Can it play another game? What is scripted is for one task."""
        return player.kind not in QUICK

    # -- when one fails --------------------------------------------------------------------------

    def replace(self, kind: str) -> None:
        """Let somebody else make the moves that are waited for; see :func:`stand_in`."""
        for agent in self._to_move():
            if self.players[agent].kind in QUICK:
                continue
            record = stand_in(self.episode, agent, kind)
            record[STANDS_IN_FOR] = dict(self.episode.players[agent])
            self._away[agent] = self.players.pop(agent)
            if kind == HUMAN:
                self._note(agent, record)
            else:
                self._let_play(agent, record)
        self._worker = None
        self.go_on()

    def _give_back(self, agent: str) -> None:
        """Whoever has made one move for a player leaves the seat to it again."""
        if agent in self._away:
            self.players[agent] = self._away.pop(agent)
            self._note(agent, self.players[agent].describe())

    @property
    def stood_in_for(self) -> frozenset[str]:
        """The seats where a person makes a move for a player."""
        return frozenset(agent for agent in self._away if agent not in self.players)

    # -- showing ---------------------------------------------------------------------------------

    def tell(self) -> None:
        """Show in all outputs how it is now."""
        for each in list(self.shown_by):
            each.refresh()


_games: WeakValueDictionary[int, Game] = WeakValueDictionary()
_games_by_key: WeakValueDictionary[str, Game] = WeakValueDictionary()


def game_of(episode: Episode) -> Game | None:
    """The game that an episode is or was about, if there is one."""
    # A game keeps its episodes, so that nothing else has the number of one of them.
    return _games.get(id(episode))


def game_by_key(key: str) -> Game | None:
    """The game of this key in this kernel, if there is one."""
    return _games_by_key.get(key)


class _Worker(Working):
    """Lets the players of a game move until a person is to; who speak together move together."""

    def __init__(self, game: Game) -> None:
        super().__init__("game", game.begun)
        self._game = game
        self.anonymous = frozenset(game.episode.setup.anonymous_agents)

    def work(self) -> None:
        """Let them move."""
        game = self._game
        while not game.waits_for and not self.cancel.is_set():
            self.seats = {}
            players = {a: self._watched(p) for a, p in game.players.items()}
            episode = game.episode
            if not asyncio.run(astep(episode, players, now, partial(game.keep, episode))):
                break
            game.tell()

    def _watched(self, player: Player) -> Player:
        if isinstance(player, LLMPlayer):
            return Watched(dataclasses.replace(player.client, cancel=self.cancel), self)
        return player if player.kind in QUICK else _Slow(player, self)


class _Slow(Player):
    """A player that is no language model, and may take long."""

    kind = "slow"

    def __init__(self, player: Player, worker: _Worker) -> None:
        self._player = player
        self._worker = worker

    def turn(self, view: View) -> Acted:
        """Make a move."""
        self._worker.seats[view.agent] = AtWork(view.round)
        try:
            return self._player.turn(view)
        except Exception as error:
            self._worker.note_failure(view.agent, error)
            raise


def more_tokens(players: Iterable[Player]) -> None:
    """Let models use as much again as they might so far."""
    budgets = {
        id(player.client.budget): player.client.budget
        for player in players
        if isinstance(player, LLMPlayer)
    }
    for budget in budgets.values():
        if budget is not None:
            budget.most *= 2
            if budget.most_money is not None:
                budget.most_money *= 2
