"""Tests of expressions.py and kinds.py.

Expressions: closed, typed, total, and evaluated as Python evaluates them.
"""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.errors import SpecError
from nip_core.language.expressions import Names, earlier
from tests.depth import cases, each
from tests.growth import seconds
from tests.language import reference
from tests.language.strategies import Writer

CHOICES = {
    "side": {"options": ["x", "y"]},
    "vote": {"options": ["u", "v", "w"]},
    "score": {"options": [0, 50, 100]},
    "pick": {"options": [1, 2]},
}
DOCUMENT = {"choices": CHOICES, "settings": {"scale": "1/3"}}
NAMES = Names(
    {name: tuple(choice["options"]) for name, choice in CHOICES.items()},
    {"scale": Fraction(1, 3)},
    3,
    labels=frozenset(("zed",)),
)


def worth(text, over=False, repeat=1, **made):
    registers = dict.fromkeys([*CHOICES, *map(earlier, CHOICES)]) | {"over": over, "repeat": repeat}
    for name, value in made.items():
        registers[earlier(name[7:]) if name.startswith("before_") else name] = value
    return NAMES.read(text).value(registers)


@settings(max_examples=cases(1_000), deadline=None)
@given(st.data())
def test_values_are_what_the_reference_finds(data):
    writer = Writer(data.draw, CHOICES)
    text = data.draw(st.sampled_from([writer.truth, writer.number, writer.option]))()
    found = NAMES.read(text)
    made, slow = {"over": data.draw(st.booleans()), "repeat": data.draw(st.integers(1, 3))}, {}
    for name, choice in CHOICES.items():
        options = st.sampled_from([None, *choice["options"]])
        made[name] = slow[name] = data.draw(options)
        made[earlier(name)] = slow["before", name] = data.draw(options)
    value = found.value(made)
    wanted = reference.value(DOCUMENT, text, slow, made["over"], made["repeat"])
    if isinstance(value, float):
        assert value == pytest.approx(wanted)
    else:
        assert value == wanted
    # What is known of an expression before any choice is right.
    kind = found.kind
    if kind.name == "truth":
        assert value in (True, False)
    elif value is not None and kind.name == "number":
        assert kind.low <= value <= kind.high
        if kind.whole:
            assert value == int(value)
        assert isinstance(value, float) <= (not kind.exact)
    elif value is not None:
        assert value in kind.options
    # It depends only on what it is said to read.
    for name in made.keys() - found.reads:
        assert found.value({key: v for key, v in made.items() if key != name}) == value


@each(
    ("text", "made", "value"),
    [
        ("quadratic(score, side = x)", {"score": 50, "side": "x"}, Fraction(3, 4)),
        ("log(80, side = x)", {"side": "x"}, math.log2(0.8)),
        ("log(80, side = x)", {"side": "y"}, math.log2(0.2)),
        ("log(0, true)", {}, math.log2(0.01)),
        ("log(0, true, 10, 0.1)", {}, -3),
        ("spherical(50, true)", {}, math.sqrt(0.5)),
        ("majority(vote, u, v)", {"vote": "w"}, None),
        ("majority(vote, u, v)", {"vote": "u"}, "u"),
        ("majority(vote, u)", {}, "u"),
        ("unanimous(vote, u)", {"vote": "u"}, "u"),
        ("other(side)", {"side": "x"}, "y"),
        ("other(side)", {}, None),
        ("at(pick, score, 7)", {"pick": 2}, 7),
        ("at(pick, score, 7)", {"pick": 1}, None),
        ("score < 50", {}, False),
        ("not score < 50", {}, True),
        ("side = none", {}, True),
        ("before(score) + 1", {"before_score": 50}, 51),
        ("power(2, repeat)", {"repeat": 3}, 8),
        ("(score + 3) mod 5", {"score": 50}, 3),
        ("-score mod 7", {"score": 50}, 6),
        ("-score div 7", {"score": 50}, -8),
        ("score mod 0.75", {"score": 50}, Fraction(1, 2)),
        ("score mod 5", {}, None),
        ("0 < score <= 50", {"score": 50}, True),
        ("0 < score < 50 = 50", {"score": 50}, False),
        ("count(score > 0, side = x, side = y)", {"score": 50, "side": "y"}, 2),
        ("count(score > 0)", {}, 0),
        ("sum(score, pick, 3)", {"score": 50, "pick": 2}, 55),
        ("sum(score, pick)", {"score": 50}, None),
        ("find(vote, u, v, w)", {"vote": "w"}, 3),
        ("find(pick, 2, score, pick)", {"pick": 2}, 1),
        ("find(vote, u, v)", {"vote": "w"}, None),
        ("1 - 2 - 3", {}, -4),
        ("2 - 3 * -4", {}, 14),
        ("1 if over else 2", {"over": True}, 1),
    ],
)
def test_worked_examples(text, made, value):
    assert worth(text, **made) == pytest.approx(value)


