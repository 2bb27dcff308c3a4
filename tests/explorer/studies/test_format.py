"""The example, the Python and the lists of the pages about studies are right."""

import json
import re
import shlex
from collections.abc import Container
from pathlib import Path

from explorer.cli import main
from explorer.studies import SCHEMA, read_study
from nip_core.documents import Schema, schema
from tests.depth import exhaustive
from tests.explorer.studies.test_record import Here

DOCS = Path(__file__).parents[3] / "docs"
PAGES = (
    *("howto/studies.md", "howto/models-in-studies.md", "howto/prediction.md", "howto/cluster.md"),
    *("reference/studies.md", "design/baseline.md"),
)
TEXT = "\n".join((DOCS / page).read_text("utf-8") for page in PAGES)
COMMAND = re.compile(r"^    (nip-explorer study .*)$", re.M)


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def markdown() -> str:
    """Return all tables of a file with their keys, for the documentation."""
    properties = SCHEMA["properties"]
    tables = {
        "tasks": properties["tasks"]["items"],
        "protocols": properties["protocols"]["additionalProperties"],
        "players": properties["players"]["additionalProperties"],
        "conditions": properties["conditions"]["items"],
        "budget": properties["budget"],
        "people": properties["people"],
    }
    heads = {
        "tasks": "[[tasks]]",
        "protocols": "[protocols.NAME]",
        "players": "[players.NAME]",
        "conditions": "[[conditions]]",
        "budget": "[budget]",
        "people": "[people]",
    }
    parts = [_listed("At the top", SCHEMA, skip=tables)]
    parts += [_listed(f"`{heads[name]}`", each) for name, each in tables.items()]
    people = properties["people"]["properties"]
    for stage in people["stages"]["items"]["oneOf"]:
        kind = stage["properties"]["kind"]["enum"][0]
        parts.append(_listed(f"`[[people.stages]]`, kind `{kind}`:", stage, skip=("kind",)))
        asked = stage["properties"].get("questions")
        if kind == "survey":
            parts.append(_listed("`[[people.stages.questions]]`", asked["items"]))
    parts.append(_listed("`[people.ends.NAME]`", people["ends"]["properties"]["done"]))
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
        for inner, one in each.get("properties", {}).items():
            lines.append(f"  - `{inner}`: {one['description']}")
    return "\n".join(lines) + "\n"


def test_the_list_of_keys_is_the_schema():
    assert markdown() in TEXT


@exhaustive
def test_the_example_and_all_python_run(tmp_path, monkeypatch, capsys):
    whole, model = blocks("toml")
    monkeypatch.chdir(tmp_path)
    for place in ("explorer.studies.executing.processes", "explorer.studies.processes"):
        monkeypatch.setattr(place, lambda workers=None: Here)
    # A few of the twenty problems and eight conditions are enough to see that it runs.
    example = whole.replace("problems = 20", "problems = 5").replace(
        '"careful", "tester"', '"careful"'
    )
    example = example.replace("[protocols.solo_verifier]\n[protocols.adp]\n", "")
    (tmp_path / "liars.toml").write_text(example)
    monkeypatch.setenv("NIP_EXPLORER_DATABASE", f"sqlite:///{tmp_path}/episodes.db")
    commands = [shlex.split(line, comments=True) for line in COMMAND.findall(TEXT)]
    assert len(commands) > 10
    for _, *words in commands:
        if "baseline" not in words and "--dask" not in words:
            main(words)
    printed = capsys.readouterr().out
    assert "p = " in printed
    assert "of each condition, on the same tasks" in printed
    for code in blocks("python"):
        exec(compile(code, "docs", "exec"), {"__name__": "docs"})
    printed = capsys.readouterr().out
    assert "nip, careful, hard liar" in printed
    assert "PairedComparison(" in printed
    study = read_study(whole.replace('["careful", "tester"]', '"judge"') + model)
    assert {each.engine for each in study.conditions} == {"inspect"}
    assert study.budget.money == 20
