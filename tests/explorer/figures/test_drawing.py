"""The drawings hold what the tables hold, in both themes, and take no name for markup."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.figures import (
    agent_styles,
    compare_data,
    compare_figure,
    grid_data,
    grid_figure,
    round_figure,
    sequence_data,
    sequence_figure,
    sequence_mermaid,
    visibility_figure,
)
from explorer.figures.turns import window
from nip_core import Agent, Channel, ProtocolSpec, Schedule, Turn
from tests.depth import cases, first
from tests.explorer.figures.handlers import large_spec, registered
from tests.strategies import specs

HOSTILE = "<a href='javascript:alert(1)'>x</a> & <b>[y](https://e.example)"


def hostile_spec() -> ProtocolSpec:
    prover, verifier, channel = f"p {HOSTILE}", f"v {HOSTILE}", f"c {HOSTILE}"
    ask, answer = Turn.of({verifier: [channel]}), Turn.of({prover: [channel]})
    return ProtocolSpec(
        name=f"n {HOSTILE}",
        agents=(Agent(prover, "prover", 1), Agent(verifier, "verifier")),
        channels=(Channel(channel, (prover, verifier)),),
        schedules=(Schedule(cycle=(ask, answer)),),
        max_message_rounds=3,
    )


def drawn(figure) -> Counter[str]:
    """The texts that stand in the picture, by how often they do."""
    notes = [note.text for note in figure.layout.annotations]
    traces = [text for trace in figure.data for text in (getattr(trace, "text", None) or ())]
    return Counter([*notes, *traces])


@pytest.mark.parametrize("theme", first(1, ["dark", "light"]))
@pytest.mark.parametrize("handler", first(5, registered()[::2]), ids=lambda h: h.spec.name)
def test_every_figure_of_every_protocol(handler, theme):
    spec = handler.spec
    grid = grid_figure(spec, theme=theme, selected=0)
    cells = grid_data(spec)
    active = cells[cells["probability"] > 0]
    speaking = active[active["channel"] != ""]
    for style in agent_styles(spec).values():
        letters = re.compile(rf"{style.label}( \d+%)?")
        told = sum(n for text, n in drawn(grid).items() if letters.fullmatch(text))
        assert told == (speaking["label"] == style.label).sum()
    assert len(grid.data[0].z) == len(spec.channels) * (len(spec.agents) + 1) + 2
    sequence = sequence_figure(spec, theme=theme, selected=0)
    events = sequence_data(spec)
    decisions = drawn(sequence)
    told = sum(n for text, n in decisions.items() if text.startswith("may decide"))
    assert told == (events["kind"] == "decision").sum()
    matrix = drawn(visibility_figure(spec, theme=theme))
    assert matrix["–"] == (cells[cells["round"] == 0]["state"] == "blind").sum()
    for round_id in range(spec.max_message_rounds):
        arrows = round_figure(spec, round_id, theme=theme).layout.annotations
        messages = events[(events["kind"] == "message") & (events["round"] == round_id)]
        assert sum(arrow.showarrow for arrow in arrows) == messages["readers"].map(len).sum()


def test_all_that_differs_is_ringed():
    by_name = {handler.spec.name: handler.spec for handler in registered()[::2]}
    one, two = by_name["mnip"], by_name["debate"].replace(max_message_rounds=6)
    marked = compare_data(one, two)
    rings = [
        trace for trace in compare_figure(one, two).data if getattr(trace, "mode", "") == "lines"
    ]
    assert [sum(x is None for x in trace.x) for trace in rings] == [
        part["differs"].sum() for part in marked
    ]
    assert rings[0].x


@settings(max_examples=cases(15))
@given(specs(), st.none() | st.integers(0, 5))
def test_any_protocol_can_be_drawn(spec, seed):
    for figure in (
        grid_figure(spec, seed=seed),
        sequence_figure(spec, seed=seed),
        round_figure(spec, 0, seed=seed),
        visibility_figure(spec),
        compare_figure(spec, large_spec(3), seeds=(seed, None)),
    ):
        figure.to_json()


def test_names_are_no_markup():
    spec = hostile_spec()
    for figure in (
        grid_figure(spec),
        sequence_figure(spec),
        round_figure(spec, 0),
        visibility_figure(spec),
        compare_figure(spec, large_spec(3)),
    ):
        document = figure.to_json()
        assert "<a" not in document
        assert "\\u003ca" not in document
        assert "&lt;a" in document or "\\u0026lt;a" in document


def test_mermaid_text_keeps_names_apart_from_signs():
    text = sequence_mermaid(hostile_spec())
    assert text.startswith("sequenceDiagram\n")
    for line in text.splitlines()[1:]:
        assert re.fullmatch(
            r"    (participant a\d as [\w#;. -]+"
            r"|Note over a\d(,a\d)?: (round \d+(, [a-z ]+)?|may decide(, too early to count)?)"
            r"|a\d--?>>a\d: [\w#;. -]+)",
            line,
        ), line


@settings(max_examples=cases(40))
@given(specs(), st.none() | st.integers(0, 5))
def test_mermaid_text_has_an_arrow_for_each_reader(spec, seed):
    events = sequence_data(spec, seed)
    messages = events[events["kind"] == "message"]
    arrows = sequence_mermaid(spec, seed).count(">>")
    assert arrows == sum(max(1, len(readers)) for readers in messages["readers"])


@given(st.integers(1, 200), st.integers(0, 199), st.integers(1, 30))
def test_a_window_holds_the_selected_round(rounds, selected, width):
    spec = large_spec(rounds)
    selected %= rounds
    shown = window(spec, selected, width)
    assert selected in shown
    assert len(shown) == min(rounds, width)
    assert shown[0] >= 0
    assert shown[-1] < rounds
