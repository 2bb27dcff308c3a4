"""Players that need nothing: chance, a recorded line, and a person."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Self

from explorer.players.base import Acted, Player
from explorer.players.errors import PlayerError, WaitsForPersonError
from explorer.players.wording import fit
from nip_core.documents import stable_hash
from nip_core.play import Episode, Move, View
from nip_core.spec import shown_round
from nip_core.text import Decision

__all__ = ["PHRASES", "HumanPlayer", "RandomPlayer", "ReplayPlayer"]

DECISIONS: tuple[Decision, ...] = (0, 1, 2)

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
    """Picks uniformly among what is legal; its words mean nothing.

    Where it may decide, it rejects, accepts or goes on with equal chances.

    Parameters
    ----------
    seed : int
        With the seat and the round, it decides every pick.
    """

    kind = "random"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def turn(self, view: View) -> Acted:
        """Make a move."""
        drawn = stable_hash("nip-random-player/1", self.seed, view.agent, view.round)
        rng = random.Random(drawn)
        decision = rng.choice(DECISIONS) if view.legal.may_decide else 2
        if decision != 2:
            return Acted(Move(view.agent, decision=decision))
        phrases = PHRASES["prover" if view.role == "prover" else "verifier"]
        words = {on: rng.choice(phrases) for on in view.legal.channels}
        most = view.max_response_words
        return Acted(Move(view.agent, {on: fit(text, most) for on, text in words.items()}))


class ReplayPlayer(Player):
    """Makes the moves of a recorded line again, round by round.

    Parameters
    ----------
    moves : iterable of (round, Move)
        The seat's own.
    """

    kind = "replay"

    def __init__(self, moves: Iterable[tuple[int, Move]]) -> None:
        self._moves = dict(moves)

    @classmethod
    def of(cls, episode: Episode, agent: str, node: int | None = None) -> Self:
        """What an agent did on the line to a position, the present one if it is left out."""
        line = episode.path(node)
        return cls((n.round - 1, n.moves[agent]) for n in line if agent in n.moves)

    def turn(self, view: View) -> Acted:
        """Make the move of this round.

        Raises
        ------
        PlayerError
            If the record has none.
        """
        if view.round not in self._moves:
            raise PlayerError(
                f"The recorded line has no move of {view.agent!r} in round "
                f"{shown_round(view.round)}. Make it yourself, or choose another player for the "
                "seat."
            )
        return Acted(self._moves[view.round])


class HumanPlayer(Player):
    """A person: whoever shows them the view plays their move, and everybody else waits for it."""

    kind = "human"

    def turn(self, view: View) -> Acted:
        """Say that somebody has to be waited for.

        Raises
        ------
        WaitsForPersonError
        """
        raise WaitsForPersonError(f"It is the turn of {view.agent!r}, who is a person.")
