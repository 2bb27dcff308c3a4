"""Tests of tables.py, grid.py and lanes.py. Figures show what the handler's masks say."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.pictures import (
    agents_data,
    compare_lanes,
    differences,
    facts_data,
    grid_data,
    grid_table,
    miniature,
    read_so_far,
)
from explorer.pictures.drawing import Polygon, Row
from explorer.pictures.lanes import decision_shares, events_of
from nip_core import ProtocolHandler, ProtocolSpec
from tests.depth import cases
from tests.explorer.pictures.handlers import handler_of, large_spec, registered
from tests.growth import seconds
from tests.strategies import handlers, specs

HANDLERS = [*registered(), handler_of(large_spec(20))]
every_handler = pytest.mark.parametrize(
    "handler",
    HANDLERS,
    ids=lambda h: f"{h.spec.name}-{len(h.spec.agents)}-{h.stackelberg_sequence}",
)
seeds = st.none() | st.integers(0, 5)


def masks(handler: ProtocolHandler, seed: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return in which share of seeds the handler makes each agent active, and lets it decide."""
    spec = handler.spec
    chosen = torch.arange(spec.num_variants) if seed is None else torch.tensor([seed])
    rounds = torch.arange(spec.max_message_rounds).expand(len(chosen), -1)
    each = chosen.unsqueeze(1).expand_as(rounds)
    active = handler.get_active_agents_mask_from_rounds_and_seed(rounds, each)
    guess = handler.get_verifier_guess_mask_from_rounds_and_seed(rounds, each)
    return active.double().mean(0).numpy(), guess.double().mean(0).numpy()


def check_grid(handler: ProtocolHandler, seed: int | None) -> None:
    spec = handler.spec
    cells, (active, guess) = grid_data(spec, seed), masks(handler, seed)
    rounds, agents, channels = active.shape
    assert len(cells) == (agents * channels + 1) * rounds
    table = cells["probability"].to_numpy().reshape(-1, rounds)
    np.testing.assert_allclose(
        table[:-1].reshape(channels, agents, rounds), active.transpose(2, 1, 0)
    )
    np.testing.assert_allclose(table[-1], guess)
    sees = handler.agent_channel_visibility_mask.numpy()
    speech = cells[cells["channel"] != ""]
    for cell in speech.itertuples():
        agent, channel = spec.agent_index(cell.agent), spec.channel_names.index(cell.channel)
        chance = active[cell.round, agent, channel]
        expected = (
            "blind"
            if not sees[agent, channel]
            else {0.0: "reads", 1.0: "speaks"}.get(chance, "may speak")
        )
        assert cell.state == expected
        assert set(filter(None, cell.readers.split(", "))) == {
            name
            for name in spec.agent_names
            if name != cell.agent and sees[spec.agent_index(name), channel]
        }
    for cell in cells[cells["channel"] == ""].itertuples():
        counts = cell.round >= handler.min_message_rounds - 1
        expected = ("counts" if counts else "may decide") if guess[cell.round] else "none"
        assert (cell.state, cell.agent) == (expected, handler.verifier_name)


def check_seen(handler: ProtocolHandler, seed: int) -> None:
    spec, (active, _) = handler.spec, masks(handler, seed)
    cells = grid_data(spec, seed).groupby("agent")
    sees = handler.agent_channel_visibility_mask.numpy()
    for place, agent in enumerate(spec.agent_names):
        others = np.delete(active, place, axis=1).sum(1)
        read = others @ sees[place]
        expected = np.concatenate([[0], np.cumsum(read)[:-1]])
        seen = cells.get_group(agent)["seen"].to_numpy().reshape(-1, len(expected))
        assert (seen == expected).all()
        for round_id in range(spec.max_message_rounds):
            history = read_so_far(spec, round_id, seed)
            rounds = history.loc[history["seat"] == spec.seat_name(agent), "rounds"]
            assert sum(len(text.split(", ")) for text in rounds) == expected[round_id]


@every_handler
def test_the_grid_of_every_protocol(handler):
    for seed in (None, *range(handler.spec.num_variants)):
        check_grid(handler, seed)


@every_handler
def test_what_every_seat_has_read(handler):
    for seed in range(handler.spec.num_variants):
        check_seen(handler, seed)


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


@settings(max_examples=cases(60))
@given(specs(), seeds)
def test_the_sequence_is_the_grid(spec, seed):
    cells, events = grid_data(spec, seed), list(events_of(spec, seed))
    active = cells[cells["probability"] > 0]
    key = ["round", "channel", "agent", "probability"]
    found = [(each.round, each.channel, each.agent, each.probability) for each in events]
    assert sorted(map(tuple, active[key].to_numpy())) == sorted(found)
    assert [each.round for each in events] == sorted(each.round for each in events)
    for event in events:
        if event.kind == "message":
            viewers = set(spec.channel(event.channel).viewers)
            assert set(event.readers) == viewers - {event.agent}
            assert event.private == (viewers != set(spec.agent_names))
        else:
            assert event.counts == (event.round >= spec.min_message_rounds - 1)


