"""Tests of pay.py, scenarios.py, plot.py, value_charts.py and chart_style.py: what is paid."""

import pytest

from explorer.pictures import (
    Case,
    CaseMark,
    PayChart,
    PayPanel,
    draw_cases,
    draw_pay,
    draw_promise,
    draw_series,
    draw_sweep,
    pay_data,
    pay_figure,
    seat_styles,
)
from explorer.pictures.chart_style import bars_of
from explorer.pictures.drawing import Box, Line
from explorer.pictures.plot import LAST, TOP, Axis, Plot
from nip_core import specification

SPEC = specification("nip")
VERIFIER = PayPanel(
    *("verifier", (-1.0, 1.0), (0.506, 0.494), -1 / 81),
    mid_point=0.0,
    words={-1.0: "wrong or none", 1.0: "right"},
)
PROVER = PayPanel("prover", (0.0, 1.0), (0.506, 0.494), 40 / 81, mid_point=0.5)
CHART = PayChart(SPEC, (VERIFIER, PROVER))


def texts(drawing):
    return [shape.text for shape in drawing.shapes if hasattr(shape, "text")]


def test_the_drawing_names_amounts_chances_and_marks():
    said = texts(draw_pay(CHART))
    for text in ("50.6%", "49.4%", "−1 wrong or none", "+1 right", "0", "+1"):
        assert text in said
    assert "exact mean −0.012 · mid-point 0.000" in said
    assert "exact mean 0.494 · mid-point 0.500" in said


def test_a_plot_is_as_wide_and_as_high_as_its_axes():
    plot = Plot(Axis("across", -1, 3), Axis("up", 0, 2), high=100)
    assert [plot.column(value) for value in (-1, 1, 3)] == [0, LAST / 2, LAST]
    assert [plot.height(value) for value in (0, 1, 2)] == [TOP + 100, TOP + 50, TOP]


SERIES = [("few", "one", 0.2), ("few", "other", 0.6), ("many", "one", 0.4), ("many", "other", 0.1)]


def bars_of_series(**more):
    drawn = draw_series("Title", "Words", SERIES, ("rounds", "share"), **more).drawing
    bars = [shape for shape in drawn.shapes if isinstance(shape, Box) and shape.height > 1]
    return texts(drawn), [(round(bar.column), round(bar.y), round(bar.height)) for bar in bars]


def test_series_are_bars_beside_or_on_top_of_each_other():
    said, bars = bars_of_series(form="bars", percent=True)
    assert {"20%", "60%", "40%", "10%", "few", "many"} <= {*said}
    (one, other), (first, second) = (bars[0], bars[2]), (bars[1], bars[3])
    # A percent is 1.9 pixels high; all stand on the axis.
    assert [bar[2] for bar in (one, other, first, second)] == [38, 114, 76, 19]
    assert len({y + height for _, y, height in bars}) == 1
    assert one[0] < other[0] < first[0] < second[0]
    said, stacked = bars_of_series(form="stacked", percent=True)
    assert [height for _, _, height in stacked] == [38, 76, 114, 19]
    # The second series stands on the first, at the same places.
    for below, above in zip(stacked[:2], stacked[2:], strict=True):
        assert (above[0], above[1] + above[2]) == (below[0], below[1])


def test_a_series_of_numbers_is_a_line():
    rows = [(x, name, x / 4) for name in ("one", "other") for x in (0, 2, 4)]
    drawn = draw_series("Title", "Words", rows, ("rounds", "share"), percent=True).drawing
    lines = [s for s in drawn.shapes if isinstance(s, Line) and s.stroke in ("accent", "text")]
    assert {line.dashed for line in lines if line.stroke == "text"} == {True}
    ends = {(line.column, line.to_column) for line in lines if line.stroke == "accent"}
    assert ends == {(0, LAST / 2), (LAST / 2, LAST)}
    assert [key.words for key in drawn.keys] == ["one", "other"]


