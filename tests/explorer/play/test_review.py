"""Tests of review.py and questions.py.

What a review says, compared with slow references that try everything.
"""

import itertools
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import pytest

from explorer.choice import ProtocolChoice
from explorer.play import questions
from explorer.play.claims import checked_claims
from explorer.play.questions import (
    LEAST_GAIN,
    YARDSTICK,
    Asked,
    Draws,
    _not_asked,
    best_question,
    outcomes,
    what_could_be_asked,
)
from explorer.play.review import (
    calibrated,
    courses,
    exposing_inputs,
    first_lies,
    message_readers,
    readings,
    reviewed,
)
from explorer.play.seats import Start, default_seats
from explorer.players import play_out
from explorer.players.scripted import (
    INVENTIONS,
    LEVELS,
    Level,
    ScriptedExpert,
    ScriptedVerifier,
    chance_of_contradiction,
    scripted_player,
    why,
)
from explorer.players.scripted.voices import Voice, voices
from nip_core.errors import PlayError
from nip_core.parameters import HyperParameters
from nip_core.play import Episode, Move, Seated
from nip_core.tasks import bundled_tasks, problems
from tests.depth import each, exhaustive
from tests.explorer.play.starts import begun

GAMES = [
    ("nip", "code:easy", 0),
    ("mnip", "code:easy", 0),
    ("mnip", "graphs:easy", 1),
    ("debate", "code:easy", 5),
    ("merlin_arthur", "graphs:easy", 2),
    ("adp", "graphs:easy", 1),
]


def played(protocol: str, task: str, seed: int, level: str = "easy") -> Episode:
    """Return a finished game of scripted players."""
    choice = ProtocolChoice.of(protocol)
    seats = default_seats(choice.rules, "nobody")
    start = Start(choice, task, seats, seed, levels=dict.fromkeys(seats, level))
    episode = begun(start)
    players = {a: scripted_player(episode.setup, a, r) for a, r in start.players().items()}
    play_out(episode, players)
    assert episode.over
    return episode


def test_every_way_of_drawing_comes_out_once_with_its_chance() -> None:
    third, half = Fraction(1, 3), Fraction(1, 2)

    def play(draws: Draws) -> tuple[int, ...]:
        first = draws.draw((third, third, third))
        # A further draw in one case only, as in games.
        return (first, draws.draw((half, half))) if first == 1 else (first,)

    found = {result: chance for chance, result in outcomes(play)}
    assert found == {(0,): third, (1, 0): third / 2, (1, 1): third / 2, (2,): third}


@dataclass(frozen=True)
class OneWay(Level):
    """A level with one manner, which invents the value at a fixed share of the plausible ones."""

    sixth: int = 0

    def pick(self, choices: int, *about: str | int) -> int:
        return self.sixth * choices // 6


def slowly(episode: Episode, node: int, question: str) -> tuple[int, Fraction, Fraction]:
    """Return belief before, and its mean and mean shift after a question, with one manner a prover.

    Right where each prover draws at most once for an answer, as for one question about one thing.
    """
    spec, verifier = episode.rules, episode.rules.roles.deciders[0]
    tester = ScriptedVerifier(YARDSTICK)
    before = tester.turn(episode.view_for(verifier, node)).move.confidence
    assert before is not None
    after = shift = Fraction(0)
    levels = [LEVELS[str(episode.players[prover]["level"])] for prover in spec.provers]
    sixths = range(6)
    for ways in itertools.product(*(itertools.product({*level.ways}, sixths) for level in levels)):
        chance = math.prod(
            level.chance(way) / 6 for level, (way, _) in zip(levels, ways, strict=True)
        )
        game = Episode.from_setup(episode.setup, episode.events)
        game.goto(node)
        players = {}
        for prover, (way, sixth) in zip(spec.provers, ways, strict=True):
            usual = scripted_player(game.setup, prover, episode.players[prover])
            assert isinstance(usual, ScriptedExpert)
            share = {} if way == "plan" else {way: Fraction(1)}
            level = OneWay("one", "", **share, aside=usual.level.aside, sixth=sixth)
            players[prover] = ScriptedExpert(usual.script, level, usual.seed)
        channels = game.legal(verifier).channels
        game.play(Move(verifier, dict.fromkeys(channels, question)))
        while not game.over and verifier not in game.to_move:
            agent = game.to_move[0]
            game.play(players[agent].act(game.view_for(agent)))
        belief = tester.turn(game.view_for(verifier)).move.confidence
        assert belief is not None
        after += chance * belief
        shift += chance * abs(belief - before)
    return before, after, shift


