"""Tests of budget.py, language/possible.py, language/liveness.py and language/turn_plans.py.

No document takes more work than its budget, and none by people comes near it.
"""

import json
import random
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.pictures import Shown, grid_of, picture, schedule_payload
from nip_core.budget import EXPRESSIONS, MOST_STEPS, TURNS, Budget, for_document, spend
from nip_core.errors import NipError, SpecError, StoppedError, TooLargeError
from nip_core.language import load_specification
from nip_core.language.possible import Pass, Possible
from tests.depth import cases, each, exhaustive
from tests.growth import seconds
from tests.language.hostile import document, fill, hostile, made, say
from tests.language.strategies import documents
from tests.language.zoo import everything

HOSTILE = hostile()
# Together they take most of a minute; these few are always tried.
ALWAYS = (
    "powers of powers",
    "products of tiny numbers",
    "everyone",
    "coins",
    "many acts",
    "totals",
)


def used(text: str, most: int = MOST_STEPS) -> tuple[int, str]:
    """Return the steps of loading, remarks and the picture, and the refusal."""
    with Budget(most) as budget:
        try:
            spec = load_specification(text)
            spec.lint()
            _ = grid_of(spec).rows
        except NipError as error:
            return budget.spent, str(error)
    return budget.spent, ""


@each(("name", "spec"), everything())
def test_published_protocols_take_a_twentieth(name, spec):
    steps, refused = used(json.dumps(spec.to_dict()))
    print(f"{name:40} {steps:7,} steps, {100 * steps / MOST_STEPS:.2f} %")
    assert refused == ""
    assert steps < MOST_STEPS * 0.05


def text_of(name: str) -> str:
    text = HOSTILE[name]
    return text if isinstance(text, str) else text()


def hold(name: str) -> None:
    refused = counted(text_of(name))
    assert refused == "" or refused.endswith(".")


def counted(text: str) -> str:
    """Check that nothing expensive goes uncounted; return the refusal."""
    found = []
    # The seconds are the processor's; half of one is for reading.
    took = seconds(lambda: found.append(used(text)), tries=2, enough=0.5)
    steps, refused = found[0]
    assert steps <= 1.2 * MOST_STEPS
    assert took <= 0.5 + 4 * min(steps, MOST_STEPS) / MOST_STEPS, (took, steps)
    return refused


@each("name", ALWAYS)
def test_hostile_documents_are_read_within_the_budget_or_refused(name):
    hold(name)


@exhaustive
@pytest.mark.parametrize("name", [name for name in HOSTILE if name not in ALWAYS])
def test_all_hostile_documents_are_read_within_the_budget_or_refused(name):
    hold(name)


def test_a_refusal_says_what_is_too_large_where_and_what_to_do():
    with Budget(2_000), pytest.raises(TooLargeError) as refused:
        load_specification(document(fill(99, lambda i: say(f"{i} + 1 + 2 > 3"))))
    for part in ("2,000 steps", "% of them for", "stopped at ", "Write fewer or shorter ones"):
        assert part in str(refused.value)


def test_budgets_within_each_other():
    calls = []
    with Budget(check=lambda: calls.append(1)) as outer:
        with Budget(100) as inner:
            spend(90, TURNS)
            with for_document() as document_budget:
                assert document_budget is inner
            with pytest.raises(TooLargeError, match="stopped at stage 'x'"):
                spend(90, EXPRESSIONS, "stage {!r}", "x")
        assert (outer.spent, calls) == (90, [])
        with for_document(7) as document_budget:
            assert (document_budget.most, document_budget.spent) == (MOST_STEPS, 7)
        spend(20_000, TURNS)
        assert calls == [1]
    spend(10**9, TURNS)  # without a budget, nothing is limited


def test_the_check_ends_the_work():
    def gone():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Budget(check=gone):
        load_specification(text_of("guards"))


def test_time_and_another_thread_end_the_work():
    cancelled = threading.Event()
    with Budget(cancelled=cancelled):
        spend(20_000, TURNS)
        cancelled.set()
        with pytest.raises(StoppedError, match="cancelled"):
            spend(20_000, TURNS)
    with Budget(seconds=60):
        spend(20_000, TURNS)
    with Budget(seconds=0), Budget(10**9), pytest.raises(StoppedError, match="No time was left"):
        spend(20_000, TURNS)


def test_more_steps_on_request():
    text = document(fill(99, lambda i: say(f"{i}=1")))
    with Budget(1_000), pytest.raises(TooLargeError):
        load_specification(text)
    with Budget(10 * MOST_STEPS):
        assert load_specification(text).lint()


