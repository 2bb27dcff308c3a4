"""Tests of text.py: the text beside the picture follows edits, and keeps what has not changed."""

import random

from nip_core import published_names
from nip_core.editing import Draft, do, follow, text_of
from nip_core.language import load_specification
from tests.depth import each, exhaustive, seeds
from tests.editing.at_random import gesture_at_random
from tests.editing.steps import made
from tests.language.zoo import PATHS

MINE = """\
# A debate of mine.
name = "mine"   # short
verdict = "verdict"

[seats]
# who argues
alice = { title = "Alice",   argues = "A" }   # first
bob = { title = "Bob", argues = "B" }
judge = "Judge"  # decides

[channels]
debate = "everyone"

[choices]
truth = { by = "task", options = ["A", "B"], seen = "end" }
verdict = { by = "judge", options = ["A", "B"] }

# The arguments.
[[stages]]
name = "arguments"
times = 3
turns = [
  # both at once
  { alice = "debate", bob = "debate" },  # no order
  # and the judge asks
  { judge = "debate" },
]

# The end.
[[stages]]
name = "judgement"
turns = [{ judge = { choose = "verdict" } }]

# What for.
[[pay]]
to = "judge"
amount = 1   # one
when = "verdict = truth"
"""


def followed(text, *steps):
    draft = Draft.of(load_specification(text))
    for step in steps:
        after = made(draft, step)
        text = follow(text, draft, after)
        assert load_specification(text) == after.spec
        draft = after
    return text


def lines_changed(text, *steps):
    """Return the lines that are new after some gestures, and those that are gone."""
    before, after = (each_text.split("\n") for each_text in (text, followed(text, *steps)))
    return [x for x in after if x not in before], [x for x in before if x not in after]


@each(
    "step, new, gone",
    [
        (("repeat", {"stage": 0, "times": 2}), ["times = 2"], ["times = 3"]),
        (
            ("call", {"kind": "seat", "name": "judge", "title": "Umpire"}),
            ['umpire = "Umpire"  # decides'],
            ['judge = "Judge"  # decides'],
        ),
        (
            ("change_pay", {"number": 0, "amount": 2}),
            ["amount = 2   # one"],
            ["amount = 1   # one"],
        ),
        (
            ("clear", {"seat": "judge", "stage": 0, "turn": 1}),
            ["  {},"],
            ['  { judge = "debate" },'],
        ),
        (("set_setting", {"name": "prize", "value": 2}), ["settings = { prize = 2 }"], []),
        (("add_part", {"title": "question"}), ["[parts]", 'question = "everyone"'], []),
    ],
)
def test_only_what_changes_is_written_anew(step, new, gone):
    written, removed = lines_changed(MINE, step)
    if step[0] == "call":
        # Its name stands in other places, too.
        assert new[0] in written
        assert gone[0] in removed
    else:
        assert (written, removed) == (new, gone)


def test_comments_stay_with_what_they_are_about():
    text = followed(
        MINE,
        ("reorder", {"kind": "seat", "name": "judge", "to": 0}),
        ("add_stage", {"stage": 1, "title": "closing"}),
        ("write", {"seat": "bob", "channel": "debate", "stage": 1, "turn": 0}),
        ("move_turn", {"stage": 0, "turn": 1, "to_stage": 0, "to_turn": 0}),
        ("remove", {"kind": "channel", "name": "debate"}),
    )
    for comment in (
        "# A debate of mine.",
        "# short",
        "# who argues",
        "# decides",
        "# The end.",
        "# one",
    ):
        assert comment in text, comment
    assert text.index("judge =") < text.index("# who argues") < text.index("alice =")
    assert text.index('[[stages]]\nname = "closing"') < text.index("# The end.")


def test_json_and_other_styles_are_written_anew():
    draft = Draft.of(load_specification(MINE))
    after = made(draft, ("add_seat", {"title": "Critic"}))
    for odd in ('seats.alice.title = "Alice"\n', "[stages.turns]\n", "not TOML at all"):
        assert load_specification(follow(odd, draft, after)) == after.spec


def test_from_text_to_picture_is_one_gesture():
    draft = Draft.of(load_specification(MINE))
    result = do(draft, "become", {"document": MINE.replace("times = 3", "times = 5")})
    assert [edit.field for edit in result.edits] == ["times"]
    assert result.words == "edit the text"
    wrong = do(draft, "become", {"document": MINE.replace('"judge"', '"juge"')})
    assert wrong.refused.mistakes[0].line > 0


def walk(name, rng, steps):
    text = PATHS[name].read_text("utf-8")
    draft = Draft.of(load_specification(text))
    for _ in range(steps):
        result = do(draft, *gesture_at_random(rng, draft.document))
        text = follow(text, draft, result.draft)
        assert load_specification(text) == result.draft.spec
        draft = result.draft
    assert load_specification(text_of(draft)) == draft.spec


@each("name", ["open_debate", "jury", "trusted_monitor"])
def test_text_follows_random_gestures(name):
    walk(name, random.Random(1), 4)


@exhaustive
@each("seed", seeds(100))
def test_texts_follow_random_gestures(seed):
    rng = random.Random(seed)
    walk(rng.choice(published_names()), rng, 10)
