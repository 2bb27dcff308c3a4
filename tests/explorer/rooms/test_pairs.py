"""Two phones as the two provers: people come and go, and no answer is lost."""

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.lessons.library import pair_game
from explorer.rooms.pairs import joined, play_of, seat_of, seated, sight_of, taken_over
from tests.depth import cases

GAME = pair_game("two_rooms")
ACTS = ("join", "bot", "back")


@given(st.integers(0, 31), st.integers())
def test_everybody_has_one_partner_and_a_bot_the_one_who_is_left_over(people, seed):
    seating = seated(range(1, people + 1), seed=str(seed))
    partners = [history[-1][1] for pair in seating["pairs"] for history in pair]
    assert sorted(who for who in partners if who is not None) == list(range(1, people + 1))
    assert partners.count(None) == people % 2


@settings(max_examples=cases(60), deadline=None)
@given(st.data())
def test_answers_are_kept_when_people_come_and_go(data):
    """In a class of some minutes, people answer, leave, return or come late in any order."""
    wall = data.draw(st.booleans())
    here, answers = [1, 2, 3], {}
    seating = seated(here, seed=data.draw(st.text(max_size=3)))
    complete = {}
    for _ in range(data.draw(st.integers(1, 25))):
        act = data.draw(st.sampled_from(["answer", "answer", "answer", *ACTS]))
        person = data.draw(st.sampled_from([*here, len(here) + 1]))
        if act == "join":
            seating = joined(seating, person, answers)
            here = sorted({*here, person})
        elif seat_of(seating, person) is None:
            continue
        elif act != "answer":
            seating = taken_over(seating, person, answers, by_bot=act == "bot")
        else:
            number, seat = seat_of(seating, person)
            played = play_of(seating, number, answers, GAME, wall=wall)
            if played.seats[seat] == person and not played.rounds[-1].complete:
                said = data.draw(st.integers(0, 2))
                answers.setdefault(person, {}).setdefault(len(played.rounds) - 1, said)
        for number in range(len(seating["pairs"])):
            played = play_of(seating, number, answers, GAME, wall=wall)
            done = [each for each in played.rounds if each.complete]
            assert done[: len(complete.get(number, []))] == complete.get(number, [])
            complete[number] = done
            assert all(each.complete for each in played.rounds[:-1])
    partners = [h[-1][1] for pair in seating["pairs"] for h in pair if h[-1][1] is not None]
    assert len(partners) == len(set(partners))


@given(st.text(max_size=5), st.integers(0, 2), st.integers(0, 2))
def test_behind_a_wall_nothing_depends_on_the_other_ones_question(seed, first, second):
    """Before both have answered, a seat sees the same whatever the other seat is asked."""
    seating = seated([1, 2], seed=seed)
    one, two = (seating["pairs"][0][seat][0][1] for seat in (0, 1))
    open_round = play_of(seating, 0, {}, GAME, wall=True)
    sight = sight_of(open_round, 0, GAME, wall=True, partner="Person 2")
    assert sight.other is None
    said = play_of(seating, 0, {two: {0: second}}, GAME, wall=True)
    assert sight_of(said, 0, GAME, wall=True, partner="Person 2") == sight
    mine = play_of(seating, 0, {one: {0: first}}, GAME, wall=True)
    waiting = GAME.scene(sight_of(mine, 0, GAME, wall=True, partner="Person 2"))
    assert waiting.choices == ()
    assert f"country {mine.rounds[0].asked[0]}" in waiting.prompt
    without = sight_of(open_round, 0, GAME, wall=False, partner="Person 2")
    assert without.other == open_round.rounds[0].asked[1]


def test_liars_who_keep_to_the_plan_survive_7_of_8_questions_and_all_without_a_wall():
    """Over all 16 questions, with bots for both answers."""
    for wall, survived in ((True, 14), (False, 16)):
        questions = [(a, b) for a in range(4) for b in range(4)]
        held = [
            GAME.holds(q, (GAME.bot(0, q, wall=wall), GAME.bot(1, q, wall=wall))) for q in questions
        ]
        assert sum(held) == survived == GAME.circumstances(wall=wall).chances["held"] * 16


def test_somebody_late_takes_the_bots_place_and_a_partner_who_is_away_may_come_back():
    seating = seated([1], seed="x")
    seating = joined(seating, 2, {1: {0: 0, 1: 0}})
    played = play_of(seating, 0, {1: {0: 0, 1: 0}}, GAME, wall=True)
    assert [each.by_people for each in played.rounds] == [False, False, True]
    assert set(played.seats) == {1, 2}
    answers = {1: {0: 0, 1: 0, 2: 0}}
    away = taken_over(seating, 2, answers, by_bot=True)
    played = play_of(away, 0, answers, GAME, wall=True)
    assert len(played.rounds) == 4
    assert played.rounds[2].complete
    back = taken_over(away, 2, answers, by_bot=False)
    assert set(play_of(back, 0, answers, GAME, wall=True).seats) == {1, 2}