def same(spec) -> None:
    """Check what can happen against a pass in which all choices are made in every way."""
    whole, found = Pass(spec, {*spec.options}), Possible(spec)
    assert (found.ways, found.went, found.paid) == (whole.ways, whole.went, whole.paid)
    assert found.has_verdict == (whole.verdicts.keys() != {(None, None)})


@settings(max_examples=cases(200), deadline=None)
@given(documents())
def test_what_can_happen_is_what_has_a_probability(document):
    try:
        spec = load_specification(document)
    except SpecError:
        return
    same(spec)


PAID = "majority(x0,x1,x2)"


@each(
    "spec",
    [
        document(
            [{"name": "q", "turns": [{"a": {"choose": ["x0", "x1", "x2"], **total}}]}],
            made({"from": 0, "to": 3}, count=3, **by),
            verdict=verdict,
            pay=[{"to": "a", "amount": amount, "when": when}],
        )
        for by, total in (({}, {}), ({}, {"total": 6}))
        for verdict in ("x0 if x1 > 2 else none", PAID, "none")
        for when in ("true", "x2 = 3", "x0 + x1 > 5", "x0 = 0 and x1 = 0 and x2 = 0")
        for amount in (PAID, f"1 if {PAID} = 3 else none", "at(x0, x1, 2)", "x1 / 2", "before(x0)")
    ],
)
def test_what_can_happen_does_not_depend_on_what_stands_for_a_choice(spec):
    same(load_specification(spec))


# -- a search for documents that take long ---------------------------------------------------------


@st.composite
def large(draw) -> str:
    """Return a document with many of some things."""
    number = st.sampled_from([1, 3, 12, 40])
    count, wide = draw(number), draw(st.sampled_from([2, 20, 1001]))
    options = {"from": 0, "to": wide - 1}
    choices = made(options, count=count, seen=draw(st.sampled_from(["everyone", []])))
    names, rng = [*choices], random.Random(draw(st.integers(0, 9)))
    joined = draw(st.sampled_from(["+", "*0+", "-"]))
    calls = draw(st.sampled_from(["{}", "mean({})", "max({})", "majority({})", "median({})"]))
    sums = joined.join(names) if calls == "{}" else calls.format(",".join(names))

    def turn(i):
        chosen = rng.sample(names, min(len(names), draw_few))
        return {"a": {"choose": chosen}, "b": {"say": "c", "when": f"{sums}>{i}"}}

    draw_few = draw(number)
    stages = [
        {
            "name": f"t{i}",
            "times": draw(st.sampled_from([1, 9, 900])),
            "turns": fill(draw(number), turn)[0]["turns"],
        }
        for i in range(draw(st.sampled_from([1, 2, 5])))
    ]
    pay = [{"to": "a", "amount": sums, "at": draw(st.sampled_from(["a", "end", names[0]]))}]
    return document(stages, choices, pay=pay * draw(number), verdict=sums)


@settings(max_examples=cases(40) // 5, deadline=None)
@given(large())
def test_no_document_takes_long_uncounted(text):
    counted(text)


def test_a_picture_is_refused_for_too_many_cells():
    seats, channels = {f"s{i}": "" for i in range(61)}, {f"c{i}": "everyone" for i in range(64)}
    spec = load_specification(
        document(fill(300, lambda _: {"a": "c0"}), seats=seats, channels=channels)
    )
    with pytest.raises(TooLargeError, match="cells of pictures, and is stopped at channel 'c"):
        schedule_payload([Shown(spec)], "grid")


def test_a_diagram_is_refused_for_too_many_arrows():
    """Its shapes are the product of turns, seats that write and seats that read."""
    seats = {f"s{i}": "" for i in range(40)}
    spec = load_specification(document(fill(40, lambda _: dict.fromkeys(seats, "c")), seats=seats))
    for draw in (
        lambda: schedule_payload([Shown(spec)], "sequence"),
        lambda: picture(spec, "sequence"),
    ):
        with pytest.raises(TooLargeError, match="cells of pictures"):
            draw()


def test_shapes_that_are_placed_on_paper_are_counted():
    spec = load_specification(document(fill(50, lambda _: {"a": "c"})))
    with Budget() as drawn:
        _ = grid_of(spec).rows
        before = drawn.spent
        shapes = picture(spec).shapes
    # Each for a light and a dark page.
    assert drawn.spent - before >= 2 * 10 * len(shapes)
