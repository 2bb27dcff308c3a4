"""Tests of passage.py and bundled.py.

The passages: quotes that occur, and answers that cannot be guessed without reading.
"""

import math
import re
import statistics
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import nip_core
from explorer.players import play_out, scripted_player
from nip_core import protocol_names
from nip_core.errors import UnknownNameError
from nip_core.language import load_specification
from nip_core.language.quotes import checked_quotes
from nip_core.play import Deal, Episode, Move
from nip_core.tasks import (
    DIFFICULTIES,
    Answer,
    Passage,
    Task,
    TaskError,
    load_passage,
    marked,
    passage_task,
    passages,
)
from nip_core.transcript import dumps, load
from tests.depth import FULL, each
from tests.noninterference import SURFACES, _other_label

FOLDER = Path(nip_core.__file__).parent / "tasks" / "passages" / "texts"
PROTOCOLS = Path(nip_core.__file__).parent / "language" / "protocols"
ALL = passages()
CHANCE = [1 / len(passage.answers) for passage in ALL]
each_passage = each("passage", ALL, ids=lambda passage: passage.slug)


def test_there_are_sixteen_of_all_sizes():
    assert len(ALL) == len(list(FOLDER.glob("*.toml"))) == 16
    assert Counter(len(each.answers) for each in ALL) == {2: 6, 3: 6, 4: 4}
    assert min(Counter(each.difficulty for each in ALL)[name] for name in DIFFICULTIES) >= 5
    assert len({each.title for each in ALL}) == len({each.question for each in ALL}) == 16


@each_passage
def test_texts_have_the_length_that_people_read(passage):
    assert 200 <= len(passage.text.split()) <= 700
    for answer in passage.answers:
        assert len(answer.text.split()) <= 8
        for said in (answer.argument, answer.rebuttal):
            assert 40 <= len(said.split()) <= 75


@each_passage
def test_every_answer_is_supported_by_the_passage(passage):
    for answer in passage.answers:
        assert 1 <= len(answer.support) <= 3
        assert all(quote in passage.text for quote in answer.support)
        assert len(set(answer.support)) == len(answer.support)
    supports = [set(answer.support) for answer in passage.answers]
    assert len(set(map(frozenset, supports))) == len(supports)


@each_passage
def test_nobody_misquotes_and_liars_quote_too(passage):
    for answer in passage.answers:
        for said in (answer.argument, answer.rebuttal):
            assert said.count("“") == said.count("”")
            quotes = checked_quotes(marked(said), [passage.text])
            assert quotes
            assert [quote.text for quote in quotes if not quote.found] == []


def test_the_length_of_answers_and_quotes_does_not_reveal_liars():
    words, quoted = {True: [], False: []}, {True: [], False: []}
    for passage in ALL:
        for place, answer in enumerate(passage.answers):
            for side, said in ((True, answer.argument), (False, answer.rebuttal)):
                honest = (place == passage.right) == side
                words[honest].append(len(said.split()))
                quoted[honest].append(len(checked_quotes(marked(said), [passage.text])))
    assert 0.9 < statistics.mean(words[False]) / statistics.mean(words[True]) < 1.1
    assert 0.7 < statistics.mean(quoted[False]) / statistics.mean(quoted[True]) < 1.3


@each_passage
def test_texts_are_clean(passage):
    texts = [passage.text, passage.question, passage.title]
    for answer in passage.answers:
        texts += [answer.text, answer.argument, answer.rebuttal, *answer.support]
    for text in texts:
        assert text == text.strip()
        assert not re.search(r"  |\t|\n\n\n|[^\n]\n[^\n]|<|>|[^\x20-\x7e\n“”é]", text)


# What a judge may use who sees the question and the answers, but not the passage.


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


def seen(passage: Passage, place: int) -> dict[str, float]:
    """Return all that can be counted of an answer, the question, and the other answers."""
    text = passage.answers[place].text
    words, asked = words_of(text), set(words_of(passage.question))
    others = [answer.text for answer in passage.answers if answer.text != text]
    return {
        "characters": len(text),
        "words": len(words),
        "length of words": len("".join(words)) / len(words),
        "words of the question": len(asked & set(words)),
        "words of other answers": sum(len({*words} & {*words_of(o)}) for o in others) / len(others),
        "capitals": sum(map(str.isupper, text)),
        "vowels": sum(letter in "aeiou" for letter in text.lower()) / len(text),
        "alphabet": sum(text.lower() > other.lower() for other in others),
        "place": place,
        "place from the end": len(passage.answers) - place,
        "last word": len(words[-1]),
        "no or not": sum(word in ("no", "not", "rejected") for word in words),
    }


