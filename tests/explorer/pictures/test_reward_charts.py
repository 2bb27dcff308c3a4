"""Tests of reward_charts.py and worth.py.

The chart of rewards draws what is computed, at any size of payoffs.
"""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from explorer.pictures import draw_worth, worth_picture
from explorer.pictures.drawing import Box, Line, Text
from explorer.pictures.reward_charts import (
    distribution_figure,
    draw_endings,
    draw_sample,
    draw_sweep,
    endings_data,
)
from explorer.rewards.valuation import Valuation
from nip_core import protocol
from nip_core.values import exact_values, mid_points, random_play, sample
from tests.depth import cases

# A hundred values at a hundredth of the usual payoffs: one solid block of bars 0.1 wide.
MANY = {
    "play": "simple",
    "decides": "0.02",
    "nip_protocol.max_message_rounds": "100",
    "protocol_common.verifier_reward": "0.01",
    "protocol_common.verifier_incorrect_penalty": "-0.01",
    "protocol_common.verifier_no_guess_reward": "-0.0001",
    "protocol_common.verifier_terminated_penalty": "-0.01",
}
payoffs = st.sampled_from([0.0, 0.01, -0.01, -1e-4, 0.1, 1.0, -1.0, 1e6, -1e12, 1e-9])


def asked(**query):
    valuation, refused = Valuation.from_query(query)
    assert not refused
    handler = valuation.protocol()
    return handler, exact_values(handler, valuation.model(handler))


def drawn(handler, values, **more):
    points = mid_points(handler, values)
    figure = distribution_figure(values, points, **more)
    axes = [
        figure.layout[name].range for name in ("xaxis", "xaxis2", "xaxis3") if name in figure.layout
    ]
    return points, [trace for trace in figure.data if trace.type == "bar"], axes, figure


def check_chart(handler, values):
    points, traces, axes, _ = drawn(handler, values)
    for agent, bars, (low, high) in zip(handler.spec.agent_names, traces, axes, strict=True):
        law, span = values.distribution(agent), high - low
        x, width, y = (np.array(bars[key]) for key in ("x", "width", "y"))
        left, right = x - width / 2, x + width / 2
        slack = 1e-9 * span
        # All bars are visible, none over another, and together they have all of the probability.
        assert low <= left.min()
        assert right.max() <= high
        assert all(after >= before - slack for before, after in zip(right, left[1:], strict=False))
        assert (width >= span / 350).all()
        assert (width <= span / 10).all()
        assert y.sum() == pytest.approx(law.probabilities.sum() + law.masses.sum())
        # Each value has a bar at its place, to within the width of a narrow bar; nothing else has
        # one.
        away = np.abs(law.values[:, None] - x).min(axis=1)
        assert (away <= span / 100).all()
        assert (np.abs(law.values - x[:, None]).min(axis=1) <= span / 100).all()
        assert low <= points[agent].mean <= high
        assert low <= points[agent].estimate <= high
        # The probability to the left of any place is as computed.
        for place in np.linspace(low, high, 23):
            below = y[right <= place].sum(), y[left < place].sum()
            exact = law.probabilities[law.values <= place - span / 100].sum()
            assert exact <= below[1] + 1e-9
            assert below[0] <= law.probabilities[law.values <= place + span / 100].sum() + 1e-9


def test_many_small_values_are_no_block():
    handler, values = asked(**MANY)
    check_chart(handler, values)
    *_, figure = drawn(handler, values)
    verifier = [trace for trace in figure.data if trace.type == "bar"][1]
    x, width = np.array(verifier.x), np.array(verifier.width)
    # Right verdicts pay 0.01 down to 0.0051, all others less than -0.01; nothing lies between.
    between = (x + width / 2 > -0.0095) & (x - width / 2 < 0.0048)
    assert not between.any()
    law = values.distribution("verifier")
    assert np.array(verifier.y)[x > 0].sum() == pytest.approx(
        law.probabilities[law.values > 0].sum()
    )


# Every play pays the verifier the same, up to the last digit of its mean.
@example((1.0, -1e-4, -1e-4, 1e6, -1e-4), 160, 1.0)
@settings(max_examples=cases(24), deadline=None, phases=[Phase.explicit, Phase.generate])
@given(
    st.tuples(payoffs, payoffs, payoffs, payoffs, payoffs),
    st.sampled_from([1, 4, 9, 100, 160]),
    st.sampled_from([0.02, 0.5, 1.0]),
)
def test_any_payoffs_are_drawn_as_they_are(pays, rounds, decides):
    names = (
        *("prover_reward", "verifier_reward", "verifier_incorrect_penalty"),
        *("verifier_no_guess_reward", "verifier_terminated_penalty"),
    )
    handler, values = asked(
        play="simple",
        decides=str(decides),
        **{"nip_protocol.max_message_rounds": str(rounds)},
        **{f"protocol_common.{n}": str(pay) for n, pay in zip(names, pays, strict=True)},
    )
    check_chart(handler, values)
    # The picture in notebooks and on paper has the same bars.
    points, traces, *_ = drawn(handler, values)
    shapes = draw_worth(values, points).shapes
    boxes = [each for each in shapes if type(each).__name__ == "Box" and each.column is not None]
    assert len(boxes) >= len(traces)
    for colour in {box.fill for box in boxes}:
        own = sorted((box.column, box.column + box.span) for box in boxes if box.fill == colour)
        assert own[0][0] >= 0
        assert own[-1][1] <= 100
        assert all(after[0] >= before[1] - 1e-6 for before, after in pairwise(own))


