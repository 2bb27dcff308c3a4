"""A person's game of a lesson in progress, as the app, rooms and the static site keep it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random, SystemRandom
from typing import Any, Self, cast

from explorer.lessons.game import LessonGame, Scene
from explorer.lessons.lesson import Block
from explorer.lessons.library import game
from nip_core.displays import displayed

# From the system's secure generator: a prover who could predict the coins could cheat.
RANDOM = SystemRandom()


@displayed
@dataclass(frozen=True, slots=True)
class GameInProgress:
    """A person's game against the machine as it stands, and how their earlier ones ended."""

    block: Block
    role: str
    # Contains what the person may not see, such as a secret coin.
    state: Mapping[str, Any] = field(repr=False)
    ended: tuple[str, ...] = ()  # the outcomes so far; once the game is over, with its own

    @classmethod
    def begin(cls, block: Block, role: object = None, ended: Sequence[str] = ()) -> Self:
        """Return a new game in a role, or in the block's own if the game has no such role."""
        taken = role if isinstance(role, str) and role in _roles(block) else _roles(block)[0]
        state = game(block.name).start(taken, block.settings or {}, RANDOM)
        return cls(block, taken, state, tuple(ended))

    @classmethod
    def resume(cls, block: Block, kept: object) -> Self | None:
        """Return the game that :meth:`kept` described; None if it does not fit the block.

        The role may be missing: the site's page keeps it and names it for each new game.
        """
        try:
            found = cast("Mapping[str, Any]", kept)
            role = found.get("role", _roles(block)[0])
            now = cls(block, role, dict(found["state"]), tuple(found["ended"]))
            now.rules.scene(now.state)
            fits = role in _roles(block) and {*now.ended} <= {*now.rules.outcomes}
        except Exception:
            # Whatever a browser holds, or an earlier version of the lesson left, is no such game.
            return None
        return now if fits else None

    def kept(self) -> dict[str, Any]:
        """Return what is kept, as plain data."""
        return {"role": self.role, "state": dict(self.state), "ended": [*self.ended]}

    @property
    def rules(self) -> LessonGame:
        """Return the game's rules."""
        return game(self.block.name)

    @property
    def scene(self) -> Scene:
        """Return what the person sees and may do now."""
        return self.rules.scene(self.state)

    def choose(self, choice: str, random: Random | None = None) -> Self:
        """Return the game after a choice. Raise a ValueError if there is no such choice now."""
        after = replace(self, state=self.rules.act(self.state, choice, random or RANDOM))
        outcome = after.scene.outcome
        return after if outcome is None else replace(after, ended=(*self.ended, outcome))


def _roles(block: Block) -> list[str]:
    """Return the names of the game's roles, beginning with the one that the block offers first."""
    names = [each.name for each in game(block.name).roles]
    return sorted(names, key=lambda name: name != block.role)
