"""Tests of formatting.py: a formatted file means the same, and is formatted once and for all."""

import json
import random
import tomllib

from hypothesis import given, settings

from nip_core.language import formatted, load_specification, toml_text
from nip_core.registry import published_document, published_names
from tests.depth import cases, each, seeds
from tests.language.newcomer import SMALL
from tests.language.strategies import documents
from tests.language.zoo import PATHS, PUBLISHED, published


def check(text):
    """Check that formatting changes nothing but the text, and return what it makes."""
    new = formatted(text)
    assert load_specification(new) == load_specification(text)
    assert formatted(new) == new
    return new


@each("name", PUBLISHED)
def test_files_mean_the_same(name):
    check(PATHS[name].read_text("utf-8"))
    spec = published(name)
    text = toml_text(spec.to_dict())
    assert load_specification(text) == spec
    assert check(json.dumps(spec.to_dict())) == text == check(text)


# One is too long for a published file if it is formatted.
UNFORMATTED = {"prover_estimator_recursive"}


@each("name", sorted({*published_names()} - UNFORMATTED))
def test_published_files_are_formatted(name):
    text = published_document(name)
    assert formatted(text) == text, "run `nip-explorer protocol fmt`"


@settings(max_examples=cases(200), deadline=None)
@given(documents())
def test_random_documents_mean_the_same(document):
    text = toml_text(document)
    tomllib.loads(text)
    try:
        spec = load_specification(document)
    except ValueError:
        return
    assert load_specification(text) == spec
    assert check(json.dumps(document)) == text


MESSY = """\
# A protocol
#  of two seats.

title = 'Small one'   # its title
name='small'
verdict="verdict"

[[stages]]
# talk comes first
times=2
name="talk"
turns=[{then={end="true"},ann=["debate"], judge={choose=["verdict"]}}]
[choices]
verdict = {seen="everyone",options=["A",
  "B", # the second
], by="judge"}
[seats.ann]
title = "Ann"
[seats.judge]
# of all
title = "The judge"
argues = "none"
[channels.debate]
seen = "everyone"
# the end
"""


def test_a_messy_file():
    assert (
        check(MESSY)
        == """\
# A protocol
#  of two seats.

name = "small"
# its title
title = "Small one"
verdict = "verdict"

[seats]
ann = "Ann"
# of all
judge = { title = "The judge", argues = "none" }

[channels]
# the end
debate = "everyone"

[choices]
# the second
verdict = { by = "judge", options = ["A", "B"] }

[[stages]]
name = "talk"
# talk comes first
times = 2
turns = [{ ann = "debate", judge = { choose = "verdict" }, then = { end = "true" } }]
"""
    )


@each("seed", seeds(60))
def test_comments_are_kept(seed):
    """A comment is put at the end of a line, or on a line of its own."""
    random_ = random.Random(seed)
    text = random_.choice((SMALL, MESSY, PATHS["michael_debate"].read_text("utf-8")))
    lines = text.split("\n")
    ends = [n for n, line in enumerate(lines) if line.endswith(("]", "}", "]]", ",")) or not line]
    for number in sorted(random_.sample(ends, 3), reverse=True):
        lines[number] += f" # comment {number} \"'"
    commented = "\n".join(lines)
    new = check(commented)
    assert sorted(line for line in new.split("\n") if "# comment" in line) == sorted(
        line[line.index("# comment") :] for line in lines if "# comment" in line
    )
    without = formatted(text)
    assert [line for line in new.split("\n") if line and line[0] != "#"] == [
        line for line in without.split("\n") if line and line[0] != "#"
    ]


def test_long_lists_are_broken_and_odd_texts_are_kept():
    readers = [f"reader number {number}" for number in range(12)]
    about = ("word " * 60).strip() + '\n\nA "second" one: C:\\ """ and more. ' + "x" * 120
    document = {
        "name": 'a "name" \x7f',
        "about": about,
        "simplified": "two  blanks " * 20,
        "seats": {"a b": "Ann", **dict.fromkeys(readers, "Reader")},
        "channels": {"floor": readers},
        "choices": {"pick": {"options": ["x", "y"], "by": "a b"}},
        "stages": [{"name": "s", "turns": [{"a b": {"choose": "pick"}}]}],
    }
    document["name"] = "a 'name'"
    text = toml_text(document)
    assert tomllib.loads(text)["about"] == about
    assert tomllib.loads(text) == document
    assert 'floor = [\n  "reader number 0", ' in text
    assert all(len(line) <= 100 for line in text.split("\n") if "xxx" not in line)
    check(text)


def test_the_line_for_editors_stays_at_the_top():
    line = "#:schema protocol-spec-2.json\n"
    titled = f'title = "Small"\n{SMALL}'
    for text in (SMALL, titled):
        assert check(line + text) == line + "\n" + check(text)
