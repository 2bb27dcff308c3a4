"""Which options flag an act as bad, worked out from what they pay."""

from __future__ import annotations

from itertools import product
from math import prod

from nip_core.displays import listed
from nip_core.language import Specification
from nip_core.language.data import Option
from nip_core.language.expressions import Value
from nip_core.values.evidence import Abstracted, first_answer

__all__ = ["flags", "options_in_words"]

# The most combinations of other choices over which a flag's pay is averaged.
MOST_COMBINATIONS = 10_000


def flags(game: Abstracted) -> dict[str, tuple[str, frozenset[Option]]]:
    """Return for each act that is the truth the choice that flags it, and which options do.

    The choice is the first one of another seat, in the order of turns, whose pay depends on the act
    and on what is chosen together. Its flags are the options that pay more after a bad act
    than after a good one: the difference is above the middle of what options have. Options
    of which a protocol allows only a number say nothing about how an act looks, so their choices do
    not count.
    """
    spec = game.document
    limited = {limit.of for limit in spec.limits}
    places = [name for _, _, act in spec.acts() for name, _ in act.choose]
    found: dict[str, tuple[str, frozenset[Option]]] = {}
    for truth in game.truths:
        maker = spec.choice(truth).by
        later = places[places.index(truth) + 1 :] if truth in places else []
        for name in dict.fromkeys(later):
            seat = spec.choice(name).by
            if seat in (maker, *game.experts) or seat not in spec.seat_names or name in limited:
                continue
            gains = _gains(spec, truth, name)
            least, most = min(gains.values(), default=0), max(gains.values(), default=0)
            if least < most:
                middle = (least + most) / 2
                flagging = frozenset(option for option, gain in gains.items() if gain > middle)
                found[truth] = (name, flagging)
                break
    return found


def _gains(spec: Specification, truth: str, name: str) -> dict[Option, float]:
    """Return what each option of a choice pays after a bad act, minus after a good one.

    Other choices that pay depends on count as equally likely. Pay by values that are collected
    over several turns is left out.
    """
    good, seat = first_answer(spec, truth), spec.choice(name).by
    gains: dict[Option, float] = dict.fromkeys(spec.options[name], 0.0)
    for pay in spec.pay:
        factor = dict(pay.to).get(seat)
        when, amount = spec.expression(pay.when), spec.expression(pay.amount)
        reads = when.reads | amount.reads
        if not factor or not {truth, name} <= reads <= spec.options.keys():
            continue
        others = sorted(reads - {truth, name})
        combinations = prod(len(spec.options[other]) for other in others)
        bad = [option for option in spec.options[truth] if option != good]
        if combinations > MOST_COMBINATIONS or not bad:
            continue
        for option in gains:
            for rest in product(*(spec.options[other] for other in others)):
                known: dict[str, Value] = {name: option, **dict(zip(others, rest, strict=True))}
                for act in spec.options[truth]:
                    known[truth] = act
                    if when.value(known):
                        share = -1.0 if act == good else 1 / len(bad)
                        paid = float(amount.value(known) or 0) * float(factor)
                        gains[option] += share * paid / combinations
    return gains


def options_in_words(options: frozenset[Option]) -> str:
    """Return options in words; numbers as a range."""
    numbers = sorted(option for option in options if isinstance(option, int))
    if len(numbers) > 2:
        return f"{numbers[0]} to {numbers[-1]}"
    return listed(map(str, numbers or sorted(map(str, options))))
