"""Tests of results.py: exports without outside ids, the ids apart, and the table of the file."""

import csv
import io
import json
from types import SimpleNamespace

import pytest

from explorer.participants import (
    analysed,
    everybody,
    excluded,
    export_files,
    fold,
    games_of,
    outside_ids,
    progress,
    results,
)
from explorer.participants.machine import answered, begun
from explorer.studies import ENDS
from nip_core.transcript import load
from tests.explorer.participants.people import (
    ANSWERS,
    agreed,
    opened,
    study_of,
    study_text,
    to_stage,
    to_the_end,
)
from tests.explorer.storage.places import SqlitePlace


@pytest.fixture
def place(tmp_path):
    """Return one database only: what is exported does not depend on it."""
    return SqlitePlace(tmp_path)


def rows(content):
    return list(csv.DictReader(io.StringIO(content.decode())))


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """Return a study with six people: two done, one of them careless, and four who are not."""
    folder = tmp_path_factory.mktemp("results")
    with SqlitePlace(folder).open() as storage:
        desk = opened(storage, folder, study_text(faster_than="0"))
        to_the_end(desk, agreed(desk, 1))
        to_the_end(desk, agreed(desk, 2), attention="red")
        desk.answer(agreed(desk, 3), "0.0", {**ANSWERS, "adult": "no"})
        desk.stop(to_stage(desk, agreed(desk, 4), "check"))
        to_stage(desk, agreed(desk, 5), "play")
        here = to_stage(desk, agreed(desk, 6), "play")
        desk.stop(desk.ready(here, here.state.step))  # in the middle of a game
        yield desk


def test_exports_have_all_that_people_gave_and_no_outside_id(desk):
    files = dict(export_files(desk))
    assert b"SECRETPID" not in b"".join(files.values())
    assert b"SECRETVISIT" not in b"".join(files.values())
    people = rows(files["people.csv"])
    assert [row["end"] for row in people] == ["done", "done", "screened_out", "left", "", "left"]
    assert people[0]["told_when"] == "before"
    assert json.loads(people[0]["told"])
    answers = rows(files["answers.csv"])
    mine = {row["question"]: row["answer"] for row in answers if row["number"] == "1"}
    assert mine == {name: str(value) for name, value in ANSWERS.items()}
    times = rows(files["times.csv"])
    assert [row["kind"] for row in times if row["number"] == "1"] == [
        "survey", "text", "practice", "check", "play", "survey",
    ]  # fmt: skip
    games = rows(files["games.csv"])
    assert [row["practice"] for row in games if row["number"] == "1"] == ["True", "False", "False"]
    for line in files["episodes.jsonl"].decode().splitlines():
        load(json.loads(line)["episode"])
    assert files["study.toml"].decode() == desk.opened.row.body


def test_ids_are_a_file_of_their_own_with_codes_and_pay(desk):
    listed = rows(outside_ids(desk))
    assert [row["PROLIFIC_PID"] for row in listed] == [f"SECRETPID{n}" for n in range(1, 7)]
    assert [row["code"] for row in listed] == [
        *("DONE2026", "DONE2026", "SCREEN26", "LEFT2026", "", "LEFT2026"),
    ]
    assert listed[2]["pay"] == "0.30"


def test_progress_counts_every_end(desk):
    counts = progress(desk.plan, everybody(desk))
    assert {end: counts[end] for end in ENDS} == {
        "done": 2, "screened_out": 1, "timed_out": 0, "left": 2, "removed": 0,
    }  # fmt: skip
    assert counts["at stage 5 (play)"] == 1


def test_the_table_leaves_out_whom_the_file_says_and_says_so(desk):
    table = analysed(desk)
    assert table.heads == ("condition", "games", "accuracy", "brier")
    by_name = {row[0]: row[1:] for row in table.rows}
    assert sorted(row[0] for row in by_name.values()) == ["", "0", "2"]
    assert "debate minus consultancy" in by_name
    said = " ".join(table.remarks)
    assert "6 people agreed; 1 are counted." in said
    assert "Left out: 1 by “attention”." in said
    assert "Left out: 4 by “unfinished”." in said
    assert "2 games are left out: of people who are left out." in said
    assert "1 games are left out: not played to the end, or deleted." in said
    assert f"fixed before data, as {desk.plan.fixed}" in said
    # Without the rule, the careless person counts.
    careless = analysed(desk, study_of(study_text(attention="2", faster_than="0")))
    assert sum(int(row[1] or 0) for row in careless.rows) == 4
    assert "Changed after the first person took part" in " ".join(careless.remarks)


def test_a_difference_has_an_interval_over_people(storage, tmp_path):
    desk = opened(storage, tmp_path, study_text(faster_than="0"))
    for number in range(1, 7):
        to_the_end(desk, agreed(desk, number))
    (*_, last) = analysed(desk).rows
    assert last[0] == "debate minus consultancy"
    assert " to " in last[2]
    assert len(games_of(desk, everybody(desk))) == 18


def test_a_difference_is_the_second_conditions_mean_less_the_firsts(monkeypatch):
    monkeypatch.setitem(results.MEASURES, "answer", SimpleNamespace(of=lambda row: row.answer))
    rows = [
        SimpleNamespace(condition=condition, problem=f"person {person}", answer=answer)
        for condition, answers in (("one", (0, 0, 1, None)), ("two", (1, 1, 1, 0)))
        for person, answer in enumerate(answers)
    ]
    for first, second, says in (("one", "two", "+42% "), ("two", "one", "−42% ")):
        said = results._difference(rows, first, second, "answer", 0.95)
        assert said.startswith(says), said
    assert results._difference(rows, "one", "three", "answer", 0.95) == "–"


def test_each_rule_leaves_people_out():
    plan = study_of(study_text(faster_than="60")).people
    start, late = "2026-01-01T00:00:00+00:00", "2026-01-01T00:00:30+00:00"
    state = fold(plan, [(begun(plan), start)])
    events = answered(plan, state, "0.0", {**ANSWERS, "adult": "no"})
    noted = {"kind": "noted", "step": "0.0", "counts": {"paste": 3}}
    state = fold(plan, [(noted, late), *((event, late) for event in events)], state)
    assert excluded(plan, SimpleNamespace(state=state)) == ["unfinished", "faster_than", "pastes"]
