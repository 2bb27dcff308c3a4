"""The format of a study's file as a JSON Schema, and the list of its keys for people."""

from __future__ import annotations

import json
from collections.abc import Container
from typing import cast

from nip_core.documents import Schema, schema
from nip_core.tasks import DIFFICULTIES

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
            "What the file holds, if no statements: `quality` (passages as QuALITY publishes "
            "them) or `parts` (JSON lines, each with the `parts`, `facts` and `title` of a task "
            "for a protocol of version 2).",
            enum=["quality", "parts"],
        ),
        "split": schema.text("Which part of a dataset folder."),
        "difficulty": schema.items(
            {"enum": list(DIFFICULTIES)},
            "Only tasks of these difficulties.",
            minItems=1,
            uniqueItems=True,
        ),
        "label": schema.whole(
            "Only statements that hold (1), or only those that do not (0).", 0, 1
        ),
        "ids": _names("Only tasks with these ids, or the author's."),
        "problems": schema.whole(
            "The largest number of problems, drawn by the study's seed. Without it, all are used "
            "(24 for graphs). All solutions of a problem are included.",
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
        "kind": schema.text("What kind of player it is.", enum=["scripted", "random", "model"]),
        "level": schema.text("The level of a scripted player.", enum=["easy", "medium", "hard"]),
        "strategy": schema.text(
            "What a scripted verifier does. Default: `tester`, and `careful` in version 2."
        ),
        "model": schema.text(
            "As Inspect names it: the provider, a slash and the model, such as "
            "`openai/gpt-5-mini`.",
            pattern=r"^[A-Za-z0-9_-]+/[!-~]{1,200}$",
        ),
        "base_url": schema.text(
            "The address of your own service, such as `http://localhost:8000/v1`.",
            pattern=r"^https?://[!-~]{1,500}$",
        ),
        "settings": schema.anything(
            "What is sent with every request, as Inspect's `GenerateConfig` names it: "
            "`temperature`, `max_tokens`, ... Put keys into the environment.",
            default={},
        ),
        "arguments": schema.anything(
            "Arguments that Inspect's `get_model` passes to the provider.", default={}
        ),
        "corrections": schema.whole(
            "How many times an invalid answer is returned to the model with the reason.",
            0,
            20,
            default=2,
        ),
        "prices": schema.table(
            {
                "input": schema.number("The price of a million tokens sent.", 0, MAX_PRICE),
                "output": schema.number("The price of a million tokens received.", 0, MAX_PRICE),
            },
            "In any currency, the same for all players.",
            "input",
            "output",
        ),
    },
    "The players that can take a seat.",
    "kind",
)

_CONDITIONS = schema.table(
    {
        "name": schema.text(
            "The name of a single condition. Without it, the name is made from what varies."
        ),
        "protocols": _names("Names from `protocols`; default: all."),
        "verifiers": schema.one_or_more(
            "The players that verify, one condition each; in version 2, they take the seats that "
            "decide."
        ),
        "provers": schema.one_or_more(
            "The players that take all provers' seats, one condition each; in version 2, all other "
            "seats."
        ),
        "seats": schema.anything(
            "Single seats by the agent's name, where they differ from the above.",
            additionalProperties=schema.one_or_more("A player's name, or a list of them."),
            default={},
        ),
        "side": schema.text(
            "What provers argue for, where a protocol lets it be chosen: as the `protocol` says, "
            "`accept`, `reject`, the `truth`, a `lie`, or `both`: each task once for either side. "
            "In version 2 it can be chosen where chance draws it, and where a seat picks it, who "
            "then has no choice; it can also be an option by its name, and `accept` is the truth's "
            "first option. Where two debaters have fixed answers, it is the first debater's: the "
            "`truth`, a `lie`, or `both`, by the order of a passage's answers.",
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
            "seed": schema.whole("The seed for everything that is drawn.", 0, MAX_SEED, default=0),
            "epochs": schema.whole("How often each task is played.", 1, 10_000, default=1),
            "paired": schema.flag(
                "Whether all conditions play the same tasks with the same draws. Otherwise each "
                "draws its own.",
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
                    "calls": schema.whole("The largest number of requests to models.", 1),
                    "tokens": schema.whole(
                        "The largest number of tokens, sent and received together.", 1
                    ),
                    "money": schema.number(
                        "The largest amount of money, by the players' prices.", 0
                    ),
                    "minutes": schema.number(
                        "The longest time that one run may take, in minutes.", 0
                    ),
                },
                "Limits at which a run stops; it can be continued later. Episodes in progress are "
                "finished.",
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
