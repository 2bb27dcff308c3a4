"""Tests of json_text.py, csv.py, hashing.py, printable.py, python_text.py, shapes.py and
toml_text.py.

Untrusted documents: reading is bounded and linear, and refuses with the caller's own error.
"""

import json
import re
import sys
import tracemalloc
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.documents import TRANSCRIPT, Limits, as_fields, first_repeated, parse_json, plain_copy
from nip_core.errors import NipError, TaskFileError, TranscriptError, UnknownNameError, show
from nip_core.tasks import load_tasks
from nip_core.transcript import load
from tests.depth import cases, each
from tests.growth import seconds
from tests.odd import json_values

SMALL = Limits(size=1_000, values=20, depth=5, digits=10)


def many_keys(count: int) -> bytes:
    """An object with many keys, the last of them twice."""
    keys = ",".join(f'"{i}":0' for i in range(count))
    return f'{{{keys},"{count - 1}":1}}'.encode()


READERS = {
    "a task file": lambda count: load_tasks(b"[" + many_keys(count) + b"]", "x.json"),
    "a line of tasks": lambda count: load_tasks(many_keys(count) + b"\n", "x.jsonl"),
    "a table of tasks": lambda count: load_tasks(
        ",".join(f"c{i}" for i in range(count)).encode() + b",c0\n1\n", "x.csv"
    ),
    "a transcript": lambda count: load(many_keys(count)),
    "quotation marks": lambda count: load('"' + '\\"' * count),
    "quotation marks in tasks": lambda count: load_tasks(b'["' + b'\\"' * count, "x.json"),
}


@each("read", READERS.values())
def test_reading_is_linear(read):
    def refused(count):
        try:
            said = read(count).summary()  # unusable lines are reported one by one
        except NipError as error:
            said = str(error)
        assert 0 < len(said) < 500

    refused(10)  # imports and compilation, once
    few = seconds(lambda: refused(1_000))
    many = seconds(lambda: refused(16_000), enough=64 * few)
    assert many < 64 * few  # the ratio is 16 for proportional cost, 256 for a loop within a loop


@each(
    ("text", "said"),
    [
        ('{"a": 1, "a": 2}', "gives the key 'a' twice"),
        ('{"a": 1e999}', "the number 1e999, which is too large"),
        ("[-1e999]", "the number -1e999"),
        ("1" + "0" * 10, "number has over 10 digits"),
        ("0." + "1" * 10, "number has over 10 digits"),
        ("[NaN]", "NaN, which is no JSON number"),
        ("[-Infinity]", "-Infinity, which is no JSON number"),
        ("[" * 6 + "]" * 6, "more than 5 levels deep"),
        ('{"a":' * 6, "more than 5 levels deep"),
        ("[" + "1," * 21 + "1]", "more than 20 values"),
        ("[" + "{}," * 11 + "{}]", "more than 20 values"),
        ('"' + "x" * 1_000, "has 1,001 characters"),
        (b'"' + b"x" * 1_000, "has 1,001 bytes"),
        (b"\xff", "not text in UTF-8"),
        ("", "not JSON"),
        ("[1] 2", "Extra data"),
    ],
)
def test_every_bound_is_named(text, said):
    for kind in (TaskFileError, TranscriptError):
        with pytest.raises(kind) as caught:
            parse_json(text, SMALL, kind, "The thing")
        assert said in str(caught.value)
        assert str(caught.value).startswith("The thing ")
        assert len(str(caught.value)) < 200


def test_what_stands_in_strings_does_not_count():
    text = json.dumps(["[[[[[[[[,,,,{{{{" * 5, "\\", '"[', 1e-9, -0.0, "\ud800"])
    assert parse_json(text, SMALL, TranscriptError) == json.loads(text)


