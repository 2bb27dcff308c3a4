"""Tests of judged.py: what recorded judges and debaters did, as a table."""

import csv

import pytest

from explorer.cli import main
from explorer.studies.judged import judged_rows
from nip_core.transcript import read_records
from tests.transcript.others.samples import CONSULTED, FINISHED, changed, debate, text

NOBODY = debate(*FINISHED["rounds"][-1:], roles=("Debater A", "Debater B"))


def table(*documents):
    """Return the values of some files by protocol, who argued and measure."""
    records = [record for each in documents for record in read_records(text(each))]
    return {(r.protocol, r.argued, r.measure): r for r in judged_rows(records)}


def test_judges_are_scored_by_what_they_said_at_last():
    found = table(FINISHED, NOBODY)
    name = "Debate (Michael et al.)", "people"
    assert found[*name, "right, judged during"].value == 1
    assert found[*name, "right, judged afterwards"].value == 0
    assert found[*name, "Brier score, judged during"].value == pytest.approx(0.01)
    assert found[*name, "log score, judged afterwards"].value == pytest.approx(-2.3219281)
    assert found[*name, "right at 90 to 100% confidence, judged during"].count == 1
    assert found[*name, "right at 80 to 90% confidence, judged afterwards"].value == 0
    assert found["no protocol", "people", "right, judged afterwards"].count == 1


def test_quotes_and_evidence_are_counted_by_side():
    found = {key[2]: row for key, row in table(FINISHED).items()}
    assert found["quotes for the right answer that were found"].value == 1
    assert found["quotes for the wrong answer that were found"].count == 1
    assert found["own (first estimate; an even one counts half)"].value == 0.5


def test_who_argued_is_told_apart_and_what_was_not_finished_is_left_out():
    by_model = changed(CONSULTED, ("setup", "roles", "Debater B"), "GPT-4")
    unfinished = debate(*FINISHED["rounds"][:1])
    assert {key[:2] for key in table(by_model, CONSULTED, unfinished)} == {
        ("Consultancy (Michael et al.)", "GPT-4"),
        ("Consultancy (Michael et al.)", "people"),
    }


def test_the_command_writes_the_table(tmp_path):
    (tmp_path / "a.json").write_text(text(FINISHED), "utf-8")
    main(["open", str(tmp_path / "a.json"), "--table", str(tmp_path / "t.csv")])
    with (tmp_path / "t.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["measure"] == "right, judged during"
    assert rows[0]["value"] == "1.0"
