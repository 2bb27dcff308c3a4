"""Tests of choice.py, links.py, sources.py and packing.py.

A chosen protocol survives the way through an address, and wrong links get the same sentences.
"""

import zlib
from base64 import urlsafe_b64encode
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.choice import (
    OWN,
    NumberRange,
    ProtocolChoice,
    as_second,
    is_allowed,
    is_second,
    second_query,
    tasks_from_query,
    tasks_to_query,
    wrong_entry,
)
from explorer.choice.packing import packed, unpacked
from nip_core import HyperParameters, protocol_names, protocol_spec, published_names
from nip_core.errors import NipError
from nip_core.registry import published_document, specification
from tests.depth import cases, each
from tests.strategies import parameters

TEXT = published_document("jury")
NUMBERS = {"words": 200, "grain": 10, "ratio": 3, "turn_cost": Fraction(1, 3)}


@st.composite
def documents(draw: st.DrawFn) -> ProtocolChoice:
    """Return a published protocol, or one of one's own, with random settings."""
    name = draw(st.sampled_from([*published_names(), OWN]))
    choice = ProtocolChoice.own(TEXT) if name == OWN else ProtocolChoice.of(name)
    for setting in choice.source.defaults:
        value = draw(st.sampled_from([None, NUMBERS.get(setting, 1)]))
        if value is not None:
            choice = choice.with_setting(setting, value)
    return choice


@settings(max_examples=cases(60))
@given(st.one_of(parameters().map(ProtocolChoice.of), documents()))
def test_a_choice_survives_the_way_through_an_address(choice):
    again, problems = ProtocolChoice.read(choice.to_query(), "nip")
    assert problems == []
    assert again.spec == choice.spec
    assert again.to_query() == choice.to_query()
    assert again.controls == choice.controls


@given(parameters())
def test_the_parameters_that_a_protocol_reads_are_kept(chosen):
    choice = ProtocolChoice.of(chosen)
    assert choice.parameters.scenario == chosen.scenario
    assert choice.spec == protocol_spec(chosen)
    assert ProtocolChoice.of(choice.parameters) == choice


def test_a_specification_is_published_with_settings_or_ones_own():
    changed = specification("jury", rounds=3)
    assert ProtocolChoice.of(changed).to_query() == {"protocol": "jury", "set.rounds": "3"}
    other = type(changed).from_dict({**changed.to_dict(), "about": "Ours."})
    choice = ProtocolChoice.of(other)
    assert choice.name == OWN
    assert choice.spec == other
    with pytest.raises(NipError, match=r"no protocol “poker”.*nip"):
        ProtocolChoice.of("poker")


# -- links -----------------------------------------------------------------------------------------

# The protocol's settings, in the present form and in all former ones.
FORMS = [
    {"protocol": "debate", "set.max_message_rounds": "5", "set.sequential": "true"},
    {"protocol": "debate", "max_message_rounds": "5", "sequential": "true"},
    {
        "protocol": "debate",
        "debate_protocol.max_message_rounds": "5",
        "debate_protocol.sequential": "true",
    },
    {"protocol": "debate", "set.rounds": "5", "sequential": "True"},
]


@each(
    ("numbers", "fit", "not_so"),
    [
        (NumberRange(1, 8), ("1", "8"), ("0", "9", "1.0", "true", "x", "", "[1]", "NaN")),
        (NumberRange(0, 1, whole=False), ("0", "0.5", "1e-3"), ("-0.1", "2", "false", "None")),
    ],
)
def test_a_link_has_numbers(numbers, fit, not_so):
    assert all(is_allowed(text, numbers) for text in fit)
    assert not any(is_allowed(text, numbers) for text in not_so)
    assert wrong_entry("n", "x", numbers, "2").in_link == (
        f"n cannot be “x”, so it is 2. It may be {numbers}."
    )
    assert wrong_entry("n", "x", ("a", "b")).in_link == (
        "n cannot be “x”, so it was left out. It may be a, b."
    )


@each("query", FORMS)
def test_kept_links_open_the_same_and_one_form_is_written(query):
    choice, problems = ProtocolChoice.read(query, "nip")
    assert problems == []
    assert choice.parameters.debate_protocol.max_message_rounds == 5
    assert choice.parameters.debate_protocol.sequential is True
    assert choice.to_query() == FORMS[0]


def test_a_former_value_is_read():
    query = {"protocol_common.force_guess": '"zero"', "protocol_common.verifier_reward": "1e-05"}
    choice, problems = ProtocolChoice.read(query, "nip")
    assert problems == []
    assert choice.value("force_guess") == "zero"
    assert choice.value("verifier_reward") == 1e-05
    again, _ = ProtocolChoice.read({"protocol_common.force_guess": "null"}, "nip")
    assert again == ProtocolChoice.of("nip")


