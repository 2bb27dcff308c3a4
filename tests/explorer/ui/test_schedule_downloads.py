"""Downloads of the Schedule page contain what it shows, and its Python runs."""

import io
import json

import pandas as pd
import pytest

from explorer.pictures import VIEWS, caption, differences, grid_data, picture
from explorer.ui.schedule_downloads import cells_csv, cells_json, schedule_python
from nip_core import HyperParameters, ProtocolSpec, protocol_names, protocol_spec
from tests.depth import first

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
