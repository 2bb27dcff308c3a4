"""Tests of nip_core/play/expectation.py.

Table, scripted players, pictures and mean rewards need no compiled package.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from nip_core import SpecProtocol
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.play import mean_at_random, values_at_chances
from nip_core.registry import protocol_names, protocol_spec
from nip_core.values import exact_values, random_play, simple_play
from tests.depth import each
from tests.explorer.site import games

ROOT = Path(__file__).parents[3]


# More games are played from the archive, where there are no such packages either.
def test_games_look_the_same_without_compiled_packages():
    done = subprocess.run(
        [sys.executable, "-m", "tests.explorer.site.games"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    there, here = json.loads(done.stdout), games.views(1, 1)
    assert len(here) > 20
    assert there == here


@each("shared", [False, True])
def test_the_mean_at_random_is_the_exact_value(shared):
    for name in protocol_names():
        parameters = HyperParameters(
            interaction_protocol=name,
            protocol_common={"shared_reward": shared, "verifier_no_guess_reward": -0.1},
        )
        spec = protocol_spec(parameters)
        handler = SpecProtocol(parameters, ExperimentSettings(), spec)
        values = exact_values(handler, random_play(spec))
        assert mean_at_random(spec) == pytest.approx(
            {agent: values.mean(agent) for agent in spec.agent_names}, abs=1e-12
        )


@each("rule", [None, "y", "one", "zero"])
def test_play_at_chances_has_the_exact_values(rule):
    chances = {"prior": 0.3, "decides": 0.4, "accepts_true": 0.9, "accepts_false": 0.25}
    for name in protocol_names():
        parameters = HyperParameters(
            interaction_protocol=name,
            protocol_common={"force_guess": rule, "verifier_no_guess_reward": -0.1},
        )
        spec = protocol_spec(parameters)
        handler = SpecProtocol(parameters, ExperimentSettings(), spec)
        values, found = (
            exact_values(handler, simple_play(spec, **chances)),
            values_at_chances(spec, **chances),
        )
        assert dict(found.means) == pytest.approx(
            {agent: values.mean(agent) for agent in spec.agent_names}, abs=1e-12
        )
        rates = found.completeness, found.soundness_error, found.undecided
        exact = values.completeness, values.soundness_error, values.verdicts["none"]
        assert rates == pytest.approx(exact, abs=1e-12)


@each("name", ["prior", "decides", "accepts_true", "accepts_false"])
@each("value", [-0.1, 1.1, float("nan")])
def test_what_is_no_chance_is_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} is .*from 0 to 1"):
        values_at_chances(protocol_spec("nip"), **{name: value})