# What is wrong with a link, and words of the one sentence that says so.
WRONG = {
    "no such protocol": ({"protocol": "poker"}, "no protocol “poker” here, so this is"),
    "unknown": (
        {"protocol": "jury", "set.colour": "1"},
        "Jury of three has no setting “set.colour”, so it was left out. Its "
        "settings: rounds, jurors.",
    ),
    "unknown, without a prefix": ({"colour": "1"}, "no setting “colour”, so it was left out"),
    "of another protocol": (
        {"protocol": "nip", "debate_protocol.sequential": "true"},
        "no setting “debate_protocol.sequential”, so it was left out",
    ),
    "of no protocol": ({"nip_protocol.maximum": "5"}, "max_message_rounds"),
    "without settings": ({"protocol": "single_critique", "x": "1"}, "It has no settings."),
    "no number": ({"max_message_rounds": "abc"}, "cannot be “abc”, so it is 8. It may be a whole"),
    "too small": ({"max_message_rounds": "0"}, "from 1 to 1,000,000"),
    "too large": ({"max_message_rounds": "9" * 400}, "from 1 to 1,000,000"),
    "no switch": ({"verifier_first": "perhaps"}, "It may be true or false."),
    "no choice": ({"force_guess": "two"}, "It may be none, zero, one, y."),
    "no payoff": ({"verifier_reward": "much"}, "It may be a number."),
    "an endless payoff": ({"verifier_reward": "1e999"}, "a finite number"),
    "more than a page takes": ({"max_message_rounds": "5000"}, "from 5,000 to 1,000"),
    "no number for a document": ({"protocol": "jury", "set.rounds": "<b>"}, "from 0 to 1,000,000"),
    "divided by zero": ({"protocol": "jury", "set.rounds": "1/0"}, "from 0 to 1,000,000"),
    "what does not fit": (
        {"protocol": "prover_estimator", "set.depth": "9999"},
        "depth cannot be “9999”, so it is 3. ",
    ),
    "damaged": ({"protocol": "own", "spec": "x"}, "is damaged"),
    "without its text": ({"protocol": "own"}, "no specification in this link"),
    "no specification": ({"protocol": "own", "spec": packed("name = 1")}, "cannot be used: "),
}


@each("kind", WRONG)
def test_a_wrong_link_gets_one_sentence(kind):
    query, words = WRONG[kind]
    choice, (problem,) = ProtocolChoice.read(query, "nip", most_rounds=1000)
    assert words in problem
    assert problem.endswith(".")
    # What was wrong has no effect.
    usual = {"more than a page takes": {"protocol": "nip", "set.max_message_rounds": "1000"}}
    named = {"protocol": query.get("protocol") if query.get("protocol") == choice.name else "nip"}
    assert choice.to_query() == usual.get(kind, named)


@each("text", ["", "x", "1e999999", "9" * 5000, "1/0", "-1", "0.5", "0", "²", "nan"])
def test_hostile_numbers_are_refused(text):
    for name, setting in (("michael_debate", "rounds"), ("nip", "max_message_rounds")):
        choice, (problem,) = ProtocolChoice.read({"protocol": name, f"set.{setting}": text}, "nip")
        assert choice == ProtocolChoice.of(name)
        assert problem.startswith(f"{setting} cannot be “{text[:40]}")


def test_what_fits_is_kept_beside_what_does_not():
    query = {"max_message_rounds": "20", "min_message_rounds": "12", "sequential": "x", "y": "1"}
    choice, problems = ProtocolChoice.read(query, "mnip")
    assert dict(choice.settings) == {"max_message_rounds": 20, "min_message_rounds": 12}
    assert len(problems) == 2
    _, (problem,) = ProtocolChoice.read({f"x{n}": "" for n in range(9)}, "nip")
    assert "“x4” and 4 more, so they were left out" in problem


def test_entries_of_the_page_are_no_settings():
    query = {"view": "grid", "sits.prover": "me", "set.view": "1"}
    _, (problem,) = ProtocolChoice.read(query, "nip", page=("view", "sits."))
    assert "“set.view”" in problem
    assert "sits" not in problem


KEYS = st.sampled_from(
    ["protocol", "protocol_common.verifier_first", "set.rounds", "set.", "spec", "x", "a.b", "."]
)
TEXTS = st.text(max_size=12) | st.sampled_from(["[" * 200, "jury", "own", "nip", "3", "true"])


