"""What can be taken away from the Schedule page is what it shows, and its Python runs."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest

from explorer.figures import caption, differences, grid_data, grid_figure
from explorer.figures.files import figure_html
from explorer.schedule.exports import cells_csv, cells_json, schedule_python
from nip_core import HyperParameters, ProtocolSpec, protocol_names, protocol_spec

TURNED = {
    "protocol_common": {"zero_knowledge": True, "verifier_first": False},
    "debate_protocol": {"sequential": True, "max_message_rounds": 5},
}


@pytest.fixture
def shown(monkeypatch):
    """The figures that code shows."""
    figures: list[dict] = []
    monkeypatch.setattr("plotly.io.show", lambda figure, **_: figures.append(figure.to_dict()))
    return figures


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


def test_a_picture_is_a_page_without_the_network():
    spec = protocol_spec(HyperParameters(interaction_protocol="adp"))
    page = figure_html(grid_figure(spec)).decode()
    assert "<html>" in page
    assert 'src="http' not in page


@pytest.mark.parametrize("view", ["Grid", "Round", "Sequence"])
@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("protocol", protocol_names())
def test_the_python_runs_as_shown(protocol, seed, view, shown, capsys):
    parameters = HyperParameters(interaction_protocol=protocol, **TURNED)
    exec(schedule_python([(parameters, seed)], view, 1), {})
    assert capsys.readouterr().out.strip() == caption(protocol_spec(parameters), seed)
    assert len(shown) == 1


def test_the_python_of_a_comparison_runs_as_shown(shown, capsys):
    one, two = HyperParameters(), HyperParameters(interaction_protocol="merlin_arthur", **TURNED)
    exec(schedule_python([(one, None), (two, 1)], "Grid", 0), {})
    told = differences(protocol_spec(one), protocol_spec(two), seeds=(None, 1))
    assert capsys.readouterr().out.strip() == told.to_string().strip()
    assert len(shown) == 1
