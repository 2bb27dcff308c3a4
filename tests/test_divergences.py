"""A test for each documented difference from the reference, with both values."""

import ast
import re
from pathlib import Path
from typing import Any

from nip_core import (
    ExperimentSettings,
    HyperParameters,
    NestedArrayDict,
    build_protocol_handler,
    protocol_spec,
)
from tests import golden_data
from tests.depth import each
from tests.later import tensordict, torch
from tests.sources import nodes

ROOT = Path(__file__).parent.parent


def golden_config(protocol: str, variant: str, **params: Any) -> dict[str, Any]:
    for row in golden_data.load("static")["configs"]:
        given = row["params"]
        if (row["protocol"], row["variant"]) == (protocol, variant) and all(
            given.get(group, {}).get(key) == value
            for group, values in params.items()
            for key, value in values.items()
        ):
            return row
    raise AssertionError("no such golden row")


def step(
    protocol: str,
    item: dict[str, Any],
    *,
    scenario: str = "graph_isomorphism",
    arrays: bool = False,
    **groups: Any,
) -> dict[str, Any]:
    """Step one item; missing values are 0 or False, and every decision is 2."""
    parameters = HyperParameters(scenario, interaction_protocol=protocol, **groups)
    handler = build_protocol_handler(parameters, ExperimentSettings())
    agents, channels = handler.num_agents, handler.num_message_channels
    decision = torch.full((agents,), 2)
    for name, choice in item.get("decisions", {}).items():
        decision[handler.spec.agent_index(name)] = choice
    done = torch.zeros(agents, dtype=torch.bool)
    for name in item.get("agents_done", ()):
        done[handler.spec.agent_index(name)] = True
    entries: dict[str, Any] = {
        "y": torch.tensor([item.get("y", 0)]),
        "round": torch.tensor(item.get("round", 0)),
        "seed": torch.tensor(0),
        "done": torch.tensor(item.get("done", False)),
        "terminated": torch.tensor(item.get("terminated", False)),
        "prover_stance": torch.tensor(item.get("stance", 1)),
        "agents": {"decision": decision, "done": done},
    }
    if handler.spec.is_zero_knowledge:
        entries["agents"]["main_message_logits"] = item.get(
            "messages", torch.ones(agents, channels, 1, 2)
        )
        entries["agents"]["decision_logits"] = item.get("choices", torch.ones(agents, 3))
    env: Any = tensordict.TensorDict(entries, batch_size=[])
    if arrays:
        env = NestedArrayDict({k: v.numpy() for k, v in env.items(True, True)}, batch_size=())
    shared_done, agent_done, terminated, reward = handler.step_interaction_protocol(env)
    names = handler.agent_names
    return {
        "done": shared_done.item(),
        "terminated": terminated.item(),
        "agents_done": dict(zip(names, agent_done.tolist(), strict=True)),
        "reward": dict(zip(names, reward.tolist(), strict=True)),
        "tensor": reward,
    }


ZK = {"zero_knowledge": True}


def test_d1_mnip_reads_its_own_limits():
    row = golden_config(
        "mnip", "generic", nip={"max_message_rounds": 4}, mnip={"max_message_rounds": 7}
    )
    assert row["record"]["max_message_rounds"] == 4
    assert golden_data.handler(row).max_message_rounds == 7


def test_d2_mnip_provers_are_on_one_side():
    item = {"decisions": {"verifier": 0}, "stance": 0}
    # The reference pays prover0 alone for a reject.
    common = {"randomize_prover_stance": True}
    drawn = step("mnip", item, scenario="code_validation", protocol_common=common)
    assert (drawn["reward"]["prover0"], drawn["reward"]["prover1"]) == (1.0, 1.0)
    fixed = step("mnip", item, scenario="code_validation")
    assert (fixed["reward"]["prover0"], fixed["reward"]["prover1"]) == (0.0, 0.0)


def test_d3_every_protocol_can_be_stepped():
    failing = {
        case["protocol"]
        for case in golden_data.load("steps_shared")["cases"]
        if case.get("exception", {}).get("error") == "TypeError"
    }
    assert failing == {"solo_verifier", "multi_channel_test"}
    assert step("solo_verifier", {"decisions": {"verifier": 0}})["reward"] == {"verifier": 1.0}
    item = {"round": 2, "decisions": {"verifier": 1}}
    assert set(step("multi_channel_test", item)["reward"].values()) == {0.0, -1.0}
    shared = step("multi_channel_test", item, protocol_common={"shared_reward": True})
    assert set(shared["reward"].values()) == {-1.0}


def test_d4_the_forced_decision_is_paid():
    item = {"y": 1, "decisions": {"verifier": 0}}
    outcome = step("nip", item, protocol_common={"force_guess": "y"})
    # The reference ends the episode too, but pays -1 and 0 for the verifier's own reject.
    assert outcome["done"]
    assert outcome["reward"] == {"prover": 1.0, "verifier": 1.0}


