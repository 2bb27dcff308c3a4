"""The format of a study's file as a JSON Schema."""

from __future__ import annotations

from explorer.studies.people_format import PEOPLE
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
            "The name of a published protocol. Its tasks are those that come with the library."
        ),
        "file": schema.text(
            "A file of your own tasks (CSV, JSON, JSONL, Parquet) or a Hugging Face dataset "
            "folder; the path is relative to this file's folder."
        ),
        "format": schema.text(
            "What `file` contains, if not statements: `quality` (passages in QuALITY's format) or "
            "`parts` (JSON lines, each with the `parts`, `facts` and `title` of a task for a "
            "protocol of version 2).",
            enum=["quality", "parts"],
        ),
        "split": schema.text("Which split of a dataset folder to use."),
        "difficulty": schema.items(
            {"enum": list(DIFFICULTIES)},
            "Only tasks of these difficulties.",
            minItems=1,
            uniqueItems=True,
        ),
        "label": schema.whole(
            "Only statements that hold (1), or only those that do not (0).", 0, 1
        ),
        "ids": _names("Only tasks with these ids: the library's, or those in your file."),
        "problems": schema.whole(
            "At most this many problems, drawn by the study's seed. Default: all (24 for graphs). "
            "All solutions of a problem are included.",
            1,
            100_000,
        ),
    },
    "Where tasks come from.",
)

_PROTOCOL = schema.table(
    {
        "protocol": schema.text(
            "The name of a registered or published protocol. Default: the table's own name."
        ),
        "document": schema.text(
            "A file with a specification: JSON, or TOML for version 2. The path is relative to "
            "this file's folder."
        ),
        "parameters": schema.anything(
            "Its parameters, such as `rounds = 4`; in groups, as `HyperParameters` takes them, "
            "too. In version 2: settings.",
            default={},
        ),
        "max_response_words": schema.whole(
            "The largest number of words in a message.", 1, 100_000, default=150
        ),
        "informed_provers": schema.flag("Whether provers can see the label.", default=False),
    },
    "A protocol and its parameters.",
)

_PLAYER = schema.table(
    {
        "kind": schema.text(
            "What kind of player it is. A `person` needs the table `people`.",
            enum=["scripted", "random", "model", "person"],
        ),
        "level": schema.text("The level of a scripted prover.", enum=["easy", "medium", "hard"]),
        "strategy": schema.text(
            "How a scripted verifier decides. Default: `tester`, or `careful` in version 2."
        ),
        "model": schema.text(
            "The model's name in Inspect's form: the provider, a slash and the model, such as "
            "`openai/gpt-5-mini`.",
            pattern=r"^[A-Za-z0-9_-]+/[!-~]{1,200}$",
        ),
        "base_url": schema.text(
            "The address of your own service, such as `http://localhost:8000/v1`.",
            pattern=r"^https?://[!-~]{1,500}$",
        ),
        "settings": schema.anything(
            "Settings sent with every request, by their names in Inspect's `GenerateConfig`: "
            "`temperature`, `max_tokens`, ... Do not put keys here, but into the environment.",
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
            "In any currency, but the same one for all players.",
            "input",
            "output",
        ),
    },
    "A player that conditions can give seats to.",
    "kind",
)

_CONDITIONS = schema.table(
    {
        "name": schema.text(
            "The name of a single condition. Without it, the name is made from what varies."
        ),
        "protocols": _names("Names from `protocols`; default: all."),
        "verifiers": schema.one_or_more(
            "The verifiers; each makes a condition of its own. In version 2 they take the seats "
            "that decide."
        ),
        "provers": schema.one_or_more(
            "The players in all provers' seats; each makes a condition of its own. In version 2 "
            "they take all other seats."
        ),
        "seats": schema.anything(
            "Players for single seats, by the seat's name, in place of the two keys above.",
            additionalProperties=schema.one_or_more("A player's name, or a list of them."),
            default={},
        ),
        "side": schema.text(
            "What provers argue for, if the protocol allows a choice: `accept`, `reject`, the "
            "`truth`, a `lie`, `both` (each task once for either side), or what the `protocol` "
            "says. In version 2, the side can be chosen if chance draws it or a seat picks it "
            "(which then has no choice). There it can also be the name of an option, and `accept` "
            "means the truth's first option. If two debaters have fixed answers, `side` is that of "
            "the first debater (`truth`, `lie` or `both`), and the order of a passage's answers is "
            "changed to match.",
            default="protocol",
        ),
        "swap": schema.flag(
            "Whether each task is played again with the provers' players exchanged (each moves on "
            "by one seat).",
            default=False,
        ),
        "order": schema.text(
            "Which prover speaks first, if two take turns: what the `protocol` says, or `both` "
            "(each task once in either order).",
            enum=["protocol", "both"],
            default="protocol",
        ),
    },
    "What is compared. Each table makes a condition for every combination of its protocols, "
    "verifiers and provers.",
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
            "seed": schema.whole("The seed for everything random.", 0, MAX_SEED, default=0),
            "epochs": schema.whole("How many times each task is played.", 1, 10_000, default=1),
            "paired": schema.flag(
                "Whether all conditions play the same tasks with the same random numbers. "
                "Otherwise each draws its own.",
                default=True,
            ),
            "tasks": schema.items(_TASKS, "What episodes are about.", minItems=1, uniqueItems=True),
            "protocols": schema.by_name(_PROTOCOL, "Under the name that conditions use."),
            "players": schema.by_name(_PLAYER, "Under the name that conditions use."),
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
                "Limits at which a run stops. Episodes in progress are finished, and the run can "
                "be continued later.",
            ),
            "people": PEOPLE,
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
