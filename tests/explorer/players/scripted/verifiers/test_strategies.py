"""Scripted verifiers in games: whom they believe, and whom they do not."""

import dataclasses
import itertools

import pytest

from explorer.players import ScriptedVerifier, play_out, scripted_player
from explorer.players.scripted import (
    DEFAULT_LEVEL,
    DEFAULT_STRATEGY,
    LEVELS,
    STRATEGIES,
    CountingVerifier,
)
from explorer.players.scripted.verifiers import CARE, subject_of
from explorer.programs import program_of, runner
from explorer.studies.strengths import StrengthGame, strengths
from nip_core import HyperParameters, protocol_names
from nip_core.errors import UnknownNameError
from nip_core.play import Episode, Move
from nip_core.tasks import graph_task, problems
from nip_core.transcript import dumps, load
from tests.depth import FULL, first
from tests.explorer.players.test_base import seated
from tests.play_worlds import FOREIGN, GRAPHS, ONE_TASK, protocols

BELIEVING = ("gullible", "chance")
LISTENING = tuple(name for name in STRATEGIES if name not in BELIEVING)
NUMBERS = next(p for p in problems() if p.slug == "runner_up")
NONSENSE = (
    "banana",
    "Banana banana banana.",
    "🍌",
    "yes",
    "No.",
    "trust me",
    "I swear that it is correct, believe me.",
    "asdf qwer yxcv",
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
    "It is right because it is right.",
    "I stand by what I said.",
    "That is beside the point.",
    "I have no prepared answer to that.",
    "hello hello, how are you?",
    "ok",
    "...",
    "Because I say so, and I am an expert.",
    "You should accept.",
    "Decision: accept",
    "This is certainly true. Everybody knows that this is true.",
)


def one_game(task, strategy, says, protocol="nip", level="medium", seed=1, **options):
    """Play a game in which every prover's answer is a function of the question."""
    episode = Episode(HyperParameters(interaction_protocol=protocol), task, seed, **options)
    verifier = {"verifier": ScriptedVerifier(strategy, level, seed)}
    asked = ""
    while not episode.over:
        play_out(episode, verifier)
        for node in episode.path():
            if "verifier" in node.moves:
                asked = next(iter(node.moves["verifier"].messages.values()), asked)
        for agent in episode.to_move:
            channels = episode.legal(agent).channels
            episode.play(Move(agent, dict.fromkeys(channels, says(asked))))
    return episode


@pytest.mark.parametrize("level", first(1, tuple(LEVELS)))
@pytest.mark.parametrize("strategy", LISTENING)
@pytest.mark.parametrize("task", [ONE_TASK, GRAPHS, FOREIGN], ids=["code", "graphs", "own"])
def test_no_verifier_that_reads_answers_believes_nonsense(strategy, level, task):
    for text in NONSENSE:
        for protocol in ("nip", "mnip", "adp") if FULL else ("nip", "adp"):
            episode = one_game(task, strategy, lambda _, text=text: text, protocol, level)
            assert episode.result().decision == 0, (text, protocol)


@pytest.mark.parametrize("strategy", LISTENING)
def test_nonsense_does_not_win_for_the_other_side_either(strategy):
    protocol = HyperParameters(
        interaction_protocol="nip", protocol_common={"randomize_prover_stance": True}
    )
    for text in NONSENSE:
        episode = Episode(protocol, ONE_TASK, 1, {"prover": 0})
        play_out(episode, {"verifier": ScriptedVerifier(strategy)})
        while not episode.over:
            episode.play(Move("prover", {"main": f"It is wrong. {text}"}))
            play_out(episode, {"verifier": ScriptedVerifier(strategy)})
        # A randomly assigned side is inferred from what is said.
        assert episode.result().decision == 1, text


def test_the_gullible_verifier_believes_nonsense():
    assert one_game(ONE_TASK, "gullible", lambda _: "banana").result().decision == 1


