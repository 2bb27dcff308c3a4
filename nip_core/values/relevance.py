"""Which choices and values can matter for what is measured; all others need not be played out.

A choice matters if a measured result depends on it, if the course of play does, or if it may tell
somebody something about another one that matters. So names are joined that are read together: by
how a choice is made, by a value that is collected or shown, by a plan. Those that end up apart from
all results are independent of them, whatever anybody sees and does: the membership bits of a proof
on sets are no news of the truth for somebody who replies to chance. If it may still matter that
such a choice was made at all, solvers are shown only that.
"""

from __future__ import annotations

from collections.abc import Iterable

from nip_core.budget import TURNS, spend
from nip_core.language.data import ALWAYS, Option, Turn
from nip_core.language.expressions import OVER, REPEAT, earlier
from nip_core.language.given import GivenPlay
from nip_core.language.specification import Specification
from nip_core.language.structure import taken
from nip_core.values.features import Results
from nip_core.values.sight import Sight

__all__ = ["relevant"]

_RESULTS = ""


def relevant(
    spec: Specification,
    play: GivenPlay,
    results: Results,
    sight: Sight,
    free: frozenset[str],
    noticed: Iterable[Iterable[str]],
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the choices and values that matter, and those that matter only in being made.

    Parameters
    ----------
    spec : Specification
    play : GivenPlay
        How choices are made that are not free.
    results : Results
        What is measured.
    sight : Sight
        What sides are shown.
    free : frozenset of str
        The seats whose choices are free, or made by plans.
    noticed : iterable
        For each plan, the names of its choices and of all that it takes notice of.
    """
    joined, only_made = _Joined(spec), set[str]()
    # Values tell, too, that something was chosen on which they depend.
    valued = {n for value in spec.collected for n in value.at}
    valued = valued.union(*(value.changed_by for values in sight.values for value in values))
    for number in results.wanted:
        joined.join({_RESULTS, *results.reads[number]})
    joined.join({_RESULTS, *results.at})
    limited = {choice for choice, _, _ in spec.option_limits if spec.choice(choice).by in free}
    joined.join({_RESULTS, *limited})
    for index, stage in enumerate(spec.stages):
        for turn in stage.turns:
            for _, condition in turn.then:
                joined.join({_RESULTS, *spec.expression(condition).reads})
            asked: dict[str, set[str]] = {}
            anyway, varied = _chosen_anyway(turn), _with_other_options(turn)
            for act in turn.acts:
                names = {choice for choice, _ in act.choose}
                telling = names - anyway.get(act.seat, frozenset())
                reads = asked.setdefault(act.seat, set())
                reads |= spec.expression(act.when).reads - {OVER, REPEAT}
                if reads:
                    # That something was chosen at all tells why; what was chosen tells more only
                    # if the act decides what is open.
                    joined.join({_RESULTS, *reads, *(telling & (valued | varied))})
                    only_made |= telling - valued - varied
                if act.total is not None:
                    joined.join(names)
                for choice in names:
                    joined.join({choice, *play.reads(choice, index)})
    for choice in spec.drawn:
        joined.join({choice.name, *play.reads(choice.name, None)})
    for value in spec.collected:
        joined.join({value.name, *value.at, *spec.names.collecting(value.name).reads})
    for values in sight.values:
        for value in values:
            joined.join({*value.expression.reads, *value.changed_by})
    for names in noticed:
        joined.join({*names})
    found = joined.with_results()
    return found, frozenset(only_made - found)


def _chosen_anyway(turn: Turn) -> dict[str, frozenset[str]]:
    """Return what each seat chooses in any case: that it does so tells nothing.

    A debater who may show evidence if it has some, and nothing otherwise, places a bet either way.
    """
    common: dict[str, set[tuple[str, tuple[Option, ...]]]] = {}
    sure = {act.seat for act in turn.acts if act.when == ALWAYS}
    for act in turn.acts:
        common.setdefault(act.seat, set(act.choose)).intersection_update(act.choose)
    return {seat: frozenset(name for name, _ in common[seat]) for seat in sure}


def _with_other_options(turn: Turn) -> set[str]:
    """Return the choices for which acts of the turn open different options."""
    opened: dict[str, set[tuple[Option, ...]]] = {}
    for act in turn.acts:
        for name, options in act.choose:
            opened.setdefault(name, set()).add(options)
    return {name for name, found in opened.items() if len(found) > 1}


class _Joined:
    """Names in groups, which grow together."""

    def __init__(self, spec: Specification) -> None:
        self._up = {_RESULTS: _RESULTS}
        for choice in spec.choices:
            self._up[choice.name] = choice.name
            self._up[earlier(choice.name)] = choice.name
        for choice, option, _ in spec.option_limits:
            self._up[taken(choice, option)] = choice
        for value in spec.collected:
            self._up[value.name] = value.name
        self._names = {_RESULTS, *spec.options, *(value.name for value in spec.collected)}

    def _top(self, name: str) -> str:
        while self._up[name] != name:
            self._up[name] = name = self._up[self._up[name]]
        return name

    def join(self, names: set[str]) -> None:
        spend(2 * len(names), TURNS)
        known = [self._top(name) for name in names if name in self._up]
        for name in known[1:]:
            self._up[self._top(name)] = self._top(known[0])

    def with_results(self) -> frozenset[str]:
        top = self._top(_RESULTS)
        return frozenset(n for n in self._names if n and self._top(n) == top)
