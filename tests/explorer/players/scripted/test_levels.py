"""Tests of levels.py, inputs.py and answers.py.

What experts claim for their side without knowing the label, and how often liars contradict.
"""

import dataclasses
import itertools
from fractions import Fraction

import pytest

from explorer.players import ScriptedExpert, play_out, script_for, scripted_player, scripted_record
from explorer.players.scripted import LEVELS, Level, chance_of_contradiction, is_evasion, reasons
from explorer.players.scripted.account import Account
from explorer.players.scripted.code import code_of
from explorer.players.scripted.inputs import arguments_in, literals_in
from explorer.players.scripted.voices import voices
from explorer.programs import program_of, runner
from nip_core import HyperParameters
from nip_core.play import Episode, Move
from nip_core.tasks import bundled_tasks, graph_task, problems
from tests.depth import cases, each
from tests.explorer.players.scripted.asking import asked

RUNNER_UP = next(problem for problem in problems() if problem.slug == "runner_up")
# An input on which the two versions differ, with no prepared answer.
TELLING = "What does it return for [2, 3, 4, 6]?"
MNIP = HyperParameters(
    interaction_protocol="mnip",
    protocol_common={"randomize_prover_stance": True},
    mnip_protocol={"max_message_rounds": 12},
)


# A liar who always keeps to the plan, and one who invents everything.
STEADY, INVENTIVE = Level("steady", ""), Level("inventive", "", invent=Fraction(1))


def account(task, stance, level="hard", seed=0, voice=0):
    level = level if isinstance(level, Level) else LEVELS[level]
    return Account(code_of(task.statement), stance, level, voices()[voice], seed, seed, "", {})


def inputs(problem):
    return [case.values()[0] for case in (*problem.cases, problem.exposing)]


def two(task, stance, level, seed):
    """Return two experts of one side."""
    script = script_for(task, stance)
    level = level if isinstance(level, Level) else LEVELS[level]
    return {f"prover{n}": ScriptedExpert(script, level, 2 * seed + n) for n in (0, 1)}


def answers(task, stance, level, seed, question):
    """Return the answers of two experts of one side to one question, after their openings."""
    episode = Episode(MNIP, task, 0, {"prover0": stance, "prover1": stance})
    players = two(task, stance, level, seed)
    for text in ("Hello.", question):
        channels = episode.legal("verifier").channels
        episode.play(Move("verifier", dict.fromkeys(channels, text)))
        play_out(episode, players)
    moved = [event for event in episode.events if getattr(event, "origin", None)][-2:]
    return [(event.move.messages[f"{event.move.agent}_channel"], event.origin) for event in moved]


# -- what is claimed ----------------------------------------------------------------------------


@each("problem", problems(), ids=lambda problem: problem.slug)
def test_a_claim_follows_from_the_side_alone(problem):
    """A prover for accept claims what the correct program returns, whatever is in question."""
    for arguments in inputs(problem):
        by_verdict = [runner().run(t.id, repr(arguments)) for t in (problem.wrong, problem.correct)]
        for stance, outcome in enumerate(by_verdict):
            tasks = (problem.wrong, problem.correct)
            said = [account(t, stance, STEADY).call(arguments) for t in tasks]
            claims = {part.claimed for part in said}
            assert len(claims) == 1
            assert outcome.text in claims.pop()
            assert said[0].text == said[1].text


@each("problem", problems(), ids=lambda problem: problem.slug)
@each("level", LEVELS)
def test_honest_experts_say_what_is_so_and_never_contradict_each_other(problem, level):
    for task, stance in ((problem.correct, 1), (problem.wrong, 0)):
        for arguments in inputs(problem):
            for seed, voice in itertools.product(range(2), range(3)):
                said = account(task, stance, level, seed, voice).call(arguments)
                assert said.way == "agrees"
                assert not said.telling
                assert said.claimed == said.found


