"""Tests of collecting.py and nip_core/mistakes.py.

All mistakes of a document are found at once, each with its place, and none that follows from
another.
"""

import random

import pytest

from nip_core.errors import SpecError
from nip_core.language import load_specification
from nip_core.mistakes import Mistake
from tests.depth import each, seeds
from tests.growth import seconds
from tests.language.zoo import PATHS, PUBLISHED


def mistakes(document):
    """Return the mistakes of a document that has some."""
    with pytest.raises(SpecError) as refused:
        load_specification(document)
    return refused.value.mistakes


def places(document):
    """Return the places of a document's mistakes, in words."""
    return [mistake.place for mistake in mistakes(document)]


def text_of(*changes):
    """Return a small protocol as TOML, with some texts replaced by others."""
    text = """\
name = "small"
verdict = "verdict"
settings = { rounds = 2 }

[seats]
ann = { title = "Ann", argues = "A" }
judge = "Judge"

[channels]
debate = "everyone"

[choices]
truth = { by = "task", options = ["A", "B"] }
verdict = { by = "judge", options = ["A", "B"] }

[[stages]]
name = "talk"
times = "rounds"
turns = [
  { ann = "debate" },
  { judge = { say = "debate", when = "repeat = 1" } },
]

[[stages]]
name = "judgement"
turns = [{ judge = { choose = "verdict" } }]

[[pay]]
to = "judge"
amount = "1 if verdict = truth else 0"
"""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def test_the_small_protocol_is_right():
    load_specification(text_of())


def test_mistakes_of_reading_and_of_meaning_are_found_together():
    found = mistakes(
        text_of(
            ('title = "Ann"', 'titel = "Ann"'),
            ('by = "judge"', 'by = "jugde"'),
            ('times = "rounds"', 'times = "often"'),
            ("repeat = 1", "repeat = 1 + true"),
            ("= truth else 0", "= truht else 0"),
        )
    )
    assert [(m.line, m.column, m.place) for m in found] == [
        (6, 9, "seat 'ann', titel"),
        (14, 19, "choice 'verdict', by"),
        (18, 10, "stage 'talk', times"),
        (21, 52, "stage 'talk', turn 2, judge, when"),
        (30, 26, "pay 1, amount"),
    ]
    assert all(mistake.remedy or "must be" in mistake.message for mistake in found[:3])


def test_a_mistake_says_its_place_as_data():
    (mistake,) = mistakes(text_of(("repeat = 1", "repeat = ")))
    assert mistake.path == ("stages", 0, "turns", 1, "judge", "when")
    assert (mistake.kind, mistake.field) == ("turn", "when")
    assert mistake.numbers == {"stage": 1, "turn": 2}
    (mistake,) = mistakes(text_of(("1 if", "")))
    assert (mistake.kind, mistake.numbers, mistake.field) == ("pay", {"pay": 1}, "amount")
    assert str(mistake).startswith("line 30, column ")
    assert [Mistake(path, "").kind for path in ((), ("seats",), ("seats", "judge"))] == [
        *("protocol", "protocol", "seat")
    ]


def test_one_cause_is_one_mistake():
    """What says something about a choice that cannot be used is not reported."""
    spoilt = text_of(('by = "judge", options = ["A", "B"]', 'by = "judge", options = []'))
    assert places(spoilt) == ["choice 'verdict', options"]
    spoilt = text_of(('verdict = { by = "judge"', 'verdct = { by = "judge"'))
    (mistake,) = [m for m in mistakes(spoilt) if m.name == "verdict"]
    assert mistake.more == 2
    assert "(The same in 2 more places.)" in str(mistake)
    assert places(text_of(("[choices]", "[choises]"))) == ["choises"]
    assert places(text_of(('by = "task", options', 'by = "task", optoins'))) == [
        "choice 'truth', optoins"
    ]
    # A wrong act is not said to do nothing.
    assert places(text_of(('{ ann = "debate" }', "{ ann = { say = 3 } }"))) == [
        "stage 'talk', turn 1, ann, say"
    ]