@settings(max_examples=cases(200))
@given(json_values(leaves=10), st.booleans())
def test_what_is_json_is_read_as_it_is(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert parse_json(text, TRANSCRIPT, TranscriptError) == value
    assert plain_copy(value, TRANSCRIPT, TranscriptError) == value


@settings(max_examples=cases(300))
@given(st.text(alphabet='[]{}":,\\019eE.-+NaIu \x00\ud800é', max_size=40))
def test_a_text_is_read_like_json_or_refused(text):
    try:
        found = parse_json(text, SMALL, TranscriptError)
    except TranscriptError:
        return
    assert json.loads(text) == found


@each("value", [{1, 2}, float("nan"), {"a": [float("inf")]}, b"x", {1: 0, "1": 0}, {(1,): 2}])
def test_a_document_of_python_objects_is_as_good_as_its_text(value):
    with pytest.raises(TranscriptError):
        plain_copy(value, TRANSCRIPT, TranscriptError)
    loop: list = []
    loop.append(loop)
    with pytest.raises(TranscriptError):
        plain_copy(loop, TRANSCRIPT, TranscriptError)


def test_pythons_own_limit_on_digits_is_not_relied_on():
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        with pytest.raises(TranscriptError, match="number has over 4,300 digits"):
            load("1" * 1_000_000)
    finally:
        sys.set_int_max_str_digits(before)


@given(st.lists(st.sampled_from("abcdef")))
def test_the_first_key_that_is_repeated_is_named(keys):
    twice = first_repeated(keys)
    text = "{" + ",".join(f'"{key}": 0' for key in keys) + "}"
    if twice is None:
        assert parse_json(text, TRANSCRIPT, TranscriptError) == dict.fromkeys(keys, 0)
    else:
        with pytest.raises(TranscriptError, match=f"gives the key '{twice}' twice"):
            parse_json(text, TRANSCRIPT, TranscriptError)


@settings(max_examples=cases(500))
@given(st.text(alphabet='[]{}",\\ué', max_size=30))
def test_what_a_text_costs_is_found_as_a_walk_finds_it(text):
    """However much of the text is not JSON, no limit is missed up to that point."""
    inside, skip, depth, values, deepest = False, False, 0, 0, 0
    for mark in text:
        if skip or (inside and mark == "\\"):
            skip = not skip
        elif mark == '"':
            inside = not inside
        elif not inside:
            if mark == "\\":
                break
            values += mark in "[{,"
            depth += (mark in "[{") - (mark in "]}")
            deepest = max(depth, deepest)
            if depth < 0:
                break
    for limits in (Limits(99, values - 1, 99), Limits(99, values, deepest - 1)):
        if values and deepest:
            with pytest.raises(TranscriptError, match="more than"):
                parse_json(text, limits, TranscriptError)


@given(
    st.from_regex(r"-?(0|[1-9][0-9]{0,400})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,5})?", fullmatch=True)
)
def test_numbers_are_read_exactly_or_refused(number):
    value = float(number)
    fits = len(number) <= 300 and abs(value) != float("inf")
    if "." not in number and "e" not in number.lower():
        fits, value = len(number) <= 300, int(number)
    limits = Limits(1_000, digits=300)
    if fits:
        assert parse_json(f"[{number}]", limits, TranscriptError) == [value]
    else:
        with pytest.raises(TranscriptError, match=r"digits|too large"):
            parse_json(f"[{number}]", limits, TranscriptError)


@given(st.lists(st.integers(0, 9)))
def test_what_is_repeated_is_found_where_it_is(items):
    twice = first_repeated(items)
    seen = [item for place, item in enumerate(items) if item in items[:place]]
    assert twice == (seen[0] if seen else None)


def test_messages_about_a_strangers_name_are_short_and_cheap():
    for name in ("x" * 5_000_000, 10**6_000, {"a": 1}, [[1]], b"x" * 1000, None):
        tracemalloc.start()
        try:
            said = str(UnknownNameError("agent", name, ("prover", "verifier")))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert len(said) < 300
        assert peak < 1_000_000
        assert len(show(name)) <= 60
    assert "Did you mean 'prover'?" in str(UnknownNameError("agent", "provr", ("prover",)))


def test_python_is_parsed_in_one_place():
    """Two threads that parse at once can fail; see `nip_core/documents/python_text.py`."""
    root = Path(__file__).parents[2]
    for folder in ("nip_core", "explorer", "pages"):
        for path in (root / folder).rglob("*.py"):
            calls = re.findall(r"ast\.(?:parse|literal_eval)\(", path.read_text(encoding="utf-8"))
            assert not calls or path.name == "python_text.py", path


@dataclass
class Measured:
    """A row as a data class describes it."""

    name: str
    kind: Literal["a", "b"]
    share: float
    size: int | None = None
    marks: Mapping[str, int] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)


def test_fields_have_the_types_of_their_class():
    row = {"name": "x", "kind": "a", "share": 1, "size": None, "marks": {"p": 2}, "more": {"q": []}}
    assert as_fields(row, Measured, "the row", error=NipError) == row
    short = {"name": "x", "kind": "b", "share": 0.5}
    assert as_fields(short, Measured, "the row", error=NipError) == short
    for wrong, said in (
        ({"name": 1}, "name of the row is 1; it must be a text"),
        ({"kind": "c"}, "kind of the row is 'c'; it must be one of a, b"),
        ({"kind": ["a"]}, "kind of the row"),
        ({"share": True}, "it must be a number"),
        ({"size": 0.5}, "it must be a whole number"),
        ({"marks": {"p": True}}, "it must be an object"),
        ({"more": []}, "it must be an object"),
        ({"sise": 1}, "'sise'. Did you mean"),
    ):
        with pytest.raises(NipError, match=re.escape(said)):
            as_fields(short | wrong, Measured, "the row", error=NipError)
    with pytest.raises(NipError, match="lacks the key 'share'"):
        as_fields({"name": "x", "kind": "b"}, Measured, "the row", error=NipError)