def test_a_sample_and_records_are_counted_by_the_same_bars():
    handler, values = asked(**MANY)
    valuation, _ = Valuation.from_query(MANY)
    found = sample(handler, valuation.model(handler), 4000)
    _, traces, _, figure = drawn(handler, values, sample=found)
    diamonds = [t for t in figure.data if t.type == "scatter" and t.error_y.array is not None]
    for bars, points in zip(traces, diamonds, strict=True):
        assert set(points.x) <= set(bars.x)
        assert sum(points.y) == pytest.approx(1)
        heights = dict(zip(bars.x, bars.y, strict=True))
        for x, share in zip(points.x, points.y, strict=True):
            assert share == pytest.approx(heights[x], abs=0.04)


@pytest.mark.parametrize("rounds", [8, 1000])
def test_endings_of_many_rounds_share_bars(rounds):
    handler, values = asked(**{**MANY, "nip_protocol.max_message_rounds": str(rounds)})
    assert handler.spec.max_message_rounds == rounds
    drawing = draw_endings(values).drawing
    bars = [each for each in drawing.shapes if isinstance(each, Box)]
    # All probability is there: the tallest stack is the likeliest block of rounds.
    data = endings_data(values)
    block = -(-rounds // 120)
    chances = data["chance"].groupby([data["round"] // block, data["verdict"]]).sum()
    heights = sorted(bar.height for bar in bars)
    unit = sum(heights) / chances.sum()
    assert heights == pytest.approx(sorted((chances * unit).tolist()))
    for colour in ("text", "quiet", "paper"):
        own = sorted((bar for bar in bars if bar.fill == colour), key=lambda bar: bar.column)
        assert len(own) <= 120
        assert all(bar.stroke == ("text" if rounds <= 40 else None) for bar in own)
        assert all(b.column - a.column >= a.span for a, b in pairwise(own))
        assert all(bar.column >= 0 and bar.column + bar.span <= 100 for bar in own)


def test_a_sweep_and_a_sample_draw_the_numbers_that_they_are_given():
    _, values = asked()
    spec = values.spec
    points = pd.DataFrame(
        [
            {"seat": seat, "value": x, "mean": x, "low": x - 1, "high": x + 1}
            for seat in spec.agent_names
            for x in (0.0, 1.0, 3.0)
        ]
    )
    drawing = draw_sweep(spec, points, "Prior", 1.0).drawing
    thick = [each for each in drawing.shapes if isinstance(each, Line) and each.line == 2]
    assert len(thick) == 2 * len(spec.seats)
    # A third of the way is a third of the increase.
    for first, second in batched_pairs(thick):
        assert 2 * (first.y - first.to_y) == pytest.approx(second.y - second.to_y)
        assert 2 * (first.to_column - first.column) == pytest.approx(
            second.to_column - second.column
        )
    steps = pd.DataFrame(
        [
            {"seat": seat, "episodes": size, "mean": 0.5, "low": 0.5 - 1 / size, "high": np.inf}
            for seat in spec.agent_names
            for size in (100, 1_000, 10_000)
        ]
    )
    chart = draw_sample(spec, steps, dict.fromkeys(spec.agent_names, 0.25))
    marks = [each for each in chart.drawing.shapes if isinstance(each, Box)]
    columns = [mark.column for mark in marks]
    # Each seat has three marks, as far apart as ten is from a hundred.
    assert len(marks) == 3 * len(spec.seats)
    assert columns[1] - columns[0] == pytest.approx(columns[2] - columns[1])
    assert {"100", "1,000", "10,000"} <= {
        each.text for each in chart.drawing.shapes if isinstance(each, Text)
    }


def batched_pairs(items):
    return zip(items[::2], items[1::2], strict=True)


def test_what_was_found_is_in_the_file_where_it_is_on_the_screen():
    handler = protocol("nip")
    model = random_play(handler.spec)
    values = exact_values(handler, model)
    points = mid_points(handler, values)
    drawn = sample(handler, model, 400)
    plain = worth_picture(values, points).svg()
    both = worth_picture(values, points, sample=drawn, recorded={"prover": [0.0, 1.0]}).svg()
    assert "sampled" not in plain
    assert "recorded" not in plain
    assert "sampled" in both
    assert "recorded" in both
    # A diamond and its interval for each of two rewards of two seats, and one in the legend.
    assert both.count("<polygon") - plain.count("<polygon") == 5
    assert "{sampled}" in worth_picture(values, points, sample=drawn).tikz()
