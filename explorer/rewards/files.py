"""Files of what the Rewards page shows, and Python code that computes the same."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from explorer.choice import OWN, ProtocolChoice
from explorer.files import csv_bytes
from nip_core.values import Evidence

__all__ = [
    "chance_python",
    "commitment_python",
    "protocol_python",
    "results_json",
    "rows_csv",
    "wit_python",
]


def rows_csv(rows: Sequence[Mapping[str, object]]) -> bytes:
    """Return a table as CSV."""
    import pandas as pd

    return csv_bytes(pd.DataFrame([dict(row) for row in rows]))


def results_json(choice: ProtocolChoice, results: Mapping[str, Any]) -> bytes:
    """Return a protocol's document and results about it, which have its digest."""
    document = {"document": choice.rules.to_dict(), "link": choice.to_query(), **results}
    return json.dumps(document, indent=1, ensure_ascii=False, default=str).encode("utf-8")


def chance_python(choice: ProtocolChoice) -> str:
    """Return Python code that computes what seats earn by chance."""
    imported, made = protocol_python(choice)
    lines = [
        imported,
        "from nip_core.values import play_values, verdict_pay",
        "",
        *made,
        "values = play_values(game)",
        "for seat, mean in values.means.items():",
        "    print(seat, mean, values.pay[seat].table())",
        "for seat, pay in verdict_pay(game).items():",
        '    print(seat, "mid-point", pay.mid_point)',
        "",
    ]
    return "\n".join(lines)


def wit_python(choice: ProtocolChoice, evidence: Evidence) -> str:
    """Return Python code that computes a protocol's card."""
    imported, made = protocol_python(choice)
    changed = ", ".join(
        f"{name}={value if isinstance(value, bool) else repr(str(value))}"
        for name, value in vars(evidence).items()
        if value != getattr(Evidence(), name)
    )
    lines = [
        imported,
        "from nip_core.values import Evidence, card",
        "",
        *made,
        f"found = card(game, Evidence({changed}))",
        "for line in found.lines:",
        "    print(line.title, *line.readings)",
        "",
    ]
    return "\n".join(lines)


def commitment_python(choice: ProtocolChoice, evidence: Evidence) -> str:
    """Return Python code that computes what the judge can guarantee."""
    lines = wit_python(choice, evidence).splitlines()
    made = [line.replace("found = card(game, ", "game = abstracted(game, ") for line in lines[:-2]]
    code = [
        *(line.replace("Evidence, card", "Evidence, abstracted, opposed, right") for line in made),
        "spec = game.spec",
        "found = opposed(spec, game.deciders, game.experts, goal=right(spec))",
        "print(found, *found.plans)",
        "",
    ]
    return "\n".join(code)


def protocol_python(choice: ProtocolChoice) -> tuple[str, list[str]]:
    """Return the line that imports what makes the protocol, and the lines that make it."""
    imported, made = choice.python()
    lines = [f"game = {made}"]
    if choice.name == OWN:
        document = json.dumps(choice.rules.to_dict(), ensure_ascii=False)
        lines.insert(0, f"text = {document!r}")
    return imported, lines
