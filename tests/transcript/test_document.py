"""Tests of document.py, nip_core/play/origin.py, safe_json.py, text.py and training.py.

Transcripts: exact round trips, a clear refusal of everything else, and their other formats.
"""

import copy
import dataclasses
import functools
import itertools
import json
import random
from pathlib import Path

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nip_core import HyperParameters
from nip_core.errors import NipError, PlayError, TranscriptError
from nip_core.play import MAX_POSITIONS, Answered, Commented, Episode, Move, Origin, Refused, Seated
from nip_core.spec import Schedule, Turn
from nip_core.transcript import (
    FORMAT,
    MAX_BYTES,
    dump,
    dumps,
    load,
    preference_pairs,
    prompts_have_changed,
    redact,
    to_jsonl,
    to_markdown,
    to_plain_text,
    training_examples,
    transcript_schema,
)
from tests.depth import cases, each
from tests.growth import seconds
from tests.noninterference import build, some_world
from tests.odd import changed, json_values, places, planted
from tests.play_worlds import FOREIGN, GRAPHS, ONE_TASK, Setup, protocols

CASES = [
    (name, task, informed)
    for name in protocols()
    for task, informed in ((ONE_TASK, True), (GRAPHS, False), (FOREIGN, False))
]


def some_episode(rng, name, task, informed=False):
    setup = Setup.of(protocols()[name], task, rng.randrange(1000), informed_provers=informed)
    return build(some_world(rng, setup, rng.randint(0, setup.rules.longest)))


def small():
    episode = Episode(HyperParameters(), ONE_TASK)
    episode.apply(Seated(agent="verifier", player={"kind": "human"}, at="2026-01-01T00:00:00Z"))
    episode.play(Move("verifier", {"main": "Why?"}, confidence=70), origin={"seconds": 1.5})
    episode.play(Move("prover", {"main": "So."}))
    episode.apply(Commented(node=2, text="A weak answer."))
    episode.play(Move("verifier", decision=0))
    episode.undo("verifier")
    episode.play(Move("verifier", decision=1))
    return episode


def test_rewards_in_single_precision_are_read():
    """As the first version wrote them; rewards are exact, and wrong ones are refused."""
    parameters = HyperParameters(protocol_common={"verifier_incorrect_penalty": -0.1})
    episode = Episode(parameters, ONE_TASK)
    episode.play(Move("verifier", decision=1 - ONE_TASK.y))
    assert episode.result().totals["verifier"] == -0.1
    document = dump(episode)
    document["positions"][1]["rewards"]["verifier"] = -0.10000000149011612
    assert load(document).result().totals["verifier"] == -0.1
    document["positions"][1]["rewards"]["verifier"] = -0.1000001
    with pytest.raises(TranscriptError, match="not what the rules give"):
        load(document)


def test_round_trips_are_exact():
    rng = random.Random(0)
    validator = jsonschema.Draft202012Validator(transcript_schema())
    for name, task, informed in CASES:
        episode = some_episode(rng, name, task, informed)
        text = dumps(episode)
        document = json.loads(text)
        validator.validate(document)
        again = load(text)
        assert dumps(again) == text
        assert again.nodes == episode.nodes
        assert again.node == episode.node
        assert dump(load(document)) == document
        assert load(text.encode()).events == episode.events
        assert not prompts_have_changed(document, again)


OLD = Path(__file__).parent / "data" / "nip-transcript-1.json"
EARLY = OLD.with_name("early_verdict.json")


def test_a_transcript_of_the_first_format_is_read():
    text = OLD.read_text("utf-8")
    assert json.loads(text)["format"] == "nip-transcript/1"
    episode = load(text)
    assert len(episode.events) == 8
    origin = episode.origins(2)["prover"]
    assert (origin.model, origin.answered_by, origin.attempts) == ("m-1", "m-1-0101", 2)
    assert (origin.tokens, origin.seconds) == (907, 3.214)
    assert origin.settings == {"temperature": 0.5}
    again = dumps(episode)
    assert json.loads(again)["format"] == FORMAT == "nip-transcript/2"
    assert load(again).events == episode.events
    forged = json.loads(text)
    forged["events"][3]["origin"]["attempts"] = 1
    with pytest.raises(TranscriptError, match="Event 3 does not match its hash"):
        load(forged)
    # The formats differ from the start: the hash chain begins with the format.
    with pytest.raises(TranscriptError, match="Event 0 does not match"):
        load({**json.loads(text), "format": FORMAT})


