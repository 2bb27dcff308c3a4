"""Tests of rules.py, answers.py, instructions.py, legal.py, material.py, prompts.py, seen.py.

Episodes of version 2 protocols: play, undo, branches, replay, records, and what models get.
"""

import dataclasses
import json
import random
import re
from itertools import pairwise

import jsonschema
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import nip_core
from nip_core import Episode, Move, protocol_names, published_names, specification
from nip_core.errors import (
    IllegalMoveError,
    InvalidResponseError,
    PlayError,
    TranscriptError,
    UnknownNameError,
    UnsupportedError,
)
from nip_core.language import Specification, Wording, from_version_1
from nip_core.play import Commented, Material, Seated, Setup, event_from_dict, read_answer
from nip_core.play.answers import as_answer, headers
from nip_core.tasks import passages
from nip_core.transcript import (
    dump,
    dumps,
    load,
    redact,
    to_markdown,
    to_plain_text,
    training_examples,
    transcript_schema,
)
from tests.depth import cases, each
from tests.language.strategies import accepted, documents
from tests.language.zoo import everything, must_write, published
from tests.play.turn_players import begun, play_on, random_turn
from tests.sentences import need_words

QUALITY = {"question": "Who?", "answers": "A: he, B: she", "passage": "He went.", "truth": "A"}


def check_play(spec, seed):
    """Play to an end, go back, branch, replay, and store it."""
    episode, rng = begun(spec, seed)
    play_on(episode, rng)
    assert episode.settled
    assert episode.node.round <= spec.longest
    ended = episode.node.id
    inner = [node.id for node in episode.path() if node.speakers]
    if inner:
        episode.fork(rng.choice(inner))
        if rng.random() < 0.5:
            episode.play(random_turn(episode.view_for(episode.to_move[0]), rng))
        undone(episode)
        play_on(episode, rng)
    episode.goto(ended)
    again = Episode.from_setup(episode.setup, map(event_from_dict, events_of(episode)))
    assert again.nodes == episode.nodes
    text = dumps(episode)
    loaded = load(text)
    assert dumps(loaded) == text
    assert loaded.nodes == episode.nodes
    for seat in spec.seat_names:
        assert loaded.view_for(seat).to_json() == episode.view_for(seat).to_json()
    return episode


def events_of(episode):
    return [event.to_dict() for event in episode.events]


def undone(episode):
    before, moved = episode.node, list(episode.held)
    if moved:
        episode.undo(moved[0])
        assert moved[0] in episode.to_move
    elif any(node.moves for node in episode.path()):
        episode.undo()
        assert before.id != episode.node.id or not before.moves


@settings(max_examples=cases(30), deadline=None)
@given(documents(), st.integers(0, 1_000))
def test_random_protocols_are_played_kept_and_played_again(document, seed):
    check_play(accepted(document), seed)


# What people may call an option, besides words.
TITLES = (
    *("<yes>", "a | b", "x: y", "*bold*", '"quoted"', "`code`", "# one", "> two", "- three", "$5"),
    *("1. four", "no", "none", "accept", "not A", "A", "B", "A?", "if true", "3 or 4", "a / b"),
    *("<b>x</b>", "{json}", "…", "是", "نعم", "ＡＢＣ", "👍", "👎", "👍 yes", "maybe (not)", "~~~"),
)
FORMS = {
    "a choice": {"choose": "v"},
    "a message and a choice": {"say": "c", "choose": "v"},
    "two choices": {"say": "c", "choose": ["v", "u"]},
    "a choice or a message": {"say": "c", "choose": "v", "silent": "v != w"},
}


