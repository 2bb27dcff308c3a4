"""Any text gives a result or one of the two documented errors, in linear time."""

import contextlib
import pickle
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nip_core.code_validation as cv
from nip_core import errors
from nip_core.errors import NipError, UnknownNameError
from nip_core.text.parsing import fold
from tests.depth import cases, each
from tests.growth import seconds
from tests.text.golden import make, our_parse, result_of

PIECES = [
    *("Decision", "decision:", ":", "accept", "reject", "accepted", "able", "**", "_", " ", "\n"),
    *("Question for Expert_1:", "QUESTION FOR expert_2:", "question for", "İ", "ı", "ſ", "K", "ς"),
    *("\u202e", "\x00", "\ud800", "👩\u200d💻", "0", "é", "\u00a0", "\x1c"),
]
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
HANDLERS = {
    "nip": make("nip"),
    "debate": make("debate", {"debate": {"sequential": True}}),
    "mnip": make("mnip", {"common": {"verifier_first": False}}),
    "merlin_arthur": make("merlin_arthur"),
    "multi_channel_test": make("multi_channel_test"),
}


@settings(max_examples=cases(400), deadline=None)
@given(TEXTS, st.sampled_from(sorted(HANDLERS)), st.integers(0, 7), st.data())
def test_any_text(text, protocol, round_id, data):
    handler = HANDLERS[protocol]
    round_id %= handler.max_message_rounds
    agent = data.draw(st.sampled_from(handler.agent_names))
    channels = handler.message_channel_names
    active = [c for c in channels if handler.can_agent_be_active(agent, round_id, c)]
    headers = handler.agent_specs[agent].response_channel_headers
    expected = our_parse(text, active, channels, headers, decides=agent == "verifier")
    assert result_of(handler, text, agent, round_id) == expected


MANY = 200_000
SLOW = {
    "announcements": "decision:" * (MANY // 9),
    "gaps": "decision" + " " * MANY,
    "stars": ("decision" + "*_ " * 50) * (MANY // 158),
    "two gaps": "decision" + "*" * (MANY // 2) + ":" + "_" * (MANY // 2) + "x",
    "many gaps": ("decision" + " " * 300 + ":" + " " * 300 + "acceptx") * (MANY // 616),
    "half words": "decisio" * (MANY // 7),
    "half headers": "question for expert_" * (MANY // 20),
    "headers": "question for expert_1:" * (MANY // 22),
    "dotted": "İ" * MANY,
    "decisions": "decision: accept " * (MANY // 17),
}


@each("kind", SLOW)
def test_many_characters(kind):
    def read():
        for protocol in ("nip", "debate"):
            with contextlib.suppress(cv.InvalidResponseError):
                HANDLERS[protocol].parse_chat_completion(SLOW[kind], "verifier", 0)

    assert (
        seconds(read, enough=2) < 2
    )  # usually some hundredths; anything worse than linear takes minutes


def test_the_lower_case_keeps_positions():
    for code in range(sys.maxunicode + 1):
        assert len(fold(chr(code))) == 1
    assert fold("ΑΣ Σ") == fold("ας ς")


def test_names_and_rounds_are_checked_first():
    handler = HANDLERS["nip"]
    with pytest.raises(UnknownNameError, match="'provr'"):
        handler.parse_chat_completion("", "provr", 0)
    with pytest.raises(IndexError):
        handler.parse_chat_completion("", "prover", 8)


def test_with_a_seed_only_the_picked_prover_speaks():
    handler = HANDLERS["merlin_arthur"]
    assert handler.parse_chat_completion("x", "prover1", 0)[0] == {"main": "x"}
    assert handler.parse_chat_completion("x", "prover1", 0, seed=1)[0] == {"main": "x"}
    with pytest.raises(ValueError, match="does not speak"):
        handler.parse_chat_completion("x", "prover1", 0, seed=2)


TEXT_ERRORS = [
    errors.GenerationError,
    errors.InvalidResponseError,
    errors.InvalidDecisionError,
    errors.NotAllActiveChannelsInResponseError,
    errors.AgentNotActiveInChannelError,
]


@each("kind", TEXT_ERRORS)
def test_errors_are_short_and_can_be_pickled(kind):
    secret = "my private key" * 1000
    for error in (kind(secret), kind(secret, "no")):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is kind
        assert again.response_text == secret
        assert str(again) == str(error)
        assert "private" not in str(error) + repr(error)
    assert isinstance(kind(), NipError)
    assert not isinstance(kind(), ValueError)
    assert kind("x").response_text == "x"


def test_the_tree_of_errors():
    assert issubclass(errors.InvalidDecisionError, errors.InvalidResponseError)
    assert issubclass(errors.NotAllActiveChannelsInResponseError, errors.InvalidResponseError)
    assert issubclass(errors.InvalidResponseError, errors.GenerationError)
    assert issubclass(errors.AgentNotActiveInChannelError, errors.GenerationError)
    template = errors.MissingPromptVariableError("why", "x.jinja", 3)
    assert str(pickle.loads(pickle.dumps(template))) == "prompt template 'x.jinja', line 3: why"
    assert {
        name for name in dir(errors) if isinstance(getattr(errors, name), type) and "Error" in name
    } == set(errors.__all__) - {"show", "did_you_mean", "known_names", "nearest"}
    for name in set(errors.__all__) - {"show", "did_you_mean", "known_names", "nearest"}:
        assert name in errors.__doc__