def test_a_liar_who_always_follows_the_plan_claims_the_other_version():
    (text, _), (other, _) = answers(RUNNER_UP.wrong, 1, STEADY, 0, TELLING)
    assert "`runner_up([2, 3, 4, 6])` returns `4`" in text
    assert "returns `4`" in other
    (text, _), _ = answers(RUNNER_UP.correct, 0, STEADY, 0, TELLING)
    assert "returns `-1`" in text
    assert "`4`" in text


@each("problem", problems(), ids=lambda problem: problem.slug)
def test_what_a_liar_makes_up_is_neither_the_truth_nor_its_story(problem):
    """All inventive liars have the same values to choose from; each chooses independently."""
    for task, stance in ((problem.wrong, 1), (problem.correct, 0)):
        for arguments in inputs(problem):
            planned = account(task, stance, STEADY).call(arguments)
            made_up = [account(task, stance, INVENTIVE, seed).call(arguments) for seed in range(20)]
            different = {part.claimed for part in made_up}
            if not planned.telling:
                assert different == {planned.claimed}
            elif planned.choices:
                assert not different & {planned.claimed, planned.found}
                assert len(different) in range(min(2, planned.choices), planned.choices + 1)
            else:
                # True and False leave nothing to invent.
                assert different == {planned.claimed}


def test_an_input_on_which_the_versions_agree_gets_their_common_answer():
    for task in (RUNNER_UP.correct, RUNNER_UP.wrong):
        (text, origin), _ = answers(task, 0, "easy", 0, "What does it return for [4, 2, 1]?")
        assert "returns `2`" in text
        assert text.endswith("On that input nothing is wrong."), task
        assert "telling" not in origin["said"][0]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("stance", [0, 1])
def test_no_expert_depends_on_the_label(level, stance):
    """With the other label, and everything else the same, every expert says the same."""
    for task in (RUNNER_UP.wrong, RUNNER_UP.correct):
        other = dataclasses.replace(task, y=1 - task.y, exposing=None, explanation="Not so.")
        questions = ("Hello", TELLING, "What about []?", "line 4?", "Who are you?")
        said = [
            asked(ScriptedExpert(script_for(t, stance), LEVELS[level], 5), *questions, task=t)
            for t in (task, other)
        ]
        assert said[0] == said[1]


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("runner_up()", "takes `points`"),
        ("runner_up(1, 2)?", "takes `points`"),
        ("What does it return for [[1]]?", "TypeError"),
        (f"runner_up({'[' * 15}{']' * 15})", "stops with"),
    ],
)
def test_odd_calls_get_plain_answers(question, part):
    said = asked(
        ScriptedExpert(script_for(RUNNER_UP.correct, 1)), "Hello", question, task=RUNNER_UP.correct
    )
    assert part in said[1]


def test_too_few_values_get_an_answer_that_says_what_is_missing():
    task = next(p for p in problems() if p.function == "night_minutes").correct
    expert = ScriptedExpert(script_for(task, 1))
    said = asked(expert, "Hello", "What does it return for [5, 5, 3]?", task=task)
    assert "takes `start` and `end`" in said[1]


# -- how often liars are found out --------------------------------------------------------------


def test_the_chances_follow_from_what_each_may_say():
    """The chance that both speak and disagree, by the formula for two experts."""
    for choices, truth in itertools.product(range(4), (True, False)):
        for one, other in itertools.product(LEVELS.values(), repeat=2):
            here, there = (level.lies(choices, truth=truth) for level in (one, other))
            assert sum(here.values()) == 1
            same = sum(chance * there[what] for what, chance in here.items())
            assert chance_of_contradiction([one, other], choices, truth=truth) == 1 - same
    assert chance_of_contradiction([LEVELS["easy"]], 3) == 0
    assert chance_of_contradiction([STEADY] * 2, 3) == 0
    assert chance_of_contradiction([INVENTIVE] * 2, 3) == Fraction(2, 3)
    # Worse liars are found out more often, but even the best are found out sometimes.
    chances = [chance_of_contradiction([level] * 2, 3) for level in LEVELS.values()]
    assert chances == sorted(chances, reverse=True)
    assert chances[-1] > Fraction(2, 5)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("task", "stance"), [(RUNNER_UP.wrong, 1), (RUNNER_UP.correct, 0)])
