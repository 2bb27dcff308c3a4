"""Predictions of a study beside what was measured: scripted players, made-up rates, and files."""

from importlib import import_module

import pandas as pd
import pytest

from explorer.cli import main
from explorer.studies import (
    PREDICTED,
    Record,
    StudyError,
    counted_evidence,
    of_baseline,
    predicted,
    predictions,
    predictions_table,
    read_study,
    run_study,
)
from explorer.studies.findings import forms, of_record
from explorer.studies.predictions import CountedEvidence
from nip_core import specification
from nip_core.values import EvidenceCounts
from tests.explorer.studies.rows import row
from tests.explorer.studies.test_record import Here

STUDY = """
format = "nip-study/1"
name = "quotes"
seed = 3

[[tasks]]
source = "passages"
problems = 6

[protocols.khan_debate]
parameters = { rounds = 2 }
[protocols.sandwiching]
parameters = { rounds = 1 }

[players.careful]
kind = "scripted"
strategy = "careful"

[players.easy]
kind = "scripted"
level = "easy"

[[conditions]]
verifiers = "careful"
provers = "easy"
"""
DEBATE, TALK = "khan_debate, careful, easy", "sandwiching, careful, easy"


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    kept = Record(tmp_path_factory.mktemp("study") / "quotes")
    run_study(read_study(STUDY), kept, executor=Here)
    return kept


def test_study_of_scripted_players_predicts_its_judge(record):
    rows = record.results()
    debate, talk = predictions(rows, record.episode)
    assert (debate.condition, talk.condition) == (DEBATE, TALK)
    # Two debaters, two rounds and six passages: twelve messages for each side.
    assert (debate.shows.count, debate.fakes.count, debate.shows.clusters) == (12, 12, 6)
    assert debate.shows.value == 1
    assert debate.fakes.value < 1
    assert debate.fakes.low <= debate.fakes.value <= debate.fakes.high
    assert 0.5 < debate.predicted.value < 1
    assert debate.predicted.low <= debate.predicted.value <= debate.predicted.high
    assert debate.accuracy.count == 6
    # The judge answered alone only in the other condition, six times.
    assert debate.own.count == 6
    assert "only 6 cases" in debate.remarks[0]
    assert talk.predicted.value is None
    assert "no expert has a side" in talk.remarks[0]


def test_command_prints_predictions_and_writes_them(record, tmp_path, capsys):
    file = tmp_path / "predicted.csv"
    main(["study", "predict", str(record.folder), DEBATE, "-o", str(file)])
    printed = capsys.readouterr().out
    assert "12 of 12 messages of experts who argued for what is true" in printed
    assert "Judge right if experts are honest" in printed
    frame = pd.read_csv(file)
    assert [*frame["condition"]] == [DEBATE, TALK]
    assert {*PREDICTED, "predicted_low", "predicted_high", "remarks"} <= {*frame.columns}
    findings = of_record(record)
    (form,) = [form for form in forms(findings) if form.ending == "predicted.csv"]
    assert form.make(findings) == file.read_bytes()
    for wrong, said in (
        ([record.folder, "nobody"], "no condition 'nobody'"),
        ([record.folder, "-o", tmp_path / "a.tex"], "must end in .csv or .parquet"),
        ([record.folder, "-o", tmp_path / "no" / "a.csv"], "cannot be written"),
        ([tmp_path / "nothing"], "no folder"),
    ):
        with pytest.raises(SystemExit):
            main(["study", "predict", *map(str, wrong)])
        assert said in capsys.readouterr().err


def made_up(*conditions):
    """Return what was counted in conditions of a protocol, judge, provers and counts for a row."""
    rows, counts, documents = [], [], {}
    for protocol, judge, provers, shows, fakes, own in conditions:
        name = f"{protocol}, {judge}, {provers}"
        spec = documents[name] = specification(protocol)
        arguing = dict.fromkeys(spec.roles.experts, 1)
        for problem in range(20):
            more = {"verifier": judge, "provers": provers, "stances": arguing}
            rows.append(row(condition=name, problem=f"p{problem}", **more))
            cases = [(sum(r * 20 > problem for r in (rate,)), 1) for rate in (shows, fakes, own)]
            counts.append(EvidenceCounts(f"p{problem}", "fact", *cases, {}))
    return CountedEvidence(rows, counts, documents)


def test_predicted_is_what_the_card_says_for_the_rates():
    found = made_up(("khan_debate", "judge", "gpt", 0.8, 0.4, 0.6))
    (one,) = predicted(found)
    assert next(row[:2] for row in found.table().rows) == (one.condition, "shows")
    assert repr(found) == "CountedEvidence(20 episodes, 1 conditions)"
    assert (one.shows.value, one.fakes.value, one.own.value) == (0.8, 0.4, 0.6)
    right = found.card(one.condition)["honest"].readings[0].value
    assert one.predicted.value == pytest.approx(float(right)) == pytest.approx(0.744)
    assert one.predicted.low < 0.744 < one.predicted.high


def test_rates_come_from_the_same_provers_where_a_condition_has_none(monkeypatch):
    # A busy machine is slower than a page may be.
    monkeypatch.setattr(import_module("explorer.studies.predictions"), "SECONDS", 120.0)
    found = made_up(("khan_debate", "a", "gpt", 0.8, 0.4, 0.6), ("jury", "b", "gpt", 1, 1, 0.5))
    counts = [
        EvidenceCounts(c.problem, c.kind, (0, 0), (0, 0), c.own, {"shows": "no quotes"})
        if one.verifier == "b"
        else c
        for one, c in zip(found.rows, found.counts, strict=True)
    ]
    _, jury = predicted(CountedEvidence(found.rows, counts, found.documents))
    assert (jury.shows.value, jury.fakes.value, jury.own.value) == (0.8, 0.4, 0.5)
    assert jury.remarks == ("shows and fakes are from other conditions with the same provers",)
    assert predictions_table([jury]).remarks == (f"{jury.condition}: {jury.remarks[0]}",)


def test_studies_without_transcripts_say_so():
    with pytest.raises(StudyError, match="no transcripts"):
        of_baseline().evidence()


def test_transcripts_are_read_once(record):
    rows, keys = record.results(), []

    def read(key):
        keys.append(key)
        return record.episode(key)

    first = counted_evidence(rows, read)
    keys.clear()
    again = counted_evidence(rows, read)
    assert again.counts == first.counts
    assert len(keys) == 2  # one for the protocol of each condition
