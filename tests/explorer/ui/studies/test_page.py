"""Tests of page.py, explorer/studies/folders.py, explorer/studies/study_form.py, tables.py and
views.py.

The Studies page, entered through the app.
"""

import json
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from explorer.server import KeptFile
from explorer.studies import (
    STUDIES_VARIABLE,
    StudyWork,
    Wanted,
    of_baseline,
    of_kept,
    of_log,
    run_study,
    study_store,
    study_text,
    work_at,
)
from explorer.studies.findings import inspect_log
from explorer.studies.statistics import DEFINITIONS
from explorer.ui.studies import logs
from explorer.ui.text import escaped
from nip_core.registry import protocol_title
from tests.depth import exhaustive
from tests.explorer.ui.pages import open_page
from tests.transcript.others import training_samples

SMALL = Wanted(
    name="small one",
    difficulties=["easy"],
    problems=2,
    protocols=["nip", "solo_verifier"],
    verifiers=["careful", "gullible"],
    provers=["hard"],
)


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("NIP_EXPLORER_DATABASE", f"sqlite:///{tmp_path}/episodes.db")
    monkeypatch.setenv(STUDIES_VARIABLE, str(tmp_path / "studies"))
    monkeypatch.delenv("NIP_EXPLORER_PUBLIC", raising=False)
    return tmp_path


