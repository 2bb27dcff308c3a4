"""Every measured property and table equals the golden value, except for listed differences."""

from typing import Any

import pytest

from nip_core import ExperimentSettings, HyperParameters, build_protocol_handler
from nip_core.errors import UnknownNameError
from tests import golden_data, reference
from tests.depth import each
from tests.later import torch

STATIC = golden_data.load("static")
PROTOCOLS = sorted({row["protocol"] for row in STATIC["configs"]})


def computed(handler: Any, seeds: range | None) -> dict[str, Any]:
    """Return every field of a golden record, computed by our handler."""
    count = handler.max_message_rounds
    rounds, zeros = torch.arange(count), torch.zeros(count, dtype=torch.int64)
    look_up = handler.get_active_agents_mask_from_rounds_and_seed
    agents, channels = handler.agent_names, handler.message_channel_names
    record = {
        "agent_names": agents,
        "message_channel_names": channels,
        "agent_channel_visibility": [list(pair) for pair in handler.agent_channel_visibility],
        "visibility_mask": handler.agent_channel_visibility_mask.int().tolist(),
        "visible_channels": {a: handler.get_agent_visible_channels(a) for a in agents},
        "can_see": [[int(handler.can_agent_see_channel(a, c)) for c in channels] for a in agents],
        "prover_names": handler.prover_names,
        "verifier_names": handler.verifier_names,
        "prover_indices": handler.prover_indices,
        "verifier_index": handler.verifier_index,
        "num_agents": handler.num_agents,
        "num_message_channels": handler.num_message_channels,
        "max_message_rounds": count,
        "min_message_rounds": handler.min_message_rounds,
        "max_verifier_questions": handler.max_verifier_questions,
        "default_stackelberg_sequence_sorted": [
            list(group) for group in handler.default_stackelberg_sequence
        ],
        "can_be_zero_knowledge": int(handler.can_be_zero_knowledge),
        "active_agents_by_round": handler.active_agents_by_round,
        "agent_first_active_round": handler.agent_first_active_round,
        "guess_mask": handler.get_verifier_guess_mask_from_rounds_and_seed(rounds, zeros)
        .int()
        .tolist(),
        "can_be_active": [
            [[int(handler.can_agent_be_active(a, r, c)) for c in channels] for a in agents]
            for r in range(count + 2)
        ],
        "can_be_active_any": [
            [int(handler.can_agent_be_active_any_channel(a, r)) for a in agents]
            for r in range(count + 2)
        ],
    }
    if seeds is None:
        record["active_mask"] = look_up(rounds, zeros).int().tolist()
        assert handler.active_agents_mask.int().tolist() == record["active_mask"]
    else:
        record["active_mask_by_seed"] = [
            look_up(rounds, torch.full((count,), seed)).int().tolist() for seed in seeds
        ]
    if "simulator" in agents:
        record["adversarial_verifier_index"] = handler.adversarial_verifier_index
        record["simulator_index"] = handler.simulator_index
    return record


def under_our_rules(golden: dict[str, Any], row: dict[str, Any], doc: Any) -> dict[str, Any]:
    """Return the golden record with the listed differences applied, computed independently."""
    expected, count = dict(golden), doc["max_message_rounds"]
    if row["protocol"] in ("mnip", "solo_verifier"):
        # D1: mnip has its own limits; D21: solo_verifier has one round. Tables are cut or
        # recomputed to that length from the document.
        own = row["params"].get("mnip", {})
        solo = row["protocol"] == "solo_verifier"
        expected["max_message_rounds"] = 1 if solo else own.get("max_message_rounds", 8)
        expected["min_message_rounds"] = 1 if solo else own.get("min_message_rounds", 1)
        masks = [reference.active_mask(doc, r, 0) for r in range(count)]
        shared = min(count, len(golden["active_mask"]))
        assert golden["active_mask"][:shared] == masks[:shared]
        expected["active_mask"] = masks
        expected["guess_mask"] = [int(reference.may_decide(doc, r, 0)) for r in range(count)]
        expected["can_be_active"] = masks
        expected["can_be_active_any"] = [[any(a) for a in mask] for mask in masks]
    # D8: the rounds in which the verifier is active are counted.
    expected["max_verifier_questions"] = sum(reference.may_decide(doc, r, 0) for r in range(count))
    # D9: only rounds of the episode count.
    first = dict(golden["agent_first_active_round"])
    for agent in doc["agents"]:
        rounds = [
            r
            for r in range(count)
            for seed in range(2)
            if reference.turn(doc, r, seed).get(agent["name"])
        ]
        first.pop(agent["name"], None)
        if rounds:
            first[agent["name"]] = rounds[0]
    expected["agent_first_active_round"] = first
    # D11: the predicates say False where the reference says null, and outside the episode.
    tables = [[[bool(cell) for cell in a] for a in r] for r in expected["can_be_active"][:count]]
    agents, channels = len(doc["agents"]), len(doc["channels"])
    expected["can_be_active"] = tables + [[[False] * channels] * agents] * 2
    anywhere = [[bool(cell) for cell in r] for r in expected["can_be_active_any"][:count]]
    expected["can_be_active_any"] = anywhere + [[False] * agents] * 2
    # D11: given for deterministic zero knowledge; None where the seed picks.
    if row["protocol"] != "merlin_arthur":
        channel_names = [c["name"] for c in doc["channels"]]
        expected["active_agents_by_round"] = [
            {
                c: [
                    a["name"]
                    for a in doc["agents"]
                    if c in reference.turn(doc, r, 0).get(a["name"], [])
                ]
                for c in channel_names
            }
            for r in range(count)
        ]
    del expected["handler"]
    return expected