def test_d5_what_is_over_is_frozen():
    item = {"decisions": {"verifier": 0}, "terminated": True}
    outcome = step("nip", item)
    assert (outcome["done"], outcome["terminated"]) == (False, True)  # the reference: done
    assert outcome["reward"] == {"prover": 0.0, "verifier": 0.0}  # the reference pays 1
    silent = {"messages": torch.zeros(4, 3, 1, 2), "choices": torch.zeros(4, 3)}
    again = step(
        "nip",
        {"agents_done": ["verifier"], "decisions": {"verifier": 0}, **silent},
        protocol_common=ZK,
    )
    assert again["reward"]["verifier"] == 0.0  # the reference pays 1 again
    assert again["agents_done"]["verifier"]
    assert not again["done"]


def test_d6_one_verdict_does_not_keep_an_episode_alive():
    silent = {"messages": torch.zeros(4, 3, 1, 2), "choices": torch.zeros(4, 3)}
    last = {"round": 1, **silent}
    outcome = step("adp", {**last, "decisions": {"verifier": 0}}, protocol_common=ZK)
    assert outcome["terminated"]  # the reference: no, and there is no further round
    assert outcome["reward"]["verifier"] == 1.0
    assert outcome["reward"]["adversarial_verifier"] == -1.0
    outcome = step("adp", {**last, "decisions": {"adversarial_verifier": 0}}, protocol_common=ZK)
    assert outcome["terminated"]
    assert outcome["reward"]["verifier"] == -1.0
    assert outcome["reward"]["adversarial_verifier"] == 0.0
    neither = step("adp", last, protocol_common=ZK)
    assert neither["reward"]["verifier"] == -1.0
    assert neither["reward"]["adversarial_verifier"] == 0.0


def test_d7_logits_are_only_read():
    mutated = [
        case["out"]["message_logits_mutated"]
        for case in golden_data.load("steps_shared")["cases"]
        if case["variant"] == "zk" and "message_logits_mutated" in case.get("out", {})
    ]
    assert any(mutated)
    messages = torch.randn(4, 3, 1, 2, requires_grad=True)
    choices = torch.randn(4, 3, requires_grad=True)
    before = messages.detach().clone(), choices.detach().clone()
    outcome = step("nip", {"messages": messages, "choices": choices}, protocol_common=ZK)
    outcome["tensor"].sum().backward()
    assert torch.equal(messages, before[0])
    assert torch.equal(choices, before[1])
    assert messages.grad is not None
    assert messages.grad.abs().sum() > 0
    assert messages.grad.isfinite().all()


def test_d8_active_rounds_are_counted():
    params = {"max_message_rounds": 3, "sequential": True}
    row = golden_config("debate", "generic", common={"verifier_first": True}, debate=params)
    assert row["record"]["max_verifier_questions"] == 2
    assert golden_data.handler(row).max_verifier_questions == 1


def test_d9_first_rounds_lie_in_the_episode():
    row = golden_config(
        "debate", "zk", common={"verifier_first": True}, debate={"max_message_rounds": 1}
    )
    assert row["record"]["agent_first_active_round"]["prover0"] == 1
    assert "prover0" not in golden_data.handler(row).agent_first_active_round


def test_d19_arrays_step_zero_knowledge():
    item = {"decisions": {"verifier": 0}}
    tensors = step("nip", item, protocol_common=ZK)
    arrays = step("nip", item, protocol_common=ZK, arrays=True)  # the reference raises
    assert arrays["reward"] == tensors["reward"]


def test_d20_what_cannot_be_meant_is_reported():
    limits = {"max_message_rounds": 3, "min_message_rounds": 5}
    spec = protocol_spec(HyperParameters(interaction_protocol="nip", nip_protocol=limits))
    assert "min-rounds-unreachable" in {finding.code for finding in spec.lint()}
    only_prover = {"nip_protocol": {"max_message_rounds": 1}}
    parameters = HyperParameters(protocol_common={"verifier_first": False}, **only_prover)
    assert "no-decision" in {finding.code for finding in protocol_spec(parameters).lint()}


def test_d21_solo_verifier_has_one_round():
    row = golden_config("solo_verifier", "generic")
    assert row["record"]["max_message_rounds"] == 2
    assert golden_data.handler(row).max_message_rounds == 1


def listed() -> list[tuple[str, str, str]]:
    text = (ROOT / "DIVERGENCES.md").read_text(encoding="utf-8")
    return re.findall(r"^\| (D\d+) \|.*`(tests/[\w/]+\.py)::(\w+)` \|$", text, re.MULTILINE)


def test_every_difference_is_listed():
    assert [row[0] for row in listed()] == [f"D{number}" for number in range(1, 23)]


@each(("difference", "path", "test"), listed())
def test_the_test_that_pins_a_difference_exists(difference, path, test):
    written = nodes((ROOT / path).read_text("utf-8"))
    assert test in {node.name for node in written if isinstance(node, ast.FunctionDef)}