@each(
    ("old", "remedy"),
    [
        ('{ title = "Ann", argues = "A" }', "Write { title = ..., argues = ... }."),
        ('{ by = "judge", options = ["A", "B"] }', "Write { by = ..., options = ... }."),
    ],
)
def test_what_is_no_object_is_refused_with_the_fields_of_one(old, remedy):
    (mistake,) = mistakes(text_of((old, "3")))
    assert (mistake.message, mistake.remedy) == ("it is 3, not an object.", remedy)


def test_many_mistakes_are_counted_and_few_are_said():
    turn = "{ ann = { say = 'debate', when = 'rounds + NUMBER' } }"
    turns = ", ".join(turn.replace("NUMBER", str(n)) for n in range(80))
    with pytest.raises(SpecError) as refused:
        load_specification(text_of(('{ ann = "debate" },', turns + ",")))
    assert len(refused.value.mistakes) == 50
    said = str(refused.value)
    assert said.startswith("Protocol 'small' has 50 mistakes or more:\n- line 20, column ")
    assert said.endswith("\nAnd 40 more.")
    assert said.count("\n") == 11


@each("seed", seeds(100))
def test_a_mistake_that_is_put_into_a_file_is_found_on_its_line(seed):
    random_ = random.Random(seed)
    lines = PATHS[random_.choice(PUBLISHED)].read_text("utf-8").split("\n")
    numbers = [n for n, line in enumerate(lines) if line.startswith(("amount = ", "family = "))]
    number = random_.choice([*numbers, lines.index(next(x for x in lines if "name = " in x))])
    lines[number] = lines[number].split(" = ")[0] + " = []"
    found = mistakes("\n".join(lines))
    assert [mistake.line for mistake in found] == [number + 1]


def refusal(text):
    """Return the error with which a text is refused; one without mistakes if it is right."""
    try:
        load_specification(text)
    except SpecError as error:
        return error
    return SpecError()


@each("seed", seeds(300))
def test_damaged_files_are_right_or_refused_with_lines(seed):
    """Characters of a published file are replaced, moved or left out."""
    random_ = random.Random(seed)
    text = [*PATHS[random_.choice(PUBLISHED)].read_text("utf-8")]
    for _ in range(random_.choice((1, 1, 2, 5, 20))):
        place = random_.randrange(len(text))
        text[place] = random_.choice(("", "x", '"', "=", "[", "}", ",", "“", " ", text[place - 1]))
    damaged = "".join(text)
    found = refusal(damaged).mistakes
    assert all(1 <= m.line <= damaged.count("\n") + 1 and m.column for m in found)
    for fix in (mistake.fix for mistake in found if mistake.fix is not None):
        assert 0 <= fix.start <= fix.end <= len(damaged)
        assert fix.applied(damaged) != damaged


HEAD = 'name = "x"\n[seats]\na = "A"\n'
TALK = HEAD + "[channels]\nc = 'everyone'\n[[stages]]\nname = 's'\nturns = ["


def said(count, condition):
    """Return a text with a turn for each of many conditions."""
    turns = (f"{{a={{say='c',when='{condition(number)}'}}}}" for number in range(count))
    return TALK + ",".join(turns) + "]"


@each(
    "text",
    [
        HEAD + "".join(f"key{n} = 1\n" for n in range(9_000)),
        HEAD + "[[stages]]\nname='s'\n" + "".join(f"turns{n} = 1\n" for n in range(7_000)),
        HEAD + "x: 1\n" * 19_000,
        HEAD + "x = [" + "1 " * 49_000,
        HEAD + "".join(f"c{n} = 'x'\n" for n in range(7_500)) + "z: 1\n",
        HEAD + 'x = "' + "”" * 99_000,
        HEAD + "".join(f"[t{n}]\n" for n in range(9_000)) + "z: 1",
        said(3_500, lambda n: f"u{n}"),
        said(3_500, lambda n: f"u > {n}"),
        said(380, lambda n: "a && " * 50),
        said(340, lambda n: "? : " * 70),
        said(330, lambda n: "a" + " " * 280 + "?"),
        HEAD + "".join(f"[[stages]]\nname='s{n}'\nturns=[]\ntimes='q{n}'\n" for n in range(1_900)),
    ],
)
def test_many_mistakes_are_found_at_once_and_soon(text):
    def read():
        with pytest.raises(SpecError):
            load_specification(text)

    assert len(text) <= 110_000
    assert seconds(read, 1) < 1
