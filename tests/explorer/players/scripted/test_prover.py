"""Tests of prover.py, text.py and voices.py. The scripted prover: what it says, and when."""

import re
from dataclasses import replace

import pytest

from explorer.players import LEVELS, ScriptedExpert, play_out, script_for, step
from explorer.players.scripted import Script, Topic, code_of, is_evasion
from explorer.players.scripted.questions import understand
from explorer.players.scripted.text import sentences
from explorer.players.scripted.voices import voices
from nip_core import HyperParameters
from nip_core.play import Episode, Move
from nip_core.tasks import bundled_tasks, graph_task, problems
from tests.depth import each
from tests.explorer.players.scripted.asking import asked
from tests.explorer.players.test_base import seated
from tests.play_worlds import FOREIGN, ONE_TASK, protocols

NOTHING_NEW = voices()[0].nothing_new


def plain(task):
    """Return the prepared questions that name no input, which are answered as prepared."""
    code = code_of(task.statement)
    topic = Topic(code, task.solution, tuple(task.statement.asks))
    read = {ask: understand(ask, topic) for ask in task.statement.asks}
    alone = [ask for ask in read if len(sentences(ask)) == 1]
    return [ask for ask in alone if all(q.arguments is None for q in read[ask])]


@pytest.mark.parametrize("stance", [0, 1])
def test_an_expert_opens_answers_and_does_not_repeat_itself(stance):
    ask, other = plain(ONE_TASK)[:2]
    said = asked(
        ScriptedExpert(script_for(ONE_TASK, stance)),
        "Hello?",
        f"Question for Expert_1: {ask.upper()}!!",
        f"{other} {ask}",
        ask,
        "xyzzy plugh?",
    )
    prepared = {each: ONE_TASK.answer(each, stance) for each in (ask, other)}
    assert said[0] == ONE_TASK.opening(stance)
    assert said[1] == prepared[ask]
    assert said[2].split("\n\n")[0] == prepared[other]
    assert said[2].split("\n\n")[1].startswith("As I said: ")
    assert said[3] in NOTHING_NEW
    assert said[4].startswith("Do you mean: ")


def test_a_question_in_the_first_round_is_answered_after_the_opening():
    ask = plain(ONE_TASK)[0]
    (said,) = asked(ScriptedExpert(script_for(ONE_TASK, 1)), ask)
    assert said == f"{ONE_TASK.opening(1)}\n\n{ONE_TASK.answer(ask, 1)}"


@each("task", [*bundled_tasks(), *map(graph_task, range(4))], ids=lambda t: t.id)
@each("stance", [0, 1])
def test_every_prepared_question_gets_its_answer(task, stance):
    asks, level = plain(task), replace(LEVELS["hard"], aside=0)
    said = asked(ScriptedExpert(script_for(task, stance), level), "Hello?", *asks, task=task)
    assert said == [task.opening(stance), *(task.answer(ask, stance) for ask in asks)]


def test_an_expert_without_a_script_says_so():
    for stance in (0, 1, None):
        said = asked(ScriptedExpert(script_for(FOREIGN, stance)), "Why?", "Why?", task=FOREIGN)
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
    said = asked(expert, "Hello?", *plain(ONE_TASK)[:1] * 3, max_response_words=12)
    assert len(set(said)) == 4


def test_an_expert_answers_what_it_is_asked_and_not_what_another_is():
    """In a debate everybody reads both channels."""
    episode = Episode(HyperParameters(interaction_protocol="debate"), ONE_TASK)
    players = seated(episode, ["scripted"] * 3)
    del players["verifier"]
    for questions in [
        ("Hello?", "Hello?"),
        (plain(ONE_TASK)[0], plain(ONE_TASK)[1]),
        (plain(ONE_TASK)[1], "Xyzzy?"),
    ]:
        channels = ("prover0_channel", "prover1_channel")
        episode.play(Move("verifier", dict(zip(channels, questions, strict=True))))
        play_out(episode, players)
        said = {agent: next(iter(m.messages.values())) for agent, m in episode.node.moves.items()}
        for stance, (agent, question) in enumerate(zip(said, questions, strict=True)):
            voice = voices()[stance]
            if question in plain(ONE_TASK):
                assert said[agent] == voice.reword(ONE_TASK.answer(question, stance))
            else:
                opening = voice.words_for(ONE_TASK.opening(stance))
                asks_back = voice.templates["general.ask_back"][0].partition("{")[0]
                assert said[agent].endswith(opening) or said[agent].startswith(asks_back)


def test_an_expert_is_questioned_by_verifiers_only():
    episode = Episode(protocols()["four seats"], ONE_TASK)
    friend = ScriptedExpert(script_for(ONE_TASK, 1))
    while not episode.over:
        for agent in episode.to_move:
            channels = episode.legal(agent).channels
            text = "Hm?" if agent == "judge" else plain(ONE_TASK)[0]
            if agent == "friend":
                step(episode, {agent: friend})
            else:
                episode.play(Move(agent, dict.fromkeys(channels, text)))
    moves = [node.moves["friend"].messages for node in episode.path() if "friend" in node.moves]
    nothing, opening, back = (messages.get("court") for messages in moves)
    assert nothing is None
    assert opening == ONE_TASK.opening(1)
    assert "Do you mean: " in back


def test_a_question_that_crosses_an_answer_is_answered_the_next_time():
    """Where all write at once, nobody has read what the others write in the same round."""
    episode = Episode(protocols()["four seats"], ONE_TASK)
    players = seated(episode, ["scripted"] * 4)
    del players["judge"]
    while not episode.over:
        if "judge" in episode.to_move:
            channels = episode.legal("judge").channels
            episode.play(Move("judge", dict.fromkeys(channels, plain(ONE_TASK)[0])))
        play_out(episode, players)
    moves = [node.moves["friend"].messages for node in episode.path() if "friend" in node.moves]
    said = [messages["court"] for messages in moves if "court" in messages]
    assert said[:2] == [ONE_TASK.opening(1), ONE_TASK.answer(plain(ONE_TASK)[0], 1)]


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
