"""Tests of exports.py and findings.py.

All downloads of the Studies page, byte by byte as a browser gets them.
"""

import dataclasses
import io
import json
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient

from explorer.studies import StudyStore, forms, of_baseline, of_kept, of_log, run_study
from explorer.studies import exports as datasets
from explorer.studies.exports import preferences, rows_frame
from explorer.studies.findings import inspect_log
from explorer.studies.inspect import has_inspect
from explorer.studies.statistics import frame, summarize
from nip_core import Episode, HyperParameters, Move, bundled_tasks
from nip_core.transcript import load
from tests.depth import exhaustive
from tests.explorer.studies.test_record import Here
from tests.judges import program

pytestmark = pytest.mark.skipif(not has_inspect(), reason="needs the extra `inspect`")

ROOT = Path(__file__).parents[3]
# Text that a spreadsheet, LaTeX, a page or a notebook would interpret.
ODD = r"=1+1 \input{x} 50% & _$#~^{} <b>a</b>"
FILE = """
format = "nip-study/1"
name = "taken away"
seed = 5
epochs = 2

[[tasks]]
source = "bundled"
problems = 2

[protocols.mnip]
[protocols.solo_verifier]

[players.tester]
kind = "scripted"
strategy = "tester"

[players.chance]
kind = "scripted"
strategy = "chance"

[players.easy]
kind = "scripted"
level = "easy"

[[conditions]]
name = "odd"
protocols = ["mnip"]
verifiers = "tester"
provers = "easy"

[[conditions]]
protocols = ["mnip"]
verifiers = "chance"
provers = "easy"

[[conditions]]
protocols = ["solo_verifier"]
verifiers = "chance"
provers = "easy"
"""


@pytest.fixture(scope="module")
def taken(frame_server, tmp_path_factory):
    """The content of a stranger's log, and its downloads from the page, by their endings."""
    folder = tmp_path_factory.mktemp("exports")
    kept = StudyStore(folder).put(FILE)
    run_study(kept.study(), kept.record, executor=Here)
    findings = of_kept(kept)
    rows = [
        dataclasses.replace(row, condition=ODD) if row.condition == "odd" else row
        for row in findings.rows
    ]
    log = inspect_log(dataclasses.replace(findings, rows=rows))
    frame_server.use_database(f"sqlite:///{folder}/frames.db")
    page = frame_server.open("studies", view="log")
    page.upload("Log", f"{ODD}.eval", log)
    page.unfold("Export")
    buttons = [e for kind, e in page.elements() if kind == "download_button"]
    files = {
        button.id.rpartition("-study-")[2]: page.fetch_deferred(button.deferred_file_id)
        for button in buttons
        if "-study-" in button.id and button.deferred_file_id
    }
    frame_server.close_pages()
    return of_log(ODD, log), files


def test_every_form_is_there_and_none_is_empty(taken):
    findings, files = taken
    assert {each.ending for each in forms(findings)} | {"svg", "tikz.tex"} <= files.keys()
    assert all(files.values())
    assert len(findings.rows) == 24


def test_rows_are_a_table_for_other_programs(taken):
    findings, files = taken
    rows = rows_frame(findings.rows)
    parquet = pd.read_parquet(io.BytesIO(files["parquet"]))
    pd.testing.assert_frame_equal(parquet, rows, check_dtype=False)
    csv = pd.read_csv(io.BytesIO(files["csv"]), keep_default_na=False)
    assert list(csv.columns) == list(rows.columns)
    assert list(csv["key"]) == list(rows["key"])
    # A spreadsheet calculates nothing of it.
    assert set(csv["condition"]) == {"'" + ODD, *rows["condition"]} - {ODD}


def test_numbers_have_their_intervals(taken):
    findings, files = taken
    csv = pd.read_csv(io.BytesIO(files["numbers.csv"]), keep_default_na=False)
    found = {(row.condition, row.measure): row for row in csv.itertuples()}
    measured = summarize(findings.rows)
    assert measured
    for each in measured:
        row = found[f"'{ODD}" if each.group == (ODD,) else each.group[0], each.measure]
        for name in ("value", "low", "high"):
            wanted = getattr(each.estimate, name)
            assert (
                str(getattr(row, name)) == ""
                if wanted is None
                else (float(getattr(row, name)) == pytest.approx(wanted))
            )


