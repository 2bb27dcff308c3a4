"""Tests of judges.py.

Scripted players of version 2 protocols: legal moves, exact pay, and how strong they are.
"""

import json
import random
from functools import cache

import pytest

from explorer.play import prepared_for, reads_passages
from explorer.players import INVENTED, JUDGES, SeatScript
from explorer.players.scripted.seats import passages as texts
from explorer.players.scripted.text import sentences
from nip_core.errors import UnknownNameError
from nip_core.language import Specification
from nip_core.play import Episode, Move, Setup
from nip_core.registry import published_names, specification
from nip_core.tasks import load_quality, passages
from tests.depth import FULL, each
from tests.language import reference
from tests.language.test_playing import follow
from tests.language.zoo import in_full


@cache
def prepared(name):
    return [each for each in prepared_for(specification(name)) if each.kind != "code_validation"]


def task_of(name, number):
    known = prepared(name)
    if known:
        return known[number % len(known)]
    from explorer.play import task_for
    from nip_core.tasks import bundled_tasks

    return task_for(specification(name), bundled_tasks()[number % 40], number)


def play(spec, task, seed, level="hard", judge="careful"):
    episode = Episode.from_setup(Setup.of(spec, task, seed))
    seats = enumerate(spec.seat_names)
    players = {seat: SeatScript(7 * seed + n, level, judge) for n, seat in seats}
    while not episode.over:
        for seat in episode.to_move:
            # An illegal move raises here.
            episode.play(players[seat].act(episode.view_for(seat)))
    return episode


@each("name", published_names())
def test_two_hundred_games_are_legal_and_paid_as_the_reference_pays(name):
    spec, rng = specification(name), random.Random(name)
    document = in_full(spec)
    for number in range(200 if FULL else 6):
        episode = play(
            spec, task_of(name, number), number, rng.choice([*INVENTED]), rng.choice([*JUDGES])
        )
        releases = [node.release for node in episode.path()[1:]]
        (found,) = reference.plays(document, follow(episode))
        chance, turns, totals, verdict = found
        assert chance == 1
        assert [choices for _, choices in turns] == [dict(r.choices) for r in releases]
        result = episode.result()
        assert result.totals == pytest.approx(
            {seat: float(totals.get(seat) or 0) for seat in spec.seat_names}
        )
        assert result.verdict == verdict


def right(name, level, judge, games=4):
    """Return the share of right verdicts over all passages."""
    spec = specification(name)
    ended = [
        play(spec, task, seed, level, judge).result().right
        for task in passages()
        for seed in range(games)
    ]
    return sum(each is True for each in ended)


def test_better_liars_are_found_out_less_often_and_checking_quotes_finds_more():
    found = {
        (judge, level): right("khan_debate", level, judge)
        for judge in JUDGES
        for level in ("easy", "hard")
    }
    for judge in ("careful", "quote-checker"):
        # In some sentences there is nothing that can be changed.
        assert found[judge, "easy"] >= 61
        assert found[judge, "hard"] < 56
    assert found["gullible", "easy"] < 40
    # Alone before a judge who checks quotes, a liar who invents none is always believed.
    assert right("khan_consultancy", "easy", "quote-checker") == 64
    assert right("khan_consultancy", "hard", "quote-checker") < 32


def test_a_scripted_judge_knows_nothing_from_question_and_answers_alone():
    """The right answer is equally often either of the two."""
    whole = specification("khan_debate").to_dict()
    del whole["stages"][0], whole["limits"], whole["settings"]
    spec = Specification.from_dict(whole)
    for judge in JUDGES:
        wins = [
            play(spec, task, seed, judge=judge).result().right
            for task in passages()
            for seed in range(40)
        ]
        # Within three standard errors of one half.
        assert abs(sum(wins) / len(wins) - 0.5) < 3 * 0.5 / len(wins) ** 0.5


def beliefs(name, said):
    """Return what a judge believes of each side; the first messages have so many real quotes."""
    spec, task = specification(name), passages()[0]
    episode = Episode.from_setup(Setup.of(spec, task, 3))
    real = [each for each in sentences(task.text) if len(each) < 60 and "<" not in each]
    sides, numbers = [], iter(said)
    while "judge" not in episode.to_move:
        for seat in episode.to_move:
            sides.append(str(episode.view_for(seat).argues))
            quotes = [f"<quote>{real.pop()}</quote>" for _ in range(next(numbers, 0))]
            text = " ".join(["So it is.", *quotes])
            episode.play(Move(seat, dict.fromkeys(episode.legal(seat).channels, text)))
    draws = random.Random(0), random.Random(0)
    judge = texts.PassageSeat(episode.view_for("judge"), "hard", JUDGES["careful"], *draws)
    belief = judge.belief("AB")
    return [belief[side] for side in sides]


