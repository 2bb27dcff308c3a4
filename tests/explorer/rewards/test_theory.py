"""Tests of theory.py, explorer/pictures/plot.py, explorer/pictures/value_charts.py and charts.py.

The numbers and the drawings behind the charts of the Rewards page.
"""

import re

import pytest

from explorer.notebook import rewards
from explorer.pictures.drawing import Box, Line, Text
from explorer.pictures.plot import Axis, Plot, around, two_decimals
from explorer.pictures.reward_charts import endings_data
from explorer.rewards.charts import CHARTS, frontier_chart, opening_chart, rounds_chart
from explorer.rewards.theory import exploitable, frontier_at, opening, over_prior, over_rounds
from explorer.ui.fronts import within
from nip_core import protocol
from nip_core.errors import ModelError, UnknownNameError, UnsupportedError
from nip_core.values import exact_values, frontier, optimal_stopping, simple_play

NIP = protocol("nip")
PLAY = simple_play(NIP, decides=0.7, accepts_true=0.9, accepts_false=0.3, prior=0.4)


def texts(chart):
    return [shape.text for shape in chart.drawing.shapes if isinstance(shape, Text)]


def test_the_opening_says_what_the_paper_says():
    found = opening(NIP)
    assert (found.coins, found.stops, found.guaranteed) == pytest.approx((-1 / 81, 0.6875, 0.5))
    drawn = texts(opening_chart(NIP))
    assert [each for each in drawn if re.fullmatch(r"−?[\d.]+", each)] == ["−0.01", "0.69", "0.50"]


def test_the_point_lies_on_the_frontier():
    for allowed in (0.0, 0.1, 0.25, 0.9, 1.0):
        found = frontier_at(NIP, prior=0.5, check=0.75, knows=1.0, allowed=allowed)
        assert found.soundness_error == allowed
        curve = frontier(NIP, pessimistic=True, verifier_accuracy=0.75)
        assert found.completeness == float(curve.completeness(allowed))
    assert found.best == (0.25, 0.75)


def test_a_prior_that_is_sure_has_the_frontier_of_one_nearby():
    sure = frontier_at(NIP, prior=1.0, check=0.75, knows=1.0, allowed=0.2)
    assert sure.curve == frontier(NIP, pessimistic=True, prior=0.99, verifier_accuracy=0.75)


def test_coinciding_rounds_share_a_curve_and_bounds_are_labelled():
    found = over_rounds(NIP, prior=0.5, check=0.75)
    names = [curve.name for curve in found.curves()]
    assert sum("one prover" in name for name in names) == 1
    for arrangement, label in (("mnip", "two provers apart"), ("nip", "one prover")):
        is_bound = found.table.values[arrangement] != found.table.at_most[arrangement]
        said = next(name for name in names if label in name)
        assert (f"{label}, at least" in said) == is_bound
    rows = found.rows()
    assert [row["rounds"] for row in rows] == list(range(1, 9))
    assert rows[-1]["independent answers"] == "0.69"
    assert rows[-1]["one prover"] == "0.50"


def test_each_curve_over_the_prior_has_its_own_values():
    chosen, stops, worst = over_prior(NIP, PLAY, check=0.75)
    for prior, value in chosen.points:
        at = simple_play(NIP, decides=0.7, accepts_true=0.9, accepts_false=0.3, prior=prior)
        assert value == pytest.approx(exact_values(NIP, at).mean("verifier"))
    for prior, value in stops.points:
        assert value == optimal_stopping(NIP, accuracy=0.75, prior=prior).value
    # Without the prover, the verifier gets at least what guessing by the prior or the check gives.
    assert all(value >= max(abs(2 * prior - 1), 0.5) - 1e-12 for prior, value in worst.points)


def test_only_a_verifier_that_believes_is_exploited():
    found = exploitable(NIP, prior=0.5, check=0.75)
    assert found["Best commitment"].given_away == 0
    assert found["Trusts only its own check"].exposed == 0
    assert found["Believes the prover"].given_away > 0
    with pytest.raises(UnsupportedError, match="2 provers"):
        exploitable(protocol("debate"), prior=0.5, check=0.75)


def test_a_chart_has_titles_on_both_axes_and_its_words():
    chart = frontier_chart(NIP, exact_values(NIP, PLAY), allowed=0.25)
    assert any(text.startswith("Soundness error:") for text in texts(chart))
    assert any(text.startswith("Completeness:") for text in texts(chart))
    assert chart.words == "With a soundness error of 25.0%, completeness is at most 75.0%."
    keys = [key.words for key in chart.drawing.keys]
    assert "the verifier as chosen above" in keys
    assert "Rounds" in texts(rounds_chart(NIP))


