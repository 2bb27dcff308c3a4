"""Tests of document.py, checking.py, data.py, declarations.py, liveness.py, loading.py,
specification.py, structure.py and validation.py.

Documents of version 2: round trips, the schema, and refusals with the place and the remedy.
"""

import copy
import json
import os
import pickle
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.errors import NipError, SpecError
from nip_core.language import Specification, load_specification, schema
from tests.depth import cases, each
from tests.growth import seconds
from tests.language.strategies import accepted, documents
from tests.language.zoo import PATHS, PUBLISHED, everything, published, with_change
from tests.odd import changed

KEEPS_TO = jsonschema.Draft202012Validator(schema())


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(schema())


@each(("name", "spec"), everything())
def test_existing_protocols_round_trip(name, spec):
    document = spec.to_dict()
    KEEPS_TO.validate(json.loads(json.dumps(document)))
    again = load_specification(json.dumps(document))
    assert again == spec, name
    assert hash(again) == hash(spec)
    assert again.to_dict() == document


def test_a_specification_is_found_by_its_hash_in_another_process():
    spec = published("khan_debate")
    hash(spec)
    found = subprocess.run(
        [sys.executable, "-c", FOUND],
        input=pickle.dumps(spec),
        env={**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        check=True,
    )
    assert found.stdout.strip() == b"True"


FOUND = """
import pickle, sys
from nip_core import specification
print(pickle.load(sys.stdin.buffer) in {specification("khan_debate")})
"""


@each("name", PUBLISHED)
def test_files_keep_to_the_schema(name):
    KEEPS_TO.validate(tomllib.loads(PATHS[name].read_text("utf-8")))


@settings(max_examples=cases(200), deadline=None)
@given(documents())
def test_random_documents_round_trip(document):
    KEEPS_TO.validate(document)
    spec = accepted(document)
    again = Specification.from_json(json.dumps(spec.to_dict()))
    assert again == spec
    KEEPS_TO.validate(spec.to_dict())


def test_settings_change_numbers_everywhere():
    spec = published("doubly_efficient_debate", steps=4, grain=50)
    assert spec.longest == 13
    assert spec.options["claimed"] == (0, 50, 100)
    assert spec.with_settings(steps=2).longest == 7
    # They remain settings, so a saved document can be changed again.
    assert Specification.from_dict(spec.to_dict(), {"steps": 2}) == spec.with_settings(steps=2)
    with pytest.raises(SpecError, match="no setting 'step'; there is steps, grain"):
        published("doubly_efficient_debate", step=1)
    with pytest.raises(SpecError, match="not a whole number or a setting"):
        published("doubly_efficient_debate", steps=1.5)


def test_the_table_of_turns_says_who_does_what():
    acts = [(row[2], row[3]) for row in published("nip").table().rows]
    asks = "verifier writes on main and chooses verdict, silent if verdict != wait"
    ends = "the end if verdict = accept or verdict = reject"
    assert acts == [(asks, ends), ("prover writes on main", "")]


def test_a_limit_for_several_seats_is_one_for_each():
    several = limit(seat=["alice", "bob"])
    spec = Specification.from_dict(jury("limits", to=[several, limit(seat="juror1")]))
    assert [each.seat for each in spec.limits] == ["alice", "bob", "juror1"]
    assert [each["seat"] for each in spec.to_dict()["limits"]] == [["alice", "bob", "juror1"]]
    assert Specification.from_dict(spec.to_dict()) == spec


jury = partial(with_change, "jury_by_hand")
consulted = partial(with_change, "michael_consultancy")


def grid(low, high):
    return {"from": low, "to": high}


def limit(**changes):
    return {"seat": "bob", "of": "words", "most": 9, **changes}


@each(
    ("document", "message"),
    [
        (jury("format", to="nip-protocol/3"), "this reads 'nip-protocol/2'"),
        (jury("colour", to=1), "colour: there is no such field. The fields"),
        (jury("stages", 0, "times", to=10**9), "times is 1000000000: it is 1 to"),
        (jury("stages", 0, "times", to="often"), "settings: rounds"),
        (jury("stages", 0, "turns", to=[]), "it has no turns. Add one"),
        (jury("stages", 0, "turns", 0, "then", to={"rounds": "true"}), "only goes forw"),
        (jury("stages", 1, "turns", 0, "then", to={"rounds": "true"}), "here to 'end'"),
        (jury("stages", 0, "turns", 0, "eve", to="debate"), "'eve' cannot act"),
        (jury("stages", 0, "turns", 0, "bob", to="debat"), "Did you mean 'debate'?"),
        (jury("stages", 0, "turns", 0, "bob", to={}), "neither writes nor chooses"),
        (jury("stages", 0, "turns", 0, "task", to={"choose": "truth"}), "known before"),
        (jury("stages", 0, "turns", 0, "bob", to={"choose": "vote1"}), "not its choice"),
        (jury("channels", "debate", to=["alice"]), "which it does not read"),
        (jury("channels", "debate", to={"bob": "later"}), "it is seen since 'later'"),
        (jury("channels", "debate", to=["eve"]), "'eve', which is not a seat"),
        (jury("choices", "vote1", "by", to="eve"), "it is made by 'eve'"),
        (jury("choices", "vote1", "options", to=["A", "A"]), "'A' stands twice"),
        (jury("choices", "vote1", "options", to=["A", 1]), "all names, or all whole"),
        (jury("choices", "vote1", "options", to=["a b"]), "letters, digits and _ only"),
        (jury("choices", "vote1", "options", to=["none"]), "a word of the language"),
        (jury("choices", "vote1", "options", to=["vote2"]), "a choice and an option"),
        (
            jury("choices", "vote1", "options", to={"from": 0, "to": 10**9}),
            "options; at most 1,001",
        ),
        (jury("choices", "vote1", "options", to=grid(1, 0)), "its options must count upwards"),
        (jury("choices", "vote1", "weights", to=[1, 1, 1]), "only chance chooses by"),
        (consulted("choices", "side", "weights", to=[1]), "1 weights for 2 options"),
        (consulted("choices", "side", "weights", to=["estimate", 1]), "drawn before"),
        (consulted("choices", "side", "weights", to=["log(5, true)", 1]), "is rounded"),
        (jury("pay", 0, "to", to=["eve"]), "pay 1, to: it goes to 'eve', which is not a seat"),
        (jury("pay", 0, "amount", to="truth"), "pay 1, amount: 'truth' is one of A, B"),
        (jury("pay", 0, "when", to="truth = C"), "'C' is not a choice, option, value or setting"),
        (jury("pay", 0, "at", to="noon"), "it comes at 'noon'"),
        (jury("pay", 0, "amount", to="1e31"), "larger than 1e+30"),
        (jury("verdict", to="true"), "verdict: 'true' is a condition"),
        (jury("seats", "alice", "argues", to="truth = A"), "seat 'alice', argues"),
        (jury("seats", "alice", "anonymous", to="yes"), "not true or false"),
        (jury("channels", "debate", to="all"), "The times here are 'start', 'rounds'"),
        (jury("channels", "debate", to="bob"), "Write a list: ['bob']"),
        (jury("channels", "debate", to="ends"), "Did you mean 'end'?"),
        (jury("limits", to=[limit(seat=[])]), "Name a seat, or several"),
        (jury("limits", to=[limit(of="tears")]), "no such limit on texts"),
        (jury("limits", to=[limit(most=0)]), "needs a word"),
        (jury("limits", to=[limit(per="game")]), "limited per message"),
        (
            with_change("nip", "stages", 0, "turns", 0, "verifier", "silent", to="truth = accept"),
            "it may look at the choices of this act only: verdict",
        ),
        (
            jury("stages", 1, "turns", 0, "juror1", "total", to=100),
            "only numbers add up to a total",
        ),
        (
            with_change("prover_estimator", "stages", 0, "turns", 1, "estimator", "total", to=105),
            "cannot add up to 105",
        ),
        (
            with_change(
                "trusted_monitor",
                "stages",
                0,
                "turns",
                1,
                "monitor",
                to={"choose": {"action": ["audit"]}},
            ),
            "are limited, so none may be left",
        ),
        ([], "must be an object"),
        ({"name": "x"}, "seats: this field is missing. Add `seats`"),
    ],
)
def test_contradictions_are_refused_with_the_place_and_the_remedy(document, message):
    with pytest.raises(SpecError) as caught:
        load_specification(document)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 600


def objects(schema_, at=""):
    """Yield the objects with fields in a schema, with their places in it."""
    if isinstance(schema_, dict):
        if "properties" in schema_:
            yield at, schema_
        for key, inner in schema_.items():
            yield from objects(inner, f"{at}/{key}")
    elif isinstance(schema_, list):
        for number, inner in enumerate(schema_):
            yield from objects(inner, f"{at}/{number}")


def test_every_field_of_the_schema_is_described():
    for at, fields in objects(schema()):
        assert "description" in fields, at
        for name, field in fields["properties"].items():
            assert "description" in field or "$ref" in field, (at, name)


# For each object of the schema, the place of one in a protocol.
PLACES = {
    "": (),
    "/properties/seats/additionalProperties/anyOf/1": ("seats", "alice"),
    "/properties/parts/additionalProperties/anyOf/1": ("parts", "question"),
    "/properties/channels/additionalProperties/anyOf/1": ("channels", "debate"),
    "/properties/choices/additionalProperties": ("choices", "truth"),
    "/properties/choices/additionalProperties/properties/options/anyOf/1": (
        *("choices", "sure", "options"),
    ),
    "/properties/values/additionalProperties/anyOf/1": ("values", "top"),
    "/properties/stages/items": ("stages", 0),
    "/properties/pay/items": ("pay", 0),
    "/properties/limits/items": ("limits", 0),
    "/properties/roles": ("roles",),
    "/$defs/act": ("stages", 0, "turns", 0, "alice"),
}
# A turn has the names of seats, too.
NO_UNKNOWN_FIELDS = {"/properties/stages/items/properties/turns/items"}


def test_the_schema_has_the_fields_that_are_read():
    found = dict(objects(schema()))
    assert found.keys() == PLACES.keys() | NO_UNKNOWN_FIELDS
    for at, path in PLACES.items():
        document = copy.deepcopy(published("jury_by_hand").to_dict())
        document["choices"]["sure"] = {"by": "alice", "options": {"from": 1, "to": 2}}
        document["values"] = {"top": {"max": "sure"}}
        document["limits"] = [limit()]
        document["roles"] = {"truth": "truth"}
        document["stages"][0]["turns"][0]["alice"] = {"say": "debate"}
        here = document
        for key in path:
            here = here[key]
        here["qqqqq"] = 1
        with pytest.raises(SpecError) as refused:
            load_specification(document)
        (mistake,) = refused.value.mistakes
        fields = mistake.remedy.removeprefix("The fields here are ").removesuffix(".").split(", ")
        assert {*fields} == {*found[at]["properties"]}, at


ODD = (None, True, -1, 0, 10**30, 1e300, "", "x" * 5_000, "\x00", "\ud800", [], {}, [[]], "truth")


@settings(max_examples=cases(600), deadline=None)
@given(changed([published(name).to_dict() for name in PUBLISHED], st.sampled_from(ODD), most=2))
def test_odd_documents_are_refused_with_a_message_or_valid(document):
    try:
        spec = load_specification(document)
    except NipError as error:
        said = str(error)
    else:
        said = ""
        assert Specification.from_dict(spec.to_dict()) == spec
    assert len(said) < 1_500


@each(("choose", "said"), [("x" * 5_000, "act only: none."), (["x" * 5_000] * 2, "twice.")])
def test_a_message_cuts_long_names_wherever_they_stand(choose, said):
    document = published("jumps").to_dict()
    document["stages"][1]["turns"][2]["arbiter"]["choose"] = choose
    with pytest.raises(SpecError) as refused:
        load_specification(document)
    assert said in str(refused.value)
    assert len(str(refused.value)) < 1_500


def large(turns):
    """Return a protocol of many turns, all with guards and conditions of their own."""
    names = {f"k{n}": {"by": "ann", "options": ["x", "y"]} for n in range(60)}
    acts = {"ann": {"choose": list(names)}, "then": {"end": "k1 = x and k2 = y"}}
    stages = [{"name": "s", "turns": [acts] * turns}]
    return {"name": "large", "seats": {"ann": ""}, "choices": names, "stages": stages}


def test_large_documents_take_time_that_grows_with_them():
    small, big = large(100), large(800)
    once = seconds(lambda: load_specification(small), 2)
    assert seconds(lambda: load_specification(big), 2) < 8 * 4 * once
    with pytest.raises(SpecError, match="124,000 acts"):
        load_specification(large(2_000))


@each(
    "text",
    [
        '{"a":' * 100_000,
        "[" * 100_000,
        "a." * 100_000,
        "x = " + "9" * 100_000,
        '{"stages": [' + "0," * 300_000 + "0]}",
        "a" * 3_000_000,
    ],
)
def test_hostile_texts_are_refused_at_once(text):
    def read():
        with pytest.raises(SpecError):
            load_specification(text)

    assert seconds(read, 1) < 1