def test_a_sweep_is_darkest_where_its_number_is_largest():
    values = {(x, y): x * y for x in (0.0, 0.5, 1.0) for y in (0.0, 0.5, 1.0)}
    look = seat_styles(SPEC)["verifier"]
    chart = draw_sweep("Right", ("shows", "fakes"), [0.0, 0.5, 1.0], values, look, percent=True)
    cells = [shape for shape in chart.drawing.shapes if isinstance(shape, Box)]
    assert [cell.fill for cell in cells[:3]] == ["sweep 0", "sweep 10", "sweep 20"]
    assert {cell.fill for cell in cells[6:]} == {"sweep 0"}
    assert chart.words == "Right: 0.0% to 100.0%."
    assert texts(chart.drawing).count("25.0%") == 1


def test_the_figure_says_the_same():
    figure = pay_figure(CHART)
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert [list(bar.y) for bar in bars] == [[0.506, 0.494], [0.506, 0.494]]
    notes = [note.text for note in figure.layout.annotations]
    assert "<b>exact mean −0.012 · mid-point 0.000</b>" in notes
    assert "−1 wrong or none" in notes
    diamonds = [t for t in figure.data if t.type == "scatter" and t.mode == "markers"]
    assert [list(trace.x) for trace in diamonds] == [[0.0], [0.5]]


@pytest.mark.parametrize(("bars", "worded"), [(4, True), (5, False)])
def test_words_stand_below_a_few_amounts_only(bars, worded):
    values = tuple(map(float, range(bars)))
    panel = PayPanel("verifier", values, (1 / bars,) * bars, 1.5, words={1.0: "one is right"})
    assert ("+1 one is right" in texts(draw_pay(PayChart(SPEC, (panel,))))) == worded


def test_a_mean_with_an_interval_is_not_called_exact():
    panel = PayPanel("verifier", (0.0, 1.0), (0.5, 0.5), 0.5, interval=(0.4, 0.6))
    assert panel.marks == "mean 0.500 (0.400 to 0.600)"


def test_a_mean_that_is_the_mid_point_is_named_once():
    panel = PayPanel("verifier", (0.0, 1.0), (0.5, 0.5), 0.5, mid_point=0.5)
    assert panel.marks == "exact mean and mid-point 0.500"


def test_data_has_a_row_for_each_amount():
    assert pay_data(CHART)[0] == {"seat": "verifier", "paid": -1.0, "chance": 0.506}
    assert len(pay_data(CHART)) == 4


def test_values_that_are_close_share_a_bar():
    values = [n / 1000 for n in range(1000)]
    bars = bars_of(values, [1 / 1000] * 1000, (0.0, 1.0))
    assert len(bars) <= 301
    assert sum(bar.chance for bar in bars) == pytest.approx(1)
    assert bars_of([], [], (0.0, 1.0)) == []


def test_cases_stand_on_one_scale():
    cases = [
        Case("Honest", "", (CaseMark("dot", 0.7), CaseMark("ring", 1.0))),
        Case("Best", "gains 0.28", (CaseMark("dot", 0.48, (0.4, 0.5)),)),
    ]
    keys = (("dot", "sceptical"), ("ring", "trusting"))
    chart = draw_cases("Right", cases, seat_styles(SPEC)["verifier"], keys, percent=True)
    assert chart.words == ("Honest: 70.0% sceptical, 100.0% trusting; Best: 48.0% sceptical.")
    said = texts(chart.drawing)
    assert {"Honest", "gains 0.28", "48.0%", "100.0%", "50%"} <= set(said)


def test_a_promise_has_its_point_on_the_curve():
    look = seat_styles(SPEC)["verifier"]
    curves = {"0": [(0.0, 0.0), (1.0, 1.0)], "1": [(0.0, 0.5), (1.0, 1.0)]}
    told = {"now": "1", "point": (0.5, 0.75), "keys": ("now", "others")}
    chart = draw_promise("Title", "Words.", ("x", "y"), curves, look, **told)
    assert [entry.words for entry in chart.drawing.keys] == ["now", "others"]
    assert {"0", "1"} <= set(texts(chart.drawing))