@each("form", list(FORMS))
def test_the_form_that_is_asked_for_is_read_whatever_it_contains(form):
    act = FORMS[form]
    options = ["a", "b", *(["w"] if "silent" in act else [])]
    choices = {"v": {"by": "j", "options": options}, "u": {"by": "j", "options": ["k", "l"]}}
    for one, two in pairwise((*TITLES, "the other")):
        document = {"name": "x", "seats": {"j": "J"}, "channels": {"c": "everyone"}}
        document |= {"choices": choices, "titles": {"a": one, "b": two, "u": "<x> | *y*:"}}
        then = {"then": {"end": "v != w"}} if "silent" in act else {}
        document |= {"stages": [{"name": "s", "times": 2, "turns": [{"j": act} | then]}]}
        spec = Specification.from_dict(document | {"verdict": "v"})
        view = Episode(spec, {}).view_for("j")
        for option in ("a", "b"):
            said = {"c": "I have thought about it."} if form.endswith(("and a choice", "s")) else {}
            more = {"u": "l"} if form == "two choices" else {}
            move = Move("j", said, choices={"v": option, **more})
            read = view.read_answer(as_answer(spec, move))
            assert (read.messages, read.choices) == (move.messages, move.choices), (one, two)


def test_quotes_are_looked_up_only_where_something_can_be_quoted():
    spec = published("salon")
    episode = Episode(spec, {})
    said = "They call it <quote>tea</quote>."
    episode.play(Move("host", {"parlour": said}))
    episode.play(Move("guest", {"parlour": "So.", "garden": "Hm."}))
    (message,) = episode.view_for("guest").rounds[0].messages[:1]
    assert (message.text, episode.view_for("guest").rounds[0].quotes[0]) == (said, ())
    assert "not found" not in str(episode.view_for("guest").portable_messages())


@each(("name", "spec"), everything())
def test_published_protocols_are_played_kept_and_played_again(name, spec):
    episode = check_play(spec, 3)
    document = dump(episode)
    jsonschema.Draft202012Validator(transcript_schema(2)).validate(document)
    for seat in spec.seat_names:
        json.dumps(redact(episode, seat))
        assert to_markdown(episode, seat)
        assert to_plain_text(episode, seat)
    assert to_markdown(episode)
    text = to_plain_text(episode)
    turns = episode.path()[1:]
    said = {message.text for node in turns for message in node.release.messages}
    for words in sorted(said, key=len, reverse=True):
        text = text.replace(words, "")
    need_words(spec, text, name)
    assert repr(episode)
    assert episode.table().rows is not None
    assert all(chat["messages"][-1]["content"] for chat in training_examples(episode))


# -- what a model gets and answers -----------------------------------------------------------------


def said(text):
    return re.sub(r"\s+", " ", text).strip()


@settings(max_examples=cases(40), deadline=None)
@given(documents(), st.integers(0, 1_000))
def test_what_a_prompt_allows_is_read_as_that_move(document, seed):
    spec = accepted(document)
    episode, rng = begun(spec, seed)
    while not episode.over:
        seat = rng.choice(episode.to_move)
        view = episode.view_for(seat)
        chat = view.portable_messages(scratchpad=rng.random() < 0.5)
        roles = [message["role"] for message in chat]
        assert roles[0] == "system"
        assert all(a != b for a, b in pairwise(roles[1:]))
        assert (roles[1], roles[-1]) == ("user", "user")
        last = chat[-1]["content"]
        labels = [Wording(spec, seat).label(name) for name in view.legal.choices]
        assert all(f"\n{label}: <" in last or f'"{label}: ' in last for label in labels)
        move = random_turn(view, rng)
        read = view.read_answer(as_answer(view.rules, move))
        assert dict(read.choices) == dict(move.choices)
        assert {c: said(t) for c, t in read.messages.items()} == {
            c: said(t) for c, t in move.messages.items()
        }
        episode.play(read)


def claim(name):
    """Return an episode of a registered protocol, by its specification."""
    about = {"question": "Two and two?", "solution": "Four.", "truth": "accept"}
    return Episode(specification(name), about, 1)


