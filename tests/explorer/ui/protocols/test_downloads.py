"""Downloads of the Schedule page contain what it shows, and its Python runs."""

import io
import itertools
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from explorer.choice import ProtocolChoice
from explorer.pictures import VIEWS, caption, compare_picture, differences, grid_data, picture
from explorer.ui.layout import page_file
from explorer.ui.protocols import downloads
from explorer.ui.protocols.choice import ShownProtocol
from explorer.ui.protocols.downloads import cells_csv, document_json, schedule_python
from nip_core import HyperParameters, protocol_names, published_names, specification
from nip_core.language import load_specification
from nip_core.registry import published_document
from tests.depth import first
from tests.explorer.ui.protocols.test_page import APP, OURS, opened, sound

TURNED = {
    "protocol_common": {"zero_knowledge": True, "verifier_first": False},
    "debate_protocol": {"sequential": True, "max_message_rounds": 5},
}
NAMES = [*first(2, protocol_names()), *first(2, published_names())]


def shown(name, seed=None):
    """Return a protocol as the page shows it, with other settings than its own."""
    if name in protocol_names():
        parameters = HyperParameters(interaction_protocol=name, **TURNED)
        return ShownProtocol(ProtocolChoice.of(parameters), seed)
    spec = specification(name)
    changed = {setting: value + 1 for setting, value in spec.settings[:1]}
    return ShownProtocol(ProtocolChoice.of(spec.with_settings(**changed)), seed)


@pytest.mark.parametrize("name", NAMES)
def test_data(name):
    spec = specification(name)
    for seed in (None, 1):
        cells = grid_data(spec, seed)
        table = pd.read_csv(io.BytesIO(cells_csv(spec, seed)), keep_default_na=False)
        for kind in ("kind", "name", "seat", "state", "what"):
            assert [*table[kind]] == [*cells[kind]]
    assert load_specification(document_json(spec)) == spec


@pytest.mark.parametrize("name", NAMES)
def test_the_python_runs_as_shown(name, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed, view in itertools.product((None, 3), VIEWS):
        protocol = shown(name, seed)
        exec(schedule_python([protocol], view, 0), {})
        assert capsys.readouterr().out.strip() == caption(protocol.spec, seed)
        framed = None if view == "visibility" else 0
        same = picture(protocol.spec, view, seed=seed, selected=framed)
        assert (tmp_path / f"{view}.svg").read_text("utf-8") == same.svg()


def test_the_python_frames_no_turn_where_the_picture_has_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, two = shown("nip"), shown("debate")
    exec(schedule_python([one], "grid", None), {})
    drawn = (tmp_path / "grid.svg").read_text("utf-8")
    assert drawn == picture(one.spec, "grid").svg()
    assert drawn != picture(one.spec, "grid", selected=0).svg()
    assert "selected" not in schedule_python([one, two], "grid", None)


@pytest.mark.parametrize("pair", [("mnip", "merlin_arthur"), ("nip", "khan_debate")])
def test_the_python_of_a_comparison_runs_as_shown(pair, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, two = shown(pair[0]), shown(pair[1], 1)
    exec(schedule_python([one, two], "grid", 0), {})
    table = differences(one.spec, two.spec, seeds=(None, 1))
    assert capsys.readouterr().out.strip() == table.to_string().strip()
    assert (tmp_path / "schedules.svg").read_text("utf-8").startswith("<svg")


def test_the_python_of_an_own_protocol_reads_the_file_beside_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own = ShownProtocol(ProtocolChoice.own(OURS), None)
    Path("two_opinions.json").write_text(document_json(own.spec), "utf-8")
    exec(schedule_python([own], "grid", None), {})
    assert Path("grid.svg").read_text("utf-8") == picture(own.spec).svg()


@pytest.fixture
def files(monkeypatch):
    """What makes the files that the Export menu offers, by their names."""
    found = {}
    monkeypatch.setattr(
        downloads, "offer_file", lambda _, make, name, **__: found.update({name: make})
    )
    return found


def test_the_menu_offers_the_files_of_what_is_shown(files):
    app = opened(protocol="mnip", round=3)
    # Nothing is made before somebody opens the menu.
    assert not files
    app.session_state["export"] = True
    sound(app.run())
    pictures = [f"mnip-grid.{ending}" for ending in ("svg", "pdf", "png", "tex")]
    assert [*files] == [*pictures, "mnip.toml", "mnip.json", "mnip.csv", "mnip.mmd"]
    assert files["mnip-grid.svg"]() == picture("mnip", "grid").written(".svg")
    assert files["mnip.csv"]() == cells_csv(specification("mnip"))
    assert load_specification(files["mnip.toml"]()) == specification("mnip")
    python = 'picture(spec, "grid"{}).save'
    assert python.format("") in app.code[0].value
    sound(app.checkbox(key="framed").check().run())
    assert files["mnip-grid.svg"]() == picture("mnip", "grid", selected=2).written(".svg")
    assert python.format(", selected=2") in app.code[0].value


def test_the_menu_of_a_published_protocol_has_its_document(files):
    app = opened(protocol="jury", **{"set.rounds": "3"})
    app.session_state["export"] = True
    sound(app.run())
    spec = specification("jury", rounds=3)
    pictures = [f"jury-grid.{ending}" for ending in ("svg", "pdf", "png", "tex")]
    assert [*files] == [*pictures, "jury.toml", "jury.json", "jury.csv", "jury.mmd"]
    assert files["jury-grid.svg"]() == picture(spec, "grid").written(".svg")
    assert files["jury.toml"]() == published_document("jury")
    assert load_specification(files["jury.json"]()) == spec
    assert 'specification("jury", rounds="3")' in app.code[0].value


def test_the_menu_of_a_comparison_offers_one_picture_and_the_files_of_both(files):
    app = AppTest.from_file(APP, default_timeout=600)
    app.switch_page(str(page_file("protocols")))
    app.query_params |= {"protocol": "nip", "compare": "true", "protocol_2": "jury"}
    app.session_state["export"] = True
    sound(app.run())
    specs = [specification(name) for name in ("nip", "jury")]
    assert files["nip-jury-grid.svg"]() == compare_picture(*specs).written(".svg")
    assert [files[name]() for name in ("nip.csv", "jury-2.csv")] == [*map(cells_csv, specs)]
