"""The agreed differences from the reference, each with its value and ours."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import nip_core.code_validation as cv
from nip_core.errors import IllegalMoveError, InvalidDecisionError, RoundError
from nip_core.play import Episode, Move
from tests.depth import each
from tests.play_worlds import ONE_TASK
from tests.text.golden import load, make, reference_decision, reference_parse

HEADERS = {"prover0_channel": "Question for Expert_1:", "prover1_channel": "Question for Expert_2:"}


def parse(text, protocol="nip", agent="verifier", round_id=0, params=None):
    messages, decision = make(protocol, params).parse_chat_completion(text, agent, round_id)
    return decision if messages is None else list(messages.values())


def test_d10_channel_order_does_not_depend_on_the_process():
    record = next(
        r
        for r in load("agents.json")["records"]
        if r["protocol"] == "debate" and r["randomize_channel_order"]
    )["agents"]["verifier"]
    one, other = record["channel_order_exact"], record["channel_order_exact_other_hash_seed"]
    assert one != other  # the reference, under two values of PYTHONHASHSEED
    handler = make("debate")
    ours = [handler.get_agent_ordered_channels("verifier", seed) for seed in range(21)]
    base = ["prover0_channel", "prover1_channel"]
    assert ours == [random.Random(seed).sample(base, 2) for seed in range(21)]
    assert ours[:3] == [base[::-1], base, base]


def test_d10_processes_agree():
    code = (
        "from tests.text.golden import make\n"
        "print([make('debate').get_agent_ordered_channels('verifier', s) for s in range(21)])"
    )
    root = str(Path(__file__).parents[2])
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": root},
        ).stdout
        for hash_seed in (1, 2)
    }
    assert len(said) == 1


@each(
    ("text", "reference", "ours"),
    [
        ("Decision: accept, not decision: reject", 1, InvalidDecisionError),
        ("Decision:accept", "InvalidDecisionError", 1),
        ("Decision:  reject", "InvalidDecisionError", 0),
        ("**Decision:** accept", "InvalidDecisionError", 1),
        ("**decision**: __REJECTED__", 2, 0),
        ("Decision: acceptable", 1, InvalidDecisionError),
        ("Decision: accepted", 1, 1),
        ("Predecision: reject", 0, 2),
        ("decision_: accept", 2, 1),
        ("decision :", 2, InvalidDecisionError),
        ("Decision: reject. Decision: rejected", 0, 0),
        ("dec\u0131s\u0131on: accept", 2, 2),
        ("deci\u017fion: accept", 2, 2),
        ("Decision:\u00a0accept", "InvalidDecisionError", InvalidDecisionError),
    ],
)
def test_d12_what_a_decision_is(text, reference, ours):
    assert reference_decision(text) == reference
    if ours is InvalidDecisionError:
        with pytest.raises(InvalidDecisionError) as raised:
            parse(text)
        assert raised.value.response_text == text
    else:
        assert parse(text) == (ours if ours != 2 else [text])


def test_d13_only_an_active_verifier_decides():
    text = "I say decision: reject"
    for active in (["main"], []):
        assert reference_parse(text, active, ["main"], None) == {"d": 0}
    assert parse(text, agent="prover", round_id=1) == [text]
    with pytest.raises(ValueError, match="'verifier' does not speak in round 1"):
        parse(text, round_id=1)
    # An announcement does not damage a prover's message either.
    assert reference_parse("decision:", ["main"], ["main"], None) == {
        "error": "InvalidDecisionError"
    }
    assert parse("decision:", agent="prover", round_id=1) == ["decision:"]


def test_d11_rounds_outside_the_episode():
    for round_id in (-1, 8, 10**9):
        with pytest.raises(RoundError):
            parse("decision: accept", round_id=round_id)


def test_d14_positions_are_right_for_every_string():
    text = "İİİQuestion for Expert_1: a?\nquestion FOR expert_2: b?"
    channels = list(HEADERS)
    assert reference_parse(text, channels, channels, HEADERS) == {
        "d": 2,
        "m": ["stion for Expert_1: a?\nque", "stion FOR expert_2: b?"],
    }
    assert parse(text, "debate") == ["Question for Expert_1: a?", "question FOR expert_2: b?"]


def test_d14_what_stays_as_in_the_reference():
    text = "Hi! QUESTION for expert_2: b \n Question for Expert_1:  a? Question for Expert_2: c \n"
    channels = list(HEADERS)
    assert reference_parse(text, channels, channels, HEADERS) == {"d": 2, "m": parse(text, "mnip")}
    assert parse(text, "mnip") == [
        "Question for Expert_1:  a? Question for Expert_2: c",
        "QUESTION for expert_2: b",
    ]


def test_d15_an_answer_that_cannot_be_read_is_an_error_with_a_reason():
    handler = make("debate")
    # The reference stores this in place of the answer, in every channel.
    assert handler.empty_channel_message == {"prover0_channel": "", "prover1_channel": ""}
    with pytest.raises(cv.NotAllActiveChannelsInResponseError) as raised:
        handler.parse_chat_completion("Question for Expert_1: why?", "verifier", 0)
    assert "Missing: 'Question for Expert_2:'" in str(raised.value)
    assert raised.value.response_text == "Question for Expert_1: why?"
    with pytest.raises(InvalidDecisionError, match='neither "accept" nor "reject" follows'):
        handler.parse_chat_completion("Decision: dunno, secret", "verifier", 0)


def said(channel, sender, text):
    return cv.SeenMessage(channel, sender, text)


def test_d16_silent_rounds_are_skipped():
    # Prover1 decides to speak only in round 2 of a sequential mnip: round 1 is silent for it.
    handler = make("mnip", {"mnip": {"sequential": True}})
    history = [
        cv.SeenRound((said("prover1_channel", "verifier", "Question for Expert_2: why?"),)),
        cv.SeenRound(),
        cv.SeenRound((said("prover1_channel", "prover1", "Answer: so."),), "Answer: so."),
    ]
    chat = handler.chat_messages(history, "prover1", 0, 3, system_prompt="S")
    reference = [{"role": "system", "content": "S"}]
    question = {"role": "user", "name": "Verifier", "content": "Question for Expert_2: why?"}
    assert chat == [*reference, question, {"role": "assistant", "content": "Answer: so."}]
    # The reference stops at round 1.
    assert chat[:2] == [*reference, question]


@each(
    ("first", "rounds", "reference", "ours"),
    [(True, 8, 7, 6), (False, 8, 7, 7), (True, 5, 4, 4), (False, 5, 4, 3), (True, 2, 1, 0)],
)
def test_d17_the_reminder_precedes_the_last_turn(first, rounds, reference, ours):
    handler = make(
        "nip", {"common": {"verifier_first": first}, "nip": {"max_message_rounds": rounds}}
    )
    assert reference == rounds - 1
    reminder = handler.agent_specs["verifier"].last_round_system_message
    assert reminder
    history = [
        cv.SeenRound((), f"mine {r}")
        if handler.spec.may_decide(r)
        else cv.SeenRound((said("main", "prover", f"its {r}"),))
        for r in range(rounds)
    ]
    for now in range(rounds + 1):
        chat = handler.chat_messages(history[:now], "verifier", 0, now, system_prompt="S")
        texts = [message["content"] for message in chat]
        assert (reminder in texts) == (now >= ours)
        if now == ours:
            assert texts[-1] == reminder
        elif now > ours:
            assert texts[texts.index(reminder) + 1] == f"mine {ours}"
    assert all(
        "System" not in m.get("name", "") and m["role"] in ("system", "user", "assistant")
        for m in chat
    )


def test_d18_a_decision_before_its_time_is_parsed_and_refused():
    handler = make("nip", {"nip": {"min_message_rounds": 3}})
    episode = Episode(handler, ONE_TASK)
    with pytest.raises(IllegalMoveError, match="counts from turn 3 on: write a message instead"):
        episode.play(Move("verifier", decision=1))
    for agent in ("verifier", "prover"):
        episode.play(Move(agent, {"main": "word"}))
    episode.play(Move("verifier", decision=1))
    assert episode.node.done
    assert handler.parse_chat_completion("Decision: accept", "verifier", 0) == (None, 1)
    assert not handler.spec.decision_counts(0)
    variables = handler.system_prompt_variables("verifier", question="q", solution="s")
    text = handler.get_agent_system_prompt("verifier", **variables)
    assert "A verdict counts only from your message number 2 on." in text


def test_d21_solo_verifier_has_one_round():
    rows = {
        (config, agent, round_id)
        for config, agent, round_id in load("parse_shared.json.gz")["targets"]
        if load("parse_shared.json.gz")["configs"][config]["protocol"] == "solo_verifier"
    }
    assert {round_id for _, _, round_id in rows} == {0, 1, 2}
    with pytest.raises(RoundError):
        parse("hello", "solo_verifier", round_id=1)


def test_d22_templates_are_jinja():
    handler = make("nip", {"common": {"randomize_prover_stance": True}})
    variables = handler.system_prompt_variables(
        "verifier", question="$question", solution="${solution}", prover_stance=0
    )
    text = handler.get_agent_system_prompt("verifier", **variables)
    assert "$question" in text  # string.Template would fill it in
    # The reference says "accept" to the verifier even where the stance is drawn.
    assert "argue that you should accept" not in text
    assert "you are not told which one" in text
    fixed = make("nip")
    variables = fixed.system_prompt_variables("verifier", question="q", solution="s")
    assert "argue that you should accept" in fixed.get_agent_system_prompt("verifier", **variables)


def test_d8_max_questions_of_sequential_protocols():
    handler = make("debate", {"debate": {"sequential": True, "max_message_rounds": 8}})
    reference = 3
    assert [
        row[4]
        for row in load("agents.json")["max_questions_variable"]["rows"]
        if row[:4] == ["debate", 1, 1, 8]
    ] == [reference]
    assert handler.max_questions == 2  # the verifier speaks in rounds 0, 3 and 6