@given(st.dictionaries(KEYS, TEXTS), st.sampled_from(["mnip", "jury"]))
def test_any_address_gives_a_protocol(query, default):
    choice, problems = ProtocolChoice.read(query, default)
    assert choice.spec
    again, none = ProtocolChoice.read(choice.to_query(), default)
    assert (again, none) == (choice, [])
    assert bool(problems) >= (choice.name != query.get("protocol", default))


def test_the_second_protocol_of_a_comparison_is_read_alike():
    query = {"protocol": "nip", "protocol_2": "mnip", "sequential_2": "true", "set.x": "1"}
    choice, problems = ProtocolChoice.read(second_query(query), "debate")
    assert problems == []
    assert choice == ProtocolChoice.of("mnip").with_setting("sequential", value=True)
    written = as_second(choice.to_query())
    assert written == {"protocol_2": "mnip", "set_2.sequential": "true"}
    assert second_query(written) == choice.to_query()
    # A document's setting may have any name.
    assert not is_second("set.rounds_2")


def test_one_s_own_text_is_kept_where_it_is_too_long_for_an_address():
    # Random letters cannot be packed.
    letters = "".join(chr(0x4E00 + n * 7919 % 20_000) for n in range(6_000))
    text = f"{TEXT}\n# {letters}"
    choice = ProtocolChoice.own(text)
    assert choice.to_query() == {"protocol": OWN}
    assert ProtocolChoice.read({"protocol": OWN}, "nip", own=text) == (choice, [])


# -- controls --------------------------------------------------------------------------------------


@each("name", [*protocol_names(), *published_names()])
def test_every_control_says_what_may_be_chosen(name):
    choice = ProtocolChoice.of(name)
    for control in (*choice.controls, *choice.payoffs):
        assert control.label
        value = choice.value(control.name)
        assert control.value == (float(value) if isinstance(value, Fraction) else value)
        assert (
            str(control.value) in control.with_value(control.value)
            or not control.phrase
            or (isinstance(control.value, bool))
        )
    assert len({control.name for control in choice.controls}) == len(choice.controls)


def test_a_control_appears_with_what_gives_it_an_effect_and_the_payoffs_are_apart():
    choice = ProtocolChoice.of("debate")
    names = [control.name for control in choice.controls]
    assert "prover0_first" not in names
    turns = choice.with_setting("sequential", value=True)
    assert [c.name for c in turns.controls if c.name not in names] == ["prover0_first"]
    paid = [control.name for control in choice.payoffs]
    assert {"verifier_reward", "shared_reward", "force_guess"} <= {*paid}
    assert not {*paid} & {*names}
    with_zk = choice.with_setting("zero_knowledge", value=True)
    assert "simulator_reward_coefficient" in [control.name for control in with_zk.payoffs]
    assert with_zk.title.endswith(", zero knowledge")


def test_a_value_that_does_not_fit_is_refused():
    with pytest.raises(NipError):
        ProtocolChoice.of("nip").with_setting("max_message_rounds", 0)
    with pytest.raises(NipError):
        ProtocolChoice.of("prover_estimator").with_setting("depth", 9_999)


def test_another_protocol_keeps_the_parameters_that_both_have():
    choice = ProtocolChoice.of(
        HyperParameters(
            interaction_protocol="mnip",
            mnip_protocol={"max_message_rounds": 5, "sequential": True},
        )
    )
    assert dict(choice.switched_to(ProtocolChoice.of("nip").source).settings) == {
        "max_message_rounds": 5
    }
    assert choice.switched_to(ProtocolChoice.of("jury").source) == ProtocolChoice.of("jury")


# -- texts -----------------------------------------------------------------------------------------


def test_a_link_unpacks_to_a_bounded_text():
    bomb = urlsafe_b64encode(zlib.compress(b"a" * 3_000_000, 9)).decode().rstrip("=")
    assert unpacked(bomb) is None
    assert unpacked(packed("a" * 90_000)) == "a" * 90_000


def test_written_tasks_in_a_link_are_bounded_and_shaped():
    tasks = [{"plan": "Sunday? \N{SUN BEHIND CLOUD}", "truth": "yes", "level": 3}, {}]
    assert tasks_from_query(tasks_to_query(tasks, {})) == tasks
    assert tasks_to_query([{}, {}], {}) == {}
    # A text that could be packed and not unpacked, and one too long beside its specification.
    assert tasks_to_query([{"plan": "a" * 200_000}], {}) == {}
    assert tasks_to_query(tasks, {"spec": "x" * 5_990}) == {}
    for text in ("{}", "[1]", '[{"plan": null}]', "[[]]", "[" * 90_000, "no"):
        with pytest.raises(NipError, match="damaged"):
            tasks_from_query({"written": packed(text)})