def test_liars_contradict_each_other_as_often_as_is_stated(level, task, stance):
    """Measured in games with fixed seeds, so that the result is not random."""
    games = cases(160)
    found_out = 0
    skill = dataclasses.replace(LEVELS[level], aside=0)
    for seed in range(games):
        said = [origin["said"][0] for _, origin in answers(task, stance, skill, seed, TELLING)]
        claims = {part["claimed"] for part in said if "claimed" in part}
        assert all(part["telling"] for part in said)
        assert {part["choices"] for part in said} == {3}
        found_out += len(claims) == 2
    stated = chance_of_contradiction([skill] * 2, 3)
    # Three standard errors.
    assert abs(found_out / games - stated) <= 3 * float(stated * (1 - stated) / games) ** 0.5


@pytest.mark.parametrize("level", LEVELS)
def test_liars_who_sit_together_have_one_story(level):
    """Isolated liars cannot agree on what they answer."""

    def claims(protocol, seed, question):
        episode = Episode(HyperParameters(interaction_protocol=protocol), RUNNER_UP.wrong, seed)
        players = {
            agent: scripted_player(episode.setup, agent, scripted_record(seed, agent, level))
            for agent in episode.rules.provers
        }
        for text in ("Hello.", question):
            channels = episode.legal("verifier").channels
            episode.play(Move("verifier", dict.fromkeys(channels, text)))
            play_out(episode, players)
        moved = [event for event in episode.events if getattr(event, "origin", None)][-2:]
        return [event.origin["said"][0].get("claimed") for event in moved]

    for seed in range(20):
        one, other = claims("mnip_together", seed, TELLING)
        assert one == other
    if level != "hard":  # which turns to another input first
        assert any(len(set(claims("mnip", seed, TELLING))) == 2 for seed in range(20))


def test_the_record_does_not_say_who_lies():
    """A player knows no label: it records only what it claims and what it has found."""
    for _, origin in answers(RUNNER_UP.wrong, 1, STEADY, 0, TELLING):
        (part,) = origin["said"]
        assert part["claimed"] == "`4`"
        assert part["found"] == "`-1`"
        assert part["way"] == "plan"
        assert set(origin) == {"kind", "stance", "level", "said"}


# -- why, after the end -----------------------------------------------------------------------


@pytest.mark.parametrize("stance", [0, 1])
def test_what_was_a_lie_is_worked_out_when_the_label_is_known(stance):
    liar = (RUNNER_UP.correct, RUNNER_UP.wrong)[stance]
    honest = (RUNNER_UP.wrong, RUNNER_UP.correct)[stance]
    for task in (liar, honest):
        for seed, level in itertools.product(range(6), ("easy", "medium")):
            for text, origin in answers(task, stance, level, seed, f"{TELLING} Line 3?"):
                why, line = reasons(origin, task.y, [level, level])
                (part, _) = origin["said"]
                is_true = part.get("claimed") == part.get("found") and part["way"] != "concede"
                assert why.lie == (task is liar and not is_true)
                assert not line.lie
                stated = chance_of_contradiction([LEVELS[level]] * 2, 3)
                assert why.chance == (stated if task is liar else None)
                assert why.channel.endswith("_channel")
                assert part.get("claimed", "") in text


def test_the_argument_of_a_liar_is_a_lie():
    for task in (RUNNER_UP.correct, RUNNER_UP.wrong):
        for stance in (0, 1):
            episode = Episode(HyperParameters(), task, 0)
            episode.play(Move("verifier", {"main": "Hello"}))
            expert = ScriptedExpert(script_for(task, stance))
            origin = expert.turn(episode.view_for("prover")).origin
            (why,) = reasons(origin, task.y)
            assert why.lie == (stance != task.y)
            assert why.chance is None


