"""Which options of a seat's choices are a best reply to some habits of the other seats.

An option that never is one tells people nothing: whoever plays well never chooses it. Plays are
small (few repetitions, numbers from a grid of three), habits are simple: an option, chance, the
truth, or what another choice says, straight or reversed.
"""

import itertools
import math
import random

from nip_core import specification
from nip_core.errors import UnsupportedError
from nip_core.language import Habit, Specification
from nip_core.language.data import CHANCE, TASK
from nip_core.values import play_values
from tests.language.zoo import in_full

SMALL = {"rounds": 1, "later_rounds": 1, "steps": 2, "depth": 1, "audits": 1}
MOST_OPTIONS, MANY = 4, 8
MOST_OWN, MOST_OTHERS, FEW_OTHERS = 60, 60, 15
MOST_STEPS = 5_000
CLOSE = 1e-9


def small(name):
    """Return a published protocol of which all plays are known in a moment."""
    known = dict(specification(name).settings)
    document = in_full(specification(name, **{k: v for k, v in SMALL.items() if k in known}))
    for choice in document["choices"].values():
        if isinstance(grid := choice["options"], dict) and choice["by"] != CHANCE:
            low, high = (int(known.get(grid[end], grid[end])) for end in ("from", "to"))
            if high - low >= MOST_OPTIONS:
                # The two ends where many numbers are chosen, otherwise also the middle.
                grid["step"] = high - low if len(document["choices"]) > MANY else (high - low) // 2
    return Specification.from_dict(document)


def _constant(spec, name):
    return [(Habit(name, {option: 1}),) for option in spec.options[name]]


def _follows(spec, name, among=None):
    """Yield the habits of a choice that follows another one, option by option."""
    options = spec.options[name]
    for other in spec.options if among is None else among:
        ends = spec.options[other]
        if other != name and len(ends) == len(options) <= MOST_OPTIONS:
            for order in (ends, ends[::-1]):
                pairs = zip(options, order, strict=True)
                yield (Habit(name, {mine: f"1 if {other} = {one} else 0" for mine, one in pairs}),)
        elif len(options) == 2 and len(ends) == 3 and isinstance(ends[1], int):
            high = f"{other} > {ends[1]}"
            weights = {options[0]: f"0 if {high} else 1", options[1]: f"1 if {high} else 0"}
            yield (Habit(name, weights),)
    for value in spec.values if len(options) == 2 and among is None else ():
        for first, second in (options, options[::-1]):
            weights = {
                first: f"1 if {value.name} = 0 else 0",
                second: f"0 if {value.name} = 0 else 1",
            }
            if spec.expression(value.name).kind.name == "number":
                yield (Habit(name, weights),)


def _knows(spec, name, stage=None):
    """Yield the habit of an estimate that knows what it is about."""
    if name in spec.roles.estimates and len(spec.options[name]) == 3:
        event = spec.roles.estimates[name]
        low, _, high = spec.options[name]
        holds = f"{event.about} = {event.option}"
        weights = {high: f"1 if {holds} else 0", low: f"0 if {holds} else 1"}
        yield Habit(name, weights, stage=stage)


def _believes(spec, name):
    """Yield the habits of an estimate that in the last stage believes what another choice says."""
    if name in spec.roles.estimates and len(spec.options[name]) == 3:
        low, _, high = spec.options[name]
        for other, ends in spec.options.items():
            if len(ends) == 2:
                pairs = zip((high, low), ends, strict=True)
                weights = {mine: f"1 if {other} = {one} else 0" for mine, one in pairs}
                yield (Habit(name, weights, stage=spec.stages[-1].name),)


def ways_of_others(spec, name):
    """Return the habits that others may have for a choice; empty where chance decides."""
    if spec.choice(name).by == TASK and name != spec.roles.truth:
        return _constant(spec, name)
    found = [(), *_constant(spec, name), *_follows(spec, name), *_believes(spec, name)]
    return found + [(habit,) for habit in _knows(spec, name)]


def ways_of_own(spec, name):
    """Return the ways to make a choice: always the same, as chance says, or better at the end."""
    last = spec.stages[-1].name
    middle = spec.options[name][len(spec.options[name]) // 2]
    learns = [(habit, Habit(name, {middle: 1})) for habit in _knows(spec, name, last)]
    drawn = {choice.name for choice in spec.choices if choice.by == CHANCE}
    return [*_constant(spec, name), *_follows(spec, name, drawn), *learns]


def _some(rng, lists, most):
    """Return all combinations, or some of them if there are more than `most`."""
    if math.prod(map(len, lists)) <= most:
        return [*itertools.product(*lists)]
    return [tuple(map(rng.choice, lists)) for _ in range(most)]


def never_best(name, known=()):
    """Return the options of each choice of each seat that are a best reply to nothing.

    Only habits of others count against which not everything is paid the same. Where only options of
    choices are left that are known to have such options, few more habits are tried.
    """
    spec, rng = small(name), random.Random(name)
    found = {}
    for seat in spec.seat_names:
        own = [choice.name for choice in spec.choices if choice.by == seat]
        others = [c.name for c in spec.choices if c.by not in (seat, CHANCE)]
        good = {(choice, option) for choice in own for option in spec.options[choice]}
        paid_at_all = any(dict(pay.to).get(seat) for pay in spec.pay)
        tried = _some(rng, [ways_of_others(spec, other) for other in others], MOST_OTHERS)
        for number, theirs in enumerate(tried):
            unknown = {choice for choice, _ in good}.difference(known)
            if not paid_at_all or not (unknown or (good and number < FEW_OTHERS)):
                break
            mine = _some(rng, [ways_of_own(spec, choice) for choice in own], MOST_OWN)
            try:
                paid = [_paid(spec, seat, (*way, *theirs)) for way in mine]
            except UnsupportedError:
                continue
            top = max(paid)
            if top - min(paid) < CLOSE:
                continue
            for way, amount in zip(mine, paid, strict=True):
                if top - amount < CLOSE:
                    good -= {(h.choice, o) for habits in way for h in habits for o in h.weights}
        for choice, option in sorted(good, key=str):
            found.setdefault(choice, []).append(option)
    return found


def _paid(spec, seat, ways):
    habits = [habit for way in ways for habit in way]
    # Where chance decides much, there are too many plays.
    return float(play_values(spec, habits, exact=False, plays=0, most=MOST_STEPS).means[seat])
