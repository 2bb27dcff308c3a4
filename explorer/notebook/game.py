"""A game in a kernel: an episode, its players, its outputs, and the file that saves it."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet, WeakValueDictionary

from explorer.choice import ProtocolChoice
from explorer.play import (
    HUMAN,
    PERSON,
    QUICK,
    AtWork,
    Journal,
    Start,
    Table,
    Working,
    stand_in,
)
from explorer.players import Acted, Player
from explorer.programs import NotYetRunError, with_programs
from nip_core.displays import line
from nip_core.documents import TRANSCRIPT, parse_json
from nip_core.errors import NipError, PlayError
from nip_core.play import STANDS_IN_FOR, Episode, Move, Moved, Setup, View, event_from_dict

if TYPE_CHECKING:
    from explorer.notebook.live import Display
    from explorer.players import ModelTurn


POLL = 0.5  # seconds
THREADS = sys.platform != "emscripten"  # Python in a browser has no threads
BUSY = "A player is at work. Stop it first, or wait for its move."


# The default folder for games, beside the notebook.
FOLDER = ".nip-games"


def key_of(episode: Episode, seats: tuple[str, ...]) -> str:
    """Return the key of a game, from its setup, first events and seats."""
    setup = episode.setup
    known = {
        "protocol": setup.rules.to_dict(),
        "prompts": setup.prompt_digests,
        "task": setup.task.digest,
        "seed": setup.seed,
        "stance": setup.prover_stance,
        "words": setup.max_response_words,
        "begun": [event.to_dict() for event in episode.events],
        "seats": seats,
    }
    text = json.dumps(known, sort_keys=True, default=str)
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def usual_file(key: str) -> Path:
    """Return the default file of a notebook's game."""
    return Path(FOLDER) / f"{key[:24]}.jsonl"


class FileJournal(Journal):
    """Saves a game, and those that follow it at the same table (its `course`), in a file.

    The file has a line for the beginning of each game and one for each event, so that saving a move
    costs the same at any length. If it is the default file, nothing is written before the first
    move, and a folder that cannot be written to does not stop the game.
    """

    def __init__(self, path: Path, *, usual: bool = False) -> None:
        self.course: list[Episode] = []
        self._path = path
        self._usual = usual
        # How many lines were written, and the length of the file afterwards.
        self._lines, self._size = 0, -1

    def read(self, begun: list[Episode]) -> list[Episode]:
        """Return the file's episodes if they continue the given beginning; else none.

        Raise a PlayError if the file contains something else or cannot be read.
        """
        kept = self._read()
        before, now = [*_course(kept)], [*_course(begun)]
        if before == now[: len(before)]:
            return []
        if now != before[: len(now)] or len(begun) > 1:
            raise PlayError(
                f"{self._path} keeps another game, or another course of this one. Name another "
                "file, or begin a new game there with play(..., new=True)."
            )
        return kept

    def _read(self) -> list[Episode]:
        try:
            content = self._path.read_bytes()
            episodes: list[Episode] = []
            for line in content.splitlines():
                document = parse_json(line, TRANSCRIPT, PlayError)
                if "setup" in document:
                    episodes.append(Episode.from_setup(Setup.from_dict(document["setup"])))
                else:
                    episodes[-1].apply(event_from_dict(document))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except (OSError, ValueError, TypeError, LookupError, NipError) as error:
            raise PlayError(
                f"{self._path} keeps no game that can be read: {error} Delete the file, or begin "
                "a new game with play(..., new=True)."
            ) from None
        self._lines, self._size = sum(len(episode.events) + 1 for episode in episodes), len(content)
        return episodes

    def append(self, episode: Episode) -> None:
        """Append new events; the episode is the last one of the course."""
        del episode
        if self._usual and self._size < 0 and not _has_moved(self.course):
            return
        try:
            self._write(self.course)
        except (OSError, NipError):
            if not self._usual:
                raise

    def _write(self, episodes: list[Episode]) -> None:
        if not self._is_ours():
            self._lines = 0
        new = [f"{json.dumps(event)}\n" for event in _course(episodes, self._lines)]
        if not new:
            return
        content = "".join(new).encode("utf-8")
        if self._lines:
            with self._path.open("ab") as file:
                file.write(content)
            self._size += len(content)
        else:
            if self._usual:
                self._path.parent.mkdir(exist_ok=True)
            beside = self._path.with_name(f"{self._path.name}.new")
            beside.write_bytes(content)
            os.replace(beside, self._path)
            self._size = len(content)
        self._lines += len(new)

    def _is_ours(self) -> bool:
        """Return whether no other program has changed or deleted the file."""
        try:
            return self._path.stat().st_size == self._size
        except OSError:
            return False


