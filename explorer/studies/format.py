"""The format of a study's file as a JSON Schema, and the list of its keys for people."""

from __future__ import annotations

import json
from collections.abc import Container
from typing import cast

from nip_core.documents import Schema, schema
from nip_core.tasks import DIFFICULTIES

__all__ = ["FORMAT", "SCHEMA", "markdown"]

FORMAT = "nip-study/1"
MAX_SEED = 2**53 - 1  # the integers that all readers of JSON represent exactly
MAX_PRICE = 1e9


def _names(help: str) -> Schema:
    name = {"type": "string", "minLength": 1}
    return schema.items(name, help, minItems=1, uniqueItems=True)


_TASKS = schema.table(
    {
        "source": schema.text(
            "`bundled` (programs, each right and wrong), `graphs` (pairs, made from seeds) or "
            "`passages` (with a question and its answers); or give `file` or `prepared_for`.",
            enum=["bundled", "graphs", "passages"],
        ),
        "prepared_for": schema.text(
            "A published protocol: the tasks that come with the library for it."
        ),
        "file": schema.text(
            "A file of tasks of your own (CSV, JSON, JSONL, Parquet), or a Hugging Face dataset "
            "folder, from the folder of this file."
        ),
        "format": schema.text(
            "What the file holds, if no statements: `quality` (passages as QuALITY publishes them) "
            "or `parts` (JSON lines, each with the `parts`, `facts` and `title` of a task for a "
            "protocol of version 2).",
            enum=["quality", "parts"],
        ),
        "split": schema.text("Which part of a dataset folder."),
        "difficulty": schema.items(
            {"enum": list(DIFFICULTIES)}, "Only these.", minItems=1, uniqueItems=True
        ),
        "label": schema.whole(
            "Only statements that hold (1), or only those that do not (0).", 0, 1
        ),
        "ids": _names("Only tasks with these ids, or the author's."),
        "problems": schema.whole(
            "At most so many problems, drawn by the study's seed; all if it is left out (of graphs "
            "24). All solutions of a problem come with it.",
            1,
            100_000,
        ),
    },
    "Where tasks come from.",
)

_PROTOCOL = schema.table(
    {
        "protocol": schema.text(
            "A registered or published protocol; the table's own name if it is left out."
        ),
        "document": schema.text(
            "A specification as a JSON file, or one of version 2 as a TOML file, from the folder "
            "of this file."
        ),
        "parameters": schema.anything(
            "Groups of parameters, as `HyperParameters` takes them; of version 2, its settings.",
            default={},
        ),
        "max_response_words": schema.whole("How long a message may be.", 1, 100_000, default=150),
        "informed_provers": schema.flag("May provers see the label?", default=False),
    },
    "A protocol and its parameters.",
)

_PLAYER = schema.table(
    {
        "kind": schema.text("What plays.", enum=["scripted", "random", "model"]),
        "level": schema.text("How well a script plays.", enum=["easy", "medium", "hard"]),
        "strategy": schema.text(
            "What a scripted verifier does: `tester` if it is left out, and `careful` in version 2."
        ),
        "model": schema.text(
            "As Inspect names it: the provider, a slash and the model, such as "
            "`openai/gpt-5-mini`.",
            pattern=r"^[A-Za-z0-9_-]+/[!-~]{1,200}$",
        ),
        "base_url": schema.text(
            "Where a service of your own answers: `http://localhost:8000/v1`, for example.",
            pattern=r"^https?://[!-~]{1,500}$",
        ),
        "settings": schema.anything(
            "What is sent with every request, as Inspect's `GenerateConfig` names "
            "it: `temperature`, `max_tokens`, ... Put keys into the environment.",
            default={},
        ),
        "arguments": schema.anything(
            "What Inspect's `get_model` hands to the provider.", default={}
        ),
        "corrections": schema.whole(
            "How often an answer that is no move goes back with the reason.", 0, 20, default=2
        ),
        "prices": schema.table(
            {
                "input": schema.number("Of a million tokens sent.", 0, MAX_PRICE),
                "output": schema.number("Of a million tokens received.", 0, MAX_PRICE),
            },
            "In any money, the same for all players.",
            "input",
            "output",
        ),
    },
    "Who or what can take a seat.",
    "kind",
)

