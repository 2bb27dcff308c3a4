"""The example, the Python and the lists of docs/studies.md are right."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from explorer.cli import main
from explorer.studies import read_study
from explorer.studies.format import markdown
from tests.depth import exhaustive
from tests.explorer.studies.test_running import Here

TEXT = (Path(__file__).parents[3] / "docs" / "studies.md").read_text()
COMMAND = re.compile(r"^    (nip-explorer study .*)$", re.M)


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


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
        exec(compile(code, "docs/studies.md", "exec"), {"__name__": "docs"})
    printed = capsys.readouterr().out
    assert "nip, careful, hard liar" in printed
    assert "Comparison(" in printed
    study = read_study(whole.replace('["careful", "tester"]', '"judge"') + model)
    assert {each.engine for each in study.conditions} == {"inspect"}
    assert study.budget.money == 20