def _has_moved(episodes: list[Episode]) -> bool:
    return len(episodes) > 1 or any(isinstance(event, Moved) for event in episodes[0].events)


def _course(episodes: list[Episode], skip: int = 0) -> Iterator[dict[str, object]]:
    """Yield the setup and the events of all episodes in order, after skipping `skip` of them."""
    for episode in episodes:
        events = episode.events
        if skip == 0:
            yield {"setup": episode.setup.to_dict()}
        for event in events[max(0, skip - 1) :]:
            yield event.to_dict()
        skip = max(0, skip - 1 - len(events))


# -- the game -------------------------------------------------------------------------------------


class Game(Table):
    """A table in this kernel, with players that may work in a thread, and outputs that show it."""

    def __init__(self, episode: Episode) -> None:
        super().__init__(episode)
        # The episodes played one after the other, the present one last.
        self.episodes: list[Episode] = []
        self._joined: list[Episode] = []
        self.shown_by: WeakSet[Display] = WeakSet()
        self.key = ""  # identifies it among the games of a notebook
        self._worker: _Worker | None = None
        self.begun: dict[tuple[str, int], ModelTurn] = {}
        self.go_on_with(episode)

    def __repr__(self) -> str:
        return line(self, repr(self.episode))

    def go_on_with(self, episode: Episode) -> None:
        """Continue with another episode."""
        self.episode = episode
        # A game is found by its episodes, so that a rerun cell continues it.
        _games[id(episode)] = self
        self.episodes.append(episode)

    def join(self, episode: Episode) -> None:
        """Treat a newly created episode as the one with which this game began.

        A rerun cell creates another object for the same episode. The two then share their state, so
        that code and threads with either of them see all moves.
        """
        first = self.episodes[0]
        if episode is not first:
            episode.__dict__ = vars(first)
            _games[id(episode)] = self
            self._joined.append(episode)

    def remember(self, key: str) -> None:
        """Register the game under its key, so that it can be found."""
        self.key = key
        _games_by_key[key] = self

    def keep_in(self, file: FileJournal, *, anew: bool = False) -> None:
        """Continue from a file, or discard its content, and save the game there from now on.

        Raise a PlayError if the file contains something else or cannot be read.
        """
        kept = [] if anew else file.read(self.episodes)
        if kept:
            for event in kept[0].events[len(self.episode.events) :]:
                self.episode.apply(event)
            for episode in kept[1:]:
                self.go_on_with(episode)
        file.course = self.episodes
        file.append(self.episode)
        self.journal = file

    def forget(self) -> None:
        """Stop saving the game, and release its key for another one."""
        self.journal = Journal()
        if _games_by_key.get(self.key) is self:
            del _games_by_key[self.key]

    # -- seats -----------------------------------------------------------------------------------

    @property
    def people_since(self) -> tuple[str, ...]:
        """Return the seats of people if another game has followed the given one, else nothing."""
        if len(self.episodes) == 1:
            return ()
        players = self.episode.players
        return tuple(agent for agent, record in players.items() if record.get("kind") == HUMAN)

    def sit_down(self, people: Iterable[str], players: Mapping[str, Player]) -> None:
        """Seat people and players; present players stay, and other seats become scripted."""
        for agent in self.spec.agent_names:
            record = self.episode.players.get(agent, {})
            kind = None if STANDS_IN_FOR in record else record.get("kind")
            if agent in people:
                self.players.pop(agent, None)
                self._note(agent, record if kind == HUMAN else PERSON)
            elif agent in players:
                self.players[agent] = players[agent]
                self._note(agent, players[agent].describe())
            elif agent not in self.players and kind not in ("scripted", "random"):
                self._note(agent, stand_in(self.episode, agent, "scripted"))

    def _note(self, agent: str, record: Mapping[str, Any]) -> None:
        """Record a seat's player in the transcript, once."""
        if self.episode.players.get(agent) != record:
            self.seat(agent, record)

    # -- playing ---------------------------------------------------------------------------------

    @property
    def at_work(self) -> bool:
        """Whether a slow player is making a move."""
        return self._worker is not None and self._worker.is_alive()

    @property
    def worker(self) -> Working | None:
        """The latest worker, if there was one."""
        return self._worker

    @property
    def failed(self) -> Working | None:
        """The worker that has failed, if nobody has moved since."""
        worker = self._worker
        idle = worker is not None and not worker.is_alive() and not self.over
        return worker if worker is not None and worker.failed and idle else None

    def play(self, move: Move) -> None:
        """Make a person's move, and let players continue; raise a NipError if it cannot be made."""
        super().play(move)
        self.go_on()

    def go_on(self) -> None:
        """Let players move until it is a person's turn; slow ones move in a thread."""
        if not self.at_work:
            self._worker = None
            # These players may have to wait for programs.
            with suppress(NotYetRunError):
                while not self.waits_for and not self.slow_to_move() and self.step():
                    pass
            if not self.waits_for and not self.over and self.players_to_move():
                self._worker = _Worker(self) if THREADS else _InLoop(self)
                self._worker.begin()
        self.show()

    def stop(self) -> None:
        """Stop the players that are working."""
        if self._worker is not None:
            self._worker.cancel.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until no player is at work; return whether that is so."""
        if self._worker is not None and THREADS:
            self._worker.join(seconds)
        return not self.at_work

    def undo(self, agent: str | None = None) -> None:
        """Go back to before a seat's last move; raise a PlayError while a player is working."""
        self._need_nobody_at_work()
        super().undo(agent)
        self._worker = None
        self.show()

    def goto(self, node: int) -> None:
        """Go to another position; raise a PlayError while a player is working."""
        self._need_nobody_at_work()
        super().goto(node)
        self._worker = None
        self.show()

    def _need_nobody_at_work(self) -> None:
        if self.at_work:
            raise PlayError(BUSY)

    def begin(self, start: Start, task: Any) -> None:
        """Play another game with the same people and players, who may have changed seats."""
        self._need_nobody_at_work()
        setup, before = start.setup(task), self.episode.setup
        if start.choice == ProtocolChoice.of_setup(before):
            # The class of its handler may be one's own.
            setup = Setup.of(
                before.handler or before.rules,
                setup.task,
                setup.seed,
                informed_provers=setup.informed_provers,
                max_response_words=before.max_response_words,
            )
        # A scripted player is made for one task, so a new one is needed.
        players = {agent: p for agent, p in self.players.items() if p.kind not in QUICK}
        people = [a for a in setup.rules.seat_names if start.seats.get(a) in ("me", "friend")]
        self.players, self._worker, self.begun = {}, None, {}
        self.go_on_with(Episode.from_setup(setup))
        self.sit_down(people, {a: p for a, p in players.items() if a in setup.rules.seat_names})
        self.go_on()

    # -- when one fails --------------------------------------------------------------------------

    def replace(self, kind: str) -> None:
        """Replace the players whose moves are missing; see :func:`stand_in`."""
        self.replace_models(kind, once=True)
        self._worker = None
        self.go_on()

    @property
    def stood_in_for(self) -> frozenset[str]:
        """The seats where a person moves in place of a player."""
        players = self.episode.players
        return frozenset(a for a in self.humans if STANDS_IN_FOR in players.get(a, {}))

    # -- showing ---------------------------------------------------------------------------------

    def show(self) -> None:
        """Show the present state in all outputs."""
        for display in list(self.shown_by):
            display.refresh()


