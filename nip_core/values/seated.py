"""A plan at a table: the moves that a solver's plan makes in an episode.

What a plan remembers depends only on what its seats have seen, which is worked out here from the
episode in the solver's own way. A seat's view would not do: it does not say when something was
shown that is shown late.
"""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

from nip_core.displays import line, text_html
from nip_core.errors import ModelError, show
from nip_core.language import Wording
from nip_core.language.expressions import OVER
from nip_core.play import Episode, Move
from nip_core.values.turns import Player, Turns

__all__ = ["SeatedPlan"]


class SeatedPlan:
    """A plan that can sit at a table.

    Parameters
    ----------
    plan : Player
        Such as ``best_reply(spec, "critic").plan``, or a mixture of plans.
    seed : int
        Draws where the plan leaves something to chance, and after what it was not made for.

    Examples
    --------
    >>> from nip_core import Episode, specification
    >>> from nip_core.values import SeatedPlan, best_reply
    >>> spec = specification("single_critique")
    >>> critic = SeatedPlan(best_reply(spec, "critic").plan)
    """

    def __init__(self, plan: Player, seed: int = 0) -> None:
        self.plan, self.seed = plan, seed
        self._turns: Turns | None = None

    def __repr__(self) -> str:
        return line(self, *sorted(self.plan.seats))

    def _repr_html_(self) -> str:
        return text_html(repr(self))

    def move(self, episode: Episode, agent: str) -> Move:
        """Return the move that a seat of the plan makes now.

        Raises
        ------
        ModelError
            If the seat is not one of the plan's, or has nothing to do now.
        """
        if agent not in self.plan.seats:
            seats = ", ".join(sorted(self.plan.seats))
            raise ModelError(f"The plan has no seat {show(agent)}; it has {seats}.")
        legal = episode.legal(agent)
        if not legal.may_act:
            raise ModelError(f"It is not the turn of the seat {show(agent)}.")
        spec, own = episode.rules, dict(self._chosen(episode))
        choices = {name: own.get(name, options[0]) for name, options in legal.choices.items()}
        words = Wording(spec)
        said = ", ".join(f"{words.term(name)}: {words.term(o)}" for name, o in choices.items())
        return Move(agent, dict.fromkeys(legal.channels, said or "No words."), choices=choices)

    def _chosen(self, episode: Episode) -> tuple[tuple[str, Any], ...]:
        """Return what the plan chooses at the present position, for all of its seats."""
        spec, plan = episode.rules, self.plan
        turns = self._turns
        if turns is None or turns.spec is not spec:
            turns = self._turns = Turns(spec, [], players=[plan], whole=True)
        machine, sight, path = turns.machine, turns.sight, episode.path()
        first = machine.first
        before, now = (machine.here(first, r) for r in (machine.blank(), path[0].registers))
        made = frozenset(choice.name for choice in spec.drawn)
        (seen,), waiting = sight.after(None, first, made, before, now, ((),))
        drawn = random.Random(f"{self.seed} {episode.setup.deal.seed}")
        memory = _one_of(plan.begin(seen), drawn)
        for node, following in pairwise(path):
            place, release, onward = node.place, following.release, following.place
            assert place is not None
            assert release is not None
            assert onward is not None
            offer = turns.offer(0, place, node.acts, node.registers)
            # As many draws as there, where the plan leaves something to chance.
            _one_of(plan.chances(memory, offer), drawn)
            done = release.choices
            own = next(
                (o for o in offer.options if all(done.get(n) == option for n, option in o)), ()
            )
            before = {**machine.here(place, node.registers), OVER: False}
            now = {**machine.here(place, following.registers), OVER: False}
            made = frozenset(name for act in node.acts for name, _ in act.choose)
            (seen,), waiting = sight.after(place, onward, made, before, now, waiting)
            memory = plan.after(memory, offer, own, seen)
        last = path[-1]
        assert last.place is not None
        offer = turns.offer(0, last.place, last.acts, last.registers)
        return _one_of(plan.chances(memory, offer), drawn)


def _one_of(ways: Any, drawn: random.Random) -> Any:
    """Return one of several things, drawn with their chances."""
    pairs = [*ways]
    if len(pairs) == 1:
        return pairs[0][0]
    return drawn.choices([what for what, _ in pairs], [float(chance) for _, chance in pairs])[0]