@pytest.mark.parametrize(
    ("protocol", "task", "seed"), [GAMES[0], pytest.param(*GAMES[2], marks=exhaustive)]
)
def test_what_a_question_is_worth_is_the_mean_over_all_that_could_be_answered(
    protocol: str, task: str, seed: int
) -> None:
    episode = played(protocol, task, seed)
    found = what_could_be_asked(episode)
    assert found
    for asked in found[-4:]:
        before, after, shift = slowly(episode, asked.node, asked.question)
        assert (asked.before, asked.after, asked.shift) == (before, after, shift)
    towards = 1 if episode.task.y else -1
    assert all(each.gain == towards * (each.after - each.before) for each in found)
    best = best_question(found)
    assert (best is None) == all(each.gain < LEAST_GAIN for each in found)
    if best is not None:
        assert best.gain == max(each.gain for each in found)


def test_liars_who_sit_apart_would_contradict_each_other_as_often_as_is_stated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(questions, "MOST_QUESTIONS", 1)
    monkeypatch.setattr(questions, "MOST_POSITIONS", 1)
    (each,) = what_could_be_asked(played("mnip", "code:easy", 4))
    # It is asked after the liars have said something.
    assert each.round > 1
    assert each.differ == chance_of_contradiction([LEVELS["easy"]] * 2, INVENTIONS)


def test_no_question_is_rated_where_its_effect_cannot_be_computed() -> None:
    # Nobody may ask in the first protocols, and a person answers in the last.
    assert what_could_be_asked(played("adp", "code:easy", 0)) == []
    episode = played("nip", "code:easy", 0)
    episode.apply(Seated(agent="prover", player={"kind": "human"}))
    assert what_could_be_asked(episode) == []


@pytest.mark.parametrize(("protocol", "task", "seed"), GAMES)
def test_the_first_lie_is_the_first_in_the_record(protocol: str, task: str, seed: int) -> None:
    """The review may name a later lie only if the first cannot be checked and the later one can.

    In these games there is no such lie: either something false in the first round of lies can be
    checked, or nothing that the liar says later is false. In the third game the images that it
    names keep the edges among them. A later round there means that the review has misread a
    sentence, as it did with "look at another one" after a question about counts.
    """
    episode = played(protocol, task, seed, "hard")
    expected: dict[str, int] = {}
    for reason in why(episode):
        if reason.agent in episode.rules.provers and any(
            "was a lie" in line for line in reason.lines
        ):
            expected.setdefault(reason.agent, reason.round)
    assert {lie["agent"]: lie["round"] for lie in first_lies(episode)} == expected
    for lie in first_lies(episode):
        (node,) = (n for n in episode.path() if n.round == lie["round"] + 1)
        assert any(lie["quote"] in text for text in node.moves[lie["agent"]].messages.values())


@each("voice", voices(), ids=lambda voice: voice.name)
def test_who_evades_a_question_about_counts_has_made_no_false_statement(voice: Voice) -> None:
    episode = played("mnip", "graphs:easy", 1, "hard").finished()
    asked = "How many squares (cycles of four) are there?"
    asides = [aside.format(claim="") for aside in voice.templates["run.aside"]]
    for text in (*asides, *voice.evasions, *voice.nothing_new):
        assert not [*checked_claims(episode, "prover0", text, asked)], text
    for text in ("One.", "Both have one.", "There is one in G, and one in H."):
        (found,) = checked_claims(episode, "prover0", text, asked)
        assert (found["claimed"], found["holds"]) == ("1 in G, 1 in H", False)