@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_is_in_the_notebook_and_on_paper(name):
    chart = rewards("nip").chart(name)
    svg = chart.picture().written(".svg")
    assert svg.startswith(b"<svg")
    assert chart.picture("dark").written(".svg") != svg
    assert chart.picture().written(".pdf").startswith(b"%PDF")
    assert "<img" in chart._repr_mimebundle_()["text/html"]
    # Nothing is drawn outside the paper.
    width = chart.picture().width
    for shape in chart.picture().shapes:
        ends = {Box: lambda s: s.x + s.width, Line: lambda s: max(s.x, s.to_x)}
        assert ends.get(type(shape), lambda s: 0)(shape) <= width + 1


def test_a_browser_turns_knobs_between_their_ends_only():
    limits = {"check": (0.5, 1.0), "allowed": (0.0, 1.0)}
    assert within({"check": 0.75, "allowed": 1}, limits) == {"check": 0.75, "allowed": 1.0}
    for forged in (0.2, 1.5, float("nan"), float("inf"), "0.75", None, [0.75], {}, 10**400):
        assert within({"check": forged, "other": 0.5}, limits) == {}


def test_charts_of_play_follow_the_knobs():
    shown = rewards("nip", decides=0.7, accepts_true=0.9, accepts_false=0.3)
    ends = shown.chart("endings")
    accepted = f"{shown.values.verdicts['accept']:.1%}"
    assert f"; accepted {accepted};" in ends.words
    bars = [each for each in ends.drawing.shapes if isinstance(each, Box)]
    # Without the signs of the legend.
    assert len(bars) == len(endings_data(shown.values))
    before = shown.chart("sweep", along="prior")
    assert {"Reward", "The statement is true"} <= {*texts(before)}
    shown.receive("knob", {"name": "verifier_reward", "value": 5.0})
    assert shown.chart("sweep", along="prior").words != before.words
    sampled = shown.chart("sample", episodes=200, seed=3)
    assert f"exactly {shown.values.mean('verifier'):.4g}" in sampled.words
    assert sampled == shown.chart("sample", episodes=200, seed=3)
    with pytest.raises(UnknownNameError, match="prior"):
        shown.chart("sweep", along="priors")
    for wrong in ({"episodes": 0}, {"episodes": "x"}, {"seed": -1}):
        with pytest.raises(ModelError, match="whole number"):
            shown.chart("sample", **wrong)
    written = protocol("nip").spec.replace(max_message_rounds=6)
    with pytest.raises(UnsupportedError, match="protocol was not made from parameters"):
        rewards(written).chart("sweep")


def test_a_frontier_of_two_provers_says_that_it_is_a_lower_bound():
    chart = frontier_chart(protocol("mnip"), check=0.7, knows=0.8, allowed=0.25)
    assert "completeness can be at least" in chart.words
    assert "the best there is, at least" in [key.words for key in chart.drawing.keys]


def test_what_is_no_chart_is_refused():
    shown = rewards("nip")
    with pytest.raises(UnknownNameError, match="frontier"):
        shown.chart("frontiers")
    for given in ({"check": 0.4}, {"knows": 1.2}, {"allowed": -0.1}, {"check": "x"}):
        with pytest.raises(ModelError, match=r"it must be a number from"):
            shown.chart("frontier", **given)


def test_ticks_are_round_numbers_on_the_scale():
    assert Axis("", -1, 1).ticks() == [-1, -0.5, 0, 0.5, 1]
    assert Axis("", 0.5, 8.5, whole=True).ticks() == [2, 4, 6, 8]
    assert Axis("", 0.5, 2.5, whole=True).ticks() == [1, 2]
    for low, high in ((0, 1e-9), (-1e12, 3e12), (0.1, 0.11)):
        ticks = Axis("", low, high).ticks()
        assert 2 <= len(ticks) <= 12
        assert all(low - 1e-9 * abs(low) <= tick <= high * (1 + 1e-9) for tick in ticks)


def test_scales_show_zero_and_leave_room():
    assert around([0.5]) == pytest.approx((0, 0.55))
    low, high = around([-1, 1])
    assert low < -1 < 1 < high
    assert around([0.0]) == (0, 0)
    plot = Plot(Axis("x", 0, 1), Axis("y", *around([0.0])))
    plot.bar((0, 1), (0, 0), "text")
    assert plot.drawing().height > 0


def test_short_numbers_have_two_decimals_and_no_negative_zero():
    assert [two_decimals(value) for value in (0.004, -0.004, -0.006, 1e3)] == [
        *("0.00", "0.00", "−0.01", "1000.00")
    ]