@settings(max_examples=cases(40))
@given(specs(), seeds)
def test_the_table_distinguishes_the_states(spec, seed):
    cells = grid_data(spec, seed)
    shown = grid_table(spec, seed).to_numpy().ravel()
    for word, state, label in zip(shown, cells["state"], cells["label"], strict=True):
        start = {
            "speaks": label,
            "may speak": f"{label} ",
            "blind": "hidden",
            "counts": "decides",
            "may decide": "too early",
        }.get(state)
        assert word.startswith(start) if start else word == ""


@every_handler
def test_facts_and_agents_are_the_handlers(handler):
    facts = facts_data(handler).set_index("fact")["value"]
    assert facts["Verifier's turns, at most"] == str(handler.max_verifier_questions)
    counting = [
        round_id
        for round_id in range(handler.max_message_rounds)
        for seed in range(handler.spec.num_variants)
        if handler.spec.decision_counts(round_id, seed)
    ]
    first = str(min(counting) + 1) if counting else "none"
    assert facts["First round in which a decision counts"] == first
    assert facts["Rounds, at most"] == str(handler.max_message_rounds)
    assert facts["Does the verifier open?"] == ("yes" if handler.verifier_first else "no")
    groups = [group.split(", ") for group in facts["Stackelberg order"].split(" → ")]
    assert groups == [
        list(map(handler.spec.seat_name, group)) for group in handler.stackelberg_sequence if group
    ]
    agents = agents_data(handler).set_index("in Python")
    assert list(agents.index) == handler.agent_names
    first_rounds = (agents["first active round"].dropna() - 1).to_dict()
    assert first_rounds == handler.agent_first_active_round
    for name in handler.agent_names:
        row = agents.loc[name]
        assert row["mid-point"] == handler.reward_mid_point_estimate(name)
        assert name in handler.stackelberg_sequence[int(row["commits"]) - 1]
        stance = handler.spec.agent(name).stance
        assert row["argues for"].startswith(str(stance)) == (stance is not None)


def test_facts_do_not_walk_the_rounds():
    def cost(rounds):
        made = large_spec(4).replace(max_message_rounds=rounds, min_message_rounds=rounds)
        return seconds(lambda: facts_data(handler_of(made.replace())))

    assert cost(1_000_000) < 20 * cost(100)


@every_handler
def test_visibility_is_the_handlers(handler):
    spec = handler.spec
    sees = [[spec.can_see(each, name) for name in spec.channel_names] for each in spec.agent_names]
    assert (np.array(sees) == handler.agent_channel_visibility_mask.numpy()).all()


def happening(spec: ProtocolSpec, seed: int | None) -> set[tuple[object, ...]]:
    cells = grid_data(spec, seed)
    cells = cells[cells["probability"] > 0]
    return set(map(tuple, cells[["channel", "agent", "round", "state", "probability"]].to_numpy()))


@settings(max_examples=cases(60))
@given(specs(), specs(), seeds, seeds)
def test_what_differs_is_what_happens_in_one_only(left, right, seed, other):
    marked = compare_lanes(left, right, seeds=(seed, other))
    one, two = happening(left, seed), happening(right, other)
    places = {cell[:3] for cell in one ^ two}
    for part in marked:
        for lane in part:
            for round_id, differs in enumerate(lane.differs):
                assert differs == ((lane.channel, lane.agent, round_id) in places)
    for part, (mine, other_spec) in zip(marked, ((left, right), (right, left)), strict=True):
        for lane in part:
            both = lane.agent in other_spec.agent_names
            both = both and (not lane.channel or lane.channel in other_spec.channel_names)
            same = both and (
                not lane.channel
                or mine.can_see(lane.agent, lane.channel)
                == other_spec.can_see(lane.agent, lane.channel)
            )
            assert lane.odd == (not same)


@settings(max_examples=cases(40))
@given(specs(), seeds)
def test_nothing_differs_from_itself(spec, seed):
    left, right = compare_lanes(spec, spec, seeds=(seed, seed))
    assert not any(any(lane.differs) for lane in left)
    assert not any(lane.odd for lane in right)
    assert differences(spec, spec, seeds=(seed, seed)).empty


@settings(max_examples=cases(40))
@given(specs(), specs())
def test_differences_are_marked_on_both_sides(left, right):
    forth, back = differences(left, right), differences(right, left)
    assert (forth["left"] != forth["right"]).all()
    assert set(map(tuple, forth.to_numpy())) == {(w, b, a) for w, a, b in back.to_numpy()}
    marked = any(any(lane.differs) for part in compare_lanes(left, right) for lane in part)
    assert not (marked and forth.empty)


def test_a_miniature_marks_the_rounds_in_which_a_verdict_counts():
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
        assert marked == {
            at
            for at, share in enumerate(decision_shares(spec))
            if share and at + 1 >= spec.min_message_rounds
        }
