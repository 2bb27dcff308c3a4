"""Players that need nothing: one that moves at random, one that repeats a recorded line."""

from __future__ import annotations

import random
from collections.abc import Iterable

from explorer.players.base import Acted, Player
from nip_core.errors import PlayError
from nip_core.play import Move, View
from nip_core.tasks.documents import stable_hash

__all__ = ["PHRASES", "RandomPlayer", "ReplayPlayer"]

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
        decision = rng.randrange(3) if view.legal.may_decide else 2
        if decision != 2:
            return Acted(Move(view.agent, decision=decision))
        phrases = PHRASES["prover" if view.role == "prover" else "verifier"]
        return Acted(Move(view.agent, {c: rng.choice(phrases) for c in view.legal.channels}))


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

    def turn(self, view: View) -> Acted:
        """Make the move of this round.

        Raises
        ------
        PlayError
            If the record has none.
        """
        if view.round not in self._moves:
            raise PlayError(f"The recorded line has no move of {view.agent!r} in this round.")
        return Acted(self._moves[view.round])
