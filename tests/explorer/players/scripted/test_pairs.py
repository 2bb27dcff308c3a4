"""What experts say about nodes and edges: facts, and images under the renaming they claim."""

import pytest

from explorer.players import ScriptedExpert, script_for
from explorer.players.scripted import LEVELS, chance_of_contradiction, is_evasion
from explorer.players.scripted.pairs import Pairs
from explorer.players.scripted.voices import voices
from explorer.studies.players import played
from nip_core.tasks import graph_task
from tests.depth import cases
from tests.explorer.players.scripted.asking import asked

SAME = graph_task(4, isomorphic=True)
DIFFERENT = graph_task(5, isomorphic=False)
RENAMING = "What is the whole renaming?"


def pairs(task, stance, level="hard", seed=0, voice=0):
    sign = script_for(task, stance).answers[RENAMING]
    return Pairs(task.statement.payload, stance, LEVELS[level], voices()[voice], seed, seed, sign)


def said(task, stance, question):
    return asked(ScriptedExpert(script_for(task, stance)), "Hello", question, task=task)[1]


@pytest.mark.parametrize("stance", [0, 1])
@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("How many neighbours does a have?", "b, c, e, f, g: 5 neighbours"),
        ("What is the degree of 4 in H?", "2, 3, 5, 6, 7: 5 neighbours"),
        ("Is 1-5 an edge of H?", "Yes, in H"),
        ("is there an edge between 1 and 2?", "No, in H"),
        ("Are a and d joined?", "No, in G"),
        ("a-b? is that an edge", "Yes, in G"),
    ],
)
def test_plain_facts_do_not_depend_on_the_stance(stance, question, part):
    assert part in said(DIFFERENT, stance, question)


def test_an_image_is_that_of_the_claimed_renaming():
    certificate = SAME.payload.certificate
    for node, name in enumerate(SAME.payload.first.names):
        image = SAME.payload.second.names[certificate[node]]
        assert said(SAME, 1, f"Where does node {name} go?").endswith(f"{image}.")
    a, b = SAME.payload.first.edges[-1]
    first, second = SAME.payload.first.names, SAME.payload.second.names
    answer = said(SAME, 1, f"What does {first[a]}-{first[b]} become?")
    assert f"{second[certificate[a]]}-{second[certificate[b]]}" in answer


def test_who_says_that_there_is_no_renaming_has_no_image():
    assert "No node of H will do for c" in said(DIFFERENT, 0, "Which node does c go to?")
    assert "No node of H will do for c" in said(SAME, 0, "Which node does c go to?")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(6))
def test_honest_experts_never_contradict_each_other(level, seed):
    same = graph_task(seed, isomorphic=True)
    for question in questions(same):
        claims = [
            (part.claimed, part.way)
            for n in range(4)
            for part in pairs(same, 1, level, n, n % 3).answers(question)
        ]
        assert len(set(claims)) == 1
        assert claims[0][1] == "agrees"


def questions(task):
    names = task.payload.first.names
    yield from (f"Where does node {name} go?" for name in names)
    yield from (f"What does {names[a]}-{names[b]} become?" for a, b in task.payload.first.edges)


@pytest.mark.parametrize("level", LEVELS)
def test_liars_contradict_each_other_as_often_as_is_stated(level):
    stated = chance_of_contradiction([LEVELS[level]] * 2, 3, truth=False)
    telling = {
        question
        for question in questions(DIFFERENT)
        for part in pairs(DIFFERENT, 1).answers(question)
        if part.telling
    }
    assert telling
    games = cases(800)
    for question in sorted(telling)[:2]:
        found_out = 0
        for seed in range(games):
            (one,), (other,) = (
                pairs(DIFFERENT, 1, level, 2 * seed + n).answers(question) for n in (0, 1)
            )
            claims = {part.claimed for part in (one, other) if not is_evasion(part.text)}
            found_out += len(claims) == 2
        assert abs(found_out / games - stated) <= 3 * float(stated * (1 - stated) / games) ** 0.5


@pytest.mark.parametrize(
    "text", ["Hello", "I like a walk", "G and H", "a", "is it 4?", "2-2", "x-y"]
)
def test_what_asks_for_nothing_gets_nothing(text):
    assert list(pairs(DIFFERENT, 1).answers(text)) == []


def test_a_good_liar_turns_a_question_about_the_whole_aside_and_a_bad_one_lets_numbers_slip():
    answers = script_for(DIFFERENT, 1).answers
    asks = [ask for ask in answers if ask.startswith("How many") and "neighbours" not in ask]

    def ways(level):
        sign = answers[RENAMING]
        graphs = DIFFERENT.statement.payload
        for seed in range(8):
            prover = Pairs(
                *(graphs, 1, LEVELS[level], voices()[0], seed, seed, sign), prepared=answers
            )
            for ask in asks:
                yield from (
                    part.way if part.how == "graph" else part.how for part in prover.answers(ask)
                )

    assert {*ways("hard")} == {"aside"}
    assert {*ways("easy")} == {"slip"}


def test_rows_about_graphs_are_monotone():
    """The examiner once believed more lies about graphs than the tester."""
    tasks = [graph_task(seed, isomorphic=False) for seed in range(cases(60))]
    accepted = {
        (verifier, level): sum(
            played(task, LEVELS[level], verifier, seed).result().decision == 1
            for seed, task in enumerate(tasks)
        )
        for verifier in ("comparer", "tester", "examiner")
        for level in LEVELS
    }
    for level in LEVELS:
        column = [accepted[verifier, level] for verifier in ("comparer", "tester", "examiner")]
        assert column == sorted(column, reverse=True)
    assert accepted["tester", "easy"] < accepted["tester", "hard"]