@each("name", protocol_names())
def test_a_message_or_a_verdict_in_its_place_is_read(name):
    episode = claim(name)
    while not (view := episode.view_for("verifier")).legal.choices:
        episode.play(random_turn(episode.view_for(episode.to_move[0]), random.Random(1)))
    for text in (
        "Verdict: accept",
        "Decision: accept",
        "I accept the statement.",
        "verdict: Accept",
    ):
        assert view.read_answer(text).choices == {"verdict": "accept"}
        assert not view.read_answer(text).messages
    several = len(view.legal.channels) > 1
    named = headers(view.rules, "verifier", view.legal.channels)
    starts = [header if several else "" for header in named.values()]
    question = "\n".join(f"{start} What about five?".strip() for start in starts)
    waits = f"verdict: wait\n{question}"
    # In the last turn a verdict is owed, but the protocol itself allows to wait.
    if view.legal.last_turn:
        with pytest.raises(InvalidResponseError, match="last turn"):
            view.read_answer(question)
        question = waits
    for text in (question, waits):
        read = view.read_answer(text)
        assert read.choices == {"verdict": "wait"}
        assert set(read.messages.values()) == {"What about five?"}
    said = as_answer(view.rules, view.read_answer(question))
    assert "wait" not in said
    if not view.legal.last_turn:
        assert view.read_answer(said).messages == view.read_answer(question).messages
    again = 'write one line and nothing else: "Verdict: accept" or "Verdict: reject".'
    for text in ("Accept, if five is odd.", "accept\nWhat about five?", "Verdict: accept or not"):
        with pytest.raises(InvalidResponseError, match=again):
            view.read_answer(text)


def judging():
    """Return a debate whose judge is to move, with two messages and two choices."""
    return Episode(must_write("michael_debate", rounds=1), QUALITY).view_for("judge")


@each(
    ("answer", "choices", "message"),
    [
        ("Why?\n\nestimate: 60\ngoing: stop", {"estimate": 60, "going": "stop"}, "Why?"),
        ("Why?\n\nEstimate: 60\nNext step: go on", {"estimate": 60, "going": "go_on"}, "Why?"),
        ("**Estimate:** 60%\n- going: `go_on`.\nWhy?", {"estimate": 60, "going": "go_on"}, "Why?"),
        ("<think>estimate: 1</think>So?\nestimate: 7\nGoing: GO ON", {"estimate": 7}, "So?"),
        ("So?\n```\nestimate: 7\ngoing: stop\n```", {"going": "stop"}, "So?"),
        ("> estimate: 99\nSo?\nestimate: 7\ngoing: stop", {"estimate": 7}, "> estimate: 99\nSo?"),
        ("debate: So?\nestimate = 7\ngoing: stop\nestimate: 7", {"estimate": 7}, "So?"),
    ],
)
def test_answers_are_read_as_they_are_meant(answer, choices, message):
    move = judging().read_answer(answer)
    assert {name: move.choices[name] for name in choices} == choices
    assert move.messages == {"debate": message}


@each(
    ("answer", "reason"),
    [
        ("Why?", "A choice is missing. Write a line of its own for each of: Estimate: a whole"),
        ("Why?\ngoing: stop", "for each of: Estimate: a whole number from 1 to 99"),
        ("Why?\nestimate: 0\ngoing: stop", "Estimate: '0', which is not open"),
        ("Why?\nestimate: 60.5\ngoing: stop", "'60.5', which is not open"),
        ("Why?\nestimate: 60\ngoing: stop or go_on", "which is not open"),
        ("Why?\nestimate: 60\ngoing: stop\ngoing: go_on", "Next step twice: stop and go on"),
        ("estimate: 60\ngoing: stop", "Your message is missing"),
        ("<think>estimate: 60", "begins a thought and never ends it"),
        ("<think>estimate: 60\ngoing: stop</think>", "thoughts only"),
        ("Why?\n```\nx = 1\nestimate: 7\n```\ngoing: stop", "A choice is missing"),
    ],
)
def test_answers_that_are_not_clear_are_refused_with_the_reason(answer, reason):
    with pytest.raises(InvalidResponseError, match=re.escape(reason)):
        judging().read_answer(answer)