@each(
    ("text", "message"),
    [
        ("", "column 1: the end stands where a value is needed"),
        ("side = ", "column 7: the end stands where a value is needed"),
        ("side == x", "column 7: '=' stands where a value is needed"),
        ("1 < score != 3", "`!=` is not part of a chain"),
        ("1 != score < 3", "`!=` is not part of a chain"),
        ("score mod pick", "`mod` divides by a fixed number only"),
        ("score div -2", "a divisor above 0"),
        ("log(score, true) mod 2", "not rounded"),
        ("sum(score, side)", "sum: it takes numbers"),
        ("count(score)", "count: it takes conditions"),
        ("find(score)", "the values among which it is looked for"),
        ("count(pick = j for j in 1 + 2)", "after `in` stands a family, `others`, or numbers"),
        ("count(pick = 1 for 2 in 1..4)", "'2' stands where a name is needed"),
        ("mod mod", "column 8: the end stands where a value is needed"),
        ("import os", "'os' stands where the expression should end"),
        ("score.real", "'.' is not part of the language"),
        ("__import__(1)", "'__import__' is not a function"),
        ("'x'", '"\'" is not part of the language'),
        ("score ** 2", "'*' stands where a value is needed"),
        ("score / pick", "divides by a fixed number only"),
        ("1 / 0", "divides by a fixed number only"),
        ("1 / (1 - 1)", "divides by a fixed number only"),
        ("side = u", "which are never the same"),
        ("side < x", "compares numbers"),
        ("side = 1", "compares like with like"),
        ("side + 1", "`+` takes a number, not one of x, y"),
        ("1 and true", "`and` takes a condition, not a number"),
        ("1 if score else 2", "`if` takes a condition"),
        ("1 if over else side", "values of different kinds stand together"),
        ("none if over else true", "must be conditions. Write `false` for `none`"),
        ("other(vote)", "exactly two options, not u, v, w"),
        ("before(1)", "takes the name of a choice"),
        ("skore", "Did you mean 'score'?"),
        ("1e30 * 10", "it may be larger than 1e+30"),
        ("power(2, score)", "it may become too large"),
        ("power(1/1000, 1000)", "it may need too many digits; lower the exponent"),
        ("power(1/100, 900)", "it may need fractions with more than 1,204 digits"),
        ("power(2, 0 - 1)", "a whole number from 0"),
        ("power(repeat, scale)", "a whole number from 0"),
        ("1e999", "at most 40 digits"),
        ("log(score, over, 1)", "the base is a fixed number above 1"),
        ("log(score, over, 2, score)", "the floor a fixed percentage"),
        ("log(score, over, 1." + "0" * 30 + "1)", "its base is too close to 1"),
        ("mean()", "it takes numbers"),
        ("majority()", "it takes votes, which are all numbers or all options"),
        ("majority(over)", "it takes votes, which are all numbers or all options"),
        ("at(scale, 1)", "it takes a whole number"),
        ("(" * 100 + "1" + ")" * 100, "nested more than 40 deep"),
        ("not " * 100 + "true", "nested more than 40 deep"),
        ("+".join("1" * 200), "more than 300 words and signs"),
        ("1" * 2_000, "characters; at most 1,000"),
        (7, "an expression is a text"),
    ],
)
def test_expressions_outside_the_language_are_refused_with_the_reason(text, message):
    with pytest.raises(SpecError) as caught:
        NAMES.read(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


@settings(max_examples=cases(400))
@given(st.text(alphabet="()+-*/=<>!,.e019 sx_if&\n'\"\\ö", max_size=60) | st.text(max_size=40))
def test_any_text_is_read_or_refused(text):
    said = ""
    try:
        NAMES.read(text)
    except SpecError as error:
        said = str(error)
    assert len(said) < 600


@each("text", ["(" * 100_000, "1+" * 100_000, "9" * 1_000_000, "a" * 1_000_000, " " * 1_000_000])
def test_hostile_texts_are_refused_fast(text):
    def read():
        with pytest.raises(SpecError):
            NAMES.read(text)

    assert seconds(read) < 0.05


def test_words_of_operators_and_functions_may_be_names_of_choices():
    names = Names({"mod": (1, 2, 3), "sum": (4, 5), "count": ("div", "find")}, {}, 1)
    registers = {"mod": 3, "sum": 5, "count": "div"}
    assert names.read("sum mod 2 + mod").value(registers) == 4
    assert names.read("sum(sum, mod) div 3").value(registers) == 2
    assert names.read("count = div").value(registers) is True
    assert names.read("count(count = find, mod = 3)").value(registers) == 1