_games: WeakValueDictionary[int, Game] = WeakValueDictionary()
_games_by_key: WeakValueDictionary[str, Game] = WeakValueDictionary()


def game_of(episode: Episode) -> Game | None:
    """Return the game that an episode belongs to, if there is one."""
    # A game keeps references to its episodes, so that their ids are not reused.
    return _games.get(id(episode))


def game_by_key(key: str) -> Game | None:
    """Return the game of this key in this kernel, if there is one."""
    return _games_by_key.get(key)


class _Worker(Working):
    """Lets the players of a game move until it is a person's turn; those of a round together."""

    def __init__(self, game: Game) -> None:
        super().__init__("game", game.begun)
        self._game = game
        self.anonymous = frozenset(game.episode.setup.anonymous_agents)

    def begin(self) -> None:
        """Start, and have the game show the progress."""
        self.start()
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        while self.is_alive():
            self.join(POLL)
            self._game.show()

    def work(self) -> None:
        """Let them move."""
        asyncio.run(self.awork())

    async def awork(self) -> None:
        """Let them move, in an event loop."""
        game = self._game
        while not game.waits_for and not self.cancel.is_set():
            self.seats = {}
            players = {a: self._watched(p) for a, p in game.players_to_move().items()}
            if not await game.astep_together(players):
                break
            game.show()

    def _watched(self, player: Player) -> Player:
        if player.kind in QUICK:
            return player
        # Imported here, since a game without models does not need this code.
        from explorer.play import Watched
        from explorer.players import Client, LLMPlayer

        if isinstance(player, LLMPlayer) and isinstance(player.client, Client):
            return Watched(dataclasses.replace(player.client, cancel=self.cancel), self)
        return _Slow(player, self)