def test_a_word_alone_is_a_choice_where_nothing_else_is_owed():
    spec = specification("khan_debate", rounds=1)
    episode = Episode(spec, QUALITY)
    for seat in ("alice", "bob"):
        episode.play(Move(seat, {"debate": "So."}))
    view = episode.view_for("judge")
    assert view.read_answer("**B**.").choices == {"verdict": "B"}
    assert view.read_answer("I think so.\n\nverdict: a").choices == {"verdict": "A"}
    with pytest.raises(InvalidResponseError, match="A choice is missing"):
        view.read_answer("Surely A, not B.")


def test_long_answers_take_no_time():
    view = judging()
    for text in ("estimate: " * 20_000, "a" * 200_000, "*" * 100_000, "```\n" * 20_000):
        with pytest.raises(InvalidResponseError):
            read_answer(text, view.rules, view.legal, view.agent)


# -- what is refused -------------------------------------------------------------------------------


# What is refused of any move is in `tests/language/test_playing.py`.
@each(
    ("move", "reason"),
    [
        (Move("judge", {"debate": "?"}), "Choose estimate: 1, 2"),
        (Move("judge", {"debate": "?"}, 1), "no decision to accept or reject"),
        (Move("judge", {"debate": "?"}, 2, 50), "asks for no confidence"),
    ],
)
def test_what_is_not_allowed_is_refused_with_what_is(move, reason):
    episode = Episode(must_write("michael_debate"), QUALITY)
    before = episode.nodes
    with pytest.raises(IllegalMoveError, match=re.escape(reason)):
        episode.play(move)
    assert (episode.nodes, episode.events) == (before, ())


def test_a_message_without_a_limit_of_its_protocol_has_one_of_words():
    task = {name: QUALITY[name] for name in ("question", "answers", "truth")}
    episode = Episode(specification("jury"), task)
    with pytest.raises(IllegalMoveError, match="151 words and the limit is 150: take out 1"):
        episode.play(Move("alice", {"debate": "no " * 151}))


def test_a_verdict_that_is_none_is_refused():
    episode = Episode("nip", nip_core.bundled_tasks()[0])
    seat = episode.to_move[0]
    with pytest.raises(IllegalMoveError, match="verdict cannot be 'A': reject, accept, wait"):
        episode.play(Move(seat, {"main": "?"}, choices={"verdict": "A"}))


@each(
    ("given", "reason"),
    [
        ({**QUALITY, "more": "x"}, "The protocol has no part 'more'. Give what the protocol names"),
        ({**QUALITY, "passage": "x" * 100_001}, "must be"),
        ("a task", "A task cannot be 'a task'"),
    ],
)
def test_tasks_that_lack_something_are_refused_before_play(given, reason):
    with pytest.raises(PlayError, match=re.escape(reason)):
        Episode("khan_debate", given)


def test_tasks_of_version_1_fit_where_they_have_all_that_is_named():
    task = nip_core.bundled_tasks()[0]
    spec = from_version_1(nip_core.protocol_spec("nip"))
    episode = Episode(spec, task)
    assert episode.view_for("prover").parts == {
        "question": task.question,
        "solution": task.solution,
    }
    assert episode.task.facts == {"truth": ("reject", "accept")[task.y]}
    with pytest.raises(PlayError, match="needs more than this task has: answers, passage, truth"):
        Episode("khan_debate", task)


def test_a_passage_is_played_with_as_many_answers_as_the_protocol_has():
    for passage in passages()[:4]:
        episode = Episode("khan_debate", passage, seed=3)
        two = passage.two(3) if len(passage.answers) > 2 else passage
        assert episode.task.parts == two.parts
        assert episode.task.facts == {"truth": two.truth}
        assert "passage" not in episode.view_for("judge").parts


def test_settings_of_the_protocol_itself_are_not_options():
    with pytest.raises(PlayError, match="leave stances and informed_provers out"):
        Episode("khan_debate", QUALITY, informed_provers=True)
    with pytest.raises(PlayError, match="played on a Task"):
        Episode("nip", QUALITY)


# -- names and versions ----------------------------------------------------------------------------


