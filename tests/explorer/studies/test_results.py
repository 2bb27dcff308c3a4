"""Tests of results.py and rows.py.

Episodes that were planned and not finished are in every table and file.
"""

import io

import pandas as pd
import pytest

from explorer.studies import Failure, Record, StudyError, points, read_study
from explorer.studies.command import main
from explorer.studies.executing import play_points
from explorer.studies.findings import Findings, forms
from explorer.studies.results import Finished
from explorer.studies.rows import counted, unfinished
from explorer.studies.statistics import MEASURES, estimate, summarize
from tests.explorer.studies.files import SMALL
from tests.explorer.studies.rows import row


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """Four conditions: one finished, one in part, one that only failed, one never begun."""
    study, record = read_study(SMALL), Record(tmp_path_factory.mktemp("failing") / "record")
    everything = points(study)
    names = [condition.name for condition in study.conditions]
    planned = dict.fromkeys(names, 4)
    with record.writing(study, planned):
        for point in everything:
            place = names.index(point.condition.name)
            if place == 0 or (place == 1 and point is _first(everything, names[1])):
                record.keep(p for p in play_points([point]) if isinstance(p, Finished))
            elif place < 3:
                error = StudyError(f"It answered nothing & left, {place}.")
                record.fail([Failure.of(point, error, "inspect")])
    return record, names


def _first(everything, name):
    return next(point for point in everything if point.condition.name == name)


def test_every_planned_condition_has_a_row_with_what_failed_and_why(record, capsys):
    record, names = record
    main(["show", str(record.folder)])
    printed = capsys.readouterr().out
    lines = {name: line for name in names for line in printed.splitlines() if line.startswith(name)}
    counts = [lines[name].removeprefix(name).split()[:3] for name in names]
    assert counts == [["4", "4", "0"], ["4", "1", "3"], ["4", "0", "4"], ["4", "0", "0"]]
    assert "accuracy_of_tried" in printed
    assert f"{names[2]}: 4 of 4 failed: It answered nothing & left, 2. (4x)" in printed


def test_failures_are_rows_of_the_csv_and_notes_of_the_latex(record, tmp_path):
    record, names = record
    for ending in ("csv", "parquet", "tex"):
        main(["export", str(record.folder), "-o", str(tmp_path / f"a.{ending}")])
    for read, ending in ((pd.read_csv, "csv"), (pd.read_parquet, "parquet")):
        frame = read(tmp_path / f"a.{ending}")
        assert len(frame) == 12
        failed = frame[frame["verdict"] == "failed"]
        assert sorted(failed.groupby("condition").size()) == [3, 4]
        assert set(failed["failure"]) == {"StudyError"}
        assert failed["decision"].isna().all()
        assert failed["message"].str.startswith("It answered nothing").all()
        assert set(failed["protocol"]) == {"nip", "debate"}
    text = (tmp_path / "a.tex").read_text()
    assert sum(line.endswith(r"\\") for line in text.splitlines()) == 5
    assert r"1\textsuperscript{1} \\" in text
    assert r"\textsuperscript{2}4 of 4 failed: It answered nothing \& left, 2. (4x)" in text
    never = next(line for line in text.splitlines() if line.strip().startswith(names[3]))
    assert never.endswith("& 0 \\\\")


def failed_of(task, **more):
    usual = {"key": f"k{task}", "condition": "a", "task": task, "epoch": 0, "arm": ""}
    return Failure(**{**usual, "kind": "E", "message": "no", "engine": "inspect", **more})


def test_a_failed_episode_counts_as_no_verdict_beside_right():
    rows = [row("right", problem="p"), row("wrong", problem="q")]
    lost = unfinished([failed_of("p0", problem="p"), failed_of("r0")], rows, ())
    of_tried = estimate(rows, MEASURES["accuracy_of_tried"], failed=lost)
    assert (of_tried.value, of_tried.count, of_tried.clusters) == (0.25, 4, 3)
    assert estimate(rows, MEASURES["accuracy"], failed=lost).value == 0.5
    assert "accuracy_of_tried" not in {line.measure for line in summarize(rows)}
    assert "accuracy_of_tried" in {line.measure for line in summarize(rows, failed=lost)}


def test_downloads_of_the_page_contain_failures_too():
    rows = [row("right"), row("wrong", problem="q")]
    findings = Findings("n", "T", "", rows, [failed_of("p0")], lambda _: None)
    made = {form.ending: form.make for form in forms(findings)}
    assert len(pd.read_csv(io.BytesIO(made["csv"](findings)))) == 3
    assert rb"\textsuperscript{1}1 of 3 failed: no (1x)" in made["tex"](findings)


def test_records_of_older_versions_are_read(record):
    rows = [row("right"), row("right", condition="b")]
    counts = counted((), rows, [failed_of("p0")])
    assert [(each.planned, each.finished, each.failed) for each in counts] == [(2, 1, 1), (1, 1, 0)]


def test_conditions_have_the_title_of_their_protocol():
    registered = {"nip": "nip", "mine": "nip", "own": ""}
    findings = Findings("n", "T", "", [], [], lambda _: None, registered)
    shown = {
        "nip, tester, hard liar": "Neural interactive proof: tester, hard liar",
        "mine, tester": "mine, tester",
        "own, tester": "own, tester",
        "All together": "All together",
    }
    assert {name: findings.group_name("condition", name) for name in shown} == shown
    assert findings.group_name("protocol", "nip") == "Neural interactive proof"
    assert findings.group_name("verifier", "nip") == "nip"