class _InLoop(_Worker):
    """A worker without threads: it runs in the present event loop."""

    def begin(self) -> None:
        """Start, and have the game show the progress."""
        # Kept, so that they are not collected while they run.
        self._tasks = [asyncio.ensure_future(work) for work in (self._arun(), self._afollow())]

    async def _arun(self) -> None:
        with self.keeping_errors():
            await self.awork()
        self._game.show()

    async def _afollow(self) -> None:
        while self.is_alive():
            await asyncio.sleep(POLL)
            if self.is_alive():
                self._game.show()

    def is_alive(self) -> bool:
        """Whether it is at work."""
        return not self._ended

    def _watched(self, player: Player) -> Player:
        return _Here(player) if player.kind in QUICK else super()._watched(player)


class _Here(Player):
    """A player that answers at once, after the programs that it uses have answered."""

    kind = "here"

    def __init__(self, player: Player) -> None:
        self._player = player

    def turn(self, view: View) -> Acted:
        """Make a move."""
        return self._player.turn(view)

    async def aturn(self, view: View) -> Acted:
        """Make a move, after waiting for programs."""
        return await with_programs(lambda: self.turn(view))


class _Slow(Player):
    """A player that may take long and is not a language model."""

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
    """Double the budgets of models, each once."""
    from explorer.players import Client, LLMPlayer

    clients = [player.client for player in players if isinstance(player, LLMPlayer)]
    budgets = {id(client.budget): client.budget for client in clients if isinstance(client, Client)}
    for budget in filter(None, budgets.values()):
        budget.most *= 2
        if budget.most_money is not None:
            budget.most_money *= 2
