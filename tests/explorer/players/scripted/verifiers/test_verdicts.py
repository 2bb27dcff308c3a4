"""Tests of verifier.py, budgets.py, evidence.py and subject.py.

Scripted verifiers in games: whom they believe, and whom they do not.
"""

import dataclasses
import itertools

import pytest

from explorer.players import ScriptedVerifier, play_out, scripted_player
from explorer.players.scripted import DEFAULT_STRATEGY, LEVELS, STRATEGIES
from explorer.players.scripted.verifiers import subject_of
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


def one_game(task, strategy, says, protocol="nip", seed=1, **options):
    """Play a game in which every prover's answer is a function of the question."""
    episode = Episode(HyperParameters(interaction_protocol=protocol), task, seed, **options)
    verifier = {"verifier": ScriptedVerifier(strategy, seed)}
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


@pytest.mark.parametrize("strategy", LISTENING)
@pytest.mark.parametrize("task", [ONE_TASK, GRAPHS, FOREIGN], ids=["code", "graphs", "own"])
def test_no_verifier_that_reads_answers_believes_nonsense(strategy, task):
    for text in NONSENSE:
        for protocol in ("nip", "mnip", "adp") if FULL else ("nip", "adp"):
            episode = one_game(task, strategy, lambda _, text=text: text, protocol)
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


@pytest.mark.parametrize("strategy", LISTENING)
def test_an_honest_person_is_believed(strategy):
    """The statement is true, and the prover of nip argues that it is."""
    tasks = [problem.correct for problem in problems()[:: 1 if FULL else 6]]
    tasks += [graph_task(seed, isomorphic=True) for seed in range(20 if FULL else 4)]
    won = [
        one_game(task, strategy, honest(task), seed=seed).result().decision == 1
        for seed, task in enumerate(tasks)
    ]
    assert sum(won) >= 0.9 * len(won)


def test_a_false_value_is_found_where_it_is_run_and_that_is_said():
    episode = one_game(NUMBERS.correct, "examiner", lambda _: "It returns 12345.")
    assert episode.result().decision == 0
    thoughts = "\n".join(str(event.origin.get("reasoning")) for event in episode.events)
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
def test_a_lie_beside_a_true_answer_is_read_and_may_be_checked(lie):
    """Each claim of a message has its chance: many true ones are no cover."""
    noticed = 0
    for seed in range(24):
        episode = Episode(HyperParameters(), NUMBERS.wrong, seed)
        episode.play(Move("verifier", {"main": "What does runner_up([5]) return?"}))
        episode.play(Move("prover", {"main": f"It returns -1. {lie}"}))
        acted = ScriptedVerifier("examiner", seed).turn(episode.view_for("verifier"))
        noticed += "It is not so" in acted.origin["reasoning"]
    assert 4 <= noticed <= 20


def test_who_concedes_the_value_is_caught_by_working_out_what_is_right():
    """The wrong program returns -1 for this, as the prover says; 3 would be right."""

    def caught(strategy):
        said = "`runner_up([1, 2, 3, 4])` returns `-1`, which is what the question asks for."
        episodes = [one_game(NUMBERS.wrong, strategy, lambda _: said, seed=n) for n in range(12)]
        return sum(each.result().decision == 0 for each in episodes)

    assert caught("tester") == 0
    assert caught("examiner") > 6


def test_strengths_rise_from_left_to_right():
    """Of the verifiers that listen, each accepts fewer false claims than the one before it."""
    shares = [
        "".join(
            cell.false
            for cell in strengths().cells
            for against in LEVELS
            if cell.match == StrengthGame("nip", name, against, "code")
        )
        for name in LISTENING
    ]
    caught = [share.count("1") / len(share) for share in shares]
    assert caught == sorted(caught), caught


def test_the_comparer_asks_everybody_the_same_and_finds_the_difference():
    def game(values):
        episode = Episode(HyperParameters(interaction_protocol="mnip"), NUMBERS.correct, 1)
        verifier = {"verifier": ScriptedVerifier("comparer")}
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