def test_studies_are_kept_beside_the_database(place, monkeypatch):
    home, kept = place / "home", place / "kept"
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    monkeypatch.delenv(STUDIES_VARIABLE)
    monkeypatch.delenv("NIP_EXPLORER_DATABASE")
    before = study_store().put(study_text(SMALL))
    assert before.folder.is_relative_to(home)
    # Another database has its own; earlier studies are still found, and keep their names.
    monkeypatch.setenv("NIP_EXPLORER_DATABASE", f"sqlite:///{kept}/episodes.db")
    assert study_store().named("small-one").folder == before.folder
    after = study_store().put(study_text(SMALL))
    assert after.folder == kept / "studies" / "small-one-2"
    assert {each.name for each in study_store().all()} == {"small-one", "small-one-2"}
    # A server has no folder, and an unreadable address is reported by the code that opens it.
    for address in ("postgresql://somebody@database.test/nip", "mysql://nobody"):
        monkeypatch.setenv("NIP_EXPLORER_DATABASE", address)
        assert study_store().folder == before.folder.parent
    # The variable names one folder, and no other counts.
    monkeypatch.setenv(STUDIES_VARIABLE, str(place / "mine"))
    assert study_store().folder == place / "mine"
    assert not study_store().all()


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """A study that was played."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(STUDIES_VARIABLE, str(tmp_path_factory.mktemp("played")))
        return play(SMALL).folder


@pytest.fixture
def played(place, record):
    """A copy of the study that was played."""
    shutil.copytree(record, place / "studies" / record.name)
    return study_store().named(record.name)


def play(wanted):
    kept = study_store().put(study_text(wanted))
    run_study(kept.study(), kept.record, executor=lambda: ThreadPoolExecutor(1))
    return kept


def opened(**address):
    app = open_page("studies", **address)
    assert not [box for box in app.error if "could not be shown" in box.value], app.error
    return app


def data_of(component):
    return json.loads(component.delta.new_element.bidi_component.json)[0]


def said(app):
    return "\n".join(
        str(each.value)
        for kind in ("markdown", "title", "subheader", "html")
        for each in app.get(kind)
        if hasattr(each, "value")
    ) + "\n".join(each.proto.body for each in app.get("html"))


def test_a_study_of_which_nothing_was_played_can_be_started():
    study_store().put(study_text(SMALL))
    assert opened(study="small-one").button(key="study-run").label == "Start"


def test_the_page_lists_studies_and_the_baseline(played):
    app = opened()
    text = said(app)
    assert "small-one" in text
    assert "16 of 16 played" in text.replace("\\", "")
    assert "How much each protocol helps" in text
    assert protocol_title("adp") in re.findall(r'<th scope="row">([^<]*)</th>', text)


def test_a_study_is_asked_for_in_a_form_and_played_by_the_server():
    app = opened(view="new")
    app.text_input(key="study-name").input("from the form").run()
    app.number_input(key="study-problems").set_value(1).run()
    app.session_state["study-protocols"] = ["solo_verifier"]
    app.run()
    assert "2 episodes under 1 conditions" in said(app).replace("\\", "")
    app.button(key="study-start").click().run()
    assert not app.exception
    kept = study_store().named("from-the-form")
    work = work_at(kept)
    work.join(120)
    assert work.trouble == ""
    assert len(kept.record.results()) == 2


def test_published_protocols_are_studied_on_passages():
    app = opened(view="new")
    app.selectbox(key="study-source").set_value("passages").run()
    app.number_input(key="study-problems").set_value(2).run()
    assert "under 2 conditions" in said(app).replace("\\", "")
    app.multiselect(key="study-verifiers passages").set_value(["tester"]).run()
    assert "Careful or Quote checker" in app.warning[0].value
    app.session_state["study-protocols passages"] = ["nip", "khan_debate"]
    app.multiselect(key="study-verifiers passages").set_value(["tester", "careful"]).run()
    assert "under 3 conditions" in said(app).replace("\\", "")
    assert not app.exception


def test_protocols_of_a_study_are_chosen_by_cards(frames):
    page = frames.open("studies", view="new")
    (strip,) = page.components("nip_protocols")
    assert data_of(strip)["selected"] == ["nip", "debate"]
    page.tell(strip, "protocol", ["nip", "debate", "mnip"])
    (strip,) = page.components("nip_protocols")
    assert data_of(strip)["selected"] == ["nip", "debate", "mnip"]
    for forged in (None, 3, "nobody", ["nobody"], [["nip"]], {"name": "nip"}):
        page.tell(strip, "protocol", forged)
        assert data_of(page.components("nip_protocols")[0])["selected"] == ["nip", "debate", "mnip"]
    assert not page.find("exception")
    # Prepared tasks are those of one protocol.
    page.choose("study-source", "Tasks of one protocol")
    (strip,) = page.components("nip_protocols")
    one, other = (card["name"] for card in data_of(strip)["cards"][:2])
    assert data_of(strip)["selected"] == one
    page.tell(strip, "protocol", [one, other])
    page.tell(page.components("nip_protocols")[0], "protocol", other)
    assert data_of(page.components("nip_protocols")[0])["selected"] == other


def test_a_link_names_the_protocol_of_a_new_study():
    app = opened(view="new", protocol="trusted_monitor")
    assert app.selectbox(key="study-source").value == "prepared"
    assert app.session_state["study-protocols prepared"] == ["trusted_monitor"]
    # Another choice stays.
    app.selectbox(key="study-source").set_value("bundled").run()
    assert app.selectbox(key="study-source").value == "bundled"
    assert not app.exception


def test_numbers_have_pictures_tables_and_definitions(played):
    for view in (
        "Conditions",
        "Two conditions",
        "Gaps",
        "Calibration",
        "Agreement",
        "Ratings",
        "Rounds",
        "Cost",
        "Episodes",
    ):
        app = opened(study=played.name, show=view)
        assert not app.exception, view
        assert not app.error, view
        # The definition of each number in a table is one click away.
        heads = {escaped(each) for each in re.findall(r'<th scope="col">([^<]*)</th>', said(app))}
        bold = set(re.findall(r"\*\*([^*]*)\*\*", said(app)))
        titles = {escaped(each.title) for each in DEFINITIONS.values()}
        assert (heads & titles) - {escaped(DEFINITIONS["failed"].title)} <= bold, view
        # Nobody argues against anybody in these two protocols.
        assert ("so nobody can be rated" in said(app)) == (view == "Ratings")
        if view == "Two conditions":
            app.selectbox(key="second").set_value("solo_verifier, careful").run()
            (apart,) = (each.value for each in app.dataframe if "Verdict" in each.value)
            assert (apart["Verdict"] != apart["The second’s"]).all()
    app = opened(study=played.name)
    # Home links back to it.
    (left,) = (
        each.proto
        for each in app.get("bidi_component")
        if "nip_remember" in each.proto.component_name
    )
    assert json.loads(left.json)[0]["what"] == {"name": played.name, "title": "small one"}
    (figure,) = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    assert len(figure["data"][0]["y"]) == 4
    assert "The share of all episodes" in said(app)


def test_an_episode_is_read(played):
    row = played.record.results()[0]
    app = opened(study=played.name, episode=row.key)
    assert row.title in said(app).replace("\\", "")
    app.button(key="study-back").click().run()
    assert "episode" not in app.query_params


def test_the_python_that_is_shown_makes_the_same_rows(played, tmp_path, monkeypatch):
    pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")
    kept = of_kept(played)
    (tmp_path / "made.eval").write_bytes(inspect_log(kept))
    monkeypatch.chdir(tmp_path)
    for found in (kept, of_baseline(), of_log("made.eval", (tmp_path / "made.eval").read_bytes())):
        names = {}
        exec(found.python, names)
        assert list(names["rows"]) == list(found.rows)


def test_a_training_run_has_a_meter(monkeypatch):
    lines = [
        training_samples.line(step, training_samples.played(number, verdict=int(step > 2)))
        for step in (1, 2, 3, 4)
        for number in range(4)
    ]
    kept = KeptFile("a.jsonl", "1", b"".join(lines))
    monkeypatch.setattr(logs, "kept_upload", lambda key, file: kept)
    app = opened(view="log", show="Training")
    (figure,) = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    assert len(figure["data"]) == 3
    assert "first to last third" in said(app)
    assert [box.value for box in app.warning] == []


def test_two_studies_are_compared(played):
    other = play(replace(SMALL, name="other", seed=5))
    app = opened(study=played.name, beside=other.name)
    (figure,) = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    assert [series["name"] for series in figure["data"]] == [played.title, other.title]


def test_strangers_start_nothing_and_see_nobodys_studies(played, monkeypatch):
    monkeypatch.setenv("NIP_EXPLORER_PUBLIC", "1")
    for address in ({}, {"view": "new"}, {"study": played.name}):
        app = opened(**address)
        text = said(app)
        assert "small-one" not in text
        assert not [button for button in app.button if button.key in ("study-start", "study-run")]
    assert work_at(played) is None


def test_a_study_that_is_not_there_or_cannot_be_read(place):
    assert "no such study" in opened(study="nothing").warning[0].value
    assert "no such study" in opened(study="../../etc").warning[0].value
    folder = place / "studies" / "broken"
    folder.mkdir(parents=True)
    (folder / "study.toml").write_text("seed = 'x")
    app = opened()
    assert "cannot be read" in said(app)
    assert opened(study="broken").warning


def test_an_impossible_study_is_reported_before_it_starts():
    app = opened(view="new")
    for name in ("debate", "nip"):
        app.button(key=f"study-protocols without {name}").click().run()
    assert app.warning
    assert not [button for button in app.button if button.key == "study-start"]


@exhaustive
def test_a_run_is_the_servers_and_can_be_stopped_and_taken_up():
    kept = study_store().put(study_text(replace(SMALL, name="long", epochs=50)))
    work = StudyWork.begin(kept)
    assert StudyWork.begin(kept) is work
    while work.going and (work.stage is None or not work.stage.done):
        work.join(0.05)
    work.stop()
    work.join(600)
    first = len(kept.record.results())
    assert 0 < first < 600
    assert "stopped" in work.stage.why_stopped
    app = opened(study=kept.name)
    assert app.button(key="study-run").label == "Go on"
