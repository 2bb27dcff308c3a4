"""Tests of running.py, views.py and page.py: what a run shows, without a browser."""

from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import MagicMock, patch

from explorer.studies import RunStage, StudyError, Wanted, study_text
from explorer.ui.studies import page, running, views
from explorer.usage import Usage
from tests.depth import each

WAITS = SimpleNamespace(waits_for="another")
RUNS = SimpleNamespace(waits_for="")


@each(
    ("going", "stage", "failed", "said"),
    [
        (None, None, 0, "3 of 4 played"),
        (False, WAITS, 1, "3 of 4 played, 1 failed"),
        (True, None, 0, "running, 3 of 4 played"),
        (True, RUNS, 0, "running, 3 of 4 played"),
        (True, WAITS, 0, "queued, 3 of 4 played"),
    ],
)
def test_a_study_in_the_list_has_its_state(going, stage, failed, said):
    work = None if going is None else SimpleNamespace(going=going, stage=stage)
    kept = SimpleNamespace(results=lambda: [0] * 3, failures=lambda: [0] * failed, total=lambda: 4)
    with patch.object(page, "work_at", lambda _: work):
        assert page._state(kept) == said


def a_stage(**said):
    usual = {"why_stopped": "", "left": 0, "given_up": (), "problem": "", "waits_for": ""}
    return SimpleNamespace(**usual | said)


@each(
    ("going", "trouble", "stage", "boxes"),
    [
        (True, "", a_stage(), None),
        (True, "The disk is full.", a_stage(), None),
        (False, "The disk is full.", a_stage(), [("error", "The disk is full.")]),
        (False, "", a_stage(why_stopped="Stopped.", left=2), [("info", "Stopped. So far")]),
        (False, "", a_stage(why_stopped="Stopped."), []),
        (False, "", a_stage(given_up=("a", "b")), [("warning", "a\nb")]),
        (False, "", None, []),
    ],
)
def test_a_run_is_watched_until_its_end_which_is_then_explained(going, trouble, stage, boxes):
    watched, shown = [], []
    with patch.multiple(
        running, part=lambda _, every: watched.append, alert=lambda *box: shown.append(box),
        stage_line=lambda _: "So far",
    ):  # fmt: skip
        running.show_work(SimpleNamespace(going=going, trouble=trouble, stage=stage))
    assert (len(watched), shown) == (1 if boxes is None else 0, boxes or [])


@each(("going", "again"), [(True, False), (False, True)])
def test_the_page_runs_again_when_a_run_has_ended(going, again):
    screen = MagicMock()
    with patch.object(running, "st", screen):
        running._watch(SimpleNamespace(going=going, stage=None))
    assert screen.rerun.called == again
    screen.progress.assert_called_once_with(0.0, "Getting ready")


def test_a_run_in_progress_says_what_it_waits_for_and_what_went_wrong():
    boxes, screen = [], MagicMock()
    stage = RunStage(8, 1, 1, 0, 6, Usage(), 1.0, "")
    for stopping, said, words in (
        (False, {}, "2 of 8 done"),
        (True, {}, "Stopping once"),
        (False, {"waits_for": "another"}, "the study “another” is played first"),
        (False, {"problem": "HTTP 500", "given_up": ("a", "b")}, "2 of 8 done"),
    ):
        work = SimpleNamespace(going=True, stage=replace(stage, **said), stopping=stopping)
        with patch.multiple(running, st=screen, alert=lambda *box: boxes.append(box)):
            running._watch(work)
        done, text = screen.progress.call_args.args
        assert (done, words in text) == (0.25, True), text
    assert boxes == [("warning", "Latest problem: HTTP 500."), ("warning", "a\nb")]


def test_estimates_are_drawn_where_there_are_some_and_the_first_of_many():
    said, drawn, listed = [], [], []
    with (
        patch.multiple(
            views, small=said.append, MOST_DOTS=2, theme=lambda: None, _framed=list,
            estimate_fields=lambda value: {"value": value},
            show_figure=lambda rows, *_: drawn.append([row["group"] for row in rows]),
            table_below=lambda rows, *_: listed.append(len(rows)),
        ),
        patch("explorer.pictures.dots_figure", lambda rows, *_, **__: rows),
    ):  # fmt: skip
        for found in ({}, {"a": None}, {"a": 1, "b": None}, {"a": 1, "b": 2, "c": 3}):
            views._show_estimates("strength", SimpleNamespace(estimates=found), "key")
    assert (drawn, listed) == ([["a"], ["a", "b"]], [1, 3])
    assert said == ["The first 2 of 3 are drawn."]


