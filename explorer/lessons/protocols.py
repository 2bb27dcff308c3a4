"""The table of protocols: facts of the specifications beside cited theory."""

from __future__ import annotations

import pandas as pd

from explorer.lessons.library import document
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_names, protocol_spec
from nip_core.spec import ProtocolSpec

__all__ = ["protocols_table"]


def protocols_table() -> pd.DataFrame:
    """One row for each registered protocol, and for what else there is theory about."""
    facts = {fact["protocol"]: fact for fact in document("theory")["fact"]}
    rows: list[dict[str, str]] = []
    for name in protocol_names():
        spec = protocol_spec(HyperParameters(interaction_protocol=name))
        rows.append(_row(name, spec, facts.pop(name, None)))
    rows += [_row(name.replace("_", " "), None, fact) for name, fact in facts.items()]
    return pd.DataFrame(rows)


def _row(name: str, spec: ProtocolSpec | None, fact: dict[str, str] | None) -> dict[str, str]:
    told = fact or {}
    return {
        "protocol": name,
        "rounds": "" if spec is None else str(spec.max_message_rounds),
        "agents": "" if spec is None else ", ".join(spec.agent_names),
        "who reads what": "" if spec is None else _readers(spec),
        "class": told.get("class", "–"),
        "conditions": told.get("conditions", ""),
        "source": told.get("source", ""),
    }


def _readers(spec: ProtocolSpec) -> str:
    return "; ".join(
        f"{channel.name}: "
        + ("everybody" if len(channel.viewers) == len(spec.agents) else ", ".join(channel.viewers))
        for channel in spec.channels
    )
