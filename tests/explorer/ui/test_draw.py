"""The Draw page, as the server shows it; its windows are in tests/explorer/server."""

import json
import re
from urllib.parse import parse_qs, urlsplit

from explorer.choice import ProtocolChoice
from explorer.drawing import DRAWING
from nip_core.registry import specification
from tests.explorer.ui.pages import open_page
from tests.explorer.ui.protocols.test_gallery import pieces
from tests.explorer.ui.protocols.test_page import opened as protocols_page
from tests.explorer.ui.protocols.test_page import parts, sound


def opened(**query):
    return sound(open_page("draw", **query))


def screen(app):
    (data,) = parts(app, "nip_draw")
    assert parse_qs(urlsplit(data["address"]).query) == {DRAWING: [data["screen"]["place"]]}
    return data["screen"]


def test_a_new_drawing_is_empty_and_stays_the_same_in_its_tab():
    app = opened()
    first = screen(app)
    assert first["empty"]
    assert first["new"]
    assert screen(app.run())["place"] == first["place"]


def test_a_protocol_of_the_gallery_is_changed_with_its_settings_and_comments():
    shown = screen(opened(protocol="khan_debate", **{"set.rounds": "2"}))
    rounds = specification("khan_debate").with_settings(rounds=2)
    assert ProtocolChoice.own(shown["document"]).rules == rounds
    assert not shown["empty"]


def test_the_link_of_a_drawing_opens_the_same_protocol_elsewhere():
    shown = screen(opened(protocol="jury"))
    query = {
        key: values[0] for key, values in parse_qs(urlsplit(shown["links"]["draw"]).query).items()
    }
    again = screen(opened(**query))
    assert json.loads(again["document"]) == json.loads(shown["document"])
    assert again["place"] != shown["place"]


def test_a_damaged_link_is_said_and_an_empty_drawing_shown():
    app = opened(protocol="own", spec="damaged")
    assert "damaged" in " ".join(said.value for said in (*app.info, *app.warning))
    assert screen(app)["empty"]


def test_every_way_to_the_page_is_there():
    gallery = open_page("protocols")
    assert re.search(r'href="/draw"[^>]*>Draw your own', pieces(sound(gallery)))
    assert "/draw?protocol=jury" in pieces(protocols_page(protocol="jury"))
    assert "/draw" in pieces(protocols_page(protocol="own"))


def test_a_wall_that_is_dragged_on_a_protocols_page_is_moved_in_a_new_drawing():
    page = protocols_page(protocol="mnip")
    (handle,) = parts(page, "nip_wall")
    assert handle["stands"]
    assert [seat["name"] for seat in handle["seats"]] == ["Prover 1", "Prover 2"]
    query = {key: values[0] for key, values in parse_qs(urlsplit(handle["href"]).query).items()}
    app = opened(**query)
    shown = screen(app)
    assert shown["history"]["steps"] == ["open the wall between prover 1 and prover 2"]
    assert shown["beside"]["title"] == "How it began"
    # A run again does not move it back, and neither does a reload with the drawing's name.
    assert screen(app.run())["history"]["at"] == 1
    again = screen(opened(**query, drawing="0123456789ab"))
    assert again["history"]["at"] == 0


def test_a_wall_that_is_none_is_said():
    for wall in ("x", "prover0.prover0.up", "prover0.nobody.down", "prover0.prover1.sideways"):
        app = opened(protocol="mnip", wall=wall)
        said = " ".join(each.value for each in app.info)
        assert "wall" in said, wall
        assert screen(app)["history"]["at"] == 0
