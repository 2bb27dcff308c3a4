"""What can be taken away from the Rewards page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pandas as pd

from explorer.files import csv_bytes, parameters_python
from explorer.pictures import records
from explorer.pictures.reward_charts import distribution_data, endings_data
from explorer.rewards.answers import components_table
from explorer.rewards.seats import seats
from explorer.rewards.valuation import Valuation

if TYPE_CHECKING:
    from nip_core.values import ExactValues

__all__ = ["model_csv", "rewards_csv", "rewards_json", "rewards_python"]


def rewards_csv(values: ExactValues) -> bytes:
    """The distribution of every seat's reward."""
    return csv_bytes(distribution_data(values))


def model_csv(valuation: Valuation) -> bytes:
    """How the verifier plays, as a table that can be changed and brought back."""
    rows = valuation.model(valuation.handler()).to_rows()
    return csv_bytes(pd.DataFrame(rows))


def rewards_json(valuation: Valuation, values: ExactValues) -> bytes:
    """What is valued, and all that came out."""
    handler = valuation.handler()
    document = {
        "protocol": handler.spec.to_dict(),
        "asked": valuation.to_query(),
        "seats": seats(handler, values),
        "components": records(components_table(handler, values)),
        "verdicts": dict(values.verdicts),
        "right": values.right,
        "distribution": records(distribution_data(values)),
        "endings": records(endings_data(values)),
    }
    return json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8")


def rewards_python(valuation: Valuation) -> str:
    """Python that computes what the page shows; it runs as it stands."""
    make, call = _model(valuation)
    return "\n".join(
        [
            "from nip_core import ExperimentSettings, HyperParameters, build_protocol_handler",
            f"from nip_core.values import exact_values, mid_point, {make}",
            "",
            "handler = build_protocol_handler("
            f"{parameters_python(valuation.parameters)}, ExperimentSettings())",
            f"model = {call}",
            "values = exact_values(handler, model)",
            "for agent in handler.spec.agent_names:",
            "    print(agent, values.mean(agent), mid_point(handler, values, agent))",
            "print(values.verdicts, values.right, values.rounds)",
            "",
        ]
    )


def _model(valuation: Valuation) -> tuple[str, str]:
    """What makes the model: a name to import, and the call."""

    def call(name: str, *keys: str) -> tuple[str, str]:
        given: dict[str, Any] = {key: getattr(valuation, key) for key in keys}
        for key, plain in (("prior", 0.5), ("stance", 0.5), ("logits", 1)):
            if getattr(valuation, key) != plain:
                given[key] = getattr(valuation, key)
        said = "".join(f", {key}={value!r}" for key, value in given.items())
        return name, f"{name}(handler.spec{said})"

    if valuation.play == "simple":
        return call("simple_play", "decides", "accepts_true", "accepts_false")
    if valuation.play == "listening":
        return call("listening_play", "decides", "accuracy")
    if valuation.play == "table":
        rows = [dict(row) for row in valuation.rows]
        common = (
            f"prior={valuation.prior!r}, stance={valuation.stance!r}, logits={valuation.logits!r}"
        )
        return "PlayModel", f"PlayModel.from_rows(handler.spec, {rows!r}, {common})"
    if valuation.play == "recorded":
        records = f"{list(valuation.records)!r}, stance={valuation.stance!r}"
        return "estimated_play", f"estimated_play(handler.spec, {records})"
    return call("random_play")
