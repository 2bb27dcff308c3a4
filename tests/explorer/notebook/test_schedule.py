"""Schedules in a notebook: drawn, walked through, compared, refused where they do not fit."""

import json

import pytest

from explorer.notebook import show_schedule
from explorer.pictures import (
    VIEWS,
    PictureError,
    Shown,
    compare_picture,
    picture,
    schedule_payload,
)
from nip_core import protocol_names, published_names
from nip_core.registry import specification
from tests.depth import first


@pytest.mark.parametrize("name", [*first(2, published_names()), *first(2, protocol_names())])
def test_it_sends_the_picture_of_the_page(name):
    spec = specification(name)
    for view in VIEWS:
        for given in (name, spec):
            shown = show_schedule(given, view=view)
            assert shown.data()["picture"] == schedule_payload([Shown(spec)], view)
        framed = None if view == "visibility" else 0
        assert shown.svg() == picture(spec, view, selected=framed).svg()
        assert shown.text() == picture(spec).description
        assert "<table" in shown.html()


def test_a_column_can_be_chosen_here_and_in_the_browser():
    shown = show_schedule("jury", round_id=1)
    columns = json.loads(shown.data()["picture"])["columns"]
    shown.receive("pick", {"round": 2, "pick": "a"})
    assert (shown.selected, shown.data()["pick"]) == (2, "a")
    for refused in (columns, -1, True, "1", None):
        shown.receive("pick", {"round": refused, "pick": "b"})
        assert shown.selected == 2
        with pytest.raises(PictureError, match="There is no column"):
            shown.selected = refused
    shown.selected = columns - 1
    assert shown.data() == {**shown.data(), "selected": columns - 1, "pick": None}


def test_any_two_protocols_are_compared():
    shown = show_schedule("jury", "nip")
    drawn = [Shown(specification(name)) for name in ("jury", "nip")]
    assert shown.data()["picture"] == schedule_payload(drawn)
    assert shown.svg() == compare_picture("jury", "nip", selected=0).svg()
    assert show_schedule("merlin_arthur", seed=1).text().startswith("With seed 1")
    with pytest.raises(PictureError, match="not three"):
        show_schedule("jury", "nip", compare="mnip")


def test_two_protocols_are_compared_in_one_way():
    with pytest.raises(PictureError, match="A pair of seeds is for two protocols"):
        show_schedule("nip", seed=(1, 2))
    with pytest.raises(PictureError, match="Two protocols are compared as grids"):
        show_schedule("nip", compare="mnip", view="sequence")
