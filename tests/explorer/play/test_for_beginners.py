"""The first three games: what each of them teaches is true, and hints follow what was done."""

import ast

import pytest

from explorer.play import Table, first_games
from explorer.play.for_beginners import next_first_game
from nip_core.play import Episode, Move, Seated
from nip_core.tasks import bundled_task, problems

QUESTIONS = (
    "What does it return for [7, 9, 4, 9]?",
    "What does it return for ([1], 5)?",
    "What does it return for (0, 0, 4, 4) and (6, 5, 3, 2)?",
)


def seated(start):
    episode = Episode.from_setup(start.setup())
    for agent, player in start.players().items():
        episode.apply(Seated(agent=agent, player=player, at=None))
    return Table(episode)


def ask(table, text):
    (channel,) = table.seen_by("verifier").view.legal.channels
    table.play(Move("verifier", {channel: text}))
    table.play_until_a_person()
    return " ".join(m.text for m in table.seen_by("verifier").view.rounds[-1].messages)


def places(table):
    return [hint["at"] for hint in table.seen_by("verifier").hints]


@pytest.mark.parametrize("number", range(3))
def test_hints_come_and_go_and_the_next_game_follows(number):
    game = first_games()[number]
    table = seated(game.start)
    table.play_until_a_person()
    assert places(table) == ["problem", "move"]
    # A hint contains the question that it suggests.
    assert any(QUESTIONS[number] in hint.text for hint in game.hints)
    ask(table, QUESTIONS[number])
    assert places(table) == ["move"]
    right = bundled_task(game.start.task.removeprefix("id:")).y
    table.play(Move("verifier", decision=right))
    assert places(table) == ["end"]
    following = next_first_game(table.public_episode())
    assert following == (first_games()[number + 1].start if number < 2 else None)
    assert next(label for label, _, _ in table.next_games) == (
        "Next game" if number < 2 else "Play again"
    )


def test_the_first_lie_is_exposed_by_the_example_the_second_by_a_boundary_case_only():
    example, boundary, honest = (seated(game.start) for game in first_games())
    for table in (example, boundary, honest):
        table.play_until_a_person()
    # Neither liar says itself that its program is wrong.
    assert "returns `4`, which is what the question asks for" in ask(example, QUESTIONS[0])
    assert "for [7, 9, 4, 9] the answer is 7" in example.seen_by("verifier").view.statement.question
    assert "returns `0`, which is what the question asks for" in ask(boundary, QUESTIONS[1])
    assert "returns `22`" in ask(honest, QUESTIONS[2])
    labels = [bundled_task(game.start.task.removeprefix("id:")).y for game in first_games()]
    assert labels == [0, 0, 1]


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
    game = first_games()[0]
    from dataclasses import replace

    table = seated(replace(game.start, seed=game.start.seed + 1))
    table.play_until_a_person()
    assert places(table) == []