_CONDITIONS = schema.table(
    {
        "name": schema.text("Of a single condition; made of what it varies if it is left out."),
        "protocols": _names("Names from `protocols`; all if it is left out."),
        "verifiers": schema.one_or_more(
            "Who verifies (in version 2: takes the seats that decide); each in turn."
        ),
        "provers": schema.one_or_more(
            "Who takes all provers' seats (in version 2: all others); each in turn."
        ),
        "seats": schema.anything(
            "Single seats by the agent's name, where they differ from the above.",
            additionalProperties=schema.one_or_more("A player's name, or a list of them."),
            default={},
        ),
        "side": schema.text(
            "What provers argue for, where a protocol lets it be chosen: as the `protocol` says, "
            "`accept`, `reject`, the `truth`, a `lie`, or `both`: each task once for either side.",
            enum=["protocol", "accept", "reject", "truth", "lie", "both"],
            default="protocol",
        ),
        "swap": schema.flag(
            "Play each task again with the provers' players moved on by a seat?", default=False
        ),
        "order": schema.text(
            "Which of two provers who take turns speaks first: as the `protocol` says, or `both`: "
            "each task once with either.",
            enum=["protocol", "both"],
            default="protocol",
        ),
    },
    "Conditions: every protocol with every verifier and every prover that is named.",
)

SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": FORMAT,
    "title": "A study of NIP Explorer",
    **schema.table(
        {
            "format": schema.text(f"The version of this format: `{FORMAT}`.", enum=[FORMAT]),
            "name": schema.text("A short name.", pattern=schema.NAME),
            "about": schema.text("What it is for."),
            "seed": schema.whole("From which everything is drawn.", 0, MAX_SEED, default=0),
            "epochs": schema.whole("How often each task is played.", 1, 10_000, default=1),
            "paired": schema.flag(
                "Do all conditions play the same tasks with the same draws? Else each draws its "
                "own.",
                default=True,
            ),
            "tasks": schema.items(_TASKS, "What episodes are about.", minItems=1, uniqueItems=True),
            "protocols": schema.by_name(_PROTOCOL, "By the name that conditions use."),
            "players": schema.by_name(_PLAYER, "By the name that conditions use."),
            "conditions": schema.items(
                _CONDITIONS, "What is compared.", minItems=1, uniqueItems=True
            ),
            "budget": schema.table(
                {
                    "calls": schema.whole("Requests to models.", 1),
                    "tokens": schema.whole("Sent and received.", 1),
                    "money": schema.number("By the players' prices.", 0),
                    "minutes": schema.number("Of one run.", 0),
                },
                "Where a run stops, and can be taken up later. Episodes in progress are finished.",
            ),
        },
        "Many episodes under stated conditions.",
        "format",
        "name",
        "tasks",
        "protocols",
        "players",
        "conditions",
    ),
}


def markdown() -> str:
    """Return all tables of a file with their keys, for the documentation."""
    tables: dict[str, Schema] = {"tasks": _TASKS, "protocols": _PROTOCOL, "players": _PLAYER}
    tables["conditions"] = _CONDITIONS
    tables["budget"] = cast("dict[str, Schema]", SCHEMA["properties"])["budget"]
    heads = {
        "tasks": "[[tasks]]",
        "protocols": "[protocols.NAME]",
        "players": "[players.NAME]",
        "conditions": "[[conditions]]",
        "budget": "[budget]",
    }
    parts = [_listed("At the top", SCHEMA, skip=tables)]
    parts += [_listed(f"`{heads[name]}`", each) for name, each in tables.items()]
    return "\n".join(parts)


def _listed(head: str, described: Schema, skip: Container[str] = ()) -> str:
    lines = [f"**{head}** {described['description']}\n"]
    for key, each, is_needed in schema.keys(described):
        if key in skip:
            continue
        needed = " Needed." if is_needed else ""
        default = f" Default: `{json.dumps(each['default'])}`." if "default" in each else ""
        unsaid = [c for c in each.get("enum", ()) if f"`{c}`" not in each["description"]]
        choices = f" One of {', '.join(f'`{c}`' for c in each['enum'])}." if unsaid else ""
        lines.append(f"- `{key}`: {each['description']}{choices}{default}{needed}")
        for inner, one in cast("dict[str, Schema]", each.get("properties", {})).items():
            lines.append(f"  - `{inner}`: {one['description']}")
    return "\n".join(lines) + "\n"