def test_a_person_who_lies_about_a_program_is_found_out_by_running_it() -> None:
    choice = ProtocolChoice.of("adp")
    for seed in range(20):
        start = Start(choice, "code:easy", {"prover": "me", "verifier": "me"}, seed)
        episode = Episode.from_setup(start.setup())
        exposing = episode.task.exposing
        if episode.task.y == 0 and exposing is not None:
            break
    else:  # pragma: no cover
        raise AssertionError
    call, right = exposing.input, exposing.expected
    episode.play(Move("prover", {"main": f"{call} returns {right}."}))
    episode.play(Move("verifier", decision=1))
    (lie,) = first_lies(episode)
    assert (lie["round"], lie["agent"], lie["why"]) == (0, "prover", "")
    (fact,) = (each for each in lie["facts"] if each["about"] == call)
    assert (fact["claimed"], fact["actual"], fact["expected"]) == (right, exposing.got, right)
    assert fact["clause"] == lie["quote"]


def test_the_review_shows_input_and_output_as_they_were_written_and_returned() -> None:
    (task,) = (t for t in bundled_tasks() if t.y == 0 and "def hours_list" in t.solution)
    seats = {"prover": "me", "verifier": "me"}
    start = Start(ProtocolChoice.of("adp"), f"id:{task.id}", seats, 0)
    episode = Episode.from_setup(start.setup())
    call = "hours_list([(1, 'Ada', 2), (1, 'Ben', 3)])"
    episode.play(Move("prover", {"main": f"{call} returns [('Ada', 2), ('Ben', 8)]."}))
    episode.play(Move("verifier", decision=1))
    (lie,) = first_lies(episode)
    (fact,) = (each for each in lie["facts"] if each["about"] == call)
    assert fact["claimed"] == "[('Ada', 2), ('Ben', 8)]"
    assert fact["actual"] == "[('Ben', 3), ('Ada', 2)]"
    assert fact["expected"] == "[('Ben', 3), ('Ada', 2)]"


@each(("protocol", "task", "seed"), GAMES)
def test_who_read_what_is_what_the_rules_say(protocol: str, task: str, seed: int) -> None:
    episode = played(protocol, task, seed)
    found = message_readers(episode)
    on: dict[tuple[int, str, str], list[str]] = {}
    for node in episode.path():
        for sender, move in node.moves.items():
            for channel, text in move.messages.items():
                on.setdefault((node.round - 1, sender, text), []).append(channel)
    assert [(each["round"], each["sender"], each["text"]) for each in found] == [*on]
    hidden = episode.setup.anonymous_agents
    for message, channels in zip(found, on.values(), strict=True):
        sender = message["sender"]
        assert message["read_by"] == {
            agent: None if sender in hidden and agent != sender else sender
            for agent in episode.rules.seat_names
            if any(channel in episode.rules.visible_channels(agent) for channel in channels)
        }


def test_confidence_is_held_against_the_truth() -> None:
    episode = played("mnip", "code:easy", 0)
    (course,) = courses(episode)
    notes = [
        (node.round - 1, node.moves["verifier"].confidence)
        for node in episode.path()
        if "verifier" in node.moves
    ]
    assert course["notes"] == [list(note) for note in notes]
    y = episode.task.y
    brier = sum((v / 100 - y) ** 2 for _, v in notes) / len(notes)
    assert course["brier"] == pytest.approx(brier, abs=1e-4)
    swings = [(abs(b - a), -r) for (_, a), (r, b) in itertools.pairwise(notes)]
    assert course["swing"] == [-max(swings)[1], max(swings)[0]]


