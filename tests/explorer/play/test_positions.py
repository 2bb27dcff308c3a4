"""Positions with one question left: the file holds what the engine computes."""

import pytest

from explorer.play.positions import all_positions, lost_position
from explorer.play.questions import answers_of_liars, what_could_be_asked
from explorer.players import LEVELS
from tests.depth import first
from tests.make_positions import BEST_GAINS, made_position, played, position_names

MADE = {position["name"]: position for position in all_positions()}


def test_there_are_thirty_positions_with_something_to_decide():
    assert len(MADE) == len(all_positions()) >= 30
    assert set(MADE) <= set(position_names())
    assert {position["provers"] for position in MADE.values()} == {1, 2}
    for position in MADE.values():
        after = [question["after"] for question in position["questions"]]
        assert position["before"] - min(after) >= BEST_GAINS - 0.1
        # A weak question is among them, with its refutation.
        assert max(after) - min(after) > 10
        for question in position["questions"]:
            assert 0 <= question["after"] <= 100
            assert len(question["likely"]["texts"]) == position["provers"]
            assert all(question["likely"]["texts"])


def test_the_best_question_is_not_always_at_one_place():
    places = [
        min(range(len(each["questions"])), key=lambda n, each=each: each["questions"][n]["after"])
        for each in MADE.values()
    ]
    assert max(places.count(place) for place in places) < len(places) / 2


@pytest.mark.parametrize("name", first(1, list(MADE)))
def test_a_position_is_what_its_game_gives(name):
    assert made_position(name) == MADE[name]


def test_there_are_no_other_positions():
    names = [name for name in position_names() if name not in MADE]
    assert [name for name in names[:2] if made_position(name) is not None] == []


@pytest.mark.parametrize("name", ["nip:runner_up", "mnip:runner_up"])
def test_answers_of_all_levels_together_have_chance_one(name):
    episode, node = played(*name.split(":"))
    _, answers = answers_of_liars(episode, node, LEVELS.values())
    assert all(sum(answer.chance for answer in found) == 1 for found in answers.values())
    # One level alone gives the numbers of a game's review.
    prover = episode.rules.provers[0]
    level = LEVELS[str(episode.players[prover]["level"])]
    reviewed = {
        asked.question: asked.after for asked in what_could_be_asked(episode) if asked.node == node
    }
    _, alone = answers_of_liars(episode, node, [level])
    shared = reviewed.keys() & alone.keys()
    assert shared
    for ask in shared:
        assert sum(answer.chance * answer.belief for answer in alone[ask]) == reviewed[ask]


@pytest.mark.parametrize("name", ["mnip:runner_up"])
def test_a_lost_game_gives_a_position_with_the_refutation(name):
    episode, _ = played(*name.split(":"))
    end, asked = episode.node.id, what_could_be_asked(episode)
    position = lost_position(episode, end, asked)
    best = max(asked, key=lambda each: each.gain)
    exact = {each.question: float(each.after) for each in asked if each.node == best.node}
    assert {each["ask"]: each["after"] for each in position["questions"]} == pytest.approx(
        exact, abs=0.05
    )
    (refuted,) = (each for each in position["questions"] if each["likely"])
    assert refuted["ask"] == best.question
    assert len(refuted["likely"]["texts"]) == position["provers"] == 2
    # Nothing that was said after the position.
    later = {text for move in episode.path()[-2].moves.values() for text in move.messages.values()}
    assert not later & {each["text"] for each in position["said"]}
    assert lost_position(episode, end, []) is None
