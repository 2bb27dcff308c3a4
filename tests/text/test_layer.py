"""Tests of layer.py, nip_core/code_validation/protocols.py, agent_spec.py, conversation.py and
seats.py.

Any protocol has a text layer, and what a seat is sent depends only on what it may see.
"""

import copy
import pickle
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nip_core.code_validation as cv
from nip_core import (
    Agent,
    ExperimentSettings,
    HyperParameters,
    ProtocolSpec,
    Schedule,
    SpecProtocol,
    build_protocol_handler,
    protocol_class,
    protocol_names,
)
from nip_core.errors import ChatHistoryError, RoundError, SpecError, UnsupportedError
from nip_core.protocols import (
    DeterministicSingleVerifierProtocolHandler,
    MultiChannelTestProtocol,
    ZeroKnowledgeProtocol,
)
from nip_core.spec import Channel, Turn
from tests.depth import cases, each
from tests.text.golden import PROTOCOLS, make

# -- which handler -----------------------------------------------------------------------------


@each("name", PROTOCOLS)
def test_documented_handlers(name):
    handler = make(name)
    kind = "".join(part.title() for part in name.split("_")) + "CodeValidationProtocol"
    assert type(handler) is getattr(cv, kind) is protocol_class(name, "code_validation")
    assert isinstance(handler, protocol_class(name))
    assert isinstance(handler, cv.CodeValidationProtocolHandler)
    plain = build_protocol_handler(HyperParameters(interaction_protocol=name), ExperimentSettings())
    assert type(plain) is protocol_class(name)
    assert plain.spec == handler.spec


def test_text_layer_of_anything():
    layered = cv.text_layer(MultiChannelTestProtocol)
    assert layered is cv.text_layer(MultiChannelTestProtocol)
    assert issubclass(layered, MultiChannelTestProtocol)
    assert cv.text_layer(cv.NipCodeValidationProtocol) is cv.NipCodeValidationProtocol
    assert cv.text_layer(SpecProtocol) is cv.CodeValidationSpecProtocol
    handler = make("nip")
    assert cv.text_layer(handler) is handler
    assert cv.text_layer(handler.spec).spec == handler.spec
    with pytest.raises(ValueError, match="Known: 'ProtocolSpec'"):
        cv.text_layer("nip")


def test_zero_knowledge_has_no_text_layer():
    parameters = HyperParameters(interaction_protocol="nip")
    base = protocol_class("nip")
    handler = ZeroKnowledgeProtocol(parameters, ExperimentSettings(), base)
    with pytest.raises(UnsupportedError):
        cv.text_layer(handler)


def of_mnip(change):
    """Return a text layer whose `agent_specs` a class of its own has changed."""
    base = make("mnip")

    class Changed(type(base)):
        @property
        def agent_specs(self):
            found = super().agent_specs
            change(found)
            return found

    return Changed(base.hyper_params, base.settings)


def test_agent_specs_that_lack_something_are_refused():
    with pytest.raises(SpecError, match="agent_specs says nothing about 'prover0'"):
        prompts(of_mnip(lambda found: found.pop("prover0")))
    one = {"prover0_channel": "To Ada:"}
    lacking = of_mnip(lambda found: setattr(found["verifier"], "response_channel_headers", one))
    with pytest.raises(SpecError, match="several channels at once, but its agent spec has no"):
        lacking.parse_chat_completion("To Ada: Why?", "verifier", 0)
    with pytest.raises(ValueError, match="neither a system prompt nor a task"):
        make("nip").chat_messages([], "prover", 0)


def test_copies():
    for handler in (make("nip"), make("multi_channel_test"), cv.text_layer(make("debate").spec)):
        before = prompts(handler)
        for again in (pickle.loads(pickle.dumps(handler)), copy.deepcopy(handler)):
            assert type(again) is type(handler)
            assert again.agent_specs == handler.agent_specs
            assert prompts(again) == before


def prompts(handler):
    return {
        name: handler.get_agent_system_prompt(
            name, **handler.system_prompt_variables(name, question="q?", solution="s()")
        )
        for name in handler.agent_names
    }


def test_agent_specs_are_the_callers_own():
    handler = make("debate")
    handler.agent_specs["verifier"].response_channel_headers.clear()
    assert handler.agent_specs["verifier"].response_channel_headers