@each("review", [courses, message_readers, first_lies, what_could_be_asked])
def test_a_review_shows_nothing_before_the_end(review: Callable[[Episode], object]) -> None:
    over = played("nip", "code:easy", 0)
    episode = Episode.from_setup(over.setup, over.events)
    episode.undo()
    with pytest.raises(PlayError):
        review(episode)
    # Nor is anything prepared shown while a seat could still use it in another variation.
    episode.play(next(m for m in over.path()[-1].moves.values()))
    episode.goto(over.path()[1].id)
    episode.play(Move("prover", {"main": "something else"}))
    episode.goto(over.path()[-1].id)
    assert what_could_be_asked(episode) == []
    review(episode)


def test_confidence_is_weighed_over_many_games() -> None:
    games = [played("nip", "code:easy", seed) for seed in range(3)]
    notes = [
        (node.moves["verifier"].confidence or 0, game.task.y)
        for game in games
        for node in game.path()
        if "verifier" in node.moves
    ]
    found = calibrated(games)
    assert found is not None
    assert found["notes"] == len(notes) == sum(each["count"] for each in found["bins"])
    for part in found["bins"]:
        here = [
            (v, y) for v, y in notes if part["from"] <= v < part["to"] or v == part["to"] == 100
        ]
        assert part["count"] == len(here)
        assert part["true"] == pytest.approx(sum(y for _, y in here) / len(here))
    brier = sum((v / 100 - y) ** 2 for v, y in notes) / len(notes)
    assert found["brier"] == pytest.approx(brier, abs=1e-4)
    right = [min(max(v if y else 100 - v, 1), 99) / 100 for v, y in notes]
    assert found["log"] == pytest.approx(sum(map(math.log2, right)) / len(notes), abs=1e-4)
    assert calibrated([]) is None


def test_a_review_is_plain_data_and_computed_once() -> None:
    game = played("mnip", "code:easy", 0)
    game = Episode.from_setup(game.setup, game.events)
    first = reviewed(game)
    assert json.loads(json.dumps(first)) == first
    assert reviewed(game) is first
    assert set(first) >= {"truth", "courses", "question", "lies", "readers", "readings"}


def test_of_a_game_that_was_won_no_position_is_to_be_played_again() -> None:
    game = played("nip", "code:easy", 0)
    assert game.result().right
    found = reviewed(game)
    assert found["question"] is not None
    assert "position" not in found


def test_a_move_from_a_text_says_what_it_was_read_from() -> None:
    game = Episode(HyperParameters(interaction_protocol="adp"), bundled_tasks()[0])
    game.play(Move("prover", {"main": "It is right."}))
    text = "The loop ends.\nDecision: reject (confidence: 80%)"
    game.play(game.view_for("verifier").read_answer(text))
    (reading,) = readings(game)
    assert (reading["agent"], reading["verdict"]) == ("verifier", "reject")
    assert "".join(part for _, _, part in reading["parts"]) == text
    assert ["verdict", "", "Decision: reject ("] in reading["parts"]


def parcel_labels(question: str) -> Episode:
    """Return a game about parcel labels, in which a person asks a scripted liar one question."""
    (task,) = (t for t in bundled_tasks() if t.y == 0 and "full_label" in t.solution)
    choice = ProtocolChoice.of("nip")
    start = Start(choice, f"id:{task.id}", default_seats(choice.rules), 24)
    episode = begun(start)
    prover = scripted_player(episode.setup, "prover", start.players()["prover"])
    episode.play(Move("verifier", {"main": question}))
    episode.play(prover.act(episode.view_for("prover")))
    episode.play(Move("verifier", decision=1))
    return episode