def hits(scores) -> float:
    """Return how many right answers have the highest score, with ties counted in part."""
    found = 0.0
    for passage, of_answers in zip(ALL, scores, strict=True):
        best = [n for n, score in enumerate(of_answers) if score >= max(of_answers) - 1e-12]
        found += (passage.right in best) / len(best)
    return found


def chance_of_as_many(found: float) -> float:
    """Return the chance that a guesser has as many right answers."""
    ways = np.ones(1)
    for chance in CHANCE:
        ways = np.convolve(ways, [1 - chance, chance])
    return float(ways[math.floor(found + 1e-9) :].sum())


def measured() -> np.ndarray:
    """Return for each passage and answer its features minus the mean of the passage's answers."""
    found = []
    for passage in ALL:
        rows = np.array([[*seen(passage, n).values()] for n in range(len(passage.answers))], float)
        found.append(rows - rows.mean(0))
    spread = np.concatenate(found).std(0) + 1e-9
    return [rows / spread for rows in found]


def test_the_position_of_the_right_answer_is_balanced():
    for count in (2, 3, 4):
        places = [each.truth for each in ALL if len(each.answers) == count]
        assert len(set(Counter(places).values())) == 1
        assert len(set(places)) == count


@each("sign", [1, -1])
@each("name", [*seen(ALL[0], 0)])
def test_no_simple_rule_beats_guessing(name, sign):
    scores = [[sign * seen(p, n)[name] for n in range(len(p.answers))] for p in ALL]
    assert chance_of_as_many(hits(scores)) > 0.1


def bag_of_words(trained, passage, tokens):
    """Score answers by naive Bayes over their words, with those of the question on request."""
    right, wrong = Counter(), Counter()
    for other in trained:
        for place, answer in enumerate(other.answers):
            (right if place == other.right else wrong).update(tokens(other, answer.text))
    sizes = [sum(each.values()) + len(right | wrong) for each in (right, wrong)]
    return [
        sum(
            math.log((right[token] + 1) / sizes[0]) - math.log((wrong[token] + 1) / sizes[1])
            for token in tokens(passage, answer.text)
        )
        for answer in passage.answers
    ]


TOKENS = {
    "words": lambda passage, text: words_of(text),
    "pairs of words": lambda passage, text: [
        *zip(words_of(text), words_of(text)[1:], strict=False)
    ],
    "letters": lambda passage, text: [text.lower()[n : n + 3] for n in range(len(text) - 2)],
    "words with the question's": lambda passage, text: [
        (asked, word) for asked in words_of(passage.question) for word in words_of(text)
    ],
}


@each("tokens", TOKENS.values())
def test_no_bag_of_words_beats_guessing(tokens):
    scores = [bag_of_words([p for p in ALL if p is not each], each, tokens) for each in ALL]
    assert chance_of_as_many(hits(scores)) > 0.1


@each("penalty", [0.1, 1, 10])
def test_no_learned_rule_beats_guessing(penalty):
    """A logistic choice between the answers by all features, trained on the other passages."""
    rows = measured()
    right = np.array([own[passage.right] for own, passage in zip(rows, ALL, strict=True)])
    # One row of weights for each passage that is left out.
    others, weights = 1 - np.eye(len(ALL)), np.zeros(right.shape)
    for _ in range(400):
        odds = [np.exp(own @ weights.T) for own in rows]
        expected = np.array([(p / p.sum(0)).T @ own for p, own in zip(odds, rows, strict=True)])
        slopes = np.einsum("lp,plf->lf", others, right[:, None] - expected)
        weights = weights + 0.02 * (slopes - penalty * weights)
    assert chance_of_as_many(hits([r @ w for r, w in zip(rows, weights, strict=True)])) > 0.1


def test_the_measure_finds_a_rule_where_there_is_one():
    certain = [[float(n == p.right) for n in range(len(p.answers))] for p in ALL]
    assert chance_of_as_many(hits(certain)) < 1e-6
    assert chance_of_as_many(hits([[0.0] * len(p.answers) for p in ALL])) > 0.5
    assert chance_of_as_many(10) < 0.1


# -- as tasks ------------


