"""Tests of proofs in nip_core/language/protocols: they catch lies as often as their papers say.

Seats play by habits, and all plays are counted in fractions.
"""

from explorer.play import find_task, materials
from nip_core import specification
from nip_core.language import Habit, play_values


def by(spec, name, value):
    """Return the habit of a choice that is always what an expression says."""
    return Habit(name, {o: f"1 if ({value}) = {o} else 0" for o in spec.options[name]})


def either(spec, name, condition):
    """Return the habit of a choice with two options: the first one if a condition holds."""
    first, second = spec.options[name]
    return Habit(name, {first: f"1 if {condition} else 0", second: f"0 if {condition} else 1"})


def facts(spec, **values):
    return [Habit(name, {value: 1}) for name, value in values.items()]


def tasks(name):
    """Return the prepared tasks of a protocol."""
    spec = specification(name)
    return [find_task(spec, task, 0) for task in materials(spec)]


# -- refereed delegation ---------------------------------------------------------------------------


def stepped(state, times=1):
    for _ in range(times):
        state = f"((factor * {state} + shift) mod 7)"
    return state


def delegated(honest):
    """Return the habits of one honest server and of an honest referee."""
    spec = specification("refereed_delegation")
    server = [by(spec, f"{honest}{n}", stepped("start", n)) for n in (1, 2, 3, 4)]
    begins = "((start if a1 != b1 else a1) if a2 != b2 else a2 if a3 != b3 else a3)"
    said = "((a1 if a1 != b1 else a2) if a2 != b2 else a3 if a3 != b3 else a4)"
    return spec, [*server, either(spec, "ruling", f"{said} = {stepped(begins)}")]


def test_one_honest_server_is_enough():
    for honest in "ab":
        spec, habits = delegated(honest)
        run = facts(spec, start=1, factor=3, shift=1, result=2)
        # The other server answers at random, and so does everything that it can.
        assert play_values(spec, [*habits, *run], plays=0).verdicts == {2: 1}


def test_results_of_delegated_computations_are_right():
    for task in tasks("refereed_delegation"):
        state = task["start"]
        for _ in range(4):
            state = (task["factor"] * state + task["shift"]) % 7
        assert task["result"] == state, task["title"]
        assert all(str(task[fact]) in task["computation"] for fact in ("start", "factor", "shift"))
