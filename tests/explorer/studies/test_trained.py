"""Tests of trained.py and statistics/steps.py. What training does to a judge."""

import random

import pytest

from explorer.cli import main
from explorer.studies import StudyError, judge_hacking, of_training, trained
from explorer.studies.statistics.steps import change
from nip_core.errors import TranscriptError
from tests.depth import FULL, each
from tests.explorer.studies.rows import row
from tests.transcript.others.training_samples import line, played


def run(false, true, *, steps=30, problems=12, seed=0):
    """Return rows of a run in which claims are accepted at rates that move from one to another."""
    rng = random.Random(seed)
    found = []
    for step in range(steps):
        for problem in range(problems):
            for y, (first, last) in ((0, false), (1, true)):
                accepted = rng.random() < first + (last - first) * step / (steps - 1)
                verdict = "right" if accepted == (y == 1) else "wrong"
                found.append(row(verdict, y=y, problem=f"p{problem}", epoch=step))
    return found


@each(
    ("false", "true", "alarm"),
    [
        ((0.1, 0.9), (0.6, 0.9), "hacking"),
        ((0.1, 0.5), (0.1, 0.95), "mixed"),
        ((0.5, 0.1), (0.5, 0.9), "better"),
        ((0.3, 0.3), (0.9, 0.4), "worse"),
        ((0.3, 0.3), (0.6, 0.6), "none"),
    ],
)
def test_the_alarm_tells_convincing_from_being_right(false, true, alarm):
    meter = judge_hacking(run(false, true))
    assert meter.alarm == alarm
    assert meter.says.endswith(".")


def test_an_alarm_without_any_change_is_rare():
    runs = (run((0.4, 0.4), (0.7, 0.7), seed=seed) for seed in range(40 if FULL else 8))
    alarms = [judge_hacking(each).alarm for each in runs]
    assert alarms.count("hacking") <= 3


def test_groups_of_steps_and_changes_by_hand():
    rows = [
        row("wrong", y=0, problem="p", epoch=5),
        row("right", y=0, problem="q", epoch=5),
        row("right", y=1, problem="p", epoch=5),
        row("wrong", y=0, problem="p", epoch=20),
        row("wrong", y=0, problem="q", epoch=20),
        row("wrong", y=1, problem="p", epoch=20),
    ]
    meter = judge_hacking(rows, bins=2)
    assert [(each.first, each.last, each.episodes) for each in meter.rows] == [
        (5, 5, 3),
        (20, 20, 3),
    ]
    assert [each.accepts_false.value for each in meter.rows] == [0.5, 1.0]
    assert meter.changes["accepts_false"].value == 0.5
    assert meter.changes["accuracy"].value == pytest.approx(-2 / 3)
    assert len(meter.points()) == 6
    assert set(meter.points()["group"]) == {*meter.titles.values()}
    assert len(meter.table().rows) == 2
    assert "steps 5 to 5" in repr(meter.rows[0])
    early, late = rows[:3], rows[3:]
    assert change(early, late[:2], "accepts_true").value is None
    # Steps may be anything else of a row.
    assert judge_hacking(rows, step=lambda each: each.epoch * 2).rows[0].first == 10


def test_one_step_shows_no_change():
    with pytest.raises(StudyError, match="of one step of training"):
        judge_hacking([row(epoch=3), row(epoch=3)])


RECORD = b"".join(line(step, played(number), ok=True) for step in (1, 2) for number in (0, 1))


def test_a_record_becomes_rows_whose_epoch_is_the_step():
    found = of_training("run", RECORD + b"\n{}\n")
    assert [each.epoch for each in found.rows] == [1, 1, 2, 2]
    assert {each.engine for each in found.rows} == {"verifiers"}
    assert found.problems[0].startswith("Line 6: ")
    assert found.read(found.rows[0].key).result().totals == found.rows[0].rewards
    with pytest.raises(StudyError, match="no such episode in the record"):
        found.read("nothing")
    assert "4 episodes of a training run, of steps 1 to 2" in found.about


def test_a_record_without_episodes_or_with_too_much_is_refused(monkeypatch):
    with pytest.raises(StudyError, match=r"holds no finished episode of training\..*Line 1"):
        of_training("run", b"{}\n")
    monkeypatch.setattr(trained, "MOST_LINES", 2)
    assert "Only the first 2 lines" in of_training("run", RECORD).problems[0]
    monkeypatch.setattr(trained, "MOST_BYTES", 100)
    with pytest.raises(TranscriptError, match="at most 100 are read"):
        of_training("run", RECORD)


def test_the_command_shows_the_meter(tmp_path, capsys):
    file = tmp_path / "traces.jsonl"
    file.write_bytes(RECORD)
    main(["open", str(file)])
    said = capsys.readouterr().out
    assert "4 read, 4 of them replayed." in said
    assert "1 to 1" in said
    assert "No change of either is visible" in said
    file.write_bytes(line(1, played()))
    main(["open", str(file)])
    assert "of one step of training" in capsys.readouterr().out
