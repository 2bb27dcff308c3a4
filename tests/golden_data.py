"""The golden data, and how its rows become parameters and tensors."""

import functools
import gzip
import json
from pathlib import Path
from typing import Any

from nip_core import ExperimentSettings, HyperParameters, ProtocolHandler, build_protocol_handler
from tests.later import tensordict, torch

FOLDER = Path(__file__).parent / "golden"
GROUPS = {
    "common": "protocol_common",
    "nip": "nip_protocol",
    "debate": "debate_protocol",
    "mnip": "mnip_protocol",
    "zk": "zk_protocol",
}


@functools.cache
def load(name: str) -> Any:
    with gzip.open(FOLDER / f"{name}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)


def parameters(row: dict[str, Any]) -> HyperParameters:
    values: dict[str, Any] = {}
    for group, given in row.get("params", {}).items():
        values[GROUPS.get(group, group)] = given
    common = {**values.get("protocol_common", {}), **row.get("common", {})}
    values["protocol_common"] = {**common, "zero_knowledge": row["variant"] == "zk"}
    scenario = "code_validation" if row["variant"] == "cv" else "graph_isomorphism"
    return HyperParameters(scenario, interaction_protocol=row["protocol"], **values)


def handler(row: dict[str, Any]) -> ProtocolHandler:
    return build_protocol_handler(parameters(row), ExperimentSettings())


KEYS = {
    "y": ("int64", "y"),
    "round": ("int64", "round"),
    "seed": ("int64", "seed"),
    "done": ("bool", "done"),
    "terminated": ("bool", "terminated"),
    "prover_stance": ("int64", "prover_stance"),
    "decision": ("int64", ("agents", "decision")),
    "agents_done": ("bool", ("agents", "done")),
    "main_message_logits": ("float32", ("agents", "main_message_logits")),
    "decision_logits": ("float32", ("agents", "decision_logits")),
}


def environment(given: dict[str, Any], batch: list[int]) -> Any:
    env = tensordict.TensorDict({}, batch_size=batch)
    for key, values in given.items():
        dtype, name = KEYS[key]
        env[name] = torch.tensor(values, dtype=getattr(torch, dtype))
    return env


def items(given: dict[str, Any], batch: list[int]) -> list[dict[str, Any]]:
    def flat(value: Any, depth: int) -> list[Any]:
        return [value] if depth == 0 else [x for part in value for x in flat(part, depth - 1)]

    columns = {key: flat(values, len(batch)) for key, values in given.items()}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for row in rows:
        row["y"] = row["y"][0] if isinstance(row["y"], list) else row["y"]
        row["done"], row["terminated"] = bool(row["done"]), bool(row["terminated"])
        row["agents_done"] = [bool(flag) for flag in row["agents_done"]]
    return rows
