"""Every measured step, item by item, equals the golden outcome, except for listed differences."""

from collections import Counter
from typing import Any

import pytest

from nip_core import NestedArrayDict
from tests import golden_data, reference
from tests.depth import first
from tests.later import torch

CASES = golden_data.load("steps_shared")["cases"]
# Two shards for two processes; every difference must occur in each.
SHARDS = 2


def difference(case: dict[str, Any], item: dict[str, Any], doc: dict[str, Any]) -> str | None:
    """Return the listed difference that an item may show, derived from its inputs alone."""
    common = case["params"].get("common", {})
    protocol, zk = case["protocol"], case["variant"] == "zk"
    if protocol == "solo_verifier" and item["round"] >= 1:
        return "D21"
    if item["done"] or item["terminated"]:
        return "D5"
    if not 0 <= item["round"] < doc["max_message_rounds"]:
        return "D11"
    limits, own = case["params"].get("nip", {}), case["params"].get("mnip", {})
    if protocol == "mnip" and any(
        limits.get(key, default) != own.get(key, default)
        for key, default in (("max_message_rounds", 8), ("min_message_rounds", 1))
    ):
        return "D1"
    if common.get("force_guess"):
        return "D4"
    if zk:
        verifiers = [
            i
            for i, a in enumerate(doc["agents"])
            if a["role"] in ("verifier", "adversarial_verifier")
        ]
        if any(item["agents_done"][i] for i in verifiers):
            return "D5"
        if item["round"] == doc["max_message_rounds"] - 1:
            return "D6"
    if protocol == "mnip" and case["variant"] == "cv":
        return "D2"
    return None


def outcome_rows(case: dict[str, Any], outcome: Any) -> list[dict[str, Any]]:
    count = max(1, torch.Size(case["batch"]).numel())
    shared, agents, terminated, reward = (part.reshape(count, -1).tolist() for part in outcome)
    return [
        {"shared_done": s[0], "agent_done": a, "terminated": t[0], "reward": r}
        for s, a, t, r in zip(shared, agents, terminated, reward, strict=True)
    ]


def golden_rows(case: dict[str, Any]) -> list[dict[str, Any]]:
    def flat(value: Any, depth: int) -> list[Any]:
        return [value] if depth == 0 else [x for part in value for x in flat(part, depth - 1)]

    depth, out = len(case["batch"]), case["out"]
    keys = ("shared_done", "agent_done", "terminated", "reward")
    rows = zip(*(flat(out[key], depth) for key in keys), strict=True)
    return [dict(zip(keys, row, strict=True)) for row in rows]


def same(ours: dict[str, Any], theirs: dict[str, Any], tolerance: float) -> bool:
    flags = all(
        ours[key] == theirs[key]
        if not isinstance(ours[key], list)
        else [bool(x) for x in ours[key]] == [bool(x) for x in theirs[key]]
        for key in ("shared_done", "agent_done", "terminated")
    )
    rewards = zip(ours["reward"], theirs["reward"], strict=True)
    return flags and all(b is None or abs(a - b) <= tolerance for a, b in rewards)


def replay(case: dict[str, Any]) -> Counter[str]:
    """Compare one case, and count the items by the difference that they show."""
    handler = golden_data.handler(case)
    doc = handler.spec.to_dict()
    rows = golden_data.items(case["in"], case["batch"])
    last = handler.max_message_rounds - 1
    inside = [0 <= r["round"] <= last or r["done"] or r["terminated"] for r in rows]
    env = golden_data.environment(case["in"], case["batch"])
    if not all(inside):
        with pytest.raises(IndexError, match=f"0 to {last}"):
            handler.step_interaction_protocol(env)
        return Counter({"outside": sum(not x for x in inside)})
    ours = outcome_rows(case, handler.step_interaction_protocol(env))
    arrays = NestedArrayDict(
        {key: value.numpy() for key, value in env.items(True, True)}, batch_size=case["batch"]
    )
    assert outcome_rows(case, handler.step_interaction_protocol(arrays)) == ours
    tolerance = 1e-4 if case["variant"] == "zk" else 0.0
    counts: Counter[str] = Counter()
    theirs = golden_rows(case) if "out" in case else [None] * len(rows)
    for item, our, their in zip(rows, ours, theirs, strict=True):
        expected = reference.step(doc, item, handler.draws_prover_stance)
        assert same(our, expected, max(tolerance, 0.0)), (case["protocol"], item, our, expected)
        if their is None or same(our, their, tolerance):
            counts["same" if their else "reference fails"] += 1
            continue
        name = difference(case, item, doc)
        assert name, (case["protocol"], case["variant"], case["params"], item, our, their)
        counts[name] += 1
    return counts


@pytest.mark.parametrize("shard", first(1, range(SHARDS)))
def test_every_step_agrees(shard):
    counts: Counter[str] = Counter()
    for case in CASES[shard::SHARDS]:
        counts += replay(case)
    assert counts["same"] > 3000
    assert set(counts) <= {
        "same",
        "reference fails",
        "outside",
        "D1",
        "D2",
        "D4",
        "D5",
        "D6",
        "D21",
    }
    # Every difference occurs in every shard; one that never occurs should not be on the list.
    assert {"D1", "D2", "D4", "D5", "D6"} <= set(counts), counts
