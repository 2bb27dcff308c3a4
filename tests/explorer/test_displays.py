"""The explorer's objects print briefly at the end of a cell, without revealing anything."""

import dataclasses
from pathlib import Path

import pytest

import explorer
from explorer.lessons.experiment import ExperimentResult
from explorer.players import Acted, RandomPlayer, script_for, scripted_player
from explorer.programs import program_of
from explorer.storage import open_storage
from explorer.studies import Findings, Record, Rows, StudyStore, points, read_study
from explorer.studies.executing import play_points
from explorer.studies.statistics import (
    MEASURES,
    agreements,
    compare,
    estimate,
    matches,
    over_provers,
    ratings,
    summarize,
)
from explorer.studies.strengths import strengths
from nip_core import Episode, HyperParameters, Move
from nip_core.displays import MOST_OF_LINE, Tabular
from nip_core.tasks import problems
from tests.explorer.studies.rows import row
from tests.noninterference import _other_label
from tests.test_displays import LABEL, NASTY, html_of, looks_well, public_classes, reads_well

STUDY = """
format = "nip-study/1"
name = "small"
about = "<b>two</b> conditions"

[[tasks]]
source = "graphs"
problems = 1

[protocols.nip]
[protocols.adp]

[players.careful]
kind = "scripted"
strategy = "careful"

[players.hard]
kind = "scripted"
level = "hard"

[[conditions]]
verifiers = ["careful"]
provers = ["hard"]
"""


def test_every_public_class_says_one_line_whatever_is_in_it():
    for cls in public_classes(explorer):
        assert cls.__repr__ is not object.__repr__, cls
        # The repr of a data class holds all its fields, however long they are.
        assert not hasattr(cls.__repr__, "__wrapped__"), cls
        if "displayed" in cls.__repr__.__qualname__:
            thing = object.__new__(cls)
            for field in dataclasses.fields(cls):
                object.__setattr__(thing, field.name, NASTY)
            reads_well(thing)
            if not hasattr(cls, "_repr_mimebundle_"):
                looks_well(thing)
                assert html_of(thing), cls


@pytest.fixture(scope="module")
def things(tmp_path_factory):
    """Objects with displays of their own, with a stranger's texts in them."""
    folder = tmp_path_factory.mktemp("displays")
    study = read_study(STUDY, folder)
    record = Record(folder / "record")
    assert html_of(record)  # before anything was played
    with record.writing(study):
        record.keep(play_points(points(study)))
    rows = [row("right", title=NASTY, condition=LABEL), row("wrong", condition="b")]
    judged = [
        row(v, condition=NASTY, verifier=LABEL + v, stances={"one": 1, "other": 0}, problem=p)
        for v in ("right", "wrong")
        for p in "pq"
    ]
    lines = summarize(rows)
    storage = open_storage(f"sqlite:///{folder}/episodes.db")
    stored = storage.load(storage.create(Episode(HyperParameters(), problems()[0].wrong)))
    frame = lines.to_frame()
    shelf = StudyStore(folder / "shelf")
    shelf.put(STUDY)
    yield [
        *(study, record, record.results(), *record.results(), points(study)[0]),
        *(Rows(rows), rows[0], lines, lines[0], compare(rows, LABEL, "b")),
        *(estimate(rows, MEASURES["accuracy"]), estimate([], MEASURES["accuracy"])),
        *(over_provers(rows), agreements(judged), ratings(matches(judged)), ratings([])),
        Findings("x", NASTY, "", rows, (), dict.__getitem__),
        *(shelf, shelf.all()[0], strengths(), storage, stored, stored.entry),
        *(storage.budgets, storage.drafts),
        *(RandomPlayer(), ExperimentResult(NASTY, frame.to_dict("records"), {}, *"xyz")),
    ]
    storage.close()


def test_all_of_them_read_and_look_well_and_are_data_frames(things):
    for thing in things:
        reads_well(thing)
        looks_well(thing)
        if isinstance(thing, Tabular):
            frame = thing.to_frame()
            assert set(thing.table().head) <= set(frame.columns)
            assert len(frame) == len(thing.table().rows)
    tables = {type(thing).__name__ for thing in things if isinstance(thing, Tabular)}
    assert tables >= {
        "Study",
        "Record",
        "Rows",
        "Summary",
        "PairedComparison",
        "Findings",
        "StudyStore",
        "Estimates",
    }


def test_no_folder_of_this_machine_is_shown(things):
    for thing in things:
        assert str(Path.home()) not in repr(thing) + html_of(thing)
        assert "/displays" not in repr(thing) + html_of(thing)


def about(task, folder):
    """Return the objects of a running game about a task."""
    episode = Episode(HyperParameters(interaction_protocol="mnip"), task, seed=1)
    storage = open_storage(f"sqlite:///{folder}/{task.y}.db")
    stored = storage.load(storage.create(episode))
    players = {agent: scripted_player(episode.setup, agent) for agent in episode.rules.seat_names}
    yield from (stored, dataclasses.replace(stored.entry, id="", created="", updated=""))
    yield from (players, script_for(task, 0), script_for(task, 1), program_of(task.statement))
    yield Acted(Move("prover0", {"prover0_channel": "So."}), {"stance": task.y, "said": task.y})
    storage.close()


def test_displays_of_a_running_game_do_not_reveal_the_truth(tmp_path):
    task = problems()[0].wrong
    for one, other in zip(about(task, tmp_path), about(_other_label(task), tmp_path), strict=True):
        assert repr(one) == repr(other)
        assert html_of(one) == html_of(other)
        assert len(repr(one)) < 3 * MOST_OF_LINE
        assert (task.explanation or "")[:30] not in repr(one) + html_of(one)
        assert all(opening[:30] not in repr(one) for opening in task.openings or ())
