"""Tests of tables.py. Tables show what the handler's masks say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.pictures import grid_data, grid_table, miniature, read_so_far, seats_data
from explorer.pictures.drawing import Polygon, Row
from nip_core import ProtocolHandler
from tests.depth import cases, each
from tests.explorer.pictures.handlers import handler_of, large_spec, registered
from tests.later import torch
from tests.strategies import handlers, specs

HANDLERS = [*registered(), handler_of(large_spec(20))]
every_handler = each(
    "handler",
    HANDLERS,
    ids=lambda h: f"{h.spec.name}-{len(h.spec.agents)}-{h.stackelberg_sequence}",
)
seeds = st.none() | st.integers(0, 5)


def active_share(handler: ProtocolHandler, seed: int | None) -> np.ndarray:
    """Return in which share of seeds the handler makes each agent active on each channel."""
    spec = handler.spec
    chosen = torch.arange(spec.num_variants) if seed is None else torch.tensor([seed])
    rounds = torch.arange(spec.max_message_rounds).expand(len(chosen), -1)
    each = chosen.unsqueeze(1).expand_as(rounds)
    active = handler.get_active_agents_mask_from_rounds_and_seed(rounds, each)
    return active.double().mean(0).numpy()


def check_grid(handler: ProtocolHandler, seed: int | None) -> None:
    spec = handler.spec
    cells, active = grid_data(spec, seed), active_share(handler, seed)
    rounds, agents, channels = active.shape
    speech = cells[cells["kind"] == "channel"]
    table = speech["probability"].to_numpy(float).reshape(channels, agents, rounds)
    np.testing.assert_allclose(table, active.transpose(2, 1, 0))
    sees = handler.agent_channel_visibility_mask.numpy()
    for cell in speech.itertuples():
        agent, channel = spec.agent_index(cell.seat), spec.channel_names.index(cell.name)
        chance = active[int(cell.turn) - 1, agent, channel]
        expected = (
            "blind"
            if not sees[agent, channel]
            else {0.0: "reads", 1.0: "speaks"}.get(chance, "may speak")
        )
        assert cell.state == expected
    chosen = range(spec.num_variants) if seed is None else [seed]
    counts = [sum(spec.decision_counts(r, s) for s in chosen) / len(chosen) for r in range(rounds)]
    verdicts = cells[(cells["kind"] == "verdict") & (cells["seat"] == spec.verifier)]
    for cell, share in zip(verdicts.itertuples(), counts, strict=True):
        assert (cell.state == "decides") == (share > 0)
        if share:
            assert cell.probability == pytest.approx(share)


def check_seen(handler: ProtocolHandler, seed: int) -> None:
    spec, active = handler.spec, active_share(handler, seed)
    cells = grid_data(spec, seed).groupby("seat")
    sees = handler.agent_channel_visibility_mask.numpy()
    for place, agent in enumerate(spec.agent_names):
        others = np.delete(active, place, axis=1).sum(1)
        read = others @ sees[place]
        expected = np.concatenate([[0], np.cumsum(read)[:-1]])
        seen = cells.get_group(agent)["seen"].to_numpy(float).reshape(-1, len(expected))
        assert (seen == expected).all()
        for round_id in range(spec.max_message_rounds):
            history = read_so_far(spec, round_id, seed)
            turns = history.loc[history["seat"] == spec.seat_name(agent), "turns"]
            assert sum(len(text.split(", ")) for text in turns) == expected[round_id]


@settings(max_examples=cases(60))
@given(handlers(), seeds)
def test_the_grid_of_any_protocol(handler, seed):
    check_grid(handler, seed)


@settings(max_examples=cases(30))
@given(specs(), st.integers(0, 5))
def test_what_any_seat_has_read(spec, seed):
    check_seen(handler_of(spec), seed)


@settings(max_examples=cases(40))
@given(specs(), seeds)
def test_without_a_seed_no_seat_has_read_less(spec, seed):
    some, one = grid_data(spec), grid_data(spec, seed)
    assert (some["seen"] >= one["seen"]).all()


@settings(max_examples=cases(40))
@given(specs(), seeds)
def test_the_table_distinguishes_the_states(spec, seed):
    cells = grid_data(spec, seed)
    shown = grid_table(spec, seed).to_numpy().ravel()
    for word, state, badge in zip(shown, cells["state"], cells["badge"], strict=True):
        start = {
            "speaks": badge,
            "may speak": f"{badge} ",
            "blind": "hidden",
            "decides": "decides",
            "early": "not yet",
        }.get(state)
        assert word.startswith(start) if start else word == ""


@every_handler
def test_seats_are_those_of_the_handler(handler):
    seats = seats_data(handler).set_index("in Python")
    assert list(seats.index) == handler.agent_names
    first = (seats["first turn"].dropna() - 1).to_dict()
    assert first == handler.agent_first_active_round
    for name in handler.agent_names:
        stance = handler.spec.agent(name).stance
        assert seats.loc[name]["argues for"] == {0: "reject", 1: "accept"}.get(stance, "")


def test_seats_of_stages_have_their_first_turns():
    seats = seats_data("khan_debate").set_index("in Python")
    assert seats["first turn"].to_dict() == {"alice": 1, "bob": 1, "judge": 2}


def test_what_seats_have_read_is_known_of_stages_too():
    read = read_so_far("michael_debate", 4)
    assert set(read["turns"]) == {"1?, 3?", "2?"}


def test_a_miniature_marks_the_turns_in_which_a_verdict_counts():
    for handler in registered():
        spec = handler.spec
        drawn = miniature(spec)
        marks = {
            code
            for code, shapes in drawn.symbols.items()
            if any(isinstance(shape, Polygon) for shape in shapes)
        }
        rows = [shape.codes for shape in drawn.shapes if isinstance(shape, Row)]
        marked = {at for row in rows for at, code in enumerate(row) if code in marks}
        seeds = range(spec.num_variants)
        assert marked == {
            at
            for at in range(spec.max_message_rounds)
            if any(spec.decision_counts(at, seed) for seed in seeds)
        }
