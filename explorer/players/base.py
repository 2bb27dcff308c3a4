"""Players: they get a seat's view and make a move. The simplest players are here too."""

from __future__ import annotations

import asyncio
import random
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Self, TypeVar

from explorer.players.errors import PlayerError, WaitsForPersonError
from nip_core.displays import brief, displayed, line
from nip_core.documents import stable_hash
from nip_core.play import Episode, Legal, Move, Moved, View, most_characters
from nip_core.spec import shown_round

# A quote does not end its sentence, even if it contains a full stop.
SENTENCE = re.compile(
    r"(?:<quote>.*?</quote>|[^.!?<]|<(?!quote>)|[.!?](?=\S))+[.!?]*\s*", re.DOTALL
)


def fit(text: str, most: int) -> str:
    """Return as many whole sentences of a text as the limits on words and characters allow.

    If not even one sentence fits, it is cut after the most words.
    """
    text = text[: most_characters(most)]
    ends = [word.end() for word in re.finditer(r"\S+", text)]
    if len(ends) <= most:
        return text
    cut = text[: ends[most - 1]]
    sentences = [stop.end() for stop in re.finditer(r"[.!?](?!\S)", cut)]
    return cut[: sentences[-1]] if sentences else cut


def fit_turn(text: str, legal: Legal) -> str:
    """Return the text, or as many whole sentences of it as a turn's limits allow.

    If not even the first sentence fits, as many of its words as do.
    """
    for parts in (SENTENCE.findall(text), text.split()):
        kept = ""
        for part in parts:
            longer = f"{kept} {part.strip()}".strip()
            if not legal.fits(longer):
                break
            kept = longer
        if kept:
            return kept
    return text


def any_choices(
    legal: Legal,
    rng: random.Random,
    wish: Callable[[str, tuple[str | int, ...]], str | int | None] | None = None,
) -> dict[str, str | int]:
    """Return an open option for each choice of a turn: the wished one, or else a random one."""
    made: dict[str, str | int] = {}
    for name in legal.choices:
        options = legal.open_options(name, made)
        wished = wish(name, options) if wish else None
        made[name] = rng.choice(options) if wished is None or wished not in options else wished
    return made


T = TypeVar("T")


@displayed
@dataclass(frozen=True, slots=True)
class Acted:
    """A move, and how it came about."""

    move: Move
    # Plain data for the record, such as a model's name, tokens and seconds, without keys.
    origin: Mapping[str, object] = field(default_factory=dict[str, object], repr=False)


class Player(ABC):
    """A person, script or model that plays a seat."""

    kind: ClassVar[str]

    # A player's representation must not reveal its side or its prepared words to others.
    def __repr__(self) -> str:
        known = self.describe()
        values = (known.get(name) for name in ("model", "strategy", "level"))
        return line(self, *(brief(value) for value in values if value))

    @abstractmethod
    def turn(self, view: View) -> Acted:
        """Make a move for the seat whose view is given.

        A PlayerError says why it cannot, and what to do.
        """

    def act(self, view: View) -> Move:
        """Return the move alone."""
        return self.turn(view).move

    async def aturn(self, view: View) -> Acted:
        """Make a move as :meth:`turn` does, without blocking other players."""
        return await in_own_thread(lambda: self.turn(view))

    def describe(self) -> dict[str, object]:
        """Return the player's record for a transcript, without any key."""
        return {"kind": self.kind}


def finished(work: Coroutine[Any, Any, T]) -> T:
    """Run some work to its end, even if an event loop is running already, as in notebooks."""
    if not _loop_runs():
        return asyncio.run(work)
    with ThreadPoolExecutor(1, "move") as thread:
        return thread.submit(asyncio.run, work).result()


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def in_own_thread(work: Callable[[], T]) -> T:
    """Run slow work in a thread of its own.

    The default executor has few threads, and moves of language models would use them all.
    """
    done: Future[T] = Future()

    def run() -> None:
        try:
            result = work()
        except BaseException as error:
            if not done.cancelled():
                done.set_exception(error)
        else:
            if not done.cancelled():
                done.set_result(result)

    threading.Thread(target=run, name="move", daemon=True).start()
    return await asyncio.wrap_future(done)


def step(episode: Episode, players: Mapping[str, Player], at: str | None = None) -> str | None:
    """Let the next seat that has a player here make its move, and return the seat.

    It is None if all seats to move are people's or have no player here.
    """
    for agent in episode.to_move:
        if agent in players:
            try:
                acted = _checked(agent, players[agent].turn(episode.view_for(agent)))
            except WaitsForPersonError:
                continue
            episode.play(acted.move, at=at, origin=acted.origin)
            return agent
    return None