WHOLE = Origin(
    kind="llm",
    model="m",
    answered_by="m-2",
    host="h.example",
    settings={"temperature": 0.5, "seed": 3, "max_tokens": 99, "x": {"y": [1]}},
    left_out=("top_p",),
    scratchpad=False,
    instructions="0" * 64,
    tokens_in=0,
    tokens_out=5,
    estimated=True,
    unread=True,
    seconds=1.25,
    attempts=2,
    cost=0.25,
    refused=(Refused("Why?", "This is your last turn."),),
    answered=(Answered("draft 1", "A first draft."),),
    reasoning="Hmm.",
)


def test_how_a_move_came_about_is_kept_and_documented():
    episode = Episode(HyperParameters(), ONE_TASK)
    episode.play(Move("verifier", {"main": "Why?"}), origin=WHOLE.to_dict())
    document = json.loads(dumps(episode))
    jsonschema.Draft202012Validator(transcript_schema()).validate(document)
    assert load(document).origins(1) == {"verifier": WHOLE}
    documented = transcript_schema()["$defs"]["origin"]["properties"]
    assert set(documented) == {field.name for field in dataclasses.fields(Origin)}
    assert set(WHOLE.to_dict()) == set(documented)
    shown = to_markdown(episode)
    parts = ("m-2", "seed 3", "0 tokens in, 5 out", "Hmm.", "This is your last turn.")
    for part in (*parts, "draft 1", "A first draft."):
        assert part in shown.replace("\\", "")
        assert part not in to_markdown(episode, "verifier").replace("\\", "")
        assert part not in to_markdown(episode, "prover").replace("\\", "")


def test_texts_of_models_are_bounded_and_can_be_kept_anywhere():
    hostile = "a\0b\ud800" + "x" * 1_000_000
    origin = Origin(
        kind="llm",
        model=hostile,
        settings={"extra": "y" * 1_000_000},
        refused=tuple(Refused(hostile, hostile) for _ in range(100)),
        answered=tuple(Answered(hostile, hostile) for _ in range(100)),
        reasoning=hostile,
    )
    document = origin.to_dict()
    text = json.dumps(document, ensure_ascii=False)
    assert len(text.encode()) < 200_000
    assert "\0" not in text
    assert "\\u0000" not in text
    assert Origin.from_dict(document).to_dict() == document
    assert "more characters]" in document["reasoning"]


any_origin = st.dictionaries(
    st.sampled_from([field.name for field in dataclasses.fields(Origin)] + ["temperature"]),
    json_values(keys=st.sampled_from(["answer", "reason", "x"])),
    max_size=6,
)


@settings(max_examples=cases(200))
@given(any_origin)
@example({"settings": {"answer": float("inf")}})
def test_any_record_of_a_move_is_read(document):
    origin = Origin.from_dict(document)
    assert isinstance(origin.summary, str)
    assert Origin.from_dict(origin.to_dict()).to_dict() == origin.to_dict()


def test_loading_leaves_the_document_as_it_was():
    document = dump(small())
    before = copy.deepcopy(document)
    load(document)
    assert document == before