def test_a_single_expert_is_asked_one_question_twice():
    answers = itertools.count()
    episode = one_game(NUMBERS.correct, "comparer", lambda _: f"It returns {next(answers)}.")
    asked = [n.moves["verifier"].messages.get("main") for n in episode.path() if n.round % 2]
    assert asked[0] == asked[2]
    assert episode.result().decision == 0


@pytest.mark.parametrize("strategy", LISTENING)
def test_it_asks_at_most_as_many_questions_as_it_says(strategy):
    episode = one_game(NUMBERS.correct, strategy, honest(NUMBERS.correct))
    asked = sum(bool(n.moves.get("verifier", Move("")).messages) for n in episode.path()[1:])
    assert asked == min(3, STRATEGIES[strategy].asks)


@pytest.mark.parametrize("name", first(3, protocols()))
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_plays_every_protocol_to_the_end_and_replays(name, strategy):
    for seed, task in enumerate([ONE_TASK, GRAPHS, FOREIGN]):
        episode = Episode(protocols()[name], task, seed)
        provers = seated(episode, ["scripted"] * len(episode.rules.seats))
        verifiers = dict.fromkeys(episode.rules.roles.deciders, ScriptedVerifier(strategy, seed))
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
                    acted = ScriptedVerifier(strategy, 3).turn(episode.view_for(agent))
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


def test_nothing_but_the_problems_own_programs_is_ever_run(monkeypatch):
    ran = []
    run = type(runner()).run

    def watched(self, task, arguments):
        ran.append(task)
        return run(self, task, arguments)

    monkeypatch.setattr(type(runner()), "run", watched)
    subject_of.cache_clear()
    for strategy in STRATEGIES:
        one_game(NUMBERS.wrong, strategy, lambda _: "runner_up([1, 2]) is 1")
    assert {*ran} <= {NUMBERS.wrong.id, NUMBERS.correct.id}


@pytest.mark.parametrize(
    ("record", "name"),
    [
        ({"kind": "scripted"}, DEFAULT_STRATEGY),
        ({"kind": "scripted", "strategy": "of a newer program"}, DEFAULT_STRATEGY),
        ({"kind": "scripted", "strategy": ["careful"]}, DEFAULT_STRATEGY),
        ({"kind": "scripted", "strategy": "careful", "level": "hard", "seed": 4}, "careful"),
        ({"kind": "scripted", "strategy": "careful", "level": 3, "seed": "x"}, "careful"),
    ],
)
def test_a_record_plays_as_what_it_names(record, name):
    episode = Episode(protocols()[next(iter(protocol_names()))], ONE_TASK)
    player = scripted_player(episode.setup, "verifier", record)
    assert player.describe()["strategy"] == name
    if record.get("seed") == 4:
        assert player.describe()["seed"] == 4


def test_unknown_names_are_refused():
    with pytest.raises(UnknownNameError):
        ScriptedVerifier("clever")


def test_opponents_are_described_by_what_they_do_each_in_other_words():
    plays = [each.plays for each in STRATEGIES.values()]
    assert len({*plays}) == len(plays)
    assert all(text.endswith(".") for text in plays)


@pytest.mark.parametrize(("strategy", "at_most"), [("tester", 1 / 2), ("examiner", 1 / 4)])
def test_true_details_do_not_make_up_for_a_lie(strategy, at_most):
    """A liar's renaming keeps nearly all edges, and each claim about one of them is true.

    What is checked is drawn, so a lie may pass; but not mostly, however much is true around it. The
    tester, who asks less, believes 17 of 40.
    """
    believed, games = 0, 40 if FULL else 8
    for seed in range(games):
        task = graph_task(seed, difficulty="medium", isomorphic=False)
        episode = Episode(HyperParameters(), task, seed)
        players = seated(episode, ["scripted"] * 2)
        play_out(episode, {**players, "verifier": ScriptedVerifier(strategy, seed)})
        believed += episode.result().decision == 1
    assert believed <= games * at_most
