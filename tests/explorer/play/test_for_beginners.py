"""The first games: what each of them teaches is true, and hints speak of what was answered."""

import ast
import re
from dataclasses import replace

import pytest

from explorer.play import Table, first_games
from explorer.play.for_beginners import next_first_game
from nip_core.play import Move
from nip_core.tasks import problems
from tests.explorer.play.starts import begun

STORY, DRAWINGS, EXAMPLE, EDGE, POSTERS, LIAR = range(6)


def seated(number):
    table = Table(begun(first_games()[number].start))
    table.play_until_a_person()
    return table


def ask(table, text):
    (seat,) = table.humans
    (channel,) = table.seen_by(seat).view.legal.channels
    table.play(Move(seat, {channel: text}))
    table.play_until_a_person()
    return " ".join(m.text for m in table.seen_by(seat).view.rounds[-1].messages)


def hint(table, at="move"):
    (seat,) = table.humans
    found = [each for each in table.seen_by(seat).hints if each["at"] == at]
    return found[0] if found else None


def places(table):
    (seat,) = table.humans
    return [each["at"] for each in table.seen_by(seat).hints]


@pytest.mark.parametrize("number", [DRAWINGS, EXAMPLE, EDGE, POSTERS])
def test_hints_come_and_go_and_the_next_game_follows(number):
    table = seated(number)
    assert places(table) == ["problem", "move"]
    ask(table, hint(table)["ask"])
    assert places(table) == ["move"]
    # Each label is what the task says, and all but the honest one are false.
    assert table.episode.task.y == (number == POSTERS)
    table.play(Move("verifier", decision=table.episode.task.y))
    assert places(table) == ["end"]
    assert next_first_game(table.public_episode()) == first_games()[number + 1].start
    assert next(label for label, _, _ in table.next_games) == "Next game"


def test_the_first_game_needs_no_code_and_can_be_judged_within_a_minute():
    table = seated(STORY)
    assert places(table) == ["problem", "move"]
    shown = table.seen_by("judge").screen
    assert {part["form"] for part in shown["statement"]["parts"]} == {"words"}
    # Adults read 200 words a minute, and have to think, too.
    said = [message["text"] for channel in shown["channels"] for message in channel["messages"]]
    assert len(" ".join(said).split()) < 150
    # The options say what they stand for.
    (choice,) = shown["composer"]["choices"]
    assert [title for _, title in choice["options"]] == ["A: It was Tomas.", "B: It was Irena."]
    table.play(Move("judge", choices={"verdict": "B"}))
    assert table.seen_by("judge").screen["head"]["verdict"]["right"]
    assert places(table) == ["end"]


def test_hints_speak_of_the_answer_that_was_given():
    drawings, example, edge = map(seated, (DRAWINGS, EXAMPLE, EDGE))
    ask(drawings, hint(drawings)["ask"])
    assert "It renames a to 6 and c to 5." in hint(drawings)["text"]
    pair = drawings.episode.task.payload
    names = [pair.second.names[node] for edge in pair.second.edges for node in edge]
    joined = {frozenset(edge) for edge in zip(names[::2], names[1::2], strict=True)}
    assert {"6", "5"} not in joined
    assert (0, 2) in pair.first.edges
    # Neither liar says itself that its program is wrong.
    said = ask(example, "What does it return for [7, 9, 4, 9]?")
    assert "returns `4`, which is what the question asks for" in said
    assert "It says that the program returns 4 for [7, 9, 4, 9]." in hint(example)["text"]
    assert hint(example)["ask"] == ""
    said = ask(edge, "What does it return for ([1], 5)?")
    assert "returns `0`, which is what the question asks for" in said
    assert hint(edge)["text"].startswith("It says 0.")
    # After any other question too.
    other = seated(EXAMPLE)
    ask(other, "What does it return for [1, 2]?")
    assert re.match(r"It says that the program returns -?\d+ for \[1, 2\]\.", hint(other)["text"])
    assert hint(other)["ask"] == "What does it return for [7, 9, 4, 9]?"
    ask(other, "Hello")
    assert "This answer names no result" in hint(other)["text"]


def test_every_suggested_question_is_answered_with_a_result():
    for number in (EXAMPLE, EDGE, POSTERS):
        asked = {each.ask for each in first_games()[number].hints if each.ask}
        (question,) = asked
        assert "returns `" in ask(seated(number), question)
    assert "returns `22`" in ask(seated(POSTERS), hint(seated(POSTERS))["ask"])


def test_the_liar_knows_that_the_claim_is_false():
    table = seated(LIAR)
    assert table.humans == ["prover"]
    assert table.episode.task.y == 0
    assert table.seen_by("prover").view.briefing is not None
    assert places(table) == ["problem", "move"]
    assert table.seen_by("verifier").hints == []
    ask(table, "It returns [[1, 16], [2, 8], [4, 4]].")
    assert places(table) == ["move"]
    assert next_first_game(table.public_episode() if table.over else table.episode) is None


def test_cards_stand_on_the_start_page_in_the_order_of_the_games():
    cards = [game.to_plain() for game in first_games() if game.card is not None]
    assert [card["art"]["kind"] for card in cards] == ["story", "drawings", "program", "seats"]
    assert "No code" in cards[0]["tag"]
    assert len(cards[1]["art"]["graphs"]) == 2
    assert all(card["about"] and card["name"] for card in cards)
    # What is drawn of a program is in it.
    lines = cards[2]["art"]["text"].replace("==best", "best").replace("mark==", "mark")
    program = seated(EXAMPLE).episode.task.solution
    assert all(line.strip() in program for line in lines.splitlines())


def test_the_second_program_is_right_for_its_example():
    problem = next(p for p in problems() if p.slug == "calm_stretch")
    names: dict = {}
    exec(problem.wrong.solution, names)
    program = names[problem.function]
    assert program([3, 8, 2, 1, 9], 4) == 2
    fails = [
        ast.literal_eval(case.args)
        for case in problem.cases
        if program(*ast.literal_eval(case.args)) != ast.literal_eval(case.expected)
    ]
    # Only if the longest stretch lasts until the last hour.
    assert fails
    assert all(speeds[-1] <= limit for speeds, limit in fails)


def test_other_games_have_no_hints():
    start = first_games()[EXAMPLE].start
    for other in (replace(start, seed=start.seed + 1), replace(start, levels={"prover": "hard"})):
        assert Table(begun(other)).seen_by("verifier").hints == []