class OwnStyle(DeterministicSingleVerifierProtocolHandler):
    """A protocol in the reference's style, without a specification or a text class."""

    agent_names = ["anna", "verifier"]
    message_channel_names = ["hall"]
    agent_channel_visibility = [("anna", "hall"), ("verifier", "hall")]
    max_message_rounds, min_message_rounds = 4, 1

    def is_agent_active(self, agent_name, round_id, channel_name):
        return (agent_name == "verifier") == bool(round_id % 2)


def test_a_class_in_the_reference_s_style():
    kind = cv.text_layer(OwnStyle)
    handler = kind(HyperParameters("code_validation"), ExperimentSettings())
    assert {n: s.human_name for n, s in handler.agent_specs.items()} == {
        "verifier": "Verifier",
        "anna": "Expert",
    }
    assert "at most 1 question." in prompts(handler)["verifier"]
    assert handler.parse_chat_completion("x", "anna", 0) == ({"hall": "x"}, 2)


def test_a_subclass_changes_what_it_likes():
    class Mine(cv.DebateCodeValidationProtocol):
        prover_stance_can_be_randomized = True

        @property
        def agent_specs(self):
            specs = super().agent_specs
            specs["prover0"].human_name = "Ada"
            specs["verifier"].response_channel_headers = {
                "prover0_channel": "To Ada:",
                "prover1_channel": "To the other:",
            }
            specs["verifier"].use_raw_message_for_self_prompt = False
            return specs

    parameters = HyperParameters(
        "code_validation",
        interaction_protocol="debate",
        protocol_common={"randomize_prover_stance": True},
    )
    handler = Mine(parameters, ExperimentSettings())
    assert handler.draws_prover_stance
    assert not make("debate", {"common": {"randomize_prover_stance": True}}).draws_prover_stance
    assert "\nTo Ada: <your question to Ada>\n" in prompts(handler)["verifier"]
    messages, _ = handler.parse_chat_completion("to ada: x to the OTHER: y", "verifier", 0)
    assert list(messages.values()) == ["to ada: x", "to the OTHER: y"]
    own = cv.SeenMessage("prover0_channel", "verifier", "to ada: x")
    chat = handler.chat_messages([cv.SeenRound((own,), "raw")], "verifier", 0, system_prompt="S")
    assert chat[1:] == [{"role": "assistant", "name": "Verifier", "content": "to ada: x"}]


# -- every registered protocol, and any specification ------------------------------------------


def check_text_layer(handler):
    spec = handler.spec
    specs = handler.agent_specs
    assert set(specs) == set(spec.agent_names)
    names = [agent.human_name for agent in specs.values()]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names)
    for name, text in prompts(handler).items():
        assert "q?" in text
        assert "```python\ns()\n```" in text
        assert "\n\n\n" not in text
        assert ("Decision: accept" in text) == (name == spec.verifier)
        assert sorted(handler.get_agent_ordered_channels(name, 5)) == sorted(spec.channel_names)
        assert handler.check_prompt_template(name) <= {
            *("question", "solution", "max_questions", "max_response_words", "agent_stance_string")
        }
        if name == spec.verifier:
            stated = re.findall(r"at most (\d+) question", text)
            assert stated in ([], [str(handler.max_questions)])
        headers = specs[name].response_channel_headers
        for header in (headers or {}).values():
            assert f"\n{header} <" in text or (name == spec.verifier and not handler.max_questions)
    for round_id in range(min(spec.max_message_rounds, 12)):
        for seed in range(spec.num_variants):
            turn = spec.turn(round_id, seed)
            for name in turn.agents:
                on = turn.channels_of(name)
                headers = specs[name].response_channel_headers
                # Text in the format that the prompt asks for can be read, in any order of parts.
                parts = {c: f"{headers[c]} say {c}" if len(on) > 1 else f"say {c}" for c in on}
                text = "\n".join(parts[c] for c in sorted(on, reverse=True))
                messages, decision = handler.parse_chat_completion(text, name, round_id, seed)
                assert decision == 2
                assert {c: m for c, m in messages.items() if m is not None} == parts
    for stance_text in ("Decision: accept", "Decision: reject"):
        for round_id in range(min(spec.max_message_rounds, 12)):
            if spec.may_decide(round_id, 0):
                parsed = handler.parse_chat_completion(stance_text, spec.verifier, round_id, 0)
                assert parsed == (None, int("accept" in stance_text))