async def astep(
    episode: Episode,
    players: Mapping[str, Player],
    at: Callable[[], str] | None = None,
    keep: Callable[[str, Callable[[Episode], Moved]], object] | None = None,
) -> list[str]:
    """Let all seats that are to move and have a player here move at the same time.

    Each player gets the view from before any of these moves. A move is made as soon as it is ready,
    and a player's failure does not stop the others.

    Parameters
    ----------
    players : mapping of str to Player
        By agent.
    at : callable, optional
        The time, for the record.
    keep : callable, optional
        Called with an agent and a function that makes its move in an episode; calls that function
        and stores the move.

    Returns
    -------
    agents : list of str
        The seats that moved; empty if all seats to move are people's or have no player here.

    Raises
    ------
    PlayerError
        The error of the first seat that failed, after all others have moved. Errors of `keep`
        are raised at once.
    """
    views = {a: episode.view_for(a) for a in episode.to_move if a in players}
    moves = {a: asyncio.ensure_future(_moved(players[a], view)) for a, view in views.items()}
    moved: list[str] = []
    failed: dict[str, Exception] = {}
    pending = {move: agent for agent, move in moves.items()}
    try:
        while pending:
            done, _ = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for move in sorted(done, key=list(pending).index):
                agent = pending.pop(move)
                try:
                    acted = move.result()
                except WaitsForPersonError:
                    continue
                except Exception as error:
                    failed[agent] = error
                    continue
                time = None if at is None else at()
                play = partial(Episode.play, move=acted.move, at=time, origin=acted.origin)
                if keep is None:
                    play(episode)
                else:
                    keep(agent, play)
                moved.append(agent)
    finally:
        for move in pending:
            move.cancel()
    for agent in views:
        if agent in failed:
            raise failed[agent]
    return moved


def _checked(agent: str, acted: Acted) -> Acted:
    if acted.move.agent != agent:
        raise PlayerError(f"The player of {agent!r} has moved for {acted.move.agent!r}.")
    return acted


async def _moved(player: Player, view: View) -> Acted:
    return _checked(view.agent, await player.aturn(view))


def play_out(
    episode: Episode, players: Mapping[str, Player], *, stop: Callable[[], bool] | None = None
) -> None:
    """Let all players move until the episode is over or waits for another seat.

    Parameters
    ----------
    players : mapping of str to Player
        By agent.
    stop : callable, optional
        Called before every move; play stops when it returns True. Call :func:`play_out` again to
        continue.
    """
    while not (stop and stop()) and step(episode, players) is not None:
        pass


PHRASES = {
    "verifier": (
        "Which line matters most here?",
        "What happens with empty input?",
        "Can you give me an example?",
        "Why are you sure?",
        "What would change your mind?",
        "Walk me through one case, please.",
    ),
    "prover": (
        "Look at the loop once more.",
        "I have checked it, and I stand by what I said.",
        "The first line settles it.",
        "Try a small example and you will see.",
        "That does not matter for the verdict.",
        "It does what it should in that case.",
    ),
}


class RandomPlayer(Player):
    """Makes random legal moves, with meaningless words.

    All options of a choice are equally likely. The seed determines every random choice, together
    with the seat and the turn.
    """

    kind = "random"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def turn(self, view: View) -> Acted:
        """Make a move."""
        drawn = stable_hash("nip-random-player/1", self.seed, view.agent, view.round)
        rng = random.Random(drawn)
        made = any_choices(view.legal, rng)
        phrases = PHRASES[view.role]
        silent = view.legal.is_silent(view.rules, made)
        words = {} if silent else {on: rng.choice(phrases) for on in view.legal.channels}
        messages = {on: fit_turn(text, view.legal) for on, text in words.items()}
        return Acted(Move(view.agent, messages, choices=made))


class ReplayPlayer(Player):
    """Repeats a seat's moves of a recorded variation, given by round."""

    kind = "replay"

    def __init__(self, moves: Iterable[tuple[int, Move]]) -> None:
        self._moves = dict(moves)

    @classmethod
    def of(cls, episode: Episode, agent: str, node: int | None = None) -> Self:
        """Return the player that repeats an agent's moves up to a position (default: here)."""
        line = episode.path(node)
        return cls((n.round - 1, n.moves[agent]) for n in line if agent in n.moves)

    def turn(self, view: View) -> Acted:
        """Make the move of this round; raise a PlayerError if the record has none."""
        if view.round not in self._moves:
            raise PlayerError(
                f"The recorded variation has no move of {view.agent!r} in round "
                f"{shown_round(view.round)}. Make it yourself, or choose another player for the "
                "seat."
            )
        return Acted(self._moves[view.round])


class HumanPlayer(Player):
    """A person, who moves on a screen; the players here wait for them."""

    kind = "human"

    def turn(self, view: View) -> Acted:
        """Raise the WaitsForPersonError that makes the others wait."""
        raise WaitsForPersonError(f"It is the turn of {view.agent!r}, who is a person.")