@each(("failures", "offered"), [([], False), ([1], True)])
def test_episodes_that_failed_are_counted_only_where_there_are_some(failures, offered):
    tables = []
    findings = SimpleNamespace(
        failures=failures, conditions=("a",), rows=[], failed={}, title="", group_name=None
    )
    with (
        patch.multiple(
            views, st=MagicMock(), _measure=lambda: "accuracy", dropdown=lambda *_, **__: "task",
            define=lambda found: tables.append([*found]), estimates=lambda *_, **__: [],
            show_figure=lambda *_, **__: None, table_below=lambda *_: None, _framed=lambda _: None,
            measures_table=lambda *given: tables.append(given[2]), show_failures=lambda _: None,
            _clicked=lambda _: None, theme=lambda: None, heading=lambda _: "Task",
        ),
        patch("explorer.pictures.dots_figure", lambda *_, **__: None),
    ):  # fmt: skip
        views.show_dots(findings, lambda: None)
    assert ["accuracy_of_tried" in each for each in tables] == [offered] * 2


def test_a_study_of_too_many_episodes_is_refused_on_the_page(tmp_path):
    boxes = []
    text = study_text(Wanted(name="large", protocols=["nip"], problems=2))
    screen = MagicMock()
    screen.toggle.return_value = False
    with patch.multiple(
        running, st=screen, MOST_EPISODES=1, _asked=lambda: None, study_text=lambda _: text,
        alert=lambda *box: boxes.append(box),
    ):  # fmt: skip
        running.show_form(SimpleNamespace(folder=tmp_path))
    ((_, words),) = boxes
    assert "episodes; ask for fewer here" in words


@each(("failures", "shown"), [((), []), ((1, 2), [["a"], ["a", "a"]])])
def test_failures_are_listed_by_condition_and_by_episode(failures, shown):
    tables = []
    counts = [
        SimpleNamespace(condition="a", failed=len(failures), why_failed="HTTP 500"),
        SimpleNamespace(condition="b", failed=0, why_failed=""),
    ]
    failed = [SimpleNamespace(condition="a", task=each, message="HTTP 500") for each in failures]
    with patch.multiple(views, st=MagicMock(), wide_table=lambda rows, _: tables.append([*rows])):
        named = {"group_name": lambda _, condition: condition}
        views.show_failures(SimpleNamespace(failures=failed, counts=counts, **named))
    assert [[row["Condition"] for row in table] for table in tables] == shown


@each(
    ("chosen", "group"),
    [
        ({"selection": {"points": [{"customdata": {"0": "nip"}}]}}, "nip"),
        ({"selection": {"points": [{"customdata": ["nip"]}]}}, "nip"),
        ({"selection": {"points": [{"customdata": [7]}]}}, None),
        ({"selection": {"points": []}}, None),
        (None, None),
    ],
)
def test_the_clicked_dot_may_be_anything(chosen, group):
    assert views._clicked(chosen) == group


def test_a_form_that_makes_no_study_says_why():
    boxes = []

    def refuse(_):
        raise StudyError("Choose a protocol.")

    with patch.multiple(
        running, st=MagicMock(), _asked=lambda: None, study_text=refuse,
        alert=lambda *box: boxes.append(box),
    ):  # fmt: skip
        running.show_form(SimpleNamespace(folder="."))
    assert boxes == [("warning", "Choose a protocol.")]


def test_ratings_that_cannot_be_computed_say_why():
    shown = []
    refused = MagicMock(side_effect=StudyError("There are too many players."))
    with patch.multiple(views, ratings_table=refused, alert=lambda *box: shown.append(box)):
        views.show_ratings(SimpleNamespace())
    assert shown == [("info", "There are too many players.")]


@each(
    ("here", "beside", "compared"),
    [("a", None, False), ("ab", None, True), ("a", "b", True)],
)
def test_two_conditions_are_compared_of_one_study_or_of_two(here, beside, compared):
    class AskedError(Exception):
        pass

    said, screen = [], MagicMock()
    screen.selectbox.side_effect = AskedError
    other = None if beside is None else SimpleNamespace(conditions=[*beside])
    with patch.multiple(
        views, st=screen, small=said.append, define=MagicMock(), _measure=MagicMock()
    ), suppress(AskedError):  # fmt: skip
        views.show_pair(SimpleNamespace(conditions=[*here]), lambda: other)
    assert screen.selectbox.called == compared
    assert bool(said) == (not compared)