def another(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"{value}x" if isinstance(value, str) else "x"


def plain_values(document):
    """Yield the places of all values that contain no other ones, with these values."""
    for path in places(document):
        value = functools.reduce(lambda here, key: here[key], path, document)
        if not value or not isinstance(value, dict | list):
            yield path, value


def test_a_changed_value_anywhere_is_noticed():
    document = dump(small())
    values = list(plain_values(document))
    assert len(values) > 100
    for path, value in values:
        with pytest.raises(TranscriptError):
            load(planted(document, path, another(value)))


def test_an_event_left_out_or_moved_is_noticed():
    document = dump(small())
    for number in range(len(document["events"])):
        forged = copy.deepcopy(document)
        del forged["events"][number]
        with pytest.raises(TranscriptError):
            load(forged)
    forged = copy.deepcopy(document)
    forged["events"][1], forged["events"][2] = forged["events"][2], forged["events"][1]
    with pytest.raises(TranscriptError, match="Event 1 does not match its hash"):
        load(forged)


def reforged(change, prompts=None):
    """Return a transcript with changed events and valid hashes, as a skilled forger makes it."""
    from nip_core.transcript.document import _chain

    document = dump(small())
    events = [{k: v for k, v in e.items() if k != "hash"} for e in document["events"]]
    change(events)
    if prompts is not None:
        document["digests"]["prompts"] = dict.fromkeys(document["digests"]["prompts"], prompts)
    header = {key: document[key] for key in ("format", "library", "setup", "digests")}
    links = _chain(header, events)
    document["events"] = [{**e, "hash": h} for e, h in zip(events, links, strict=True)]
    return document


def test_an_illegal_transcript_is_refused_with_the_event_and_the_reason():
    def speak_twice(events):
        events.insert(2, events[1])

    def decide_as_prover(events):
        events[2]["move"] = {"agent": "prover", "decision": 1}

    def say_nothing(events):
        events[1]["move"]["messages"] = {}

    for change, message in (
        (speak_twice, "Event 2 is not possible: It is not your turn"),
        (decide_as_prover, "Event 2 is not possible: Only the verifier decides"),
        (say_nothing, "Event 1 is not possible: Your message is missing"),
    ):
        with pytest.raises(TranscriptError, match=message):
            load(reforged(change))
    lied = dump(small())
    lied["positions"][-1]["rewards"]["verifier"] = 1.0
    with pytest.raises(TranscriptError, match="not what the rules give"):
        load(lied)


@each(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[1, 2", "not JSON"),
        ("3", "is an object"),
        ("null", "is an object"),
        ("{}", "The format is None"),
        (
            '{"format": "nip-transcript/4"}',
            "reads 'nip-transcript/2', 'nip-transcript/3' and 'nip-transc",
        ),
        ('{"format": ["nip-transcript/2"]}', "this version reads"),
        ('{"format": "nip-transcript/2"}', "lacks the field 'digests'"),
        ('{"format": "nip-transcript/1"}', "lacks the field 'digests'"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": NaN}', "NaN, which is no JSON number"),
        ('{"a": Infinity}', "Infinity"),
        ("9" * 10_000, "not JSON"),
        ("[" * 100_000, "levels deep"),
        ('{"a":' * 50 + "1" + "}" * 50, "levels deep"),
        (b"\xff\xfe{\x00", "not text in UTF-8"),
        (b"\x80\x04\x95", "not text in UTF-8"),
        (b" " * (MAX_BYTES + 1), "at most 20 MB"),
    ],
)
def test_junk_gets_a_clear_answer(text, message):
    with pytest.raises(TranscriptError, match=message) as caught:
        load(text)
    assert len(str(caught.value)) < 300


GOOD = dumps(small())


def loads_or_says_why(source):
    try:
        load(source)
    except NipError as error:
        said = str(error)
    else:
        said = "It loads."
    assert 0 < len(said) < 1000


@settings(max_examples=cases(150))
@given(st.data())
def test_any_damage_gets_a_clear_answer(data):
    """Cut, overwritten or spliced: an episode or one of our errors, nothing else."""
    text = GOOD
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        until = data.draw(st.integers(at, min(len(text), at + 30)))
        text = text[:at] + data.draw(st.text(max_size=8)) + text[until:]
    loads_or_says_why(text)


@settings(max_examples=cases(300))
@given(changed([json.loads(GOOD)], json_values()))
def test_any_value_in_any_place_gets_a_clear_answer(document):
    loads_or_says_why(document)


# -- other formats ------------------------------------------------------------------------------


def test_a_redacted_export_is_the_view():
    episode = small()
    assert redact(episode, "prover") == episode.view_for("prover").to_dict()
    assert redact(episode, "prover", 1) == episode.view_for("prover", 1).to_dict()
    json.dumps(redact(episode, "verifier"))


def test_the_markdown_keeps_hostile_text_as_text():
    episode = Episode(HyperParameters(), ONE_TASK)
    hostile = "![x](http://evil/x.png)\n```\n<script>alert(1)</script>\n````\n# Round 9"
    episode.play(Move("verifier", {"main": hostile}))
    shown = to_markdown(episode)
    start = shown.index("`````text")
    assert shown[start:].startswith(f"`````text\n{hostile}\n`````")
    assert hostile in to_plain_text(episode, "prover")


def test_texts_for_people_hold_nothing_that_a_terminal_obeys():
    hostile = "a\x1b]0;owned\x07\x9b2Jb\r\x7f\u202ec\u2028\u2066d\b"
    episode = Episode(HyperParameters(interaction_protocol="nip"), ONE_TASK, 1)
    episode.play(Move("verifier", {"main": hostile}))
    for text in (to_plain_text(episode), to_markdown(episode), to_plain_text(episode, "prover")):
        assert r"a\x1b]0;owned\x07\x9b2Jb\x0d\x7f\u202ec\u2028\u2066d\x08" in text
        assert all(c.isprintable() or c in "\n\t" for c in text)


def test_texts_contain_the_variation_and_its_end():
    episode = small()
    for text in (to_plain_text(episode), to_markdown(episode, "verifier")):
        assert "Why?" in text
        assert "accept" in text
        assert "Truth: reject" in text
        assert ONE_TASK.explanation[:10] in text.replace("\\", "")
    assert "Verdict: reject" in to_plain_text(episode, node=3)
    assert "Truth" not in to_plain_text(episode, node=1)
    # People count rounds from 1.
    assert "\n[1] " in to_plain_text(episode)
    assert "\n[0] " not in to_plain_text(episode)
    assert "## Turn 1\n" in to_markdown(episode)
    assert "## Round 0" not in to_markdown(episode)


def test_training_examples_are_finished_chats_that_end_with_an_answer():
    episode = small()
    examples = list(training_examples(episode))
    assert len(examples) == 4  # two seats, two variations
    for found in examples:
        assert found["messages"][0]["role"] == "system"
        assert found["messages"][-1]["role"] == "assistant"
    verdicts = [e["messages"][-1]["content"] for e in training_examples(episode, ["verifier"])]
    assert verdicts == ["Verdict: reject", "Verdict: accept"]
    true = [
        example["messages"][-1]["content"]
        for example in training_examples(episode, ["verifier"], true_label=True)
    ]
    assert true == ["Verdict: reject"] * 2
    assert [json.loads(line) for line in to_jsonl(examples).splitlines()] == examples
    unfinished = Episode(HyperParameters(), ONE_TASK)
    unfinished.play(Move("verifier", {"main": "Why?"}))
    assert list(training_examples(unfinished)) == []


def test_preference_pairs_prefer_what_paid():
    pairs = list(preference_pairs(small()))
    assert len(pairs) == 1
    assert pairs[0]["preferred_output"] == [{"role": "assistant", "content": "Verdict: reject"}]
    assert pairs[0]["non_preferred_output"][0]["content"] == "Verdict: accept"
    roles = [m["role"] for m in pairs[0]["input"]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert list(preference_pairs(small(), ["prover"])) == []


def test_no_training_text_holds_what_its_seat_may_not_see():
    numbers = itertools.count(10_000)
    for name in ("mnip", "debate", "four seats", "by chance"):
        episode = Episode(protocols()[name], ONE_TASK, 1)
        hidden = {agent: set() for agent in episode.rules.seat_names}
        while not episode.over:
            for agent in episode.to_move:
                messages = {c: f"<{next(numbers)}>" for c in episode.legal(agent).channels}
                for channel, text in messages.items():
                    for other in hidden:
                        if channel not in episode.rules.visible_channels(other):
                            hidden[other].add(text)
                episode.play(Move(agent, messages))
        assert any(hidden.values()) == (name != "debate")
        for agent, texts in hidden.items():
            chats = to_jsonl(training_examples(episode, [agent]))
            assert not [text for text in texts if text in chats]


# -- what a stranger may write --------------------------------------------------------------------


@each(
    ("digests", "message"),
    [
        ("x", "digests is 'x'"),
        (None, "digests is None"),
        ({}, "digests lacks the key"),
        ({"task": "0" * 64}, "digest of the task"),
        ({"protocol": "0" * 64}, "digest of the protocol"),
        ({"prompts": "x"}, "digests.prompts is 'x'"),
        ({"prompts": {}}, "digests.prompts lacks the key"),
        ({"prompts": {"verifier": 7, "prover": "0" * 64}}, "prompt of 'verifier' is 7"),
        ({"more": 1}, "has a key 'more'"),
    ],
)
def test_wrong_digests_are_reported(digests, message):
    document = dump(small())
    if isinstance(digests, dict) and digests:
        digests = {**document["digests"], **digests}
    document["digests"] = digests
    with pytest.raises(TranscriptError, match=message):
        load(document)


def test_digests_of_older_prompts_are_no_fault():
    document = reforged(lambda events: None, prompts="0" * 64)
    assert prompts_have_changed(document, load(document))
    with pytest.raises(TranscriptError, match="no digests"):
        prompts_have_changed({**document, "digests": "x"}, small())


@each("number", ["1e999", "-1e999", "1" * 5_000, "NaN"])
def test_numbers_that_cannot_be_stored_are_refused_everywhere(number):
    document = dump(small())
    for place in (document, document["setup"], document["digests"], document["events"][0]):
        place["more"] = "NUMBER"
        text = json.dumps(document).replace('"NUMBER"', number)
        del place["more"]
        with pytest.raises(TranscriptError) as caught:
            load(text)
        assert any(word in str(caught.value) for word in ("1e999", "digits", "NaN"))
    for value in (float("inf"), float("nan"), {1}, {"a": object()}):
        with pytest.raises(TranscriptError, match="cannot be written as JSON"):
            load({**document, "digests": value})


def test_a_position_needs_an_event_of_its_own():
    """Rounds in which nobody speaks are skipped: one event could skip a thousand."""
    spec = Episode(HyperParameters(), ONE_TASK).setup.handler.spec
    turn = Turn.of({"verifier": ["main"]})
    silent = spec.replace(schedules=(Schedule((turn,), (Turn(),)),), max_message_rounds=1_000)
    episode = Episode(silent, ONE_TASK)
    while len(episode.nodes) + 1_000 <= MAX_POSITIONS:
        episode.play(Move("verifier", {"main": "a"}))
        episode.goto(0)
    before = episode.nodes, episode.events
    with pytest.raises(PlayError, match="at most 20,000 positions"):
        episode.play(Move("verifier", {"main": "a"}))
    assert (episode.nodes, episode.events) == before


def test_replaying_is_linear():
    setup = Episode(HyperParameters(), ONE_TASK).setup

    def replayed(count):
        episode = Episode.from_setup(setup)
        for _ in range(count):
            episode.play(Move("verifier", {"main": "a"}))
            episode.play(Move("prover", {"main": "a"}))
            episode.goto(0)
        return episode

    replayed(10)
    few = seconds(lambda: replayed(200))
    many = seconds(lambda: replayed(3_200), enough=64 * few)
    assert many < 64 * few  # in proportion it is 16, for a loop within a loop 256


def test_an_early_verdict_in_an_old_record_has_no_effect():
    """It was recorded when it was legal and had no effect."""
    text = EARLY.read_text("utf-8")
    episode = load(text)
    # The chain of hashes begins with the digests of prompts, which have changed since.
    kept, again = json.loads(text)["events"], dump(episode)["events"]
    assert [e | {"hash": ""} for e in again] == [e | {"hash": ""} for e in kept]
    assert [node.done for node in episode.path()] == [False, False, False, True]
    assert episode.path()[1].moves == {"verifier": Move("verifier", decision=1)}
    assert episode.view_for("prover", 1).rounds[0].messages == ()
    assert "[1] Verifier: Decision: accept" in to_plain_text(episode)
    again = Episode.from_setup(episode.setup)
    with pytest.raises(PlayError, match="counts from turn 3 on"):
        again.play(episode.path()[1].moves["verifier"])