def test_published_protocols_have_names_apart_from_version_1():
    assert not {*published_names()} & {*nip_core.protocol_names()}
    for name in published_names():
        assert specification(name).name == name
    assert specification("khan_debate", rounds=5).longest == 6
    assert specification("nip").seat_names == nip_core.protocol_spec("nip").agent_names
    with pytest.raises(UnknownNameError):
        specification("no_such_debate")


@each("name", published_names())
def test_handlers_say_what_tensors_cannot_express(name):
    for ask in (nip_core.build_protocol_handler, nip_core.protocol, nip_core.protocol_spec):
        with pytest.raises(UnsupportedError, match=f"'{name}' has no handler"):
            ask(name)


def test_plain_protocols_have_a_handler():
    spec = from_version_1(nip_core.protocol_spec("nip"))
    assert nip_core.build_protocol_handler(spec).spec.agent_names == spec.seat_names


def test_one_reader_takes_setups_of_both_versions():
    episode = Episode("khan_debate", QUALITY)
    assert isinstance(episode.setup, Setup)
    assert Setup.from_dict(episode.setup.to_dict()) == episode.setup
    assert episode.setup.handler is None
    assert episode.setup.is_about_a_statement is False
    assert Episode("nip", nip_core.bundled_tasks()[0]).setup.is_about_a_statement is True
    assert episode.rules.seat_names == ("alice", "bob", "judge")
    assert Episode("nip", nip_core.bundled_tasks()[0]).setup.handler is not None


@each(
    ("change", "reason"),
    [
        (lambda d: d["positions"][-1]["rewards"].update(judge=5), "not what the rules give"),
        (lambda d: d["positions"][-1]["choices"].update(verdict="A"), "not what the rules give"),
        (lambda d: d["events"][-1]["move"]["choices"].update(verdict="A"), "does not match"),
        (lambda d: d["setup"]["task"]["facts"].update(truth="B"), "The digest of the task"),
        (lambda d: d.update(format="nip-transcript/2"), "not that of its protocol"),
        (lambda d: d["setup"].update(max_response_words=0), "max_response_words is 0"),
        (lambda d: d["setup"].pop("seed"), "seed"),
        (lambda d: d["setup"]["protocol"].update(document="{}"), "The setup cannot be used"),
        (lambda d: d["setup"]["protocol"].update(document=5), "and a text as its document"),
    ],
)
def test_changed_transcripts_are_refused(change, reason):
    spec = specification("khan_debate", rounds=1)
    episode = Episode(spec, QUALITY)
    for seat in ("alice", "bob"):
        episode.play(Move(seat, {"debate": "So."}))
    episode.play(Move("judge", choices={"verdict": "B"}))
    document = dump(episode)
    assert dumps(load(document)) == dumps(episode)
    change(document)
    with pytest.raises(TranscriptError, match=re.escape(reason)):
        load(document)


def test_logarithms_may_be_rounded_otherwise():
    episode, rng = begun(specification("michael_debate"), 1)
    play_on(episode, rng)
    document = dump(episode)
    paid = document["positions"][-1]["rewards"]
    paid["judge"] *= 1 + 1e-14
    assert load(document).nodes == episode.nodes


# -- unfinished variations ------------------------------------------------------------------------


def lengthened(document):
    """Return a document whose play goes on for some turns."""
    stages = [
        {**stage, "times": 3, "turns": [{**turn, "then": {}} for turn in stage["turns"]]}
        for stage in document["stages"]
    ]
    return {**document, "stages": stages}