def test_what_was_asked_in_other_words_is_not_suggested() -> None:
    about = {"What does full_label('12') return?", "What does it return for '12'?"}

    def suggested(after: str) -> set[str]:
        return {asked.question for asked in what_could_be_asked(parcel_labels(after))}

    assert about & suggested("Why?")
    for question in ("What does it return for 12?", "full_label('12')?"):
        found = suggested(question)
        assert found
        assert not about & found


@each(
    ("function", "inputs", "written"),
    [
        ("runner_up", "[9, 7, 4]", "(9, 7, 4)"),
        ("full_label", "'055'", "the parcel 055"),
        ("tally_totals", "[5, 3, 'undo', 'redo']", "5, 3, undo, redo"),
        ("anagram_places", "'eatea', 'tea'", "'eatea' and 'tea'"),
    ],
)
def test_an_input_in_another_spelling_is_the_same(function: str, inputs: str, written: str) -> None:
    question = f"What does {function}({inputs}) return?"
    (task,) = (t for t in bundled_tasks() if t.y == 0 and f"def {function}" in t.solution)
    game = Episode(HyperParameters(interaction_protocol="nip"), task)
    game.play(Move("verifier", {"main": f"And for {written}?"}))
    asks = [question, f"What does {function}({inputs[:-2]}1{inputs[-2:]}) return?"]
    assert _not_asked(game, game.path(), asks) == asks[1:]


def test_a_question_that_changes_little_is_not_suggested() -> None:
    def asked(gain: int) -> Asked:
        points = Fraction(gain)
        return Asked(2, 2, f"{gain}?", 65, 65 + points, points, points, Fraction(1, 2))

    assert best_question([asked(1), asked(9)]) is None
    best = best_question([asked(9), asked(10), asked(8)])
    assert best is not None
    assert best.gain == 10


def test_questions_are_rated_by_a_verifier_that_overlooks_nothing() -> None:
    for about in ("code:easy", "graphs:easy"):
        assert reviewed(played("nip", about, 1))["yardstick"] == YARDSTICK.title
    wrong = next(problem.wrong for problem in problems() if problem.slug == "runner_up")
    for said in ("returns `3`, as it should.", "returns `-1`, as it should."):
        episode = Episode(HyperParameters(), wrong, 0)
        episode.play(Move("verifier", {"main": "What does runner_up([1, 2, 3, 4]) return?"}))
        episode.play(Move("prover", {"main": f"`runner_up([1, 2, 3, 4])` {said}"}))
        move = ScriptedVerifier(YARDSTICK).turn(episode.view_for("verifier")).move
        assert move.confidence is not None
        assert move.confidence < 5


def test_an_input_that_the_liar_named_itself_is_to_be_checked_by_hand() -> None:
    for question, named in (("Why?", True), ("What does it return for '12'?", False)):
        episode = parcel_labels(question)
        found = exposing_inputs(episode)
        assert bool(found) == named
        assert (reviewed(episode)["by_hand"] is not None) == named
        if not named:
            continue
        # What was already said about it need not be asked.
        assert "'12'" not in reviewed(episode)["question"]["question"]
        (each,) = found
        assert (each["round"], each["agent"], each["about"]) == (1, "prover", "full_label('12')")
        assert (each["claimed"], each["actual"], each["expected"]) == ("'123'", "'127'", "'123'")
        (lie,) = first_lies(episode)
        assert lie["facts"][0]["clause"] in lie["quote"]
        assert len(lie["facts"][0]["clause"]) < len(lie["quote"]) / 2


def test_a_true_statement_about_another_input_is_no_lie() -> None:
    """A regression: a number far from any input was held against the input that was asked about."""
    episode = parcel_labels("What does full_label('12') return?")
    over = Episode.from_setup(episode.setup)
    over.play(Move("verifier", {"main": "What does full_label('12') return?"}))
    text = "Odd lengths change nothing. For them the last digit counts 7, so the result is 1."
    over.play(Move("prover", {"main": text}))
    over.play(Move("verifier", decision=1))
    assert first_lies(over) == []
