"""Downloads of the Schedule page contain what it shows, and its Python runs."""

import io
import json

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from explorer.pictures import VIEWS, caption, compare_picture, differences, grid_data, picture
from explorer.ui import schedule_downloads
from explorer.ui.schedule_downloads import cells_csv, cells_json, schedule_python
from nip_core import HyperParameters, ProtocolSpec, protocol_names, protocol_spec
from tests.depth import first
from tests.explorer.ui.test_schedule import APP, PAGE, opened, sound

TURNED = {
    "protocol_common": {"zero_knowledge": True, "verifier_first": False},
    "debate_protocol": {"sequential": True, "max_message_rounds": 5},
}


@pytest.mark.parametrize("protocol", protocol_names())
@pytest.mark.parametrize("seed", [None, 1])
def test_data(protocol, seed):
    spec = protocol_spec(HyperParameters(interaction_protocol=protocol))
    cells = grid_data(spec, seed)
    table = pd.read_csv(io.BytesIO(cells_csv(spec, seed)), keep_default_na=False)
    pd.testing.assert_frame_equal(table, cells, check_dtype=False)
    document = json.loads(cells_json(spec, seed))
    assert ProtocolSpec.from_dict(document["protocol"]) == spec
    assert document["seed"] == seed
    assert pd.DataFrame(document["cells"]).to_dict("records") == cells.to_dict("records")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("protocol", first(2, protocol_names()))
def test_the_python_runs_as_shown(protocol, seed, view, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parameters = HyperParameters(interaction_protocol=protocol, **TURNED)
    exec(schedule_python([(parameters, seed)], view, 0), {})
    spec = protocol_spec(parameters)
    assert capsys.readouterr().out.strip() == caption(spec, seed)
    framed = None if view == "visibility" else 0
    same = picture(spec, view, seed=seed, selected=framed)
    assert (tmp_path / f"{view}.svg").read_text("utf-8") == same.svg()


def test_the_python_frames_no_round_where_the_picture_has_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, two = HyperParameters(), HyperParameters(interaction_protocol="debate")
    exec(schedule_python([(one, None)], "grid", None), {})
    drawn = (tmp_path / "grid.svg").read_text("utf-8")
    assert drawn == picture(protocol_spec(one), "grid").svg()
    assert drawn != picture(protocol_spec(one), "grid", selected=0).svg()
    assert "selected" not in schedule_python([(one, None), (two, None)], "grid", None)


def test_the_python_of_a_comparison_runs_as_shown(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, two = HyperParameters(), HyperParameters(interaction_protocol="merlin_arthur", **TURNED)
    exec(schedule_python([(one, None), (two, 1)], "grid", 0), {})
    table = differences(protocol_spec(one), protocol_spec(two), seeds=(None, 1))
    assert capsys.readouterr().out.strip() == table.to_string().strip()
    assert (tmp_path / "schedules.svg").read_text("utf-8").startswith("<svg")


@pytest.fixture
def files(monkeypatch):
    """What makes the files that the Export menu offers, by their names."""
    found = {}
    monkeypatch.setattr(
        schedule_downloads, "offer_file", lambda _, make, name, **__: found.update({name: make})
    )
    return found


def test_the_menu_offers_the_files_of_what_is_shown(files):
    app = opened(protocol="mnip", round=3)
    # Nothing is made before somebody opens the menu.
    assert not files
    app.session_state["export"] = True
    sound(app.run())
    pictures = [f"mnip-grid.{ending}" for ending in ("svg", "pdf", "png", "tex")]
    assert [*files] == [*pictures, "mnip.csv", "mnip.json", "mnip.mmd"]
    spec = protocol_spec("mnip")
    assert files["mnip-grid.svg"]() == picture(spec, "grid").written(".svg")
    assert files["mnip.csv"]() == cells_csv(spec)
    python = 'picture(spec, "grid"{}).save'
    assert python.format("") in app.code[0].value
    sound(app.checkbox(key="framed").check().run())
    assert files["mnip-grid.svg"]() == picture(spec, "grid", selected=2).written(".svg")
    assert python.format(", selected=2") in app.code[0].value


def test_the_menu_of_a_comparison_offers_one_picture_and_the_files_of_both(files):
    app = AppTest.from_file(APP, default_timeout=600)
    app.switch_page(PAGE)
    app.query_params |= {"protocol": "nip", "compare": "true", "protocol_2": "mnip"}
    app.session_state["export"] = True
    sound(app.run())
    specs = [protocol_spec(name) for name in ("nip", "mnip")]
    assert files["nip-mnip-grid.svg"]() == compare_picture(*specs).written(".svg")
    assert [files[name]() for name in ("nip.csv", "mnip-2.csv")] == [*map(cells_csv, specs)]