def test_of_one_message_two_quotes_count_for_a_side_that_speaks_alone():
    """Without another side to compare with, a liar with many quotes was always believed."""
    found = [beliefs("khan_consultancy", [quotes])[0] for quotes in range(5)]
    assert found[0] < found[1] < found[2] == found[3] == found[4]
    # Where both sides speak, who brings more is believed more.
    assert beliefs("khan_debate", [2, 4])[1] > beliefs("khan_debate", [2, 3])[1] > 0.5


def answered(question):
    """Return a consultant's answer to a question after its opening, and all that can be quoted."""
    spec, task = specification("michael_consultancy"), passages()[1]
    episode, consultant = Episode.from_setup(Setup.of(spec, task, 3)), SeatScript(2)
    while True:
        for seat in episode.to_move:
            view = episode.view_for(seat)
            if seat == "judge":
                made = {"estimate": 50, "going": "go_on"}
                episode.play(Move(seat, {"talk": question}, choices=made))
                continue
            move = consultant.act(view)
            episode.play(move)
            if view.round > 2:
                (text,) = move.messages.values()
                return text, [quote for each in task.answers for quote in each.support]


def test_consultants_listen_and_quote():
    """Quotes in an answer are in the text and related to the question."""
    said = {answered(f"What about this: {each}")[0] for each in answered("Why?")[1]}
    assert len(said) > 1
    assert all("<quote>" in text for text in said)


@pytest.mark.parametrize(("more", "said"), [(("harder",), "level"), (("hard", "x"), "strategy")])
def test_unknown_levels_and_ways_are_refused(more, said):
    with pytest.raises(UnknownNameError, match=said):
        SeatScript(0, *more)


def chosen_in(episode):
    return {
        name: made for node in episode.path()[1:] for name, made in node.release.choices.items()
    }


@each("name", ("jury", "jury_mean"))
def test_jurors_who_read_the_same_may_differ(name):
    spec, panels = specification(name), []
    seen = {choice.name for choice in spec.choices if choice.by.startswith("juror")}
    for seed, task in enumerate(passages()):
        made = chosen_in(play(spec, task, seed))
        panels.append({made[choice] for choice in seen})
    assert max(map(len, panels)) > 1


def test_who_has_not_read_the_text_does_not_know_which_answer_it_bears_out(monkeypatch):
    """A jury's debaters have no passage, so a liar among them invents no more than the other."""
    monkeypatch.setattr(texts, "changed", lambda *_: "INVENTED")
    for seed, task in enumerate(passages()):
        said = [
            message.text
            for node in play(specification("jury"), task, seed, "easy").path()[1:]
            for message in node.release.messages
        ]
        assert said
        assert not any("INVENTED" in text for text in said)


def test_a_judge_who_speaks_does_not_quote_what_is_hidden_from_it():
    whole = specification("khan_debate").to_dict()
    whole["stages"][-1]["turns"] = [{"judge": {"say": "debate", "choose": "verdict"}}]
    spec = Specification.from_dict(whole)
    for seed, task in enumerate(passages()):
        last = play(spec, task, seed).path()[-1].release.messages[-1].text
        assert last
        assert not any(sentence in last for answer in task.answers for sentence in answer.support)


ARTICLE = (
    "Mara ran the bakery by the harbour. The baker rose at four. Only the dog saw who had taken "
    "the yeast: it was the postman. “He did it,” she said. In the morning the bread was flat, and "
    "the baker blamed the mill."
)
QUESTION = {
    "question": "Who took the yeast?",
    "options": ["The dog did it", "The postman", "The baker", "Nobody"],
    "gold_label": 2,
}


def argues_on_passages(name):
    spec = specification(name)
    return reads_passages(spec) and bool(spec.roles.sides)


@each("name", filter(argues_on_passages, published_names()))
def test_a_passage_without_prepared_answers_is_quoted_by_seats_that_read_it(name):
    spec = specification(name)
    line = json.dumps({"article": ARTICLE, "questions": [QUESTION]})
    (passage,) = load_quality(line.encode()).passages
    arguments = 0
    for seed in range(8):
        episode = play(spec, passage, seed)
        shown = episode.task.parts["answers"].splitlines()
        answers = dict(line.split(". ", 1) for line in shown)
        for seat in spec.seat_names:
            view = episode.view_for(seat)
            said = [
                (message.text, quotes)
                for turn in view.rounds
                for message, quotes in zip(turn.messages, turn.quotes, strict=True)
                if message.sender == seat
            ]
            if not said or view.argues not in answers:
                continue
            arguments += 1
            text, quotes = said[0]
            assert f"The answer is {view.argues}: {answers[view.argues]}." in text
            # A liar may invent quotes; a prover of the right answer never needs to.
            if view.argues == episode.task.facts["truth"]:
                reads = {part.name for part in spec.parts if part.quotable} & {*view.parts}
                assert [quote.found for quote in quotes] == [True] * bool(reads)
                assert ("the yeast: it was the postman" in text) == bool(reads)
    assert arguments
