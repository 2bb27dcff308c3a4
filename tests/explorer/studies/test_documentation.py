"""What docs/studies.md says is so: its example, its Python, its lists."""

from __future__ import annotations

import re
from pathlib import Path

from explorer.studies import read_study
from explorer.studies.format import markdown
from tests.explorer.studies.test_running import Here

TEXT = (Path(__file__).parents[3] / "docs" / "studies.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_the_list_of_keys_is_the_schema():
    assert markdown() in TEXT


def test_the_example_and_all_python_run(tmp_path, monkeypatch, capsys):
    example, model = blocks("toml")
    monkeypatch.chdir(tmp_path)
    for place in ("explorer.studies.executing.processes", "explorer.studies.processes"):
        monkeypatch.setattr(place, lambda workers=None: Here)
    # Of the twenty problems a few are enough to see that it runs.
    (tmp_path / "liars.toml").write_text(example.replace("problems = 20", "problems = 3"))
    for code in blocks("python"):
        exec(compile(code, "docs/studies.md", "exec"), {"__name__": "docs"})
    told = capsys.readouterr().out
    assert "nip, tester, hard liar" in told
    assert "Comparison(" in told
    study = read_study(example.replace('verifiers = "tester"', 'verifiers = "judge"') + model)
    assert {each.engine for each in study.conditions} == {"inspect"}
    assert study.budget.money == 20
