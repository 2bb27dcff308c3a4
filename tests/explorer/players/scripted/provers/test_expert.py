"""Tests of expert.py, calls.py and voices.py. The scripted expert: what it says, and when."""

import re

import pytest

from explorer.players import ScriptedExpert, play_out, script_for, step
from explorer.players.scripted import Script, is_evasion
from explorer.players.scripted.provers.voices import voices
from explorer.players.scripted.text import sentences
from nip_core import HyperParameters
from nip_core.play import Episode, Move
from nip_core.tasks import bundled_tasks, graph_task, problems
from tests.depth import each
from tests.explorer.players.scripted.asking import asked
from tests.explorer.players.test_base import seated
from tests.play_worlds import FOREIGN, ONE_TASK, protocols

NOTHING_NEW = voices()[0].nothing_new
CHIPS = [chip.ask for chip in ONE_TASK.questions]


def answers(stance):
    return [chip.answers[stance] for chip in ONE_TASK.questions]


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
    assert is_evasion(said[4])
    assert said[5] in NOTHING_NEW
    first, second = said[6].split("\n\n")
    assert first in NOTHING_NEW
    assert second == prepared[3]
    assert said[7].startswith("As I said: ")
    assert said[8] in NOTHING_NEW


def test_a_question_in_the_first_round_is_answered_after_the_opening():
    (said,) = asked(ScriptedExpert(script_for(ONE_TASK, 1)), CHIPS[0])
    assert said == f"{ONE_TASK.opening(1)}\n\n{answers(1)[0]}"


@each("task", [*bundled_tasks(), *map(graph_task, range(4))], ids=lambda t: t.id)
@each("stance", [0, 1])
def test_every_prepared_question_gets_its_answer(task, stance):
    asks = task.statement.asks
    said = asked(ScriptedExpert(script_for(task, stance)), "Hello?", *asks, task=task)
    assert said == [task.opening(stance), *(task.answer(ask, stance) for ask in asks)]


def test_an_expert_without_a_script_says_so():
    for stance in (0, 1, None):
        said = asked(ScriptedExpert(script_for(FOREIGN, stance)), "Why?", "Why?")
        assert "othing was prepared" in said[0]
        assert is_evasion(said[1])


def test_a_text_keeps_its_lines():
    script = Script(1, "See:\n\n    x = 1\n \n\nThat is it.", {"Why?": "So.\n\nAnd so."})
    said = asked(ScriptedExpert(script), "Hello?", "Why?", "Why?", "Why?")
    assert said[0] == "See:\n    x = 1\nThat is it."
    assert said[1:3] == ["So.\nAnd so.", "As I said: So."]
    assert said[3] in NOTHING_NEW


def test_an_answer_cut_by_the_limit_is_not_repeated_for_ever():
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
            voice = voices()[stance]
            if question in CHIPS:
                assert said[agent] == voice.reword(ONE_TASK.answer(question, stance))
            else:
                opening = voice.words_for(ONE_TASK.opening(stance))
                assert said[agent].endswith(opening) or is_evasion(said[agent])


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
    nothing, opening, evasion = (messages.get("court") for messages in moves)
    assert nothing is None
    assert opening == ONE_TASK.opening(1)
    assert is_evasion(evasion)


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


def test_the_second_voice_gives_an_example_first_where_it_can():
    task = next(problem for problem in problems() if problem.slug == "runner_up").correct
    text = task.opening(1)
    example = sentences(text)[-1]
    plain, other = (voice.opening(text, 0) for voice in voices()[:2])
    assert plain == text
    first, second = (place(voice, example) for voice in (plain, other))
    assert first > 0.5 > second


def test_the_second_voice_leaves_no_number_out():
    for problem in problems():
        for stance in (0, 1):
            text = problem.correct.opening(stance)
            said = voices()[1].opening(text, 0)
            assert sorted(re.findall(r"\d+", said)) == sorted(re.findall(r"\d+", text))


def place(text, sentence):
    """Return the position of a sentence's numbers in a text, as a share of its length."""
    numbers = re.search(r"\[[^\]]*\]", sentence)[0]
    return text.index(numbers) / len(text)