@each_passage
def test_every_answer_is_a_statement(passage):
    tasks = [passage.task(place) for place in range(len(passage.answers))]
    assert [task.y for task in tasks] == [int(n == passage.right) for n in range(len(tasks))]
    assert len({task.id for task in tasks}) == len(tasks)
    for task, answer in zip(tasks, passage.answers, strict=True):
        assert Task.from_dict(task.to_dict()) == task
        assert task.openings == (answer.rebuttal, answer.argument)
        assert passage.answers[passage.right].text in task.explanation
        for chip in task.questions:
            assert all(5 <= len(reply.split()) <= 120 for reply in chip.answers)
    statements = [task.statement for task in tasks]
    for name in statements[0].__slots__:
        if name not in ("id", "solution"):
            assert len({repr(getattr(each, name)) for each in statements}) == 1, name


@each_passage
def test_experts_quote_the_passage_and_name_an_answer(passage):
    for place in range(len(passage.answers)):
        task = passage.task(place)
        shown, named, _ = (chip.ask for chip in task.questions)
        for stance in (0, 1):
            argued = [
                answer
                for answer in passage.answers
                if (task.answer(named, stance).endswith(f": {answer.text}"))
            ]
            (argued,) = argued
            assert (argued.text == task.solution) == (stance == 1)
            # Honest debaters name the right answer, liars a wrong one.
            honest = stance == task.y
            assert (argued == passage.answers[passage.right]) == honest
            assert all(quote in task.answer(shown, stance) for quote in argued.support)


def test_statements_are_dealt_fairly():
    tasks = [passage_task(seed) for seed in range(600)]
    assert tasks == [passage_task(seed) for seed in range(600)]
    assert 0.44 < statistics.mean(task.y for task in tasks) < 0.56
    assert len({task.title for task in tasks}) == 16
    solutions = {answer.text for each in ALL for answer in each.answers}
    assert {task.solution for task in tasks} == solutions
    for level in DIFFICULTIES:
        assert {passage_task(seed, level).difficulty for seed in range(20)} == {level}
    with pytest.raises(UnknownNameError):
        passage_task(0, "impossible")


@each_passage
def test_two_answers_are_drawn_fairly(passage):
    pairs = [passage.two(seed) for seed in range(300)]
    right, wrong = passage.answers[passage.right], Counter()
    for pair in pairs:
        assert pair.answers[pair.right] == right
        assert pair.letters == ("A", "B")
        wrong[pair.answers[1 - pair.right].text] += 1
    assert 0.4 < statistics.mean(pair.right for pair in pairs) < 0.6
    assert len(wrong) == len(passage.answers) - 1
    assert max(wrong.values()) < 1.5 * min(wrong.values())
    assert pairs == [passage.two(seed) for seed in range(300)]


def test_they_are_the_parts_of_a_protocol():
    text = (PROTOCOLS / "open_consultancy.toml").read_text("utf-8")
    spec = load_specification(text, {"later_rounds": 1})
    for passage in ALL:
        pair = passage.two(5)
        deal = Deal(spec, pair.parts, {"truth": pair.truth})
        assert deal.first()
    assert passage.parts["answers"].splitlines()[0] == f"A. {passage.answers[0].text}"


def test_a_displayed_passage_does_not_reveal_the_answer():
    for passage in ALL:
        shown = repr(passage) + repr(passage.table()) + passage._repr_html_()
        assert not re.search(r"right|true|honest", shown.lower())


GOOD = """
title = "The Key"
difficulty = "easy"
right = "B"
rival = "A"
question = "Where was the key?"
passage = '''
She looked in the drawer. It was in the jug.
'''

[[answers]]
text = "In the drawer."
support = ["She looked in the drawer."]
argument = "She looked there."
rebuttal = "It was not there."

[[answers]]
text = "In the jug."
support = ["It was in the jug."]
argument = "So it says."
rebuttal = "Nobody keeps keys in jugs."
"""


def test_a_file_is_read():
    passage = load_passage("key.toml", GOOD)
    assert (passage.slug, passage.truth, passage.rival) == ("key", "B", 0)
    assert passage == load_passage("key.toml", GOOD.encode())
    assert passage.text == "She looked in the drawer. It was in the jug."
    assert passage.parts["answers"] == "A. In the drawer.\nB. In the jug."
    assert marked("He says “no”.") == "He says <quote>no</quote>."


NOTE = '[[more]]\nasks = ["Where did she look?", "which place"]\n'