def test_the_notebook_holds_the_analysis(taken):
    findings, files = taken
    notebook = nbformat.reads(files["ipynb"].decode(), as_version=4)
    nbformat.validate(notebook)
    assert repr(frame(summarize(findings.rows))) in plain_outputs(notebook)
    assert any(text.startswith("PairedComparison(") for text in plain_outputs(notebook))


@exhaustive
def test_the_notebook_does_the_analysis_again(taken):
    _, files = taken
    notebook = nbformat.reads(files["ipynb"].decode(), as_version=4)
    before = plain_outputs(notebook)
    NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(ROOT)}},
        coalesce_streams=True,
    ).execute()
    # The stated width of tables differs between a notebook and a server, and so do figures.
    pairs = list(zip(before, plain_outputs(notebook), strict=True))
    comparable = [(a, b) for a, b in pairs if "..." not in a + b and "figure" not in a]
    assert comparable
    assert [a for a, _ in comparable] == [b for _, b in comparable]


def plain_outputs(notebook):
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [out.data.get("text/plain", "") for cell in code for out in cell.outputs]


def test_files_for_papers_are_escaped(taken):
    _, files = taken
    svg = ElementTree.fromstring(files["svg"])
    # Letters are outlines; a text alternative says them in words.
    assert any(ODD in (each.text or "") for each in svg.iter() if each.tag.endswith("desc"))
    for name in ("tex", "tikz.tex"):
        text = files[name].decode()
        assert r"\textbackslash" in text
        assert r"\input" not in text.replace(r"\textbackslash{}input", "")


def test_a_paper_takes_the_table_and_the_picture(taken, tmp_path):
    latex = program("pdflatex", "texlive-latex-recommended texlive-pictures")
    _, files = taken
    (tmp_path / "table.tex").write_bytes(files["tex"])
    (tmp_path / "picture.tex").write_bytes(files["tikz.tex"])
    paper = (
        r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs}\usepackage{tikz}"
        r"\begin{document}\input{table}\input{picture}\end{document}"
    )
    (tmp_path / "paper.tex").write_text(paper)
    asked = [latex, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    ended = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 5_000


def test_transcripts_and_logs_are_the_episodes(taken):
    findings, files = taken
    episodes = [load(line) for line in files["jsonl"].decode().splitlines()]
    assert [each.events for each in episodes] == [each.events for each in findings.episodes()]
    again = of_log("log", files["eval"])
    assert not again.problems
    for one, other in zip(findings.rows, again.rows, strict=True):
        for name in ("condition", "verdict", "rewards", "rounds", "difficulty", "problem", "task"):
            assert getattr(one, name) == getattr(other, name), name


def test_chats_contain_what_each_seat_got_and_nothing_else(taken):
    findings, files = taken
    chats = [json.loads(line)["messages"] for line in files["chats.jsonl"].decode().splitlines()]
    pairs = [json.loads(line) for line in files["pairs.jsonl"].decode().splitlines()]
    assert pairs
    expected = []
    for episode in findings.episodes():
        for agent in episode.rules.seat_names:
            view = episode.view_for(agent)
            said = [each.own for each in view.rounds if each.own is not None]
            if said:
                expected.append(said)
    assert [[m["content"] for m in chat if m["role"] == "assistant"] for chat in chats] == expected
    only = [*datasets.chats(findings.episodes(), ["verifier"])]
    assert 0 < len(only) < len(chats)
    assert [*datasets.chats(findings.episodes(), ["nobody"])] == []


def test_many_answers_to_one_prompt_give_pairs_of_the_best_and_the_worst_only(monkeypatch):
    monkeypatch.setattr(datasets, "MOST_ANSWERS", 4)
    task = bundled_tasks("easy")[0]
    episodes = []
    for number in range(12):
        episode = Episode(HyperParameters(interaction_protocol="nip"), task, 5)
        episode.play(Move("verifier", {"main": f"question {number}"}))
        episode.play(Move("prover", {"main": "so"}))
        episode.play(Move("verifier", decision=number % 2))
        episodes.append(episode)
    pairs = [json.loads(line) for line in preferences(episodes)]
    asked = [pair for pair in pairs if "question" in pair["preferred_output"][0]["content"]]
    # Two of the best with two of the worst.
    assert len(asked) == 4


def test_nobody_makes_the_server_play_thousands_of_episodes_by_a_click():
    """The baseline's episodes are played again when they are read."""
    offered = forms(of_baseline())
    assert [form for form in offered if form.of_episodes] == []
    assert {"csv", "numbers.csv", "parquet", "tex"} == {form.ending for form in offered}
