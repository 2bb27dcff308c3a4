"""The table of protocols: facts of the specifications beside cited theory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.lessons.library import document
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_infos, protocol_spec
from nip_core.spec import ProtocolSpec

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["protocols_table"]


def protocols_table() -> pd.DataFrame:
    """One row for each protocol, from simple to rich, and for what else there is theory about."""
    facts = {fact["protocol"]: fact for fact in document("theory")["fact"]}
    rows: list[dict[str, str]] = []
    for info in protocol_infos():
        fact = facts.pop(info.name, None)
        if not info.for_developers:
            spec = protocol_spec(HyperParameters(interaction_protocol=info.name))
            rows.append(_row(info.full_name, spec, fact))
    rows += [_row(name.replace("_", " "), None, fact) for name, fact in facts.items()]
    import pandas as pd  # pages that show no table paint without it

    return pd.DataFrame(rows)


def _row(name: str, spec: ProtocolSpec | None, fact: dict[str, str] | None) -> dict[str, str]:
    told = fact or {}
    return {
        "protocol": name,
        "rounds": "" if spec is None else str(spec.max_message_rounds),
        "agents": "" if spec is None else ", ".join(map(spec.seat_name, spec.agent_names)),
        "who reads what": "" if spec is None else _readers(spec),
        "class": told.get("class", "–"),
        "conditions": told.get("conditions", ""),
        "source": told.get("source", ""),
    }


def _readers(spec: ProtocolSpec) -> str:
    return "; ".join(
        f"{spec.channel_title(channel.name)}: "
        + (
            "everybody"
            if len(channel.viewers) == len(spec.agents)
            else ", ".join(map(spec.seat_phrase, channel.viewers))
        )
        for channel in spec.channels
    )