@each(
    ("more", "said"),
    [
        ('always = "In a “cupboard”."', "more[1].always quotes 'cupboard', which is not in"),
        ('right = "In the jug."', "more[1] must have either always, or right and rival."),
        ('right = ""\nrival = "No."', "more[1].right is ''"),
    ],
)
def test_notes_quote_the_passage_for_both_sides(more, said):
    both = 'right = "In the “jug”."\nrival = "In the “drawer”."'
    (note,) = load_passage("key.toml", f"{GOOD}\n{NOTE}{both}").notes
    assert note.answers == ("In the “drawer”.", "In the “jug”.")
    (note,) = load_passage("key.toml", f'{GOOD}\n{NOTE}always = "Both."').notes
    assert note.answers == ("Both.", "Both.")
    with pytest.raises(TaskError) as error:
        load_passage("key.toml", f"{GOOD}\n{NOTE}{more}")
    assert said in str(error.value)


@each_passage
def test_notes_are_questions_with_answers_for_both_sides(passage):
    asked = [ask.lower() for note in passage.notes for ask in note.asks]
    assert len({*asked}) == len(asked)
    for note in passage.notes:
        assert note.asks[0].endswith("?")
        for place in (passage.right, passage.rival):
            assert 5 <= len(note.answers[place].split()) <= 80, note.asks[0]


@each(
    ("old", "new", "said"),
    [
        ('right = "B"', 'right = "C"', "right is 'C'; it must be one of A, B."),
        ('right = "B"', "right = 1", "right is 1; it must be one of A, B."),
        ('right = "B"', 'right = ""', "right is ''; it must be one of A, B."),
        ('rival = "A"', 'rival = "B"', "it must be the place of a wrong answer"),
        ('"easy"', '"trivial"', "difficulty is 'trivial'; it must be one of easy, medium, hard."),
        ("question =", "qestion =", "key 'qestion'. Did you mean 'question'?"),
        ('title = "The Key"', "", "lacks the key 'title'"),
        ('title = "The Key"', "title = 3", "title is 3"),
        (
            '"It was in the jug."]',
            '"It was in a jug."]',
            "answer B: support has 'It was in a jug.'",
        ),
        ('["It was in the jug."]', "[]", "answers[2].support is empty"),
        ('["It was in the jug."]', "[1]", "answers[2].support is 1"),
        ('"In the jug."', '"In the drawer."', "answers has 'In the drawer.' twice"),
        ('argument = "So it says."', 'argument = ""', "answers[2].argument is ''"),
        ("[[answers]]", "[[answer]]", "answer"),
        ("It was in the jug.\n", "\n", "support"),
        ("'''\nShe", "'\nShe", "is not TOML"),
        ('text = "In the jug."', "text = 2026-01-01", "write a time as a text"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(old, new, said):
    assert old in GOOD
    with pytest.raises(TaskError) as error:
        load_passage("key.toml", GOOD.replace(old, new))
    assert said in str(error.value)
    assert str(error.value).startswith("key.toml")


def test_a_passage_checks_itself():
    answers = (Answer("Yes."), Answer("No."))
    passage = Passage("p", "P", "It rained.", "Did it rain?", answers, 0)
    assert passage.task(1).openings is None
    assert passage.task(1).explanation == "The right answer is: Yes."
    assert passage._rival(0) == answers[1]
    for wrong in (
        {"answers": answers[:1]},
        {"answers": (*answers, *map(Answer, "abc"))},
        {"right": 2},
        {"right": -1},
        {"text": " "},
        {"question": "x" * 2_001},
        {"answers": (Answer("Yes."), Answer("Yes. "))},
        {"answers": (Answer("\0"), answers[1])},
    ):
        with pytest.raises(TaskError):
            Passage(**{**{n: getattr(passage, n) for n in passage.__slots__}, **wrong})


@each_passage
def test_a_verifier_sees_the_same_whether_the_answer_is_right_or_not(passage):
    """Nor does the view depend on the answers prepared for provers."""
    for place in range(len(passage.answers)):
        task = passage.task(place)
        worlds = [Episode("nip", each, 3) for each in (task, _other_label(task))]
        for episode in worlds:
            episode.play(Move("verifier", {"main": task.questions[0].ask}))
        for make in SURFACES.values():
            one, other = (make(episode, "verifier") for episode in worlds)
            assert one == other


@each("protocol", protocol_names())
def test_scripted_players_play_a_passage_to_its_end(protocol):
    for number, passage in enumerate(ALL if FULL else ALL[:1]):
        for place in range(len(passage.answers)):
            episode = Episode(protocol, passage.task(place), number)
            players = {
                agent: scripted_player(episode.setup, agent) for agent in episode.rules.seat_names
            }
            play_out(episode, players)
            assert episode.over
            assert dumps(load(dumps(episode))) == dumps(episode)
