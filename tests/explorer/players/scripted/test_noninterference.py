"""What a scripted prover says depends on nothing that its seat may not see."""

import random

import pytest

from explorer.players import ScriptedExpert, script_for
from explorer.players.scripted import LEVELS, scripted_player, scripted_record
from nip_core.play import Episode, Setup
from nip_core.tasks import problems
from tests import noninterference
from tests.depth import cases
from tests.noninterference import build, some_world, vary
from tests.play_worlds import FOREIGN, GRAPHS, ONE_TASK, protocols

RUNNER_UP = next(problem for problem in problems() if problem.slug == "runner_up")
TASKS = (ONE_TASK, RUNNER_UP.correct, RUNNER_UP.wrong, GRAPHS, FOREIGN)
TYPED = (
    "What does it return for [2, 3, 4]?",
    "Line 3?",
    "What if the best mark comes twice?",
    "Where does b go, and is a-b an edge?",
    "Who are you?",
)


@pytest.fixture(autouse=True)
def _questions(monkeypatch):
    monkeypatch.setattr(noninterference, "WORDS", (*noninterference.WORDS, *TYPED))


@pytest.mark.parametrize("name", protocols())
def test_no_prover_knows_more_than_its_seat(name):
    rng = random.Random(name)
    compared = changed = 0
    for _ in range(cases(60)):
        setup = Setup.of(protocols()[name], rng.choice(TASKS), rng.randrange(100))
        world = some_world(rng, setup, rng.randint(0, setup.rules.longest))
        for seat in setup.rules.provers:
            other = vary(rng, world, seat)
            views = [build(each).view_for(seat) for each in (world, other)]
            if not views[0].legal.channels:
                continue
            script = script_for(setup.task, setup.stance(seat))
            expert = ScriptedExpert(script, rng.choice(list(LEVELS.values())), rng.randrange(9))
            assert expert.turn(views[0]) == expert.turn(views[1])
            compared += 1
            changed += world.setup.task.y != other.setup.task.y
    if setup.rules.provers:
        assert compared
        assert changed


def test_a_seats_record_does_not_reveal_the_episodes_seed():
    """The episode's seed draws versions and stances; a record holds two bytes of a hash of it."""
    seeds = {scripted_record(seed, "prover")["seed"] for seed in range(2_000)}
    assert max(seeds) < 1 << 16
    assert len(seeds) > 1_900
    assert scripted_record(3, "prover0") != scripted_record(3, "prover1")


@pytest.mark.parametrize(
    "said", [{}, {"level": "nobody's"}, {"level": 3, "seed": "x"}, {"level": ["easy"]}, None]
)
def test_records_of_other_programs_are_played_too(said):
    # Records have a kind; one written by hand has none, and falls back to known values.
    record = said and {"kind": "scripted", **said}
    setup = Setup.of(protocols()["nip"], ONE_TASK, 3)
    player = scripted_player(setup, "prover", record)
    episode = Episode.from_setup(setup)
    while "prover" not in episode.to_move:
        (agent,) = episode.to_move
        move = noninterference.some_move(random.Random(0), episode, agent, p_decide=0)
        episode.play(move)
    assert player.act(episode.view_for("prover")).messages
    assert player.describe()["level"] in LEVELS