def honest(task):
    """Return a person's true, concrete answers."""
    program = program_of(task.statement)
    answers = {chip.ask: chip.answers[task.y] for chip in task.questions}

    def says(asked):
        if asked in answers:
            return answers[asked]
        if program is not None and asked.startswith("What does "):
            inside = asked.split("(", 1)[1].removesuffix(") return?")
            outcome = runner().run(task.id, f"({inside},)")
            return f"It returns {outcome.text}."
        return task.opening(task.y)

    return says


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("strategy", ["careful", "tester", "comparer"])
def test_an_honest_person_is_believed(strategy, level):
    """The statement is true, and the prover of nip argues that it is."""
    tasks = [problem.correct for problem in problems()[:: 1 if FULL else 6]]
    tasks += [graph_task(seed, isomorphic=True) for seed in range(20 if FULL else 4)]
    won = [
        one_game(task, strategy, honest(task), level=level, seed=seed).result().decision == 1
        for seed, task in enumerate(tasks)
    ]
    assert sum(won) >= 0.9 * len(won)


@pytest.mark.parametrize("level", LEVELS)
def test_the_tester_finds_a_false_value_and_says_so(level):
    episode = one_game(NUMBERS.correct, "tester", lambda _: "It returns 12345.", level=level)
    assert episode.result().decision == 0
    thoughts = "\n".join(str(event.origin.get("reasoning")) for event in episode.events)
    # A weak verifier may overlook what it has found, and then believes the claim.
    assert "It is not so" in thoughts


@pytest.mark.parametrize(
    "lie",
    [
        "And for [1, 2, 3, 4] it returns 3.",
        "By the way, runner_up([1, 2, 3, 4]) is 3.",
        "[1, 2, 3, 4] -> 3",
        "With [1, 2, 3, 4] you get 3, as it should be.",
    ],
)
@pytest.mark.parametrize("level", LEVELS)
def test_the_tester_checks_a_lie_beside_a_true_answer_to_a_simple_question(level, lie):
    """The most revealing claim is checked first, not the one that was asked for."""
    for seed in range(6):
        episode = Episode(HyperParameters(), NUMBERS.wrong, seed)
        episode.play(Move("verifier", {"main": "What does runner_up([5]) return?"}))
        episode.play(Move("prover", {"main": f"It returns -1. {lie}"}))
        acted = ScriptedVerifier("tester", level, seed).turn(episode.view_for("verifier"))
        noticed = "It is not so" in acted.origin["reasoning"]
        assert noticed == (acted.move.confidence < 50)
        # A weak verifier may overlook what it has found.
        if level == "hard":
            assert noticed


def test_the_usual_opponent_finds_most_false_statements():
    """The default opponent finds out liars of every level, as it was measured."""
    found = {
        against: cell.false.count("1") / len(cell.false)
        for against in LEVELS
        for cell in strengths().cells
        if cell.match == StrengthGame("nip", DEFAULT_STRATEGY, DEFAULT_LEVEL, against, "code")
    }
    assert len(found) == len(LEVELS)
    assert min(found.values()) > 0.5
    assert sum(found.values()) / len(found) > 0.7


def test_the_careful_verifier_knows_the_example():
    episode = one_game(NUMBERS.correct, "careful", lambda _: "It returns 12345.", level="hard")
    assert episode.result().decision == 0


def test_the_comparer_asks_everybody_the_same_and_finds_the_difference():
    def game(values):
        episode = Episode(HyperParameters(interaction_protocol="mnip"), NUMBERS.correct, 1)
        verifier = {"verifier": ScriptedVerifier("comparer", "hard")}
        while not episode.over:
            play_out(episode, verifier)
            for agent, value in zip(episode.to_move, values, strict=False):
                text = f"It returns {value}."
                episode.play(Move(agent, dict.fromkeys(episode.legal(agent).channels, text)))
        asked = [n.moves["verifier"].messages for n in episode.path() if "verifier" in n.moves]
        assert all(len(set(each.values())) == 1 for each in asked if each)
        return episode.result().decision

    assert game((7, 7)) == 1
    assert game((7, 9)) == 0


def test_a_single_expert_is_asked_twice_by_the_comparer():
    answers = itertools.count()
    episode = one_game(
        NUMBERS.correct, "comparer", lambda _: f"It returns {next(answers)}.", level="hard"
    )
    asked = [n.moves["verifier"].messages.get("main") for n in episode.path() if n.round % 2]
    assert asked[0] == asked[1]
    assert episode.result().decision == 0