# Fields that a listed difference may affect; every other field must equal the golden value.
MAY_DIFFER = {
    "max_message_rounds": {"D1", "D21"},
    "min_message_rounds": {"D1"},
    "active_mask": {"D1", "D21"},
    "guess_mask": {"D1", "D21"},
    "can_be_active": {"D1", "D11", "D21"},
    "can_be_active_any": {"D1", "D11", "D21"},
    "active_agents_by_round": {"D1", "D11", "D21"},
    "max_verifier_questions": {"D8"},
    "agent_first_active_round": {"D1", "D9"},
    "handler": {"the name of a class"},
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_table_agrees(protocol):
    rows = [row for row in STATIC["configs"] if row["protocol"] == protocol]
    for row in rows:
        handler = golden_data.handler(row)
        golden = row["record"]
        seeds = range(6) if "active_mask_by_seed" in golden else None
        ours = computed(handler, seeds)
        for field in golden.keys() - MAY_DIFFER.keys():
            assert ours[field] == golden[field], (row["variant"], row["params"], field)
        expected = under_our_rules(golden, row, handler.spec.to_dict())
        assert ours.keys() == expected.keys()
        for field, value in expected.items():
            assert ours[field] == value, (row["variant"], row["params"], field)
    assert len(rows) >= 21


def test_mid_points_agree():
    for row in STATIC["mid_points"]:
        handler = golden_data.handler(row)
        ours = {a: handler.reward_mid_point_estimate(a) for a in handler.agent_names}
        assert ours == row["mid_points"], row
    assert len(STATIC["mid_points"]) == 252


def test_stackelberg_override():
    row = next(r for r in STATIC["misc"] if r["what"] == "stackelberg_sequence override")
    spg = {"stackelberg_sequence": row["result"]}
    parameters = HyperParameters(interaction_protocol="debate", spg=spg)
    handler = build_protocol_handler(parameters, ExperimentSettings())
    assert [list(group) for group in handler.stackelberg_sequence] == row["result"]
    assert handler.default_stackelberg_sequence != handler.stackelberg_sequence


@each("variant", ["generic", "zk"])
@each("protocol", PROTOCOLS)
def test_unknown_names_are_errors(protocol, variant):
    """D11: where the reference answers, we name what exists."""
    handler = golden_data.handler({"protocol": protocol, "variant": variant, "params": {}})
    channel = handler.message_channel_names[0]
    for ask in (
        lambda: handler.reward_mid_point_estimate("nobody"),
        lambda: handler.can_agent_be_active("nobody", 0, channel),
        lambda: handler.can_agent_be_active("verifier", 0, "nowhere"),
        lambda: handler.is_agent_active("verifier", 0, "nowhere"),
        lambda: handler.can_agent_see_channel("verifier", "nowhere"),
        lambda: handler.can_agent_be_active_any_channel("nobody", 0),
        lambda: handler.get_agent_visible_channels("nobody"),
    ):
        with pytest.raises(UnknownNameError, match="Known: '") as caught:
            ask()
        assert isinstance(caught.value, KeyError)


@each("variant", ["generic", "zk"])
@each("protocol", PROTOCOLS)
def test_rounds_outside_the_episode(protocol, variant):
    """D11: look-ups raise, predicates say no; a missing seed matters only where it is used."""
    handler = golden_data.handler({"protocol": protocol, "variant": variant, "params": {}})
    count = handler.max_message_rounds
    zero = torch.tensor([0])
    for round_id in (-1, -count - 1, count, count + 1):
        with pytest.raises(IndexError, match=f"0 to {count - 1}"):
            handler.get_active_agents_mask_from_rounds_and_seed(torch.tensor([round_id]), zero)
        with pytest.raises(IndexError, match=f"0 to {count - 1}"):
            handler.get_verifier_guess_mask_from_rounds_and_seed(torch.tensor([round_id]), zero)
        for agent in handler.agent_names:
            assert not handler.can_agent_be_active_any_channel(agent, round_id)
            for channel in handler.message_channel_names:
                assert not handler.is_agent_active(agent, round_id, channel)
    if protocol == "merlin_arthur":
        with pytest.raises(KeyError, match="2 schedules"):
            handler.get_active_agents_mask_from_rounds_and_seed(zero, None)
    else:
        row = handler.get_active_agents_mask_from_rounds_and_seed(zero, None)
        assert torch.equal(row[0], handler.active_agents_mask[0])


@each("protocol", PROTOCOLS)
def test_no_zero_knowledge_in_code_validation(protocol):
    parameters = HyperParameters(
        "code_validation", interaction_protocol=protocol, protocol_common={"zero_knowledge": True}
    )
    with pytest.raises(NotImplementedError, match="code_validation"):
        build_protocol_handler(parameters, ExperimentSettings())