@settings(max_examples=cases(30), deadline=None)
@given(documents().map(lengthened), st.integers(0, 1_000))
def test_the_public_episode_has_only_ended_variations(document, seed):
    spec = accepted(document)
    episode, rng = begun(spec, seed)
    episode.apply(Seated(agent=spec.seat_names[0], player={"kind": "human", "instead_of": "x"}))
    play_on(episode, rng)
    ended = episode.node.id
    inner = [node.id for node in episode.path() if node.speakers]
    assume(inner)
    episode.fork(rng.choice(inner))
    move = random_turn(episode.view_for(episode.to_move[0]), rng)
    secret = dict.fromkeys(move.messages, "So. SECRET")
    if episode.can(dataclasses.replace(move, messages=secret)):
        move = dataclasses.replace(move, messages=secret)
    episode.play(move)
    assume(not episode.over)
    open_line = episode.node.id
    with pytest.raises(PlayError):
        episode.finished()
    if open_line != ended and open_line not in {n.id for n in episode.path(ended)}:
        episode.apply(Commented(node=open_line, text="SECRET"))
    episode.apply(Commented(node=ended, text="The end."))
    episode.goto(ended)
    # A move that waited when play went elsewhere starts no variation, in either version.
    assume(not episode.settled)
    public = episode.finished()
    text = dumps(public)
    assert "SECRET" not in text
    assert dumps(load(text)) == text
    assert all(leaf.over for leaf in public.leaves)
    assert public.result().paid == episode.result().paid
    assert [n.moves for n in public.path()] == [n.moves for n in episode.path()]
    assert public.stood_in() == episode.stood_in()


def test_before_the_end_only_its_own_seat_sees_that_somebody_stood_in():
    episode = Episode("khan_debate", QUALITY)
    person = {"kind": "human"}
    episode.apply(Seated(agent="alice", player={**person, "instead_of": "x"}))
    episode.play(random_turn(episode.view_for("alice"), random.Random(0)))
    # The person is back before the turn is over.
    episode.apply(Seated(agent="alice", player=person))
    episode.play(random_turn(episode.view_for("bob"), random.Random(0)))
    stood_in, seats = ((0, "alice"),), episode.rules.seat_names
    told = {seat: episode.view_for(seat).stood_in for seat in seats}
    assert told == {"alice": stood_in, "bob": (), "judge": ()}
    play_on(episode, random.Random(0))
    assert {episode.view_for(seat).stood_in for seat in seats} == {stood_in}
    # Another variation is not over, so that the public episode has other events.
    ended = episode.node.id
    episode.goto(0)
    for seat in ("alice", "bob"):
        episode.play(random_turn(episode.view_for(seat), random.Random(1)))
    episode.goto(ended)
    assert not episode.settled
    public = episode.finished()
    assert (public.stood_in(), public.players["alice"]) == (stood_in, person)


def test_seats_that_know_another_variation_are_tainted():
    episode = Episode("open_debate", QUALITY)
    episode.play(Move("protagonist", choices={"side": "A"}))
    seen = episode.node.id
    episode.undo()
    assert episode.tainted() == {"opponent", "judge"}
    episode.play(Move("protagonist", choices={"side": "B"}))
    assert episode.node.tainted == {"opponent", "judge"}
    assert episode.view_for("opponent").argues == "A"
    assert episode.view_for("opponent", seen).argues == "B"


def test_material_is_a_document_of_its_own():
    material = Material({"a": "x"}, {"truth": 1}, "T")
    assert Material.from_dict(material.to_dict()) == material
    for wrong in ({"parts": [], "facts": {}}, {"parts": {"a": 1}, "facts": {}}, {"parts": {}}):
        with pytest.raises(PlayError):
            Material.from_dict(wrong)


def test_a_view_does_not_work_out_earlier_turns_again(monkeypatch):
    """Otherwise, an episode would cost the square of its length."""
    spec = from_version_1(nip_core.protocol("nip", rounds=40, min_message_rounds=40).spec)
    episode = Episode(
        spec, Material({"question": "?", "solution": "It holds."}, {"truth": "accept"})
    )
    seen = []
    work_out = type(episode._rules).seen
    monkeypatch.setattr(
        type(episode._rules), "seen", lambda *args: seen.append(args) or work_out(*args)
    )
    while not episode.over:
        (seat,) = episode.to_move
        legal = episode.view_for(seat).legal
        said = dict.fromkeys(legal.channels, "Why?")
        episode.play(
            Move(
                seat,
                said if not legal.choices else {},
                choices=dict.fromkeys(legal.choices, "accept"),
            )
        )
    assert episode.node.round == 40
    asked = [(node.id, seat, here.place and here.place.stage) for _, node, seat, here in seen]
    assert asked
    assert len(asked) == len({*asked})
