"""Tests of headlines.py and headlines_command.py. Published comparisons beside ours."""

import pytest

from explorer.cli import main
from explorer.studies import Estimate, StudyError, comparisons, headlines, play_points, points
from explorer.studies import headlines_command as command
from explorer.studies.headlines import headline, in_markdown, study_of
from explorer.studies.statistics import MEASURES
from nip_core.registry import protocol_names, published_names
from tests.depth import each, exhaustive

NAMES = [one.name for one in comparisons()]
QUICK = "consultancy-debate-khan"


def named(name):
    return next(one for one in comparisons() if one.name == name)


def test_every_comparison_is_whole_and_has_a_year():
    assert len(set(NAMES)) == len(NAMES)
    for one in comparisons():
        assert one.measure in MEASURES
        assert one.published.keys() <= set(one.cells)
        assert all(0 <= number <= 1 for number in one.published.values())
        assert any(f" {year}, " in one.source for year in range(1980, 2030)), one.source
        assert one.says.endswith(".")
        assert one.differs.endswith(".")
        conditions = study_of(one).conditions
        assert tuple(condition.name for condition in conditions) == one.cells
        known = {condition.protocol.known_as for condition in conditions}
        assert known <= {*protocol_names(), *published_names()}
    assert "debate" in repr(headlines()[0])
    assert len(named(QUICK).table().rows) == 2


@exhaustive
@each("name", NAMES)
def test_the_stored_results_are_those_of_today(name):
    rows = [done.result for done in play_points(points(study_of(named(name))))]
    (kept,) = (one for one in headlines() if one.comparison.name == name)
    assert headline(named(name), rows) == kept


def test_a_page_shows_what_was_published_and_ours():
    (khan, *_) = headlines()
    text = "\n".join(in_markdown([khan]))
    assert "| debate | 76% | " in text
    assert "| consultancy | – | " in text
    assert isinstance(khan.difference, Estimate)
    assert len(khan.table().rows) == 2


@exhaustive
def test_the_command_plays_one_and_keeps_its_record(tmp_path, capsys):
    main(["study", "headlines", "--only", QUICK, "--to", str(tmp_path)])
    assert capsys.readouterr().out.strip() == "\n".join(in_markdown(headlines()[:1])).strip()
    assert (tmp_path / QUICK / "results.jsonl").is_file()


def test_models_take_the_seats_and_need_a_folder(tmp_path, monkeypatch):
    study = study_of(named(QUICK), {"judge": "openai/x", "expert": "openai/y"})
    seats = study.conditions[1].seats
    assert (seats["judge"].model, seats["alice"].model) == ("openai/x", "openai/y")
    with pytest.raises(StudyError, match="With models, name a folder"):
        command.headlines_command(["--judge", "openai/x"])
    with pytest.raises(StudyError, match="for results with scripts"):
        command.headlines_command(["--judge", "openai/x", "--write"])

    class Stage:
        left, failed = 3, 1

    monkeypatch.setattr(command, "run_study", lambda *_, **__: Stage)
    with pytest.raises(StudyError, match="3 episodes are left and 1 failed"):
        command.headlines_command(["--only", QUICK])