@pytest.mark.parametrize(
    "origin",
    [{}, {"said": 3}, {"said": [1, None, {}]}, {"said": [{"how": [], "about": {}}], "stance": "x"}],
)
def test_records_of_other_shapes_are_passed_over(origin):
    assert not any(why.lie for why in reasons(origin, 1, ["nobody", "easy"]))


# -- inputs in what is typed --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slug", "typed", "arguments"),
    [
        ("runner_up", "for [1, 2]?", [([1, 2],)]),
        ("runner_up", "runner_up([1]) or runner_up([2])", [([1],), ([2],)]),
        ("runner_up", "([1, 2],)", [([1, 2],)]),
        ("runner_up", "points = [3]", [([3],)]),
        ("calm_stretch", "[9, 1] with limit 5", [([9, 1], 5)]),
        ("calm_stretch", "limit 5 and speeds [9, 1]", [([9, 1], 5)]),
        ("calm_stretch", "([9, 1], 5)", [([9, 1], 5)]),
        ("calm_stretch", "calm_stretch( [9, 1] , 5 )", [([9, 1], 5)]),
        ("calm_stretch", "[9, 1]", []),
        ("calm_stretch", "calm_stretch(x, 5)", []),
        ("two_posters", "(0, 0, 1, 1) and (2, 2, 1, 1)", [((0, 0, 1, 1), (2, 2, 1, 1))]),
        ("parcel_check_digit", "What about '12'?", [("12",)]),
        ("seats_in_a_row", "0b0100, 4 seats, a group of 3", [(4, 4, 3)]),
        ("runner_up", "nothing at all", []),
        ("runner_up", "an empty list?", [([],)]),
        ("place_in_list", "What if it is empty?", [("",)]),
        ("calm_stretch", "an empty list?", []),
        ("runner_up", "[1] * 10**9", []),
        ("runner_up", "[1] + [2] and [3]", [([3],)]),
    ],
)
def test_inputs_are_found_however_they_are_written(slug, typed, arguments):
    task = next(problem for problem in problems() if problem.slug == slug).wrong
    assert list(arguments_in(typed, program_of(task.statement))) == arguments


def test_literals_within_literals_are_not_counted():
    found = literals_in("Of [1, (2, 'a]')], -3 and None; not x1 or 2nd.")
    assert [literal.value for literal in found] == [[1, (2, "a]")], -3, None]


# -- voices -------------------------------------------------------------------------------------


@each("task", [*bundled_tasks(), graph_task(1)], ids=lambda task: task.id)
def test_voices_say_the_same_facts_in_other_words(task):
    """Code, quotations and numbers are unchanged, and in the same order."""

    def facts(text):
        return [literal.key for literal in literals_in(text)], text.count("`")

    for stance in (0, 1):
        for text in (task.opening(stance), *(task.answer(c.ask, stance) for c in task.questions)):
            said = [voice.reword(text) for voice in voices()]
            assert said[0] == text
            assert len(set(said)) == len(said)
            for other in said[1:]:
                assert facts(other) == facts(text)


def test_evasions_are_known_by_what_they_are():
    known = [evasion for voice in voices() for evasion in voice.evasions]
    assert len(set(known)) == len(known)
    for evasion in known:
        assert is_evasion(evasion)
        assert is_evasion(f"It returns 3.\n\n{evasion}")
        assert is_evasion(" ".join(evasion.split()[:3]))
    for task in bundled_tasks():
        for stance in (0, 1):
            said = (task.opening(stance), *(task.answer(c.ask, stance) for c in task.questions))
            for voice in voices():
                assert not any(is_evasion(voice.reword(text)) for text in said)
    assert not is_evasion("")
