"""The reader of people's documents, compared with another reader of JSON Schema."""

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.lessons.lesson import SCHEMA as LESSON
from explorer.studies.format import SCHEMA as STUDY
from nip_core.documents import checked, leaves, schema
from nip_core.errors import NipError
from tests.depth import cases, each

NAMES = ["a", "b", "c d"]
texts = st.sampled_from(["", "a", "b", "ab", "9", "x\n"])
values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 4) | st.sampled_from([0.5, 1.0, -0.0]) | texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*NAMES, "kind", "é"]), inner, max_size=3)
    ),
    max_leaves=8,
)

simple = st.one_of(
    st.builds(schema.text, st.just("A text."), minLength=st.integers(0, 1)),
    st.just(schema.text("A choice.", enum=["a", "b"])),
    st.just(schema.text("A pattern.", pattern="^[ab]+$")),
    st.builds(schema.whole, st.just("A number."), st.integers(-1, 1), st.integers(1, 3)),
    st.just(schema.whole("A version.", enum=[1])),
    st.builds(schema.number, st.just("A number."), st.none() | st.just(0), st.none() | st.just(2)),
    st.just(schema.flag("A flag.")),
    st.just(schema.anything("Anything.")),
    st.just(schema.one_or_more("Names.")),
)


def inside(inner):
    tables = st.builds(
        lambda properties, needed: schema.table(
            properties, "A table.", *(name for name in properties if name in needed)
        ),
        st.dictionaries(st.sampled_from(NAMES), inner, min_size=1, max_size=3),
        st.sets(st.sampled_from(NAMES)),
    )
    return st.one_of(
        tables,
        st.builds(
            schema.items,
            inner,
            st.just("A list."),
            minItems=st.integers(0, 2),
            uniqueItems=st.booleans(),
        ),
        st.builds(schema.by_name, inner, st.just("By name.")),
        st.builds(schema.one_of_kinds, st.fixed_dictionaries({"a": tables, "b": tables})),
    )


schemas = st.recursive(simple, inside, max_leaves=6)


def says(description, document):
    """Return the reader's error for a document; empty if it is valid."""
    try:
        checked(document, description, NipError, "here")
    except NipError as error:
        return str(error)
    return ""


def is_whole(value):
    """In JSON Schema, 1.0 is an integer and equals 1; in TOML and Python it does not."""
    return isinstance(value, float) and value.is_integer()


@settings(max_examples=cases(400), deadline=None)
@given(schemas, st.data())
def test_it_takes_what_json_schema_takes(description, data):
    jsonschema.Draft202012Validator.check_schema(description)
    document = data.draw(values | likely(description))
    if any(is_whole(value) for _, value in leaves(document)):
        return
    if any(isinstance(value, str) and value.isspace() for _, value in leaves(document)):
        return
    refused = says(description, document)
    validator = jsonschema.Draft202012Validator(description)
    # In `jsonschema`, a pattern's `$` also matches before a line's end.
    if not any("\n" in str(value) for _, value in leaves(document)):
        assert validator.is_valid(document) == (not refused), refused
    assert not refused or refused.startswith("here")


def likely(description):
    """Return documents that often follow a schema."""
    if "oneOf" in description:
        return st.sampled_from(description["oneOf"]).flatmap(likely)
    if "anyOf" in description:
        return st.sampled_from(description["anyOf"]).flatmap(likely)
    if "enum" in description:
        return st.sampled_from(description["enum"])
    match description["type"]:
        case "object" if "properties" in description:
            known = {name: likely(each) for name, each in description["properties"].items()}
            needed = {name: known.pop(name) for name in description["required"]}
            return st.fixed_dictionaries(needed, optional=known)
        case "object" if "propertyNames" in description:
            names = st.sampled_from([*NAMES, " a"])
            each = likely(description["additionalProperties"])
            return st.dictionaries(names, each, max_size=2)
        case "object":
            return st.dictionaries(texts, texts, max_size=2)
        case "array":
            return st.lists(likely(description["items"]), max_size=3)
        case "string":
            return texts
        case "boolean":
            return st.booleans()
        case _:
            return st.integers(-2, 4)


def test_defaults_are_filled_in_and_a_name_is_read_as_a_list():
    described = schema.table(
        {
            "x": schema.whole("A number.", default=3),
            "who": schema.one_or_more("Names."),
            "on": schema.flag("A flag."),
        },
        "A table.",
    )
    assert checked({"who": "a"}, described, NipError) == {"x": 3, "who": ["a"]}
    assert checked({"x": 1, "on": True}, described, NipError) == {"x": 1, "on": True}


@each(
    ("document", "message"),
    [
        ([], "The file is a list; it must be a table."),
        ({"tils": "x"}, "The file has a key 'tils'. Did you mean 'title'?"),
        ({"title": 3}, "title is 3; it must be a text."),
        ({"title": " "}, "title is empty; it must be a text."),
        ({"title": "x", "size": True}, "size is True; it must be a whole number."),
        ({"title": "x", "size": 9}, "size is 9; it must be from 1 to 5."),
        ({"title": "x", "least": 0}, "least is 0; it must be from 1 on."),
        ({"title": "x", "most": 6}, "most is 6; it must be at most 5."),
        ({"title": "x", "part": {"kind": "on"}}, "part is an object; it must be a list of tables"),
        ({"title": "x", "part": [{}]}, "part[0] lacks the key 'kind'. Known kinds: one, two."),
        ({"title": "x", "part": [{"kind": "on"}]}, "one of one, two. Did you mean 'one'?"),
        ({"title": "x", "part": [{"kind": "one", "a": 1}]}, "part[0].a is 1; it must be a text."),
        ({}, "The file lacks the key 'title'. Its name."),
    ],
)
def test_a_refusal_says_where_what_and_what_instead(document, message):
    one = schema.table({"a": schema.text("A text.")}, "One.")
    described = schema.table(
        {
            "title": schema.text("Its name."),
            "size": schema.whole("How large.", 1, 5),
            "least": schema.number("How small.", 1),
            "most": schema.number("How large.", None, 5),
            "part": schema.items(schema.one_of_kinds({"one": one, "two": one}), "Parts."),
        },
        "A thing.",
        "title",
    )
    with pytest.raises(NipError) as error:
        checked(document, described, NipError)
    assert message in str(error.value)


@each("described", [LESSON, STUDY])
def test_formats_are_json_schemas(described):
    jsonschema.Draft202012Validator.check_schema(described)