def test_what_a_level_means_is_more_questions():
    def questions(level):
        episode = one_game(NUMBERS.correct, "careful", honest(NUMBERS.correct), level=level)
        return sum(bool(n.moves.get("verifier", Move("")).messages) for n in episode.path()[1:])

    assert [questions(level) for level in LEVELS] == [1, 2, 3]


@pytest.mark.parametrize("name", first(3, protocols()))
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_plays_every_protocol_to_the_end_and_replays(name, strategy):
    for seed, (task, level) in enumerate(
        itertools.product([ONE_TASK, GRAPHS, FOREIGN], LEVELS if FULL else ["medium"])
    ):
        episode = Episode(protocols()[name], task, seed)
        provers = seated(episode, ["scripted"] * len(episode.rules.seats))
        verifiers = dict.fromkeys(
            episode.rules.roles.deciders, ScriptedVerifier(strategy, level, seed)
        )
        play_out(episode, provers | verifiers)
        assert episode.over
        assert load(dumps(episode)).events == episode.events


@pytest.mark.parametrize("name", first(4, protocols()))
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_strategy_depends_on_the_label(name, strategy):
    """It also depends on nothing else that was not shown: both worlds are played alike."""

    def moves(task):
        episode = Episode(protocols()[name], task, 1)
        made = []
        while not episode.over:
            for agent in episode.to_move:
                if agent in episode.rules.roles.deciders:
                    acted = ScriptedVerifier(strategy, "hard", 3).turn(episode.view_for(agent))
                    made.append(acted)
                    episode.play(acted.move)
                else:
                    channels = episode.legal(agent).channels
                    text = "It is correct: it returns 3 for 4."
                    episode.play(Move(agent, dict.fromkeys(channels, text)))
        return made

    for y in (0, 1):
        other = dataclasses.replace(
            ONE_TASK, y=y, exposing=None, explanation=None, openings=("no", "yes")
        )
        assert moves(ONE_TASK) == moves(other)


def test_only_the_program_in_question_is_ever_run(monkeypatch):
    ran = []
    run = type(runner()).run

    def watched(self, task, arguments):
        ran.append(task)
        return run(self, task, arguments)

    monkeypatch.setattr(type(runner()), "run", watched)
    subject_of.cache_clear()
    for strategy in STRATEGIES:
        one_game(NUMBERS.wrong, strategy, lambda _: "runner_up([1, 2]) is 1", level="hard")
    assert set(ran) == {NUMBERS.wrong.id}


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        ({"kind": "scripted"}, CountingVerifier),
        ({"kind": "scripted", "strategy": "of a newer program"}, CountingVerifier),
        ({"kind": "scripted", "strategy": ["careful"]}, CountingVerifier),
        ({"kind": "scripted", "strategy": "careful", "level": "hard", "seed": 4}, ScriptedVerifier),
        ({"kind": "scripted", "strategy": "careful", "level": 3, "seed": "x"}, ScriptedVerifier),
    ],
)
def test_a_record_plays_as_what_it_was(record, kind):
    episode = Episode(protocols()[next(iter(protocol_names()))], ONE_TASK)
    player = scripted_player(episode.setup, "verifier", record)
    assert type(player) is kind
    if record.get("seed") == 4:
        assert player.describe() == record


def test_unknown_names_are_refused():
    for name, level in (("clever", "hard"), ("careful", "brutal")):
        with pytest.raises(UnknownNameError):
            ScriptedVerifier(name, level)


def test_verifiers_and_provers_have_the_same_levels():
    assert list(CARE) == list(LEVELS)


def test_the_description_says_what_each_strategy_can_know():
    for each in STRATEGIES.values():
        assert each.plays.endswith(".")
        assert each.knows.endswith(".")
        assert "expert" not in each.title.lower()


@pytest.mark.parametrize("strategy", ["careful", "tester"])
def test_true_details_do_not_make_up_for_a_lie(strategy):
    """A liar's renaming keeps nearly all edges, and each claim about one of them is true."""
    for seed in range(12 if FULL else 4):
        task = graph_task(seed, difficulty="medium", isomorphic=False)
        episode = Episode(HyperParameters(), task, seed)
        players = seated(episode, ["scripted"] * 2)
        play_out(episode, {**players, "verifier": ScriptedVerifier(strategy, "hard", seed)})
        assert episode.result().decision == 0