@each("drawn", [False, True])
def test_every_registered_protocol(drawn):
    for name in protocol_names():
        check_text_layer(make(name, {"common": {"randomize_prover_stance": drawn}}))


def test_facts_of_a_specification_alone():
    for name in protocol_names():
        handler = make(name)
        alone = cv.text_layer(handler.spec).agent_specs
        for agent, spec in handler.agent_specs.items():
            if agent == "verifier":
                # Whether its order is random is not part of a specification.
                spec.channel_order = None
            assert alone[agent] == spec


NAMES = st.sampled_from(["a", "A", "b", "a b", "b:", "İ", "q ~ {{ x }}", "<b>", "µ"])


@st.composite
def specs(draw):
    provers = draw(st.integers(0, 4))
    agents = (
        Agent("judge", "verifier"),
        *(Agent(f"p{i}", "prover", draw(st.sampled_from([0, 1, None]))) for i in range(provers)),
    )
    names = [agent.name for agent in agents]
    channels = tuple(
        Channel(name, tuple(draw(st.lists(st.sampled_from(names), unique=True, min_size=1))))
        for name in draw(st.lists(NAMES, unique=True, min_size=1, max_size=4))
    )
    pairs = [(viewer, channel.name) for channel in channels for viewer in channel.viewers]
    turns = st.lists(
        st.lists(st.sampled_from(pairs)).map(lambda found: Turn(tuple(found))), max_size=3
    )
    schedules = st.builds(Schedule, turns.map(tuple), turns.map(tuple))
    return ProtocolSpec(
        name="mine",
        agents=agents,
        channels=channels,
        schedules=tuple(draw(st.lists(schedules, min_size=1, max_size=3))),
        max_message_rounds=draw(st.integers(1, 9)),
        min_message_rounds=draw(st.integers(0, 5)),
        prover_stance_can_be_randomized=draw(st.booleans()),
    )


@settings(max_examples=cases(60), deadline=None)
@given(specs(), st.booleans())
def test_any_specification(spec, drawn):
    parameters = HyperParameters(
        "code_validation", protocol_common={"randomize_prover_stance": drawn}
    )
    check_text_layer(cv.CodeValidationSpecProtocol(parameters, ExperimentSettings(), spec))


def test_a_million_rounds_and_many_channels_are_no_trouble():
    people = [f"p{i}" for i in range(40)]
    channels = tuple(Channel(f"c{i}", (*people, "v")) for i in range(40))
    turn = Turn.of({"v": [c.name for c in channels]})
    answer = Turn.of({p: [f"c{i}"] for i, p in enumerate(people)})
    spec = ProtocolSpec(
        name="large",
        agents=(*(Agent(p, "prover", i % 2) for i, p in enumerate(people)), Agent("v", "verifier")),
        channels=channels,
        schedules=tuple(Schedule((answer,) * i, (turn, answer)) for i in range(20)),
        max_message_rounds=200_000,
    )
    handler = cv.text_layer(spec)
    assert len(set(handler.agent_specs["v"].response_channel_headers.values())) == 40
    assert prompts(handler)["v"]


# -- conversations -----------------------------------------------------------------------------


@settings(max_examples=cases(60), deadline=None)
@given(st.data(), st.sampled_from(["debate", "mnip", "merlin_arthur", "multi_channel_test"]))
def test_a_conversation_does_not_depend_on_what_the_seat_cannot_see(data, protocol):
    handler = make(protocol)
    agents, channels = handler.agent_names, handler.message_channel_names
    agent = data.draw(st.sampled_from(agents))
    rounds = handler.max_message_rounds
    seed = data.draw(st.integers(0, 99))
    texts = st.lists(st.one_of(st.none(), st.text(max_size=5)))

    def arrays(width):
        row = texts.map(lambda found: (found + [None] * width)[:width])
        return data.draw(st.lists(row, min_size=rounds, max_size=rounds))

    messages, hidden = arrays(len(channels)), arrays(len(channels))
    raw, hidden_raw = arrays(len(agents)), arrays(len(agents))
    senders = [
        [data.draw(st.integers(0, len(agents) - 1)) for _ in channels] for _ in range(rounds)
    ]
    sees = [handler.can_agent_see_channel(agent, channel) for channel in channels]
    me = agents.index(agent)
    other = [
        [m if s else h for m, h, s in zip(a, b, sees, strict=True)]
        for a, b in zip(messages, hidden, strict=True)
    ]
    other_raw = [[*b[:me], a[me], *b[me + 1 :]] for a, b in zip(raw, hidden_raw, strict=True)]
    now = data.draw(st.integers(0, rounds))

    def chat(texts, own):
        history = cv.seen_rounds(handler, agent, texts, senders, own)
        return handler.chat_messages(history, agent, seed, now, system_prompt="S")

    first = chat(messages, raw)
    assert first == chat(other, other_raw)
    # Nor does it depend on the current round and later ones.
    assert first == handler.chat_messages(
        cv.seen_rounds(handler, agent, messages[:now], senders[:now], raw[:now]),
        agent,
        seed,
        now,
        system_prompt="S",
    )


