"""The scripted expert and verifier: honest about what they do not know, and without the label."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.players import ScriptedExpert, ScriptedVerifier, play_out, script_for, step
from explorer.players.questions import questions_in
from explorer.players.scripted import NO_ANSWER, NOTHING_NEW, Script
from explorer.players.scripted_verifier import GENERAL
from nip_core import HyperParameters, protocol_spec
from nip_core.play import Episode, Move
from nip_core.spec import Channel
from nip_core.tasks import Task, bundled_tasks, graph_task
from tests.explorer.players.test_simple_players import seated
from tests.play_worlds import FOREIGN, ONE_TASK, protocols

CHIPS = [chip.ask for chip in ONE_TASK.questions]
LONG = {"max_message_rounds": 40}


def answers(stance):
    return [chip.answers[stance] for chip in ONE_TASK.questions]


def asked(expert, *questions, task=ONE_TASK, **options):
    """What an expert says to questions, one after the other."""
    episode = Episode(HyperParameters(nip_protocol=LONG), task, **options)
    said = []
    for question in questions:
        episode.play(Move("verifier", {"main": question}))
        step(episode, {"prover": expert})
        said.append(episode.node.moves["prover"].messages["main"])
    return said


# -- recognising questions ----------------------------------------------------------------------


@given(data=st.data(), task=st.sampled_from([*bundled_tasks(), graph_task(1), graph_task(2)]))
def test_prepared_questions_are_recognised_in_their_order(data, task):
    asks = task.statement.asks
    chosen = data.draw(st.lists(st.sampled_from(asks), unique=True))
    change = st.sampled_from([str, str.upper, lambda a: a.rstrip("?"), lambda a: a + " ?!"])
    around = st.sampled_from(["\n", " Question for Expert_1: ", ". Hello? ", "? And ", " -- "])
    text = "".join(data.draw(around) + data.draw(change)(ask) for ask in chosen)
    assert questions_in(text, asks) == chosen


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("why 1", ["Why 1?"]),
        ("Why (1)?", ["Why 1?"]),
        ("Why 12?", []),
        ("somewhy 1", []),
        ("Why 1 and not 2?", ["Why 1 and not 2?"]),
        ("Why 1 and not 2? Why 1?", ["Why 1 and not 2?", "Why 1?"]),
        ("(a or b) and c", ["(a or b) and c?"]),
        ("A OR B AND C!", ["a or b and c?"]),
        ("Why Why 1 and not 2? 1?", ["Why 1 and not 2?"]),
        ("What?? ???", ["???"]),
        ("Warum 1?", []),
        ("", []),
    ],
)
def test_the_question_that_is_meant_is_found_and_no_other(text, found):
    asks = ["Why 1?", "Why 1 and not 2?", "a or b and c?", "(a or b) and c?", "???"]
    assert questions_in(text, asks) == found


@given(text=st.text("ab12 ?!.\0", max_size=40))
def test_any_text_can_be_looked_at(text):
    asks = ["a b?", "a 1 b?", "?!", "1."]
    found = questions_in(text, asks)
    assert set(found) <= set(asks)
    assert len(set(found)) == len(found)


# -- the expert ---------------------------------------------------------------------------------


@pytest.mark.parametrize("stance", [0, 1])
def test_an_expert_opens_answers_and_does_not_repeat_itself(stance):
    prepared = answers(stance)
    said = asked(
        ScriptedExpert(script_for(ONE_TASK, stance)),
        "Hello?",
        f"Question for Expert_1: {CHIPS[0].upper()}!!",
        f"{CHIPS[2]}\n{CHIPS[1]}",
        CHIPS[0],
        "What is the meaning of life?",
        CHIPS[0],
        f"{CHIPS[0]} {CHIPS[3]}",
        f"{CHIPS[3]} {CHIPS[0]}",
        f"{CHIPS[3]} {CHIPS[0]}",
    )
    assert said[0] == ONE_TASK.opening(stance)
    assert said[1] == prepared[0]
    assert said[2] == f"{prepared[2]}\n\n{prepared[1]}"
    assert said[3].startswith("As I said: ")
    assert said[3].removeprefix("As I said: ") in prepared[0]
    assert said[4] == NO_ANSWER
    assert said[5] == NOTHING_NEW
    assert said[6] == f"{NOTHING_NEW}\n\n{prepared[3]}"
    assert said[7].startswith("As I said: ")
    assert said[8] == NOTHING_NEW


def test_a_question_in_the_first_round_is_answered_after_the_opening():
    (said,) = asked(ScriptedExpert(script_for(ONE_TASK, 1)), CHIPS[0])
    assert said == f"{ONE_TASK.opening(1)}\n\n{answers(1)[0]}"


@pytest.mark.parametrize("task", [*bundled_tasks(), *map(graph_task, range(4))], ids=lambda t: t.id)
@pytest.mark.parametrize("stance", [0, 1])
def test_every_prepared_question_gets_its_answer(task, stance):
    asks = task.statement.asks
    said = asked(ScriptedExpert(script_for(task, stance)), "Hello?", *asks, task=task)
    assert said == [task.opening(stance), *(task.answer(ask, stance) for ask in asks)]


def test_an_expert_without_a_script_says_so():
    for stance in (0, 1, None):
        said = asked(ScriptedExpert(script_for(FOREIGN, stance)), "Why?", "Why?")
        assert "othing was prepared" in said[0]
        assert said[1] == NO_ANSWER


def test_a_text_keeps_its_lines():
    script = Script(1, "See:\n\n    x = 1\n \n\nThat is it.", {"Why?": "So.\n\nAnd so."})
    said = asked(ScriptedExpert(script), "Hello?", "Why?", "Why?", "Why?")
    assert said[0] == "See:\n    x = 1\nThat is it."
    assert said[1:] == ["So.\nAnd so.", "As I said: So.", NOTHING_NEW]


def test_what_the_limit_cuts_short_is_not_said_over_and_over():
    expert = ScriptedExpert(script_for(ONE_TASK, 1))
    said = asked(expert, "Hello?", *[CHIPS[0]] * 3, max_response_words=12)
    assert len(set(said)) == 4


def test_an_expert_answers_what_it_is_asked_and_not_what_another_is():
    """In a debate everybody reads both channels."""
    episode = Episode(HyperParameters(interaction_protocol="debate"), ONE_TASK)
    players = seated(episode, ["scripted"] * 3)
    del players["verifier"]
    for questions in [("Hello?", "Hello?"), (CHIPS[0], CHIPS[1]), (CHIPS[2], "And you?")]:
        channels = ("prover0_channel", "prover1_channel")
        episode.play(Move("verifier", dict(zip(channels, questions, strict=True))))
        play_out(episode, players)
        said = {agent: next(iter(m.messages.values())) for agent, m in episode.node.moves.items()}
        for stance, (agent, question) in enumerate(zip(said, questions, strict=True)):
            if question in CHIPS:
                assert said[agent] == ONE_TASK.answer(question, stance)
            else:
                assert said[agent] in (ONE_TASK.opening(stance), NO_ANSWER)


def test_an_expert_is_questioned_by_verifiers_only():
    episode = Episode(protocols()["four seats"], ONE_TASK)
    friend = ScriptedExpert(script_for(ONE_TASK, 1))
    while not episode.over:
        for agent in episode.to_move:
            channels = episode.legal(agent).channels
            text = "Hm?" if agent == "judge" else CHIPS[0]
            if agent == "friend":
                step(episode, {agent: friend})
            else:
                episode.play(Move(agent, dict.fromkeys(channels, text)))
    moves = [node.moves["friend"].messages for node in episode.path() if "friend" in node.moves]
    assert [messages.get("court") for messages in moves] == [None, ONE_TASK.opening(1), NO_ANSWER]


def test_a_question_that_crosses_an_answer_is_answered_the_next_time():
    """Where all write at once, nobody has read what the others write in the same round."""
    episode = Episode(protocols()["four seats"], ONE_TASK)
    players = seated(episode, ["scripted"] * 4)
    del players["judge"]
    while not episode.over:
        if "judge" in episode.to_move:
            channels = episode.legal("judge").channels
            episode.play(Move("judge", dict.fromkeys(channels, CHIPS[0])))
        play_out(episode, players)
    moves = [node.moves["friend"].messages for node in episode.path() if "friend" in node.moves]
    said = [messages["court"] for messages in moves if "court" in messages]
    assert said[:2] == [ONE_TASK.opening(1), answers(1)[0]]


def test_a_script_holds_one_side_only_and_no_label():
    for task in (*bundled_tasks("easy")[:6], graph_task(2)):
        for stance in (0, 1):
            script = script_for(task, stance)
            assert script.opening == task.opening(stance)
            assert set(script.answers.values()) == {c.answers[stance] for c in task.questions}
            assert not hasattr(script, "y")


# -- the verifier -------------------------------------------------------------------------------


def test_a_scripted_verifier_asks_all_experts_the_same_and_then_decides():
    episode = Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK)
    play_out(episode, seated(episode, ["scripted"] * 3))
    written = [n.moves["verifier"].messages for n in episode.path() if "verifier" in n.moves]
    questions = [set(messages.values()) for messages in written if messages]
    assert all(len(question) == 1 for question in questions)
    assert len(set[str]().union(*questions)) == 3
    assert set[str]().union(*questions) <= set(CHIPS)
    assert episode.result().decision in (0, 1)


def test_the_seed_draws_the_order_of_the_questions():
    view = Episode(HyperParameters(), ONE_TASK).view_for("verifier")
    first = {ScriptedVerifier(seed=seed).act(view).messages["main"] for seed in range(60)}
    assert first == set(CHIPS)


def test_questions_that_were_not_prepared_are_not_repeated_either():
    episode = Episode(HyperParameters(nip_protocol=LONG), FOREIGN)
    verifier = ScriptedVerifier(questions=len(GENERAL))
    play_out(episode, {"verifier": verifier, "prover": ScriptedExpert(Script(1))})
    written = [n.moves["verifier"].messages.get("main") for n in episode.path() if n.round % 2]
    assert written == [*GENERAL, None]


@pytest.mark.parametrize("name", protocols())
def test_the_scripted_verifier_does_not_know_the_truth(name):
    def moves(y):
        task = dataclasses.replace(ONE_TASK, y=y, exposing=None, explanation=None)
        episode = Episode(protocols()[name], task, 1)
        play_out(episode, seated(episode, ["scripted"] * len(episode.spec.agents)))
        return [node.moves for node in episode.path()]

    assert moves(0) == moves(1)


def verdict(protocol, said, task=FOREIGN, stances=None):
    """What a scripted verifier decides after it has asked once and heard something."""
    episode = Episode(protocol, task, 0, stances)
    verifier = ScriptedVerifier(questions=1)
    step(episode, {"verifier": verifier})
    while "verifier" not in episode.to_move:
        (agent, *_) = episode.to_move
        (channel,) = episode.legal(agent).channels
        episode.play(Move(agent, {channel: said[agent]}))
    step(episode, {"verifier": verifier})
    return episode.result().decision


def protocol(name, **common):
    return HyperParameters(interaction_protocol=name, protocol_common=common)


@pytest.mark.parametrize(
    ("zero", "one", "decision"),
    [
        ("It returns 3 for 4.", "It returns `x`.", 0),
        ("It is wrong, believe me.", "f(2) gives 4, and f(3) gives 9.", 1),
        ("It returns 3.", "It returns 4.", 0),
        ("No.", "Yes.", 0),
    ],
)
def test_of_two_sides_the_more_concrete_one_wins(zero, one, decision):
    assert verdict(protocol("debate"), {"prover0": zero, "prover1": one}) == decision


@pytest.mark.parametrize(
    ("first", "second", "decision"),
    [
        ("It is 3.", "It is 3, not 4.", 1),
        ("It is 3.", "It is 4.", 0),
        ("It is 3.", "It is right.", 1),
        ("It is 3.", NO_ANSWER, 0),
    ],
)
def test_one_side_wins_unless_it_has_no_answer_or_contradicts_itself(first, second, decision):
    assert verdict(protocol("mnip"), {"prover0": first, "prover1": second}) == decision


def test_experts_who_read_each_other_are_not_compared():
    spec = protocol_spec(protocol("mnip"))
    together = tuple(Channel(channel.name, spec.agent_names) for channel in spec.channels)
    said = {"prover0": "It is 3.", "prover1": "It is 4."}
    assert verdict(spec.replace(channels=together), said) == 1
    assert verdict(spec, said) == 0


def test_what_was_said_before_the_first_question_is_not_compared():
    """Two experts may begin with different arguments."""
    episode = Episode(protocol("mnip", verifier_first=False), FOREIGN)
    verifier = ScriptedVerifier(questions=1)
    for words in ({"prover0": "It is 3.", "prover1": "It is 4."}, {"prover0": "5", "prover1": "5"}):
        for agent, text in words.items():
            episode.play(Move(agent, {f"{agent}_channel": text}))
        step(episode, {"verifier": verifier})
    assert episode.result().decision == 1


@pytest.mark.parametrize("stance", [0, 1])
def test_a_side_that_was_drawn_convinces_nobody(stance):
    drawn = protocol("nip", randomize_prover_stance=True)
    assert verdict(drawn, {"prover": "It is 3."}, stances={"prover": stance}) == 0


def test_whoever_hears_nothing_rejects():
    episode = Episode(protocol("solo_verifier"), ONE_TASK)
    play_out(episode, {"verifier": ScriptedVerifier()})
    assert episode.result().decision == 0


def test_known_stances():
    two = Episode(protocol("mnip", randomize_prover_stance=True), ONE_TASK, 0, {"prover0": 0})
    assert [two.view_for("prover0").known_stance(a) for a in two.spec.agent_names] == [0, 0, None]
    assert [two.view_for("verifier").known_stance(a) for a in two.spec.agent_names] == [None] * 3
    debate = Episode(protocol("debate"), Task(question="q", solution="s", y=1))
    for agent in debate.spec.agent_names:
        known = [debate.view_for(agent).known_stance(a) for a in debate.spec.agent_names]
        assert known == [0, 1, None]