def test_histories_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        cv.current_round([[None]], [])


def test_two_messages_on_one_channel_in_one_round():
    spec = ProtocolSpec(
        name="choir",
        agents=(Agent("p", "prover", 0), Agent("q", "prover", 1), Agent("v", "verifier")),
        channels=(Channel("hall", ("p", "q", "v")),),
        schedules=(
            Schedule((), (Turn.of({"p": ["hall"], "q": ["hall"]}), Turn.of({"v": ["hall"]}))),
        ),
        max_message_rounds=4,
    )
    handler = cv.text_layer(spec)
    seen = cv.SeenRound((cv.SeenMessage("hall", "p", "one"), cv.SeenMessage("hall", "q", "two")))
    chat = handler.chat_messages([seen], "v", 0, system_prompt="S")
    assert [(m.get("name"), m["content"]) for m in chat[1:]] == [
        ("Expert_1", "one"),
        ("Expert_2", "two"),
    ]
    hidden = cv.SeenRound((cv.SeenMessage("hall", None, "who?"),))
    assert handler.chat_messages([hidden], "v", 0, system_prompt="S")[1] == {
        "role": "user",
        "content": "who?",
    }


def test_a_message_on_an_unseen_channel_is_left_out():
    seen = cv.SeenRound(
        tuple(cv.SeenMessage(f"prover{i}_channel", "verifier", f"to {i}") for i in (0, 1))
    )
    for protocol, expected in (("mnip", ["S", "to 1"]), ("debate", ["S", "to 0", "to 1"])):
        chat = make(protocol).chat_messages([seen], "prover1", 0, system_prompt="S")
        assert [message["content"] for message in chat] == expected


def test_a_prover_that_speaks_with_the_verifier_has_not_been_asked():
    spec = make("nip").spec
    both = Schedule((), (Turn.of({"prover": ["main"], "verifier": ["main"]}),))
    text = prompts(cv.text_layer(spec.replace(schedules=(both,))))["prover"]
    assert "comes before Verifier can have asked anything" in text
    assert "All who write in the same round" in text
    alone = prompts(cv.text_layer(spec))["prover"]
    assert "can have asked anything" not in alone
    assert "All who write in the same round" not in alone


def test_the_system_prompt_comes_from_the_task():
    handler = make("nip", {"common": {"randomize_prover_stance": True}})
    chat = cv.chat_messages(
        [], "prover", 0, 0, handler=handler, question="q?", solution="s()", prover_stance=0
    )
    assert [m["role"] for m in chat] == ["system"]
    assert 'Your assigned verdict is "reject"' in chat[0]["content"]


def test_impossible_conversations():
    handler = make("nip")
    for nobody in (-1, len(handler.agent_names)):
        with pytest.raises(ChatHistoryError, match="'main' in round 0 has no sender"):
            cv.seen_rounds(handler, "prover", [["x"]], [[nobody]], [[None, None]])
    with pytest.raises(RoundError):
        handler.chat_messages([], "prover", 0, -1, system_prompt="S")
    options = {"replace_last_message_with_true_label": True}
    for more in ({}, {"y": 1}):
        with pytest.raises(ValueError, match="needs"):
            handler.chat_messages([], "verifier", 0, system_prompt="S", **options, **more)
    with pytest.raises(ValueError, match="for a verifier"):
        handler.chat_messages(
            [],
            "prover",
            0,
            system_prompt="S",
            **options,
            y=1,
            ensure_last_message_is_assistant=True,
        )
