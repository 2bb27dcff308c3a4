"""What the projector draws of a room at tables, and of each part of a lesson."""

from types import SimpleNamespace
from unittest.mock import MagicMock, patch

from explorer.ui.room import projector
from tests.depth import each

DRAWN = ("show_prose", "show_playable", "show_choices", "show_truth", "show_reading")


@each(
    ("kind", "stage", "pairs", "charts", "drawn"),
    [
        ("open", "open", False, (), ()),
        ("text", None, False, (), ("show_reading",)),
        ("quiz", "open", False, (), ("show_choices", "show_truth")),
        ("quiz", "locked", False, (1,), ("show_truth",)),
        ("quiz", "revealed", False, (1,), ("show_truth",)),
        ("predict", "revealed", False, (), ("show_truth",)),
        ("game", "open", False, (), ("show_prose", "show_truth")),
        ("game", "open", True, (), ("show_truth",)),
        ("game", "revealed", False, (), ("show_prose", "show_truth")),
        ("playable", "open", False, (), ("show_prose", "show_choices", "show_truth")),
        ("playable", "revealed", False, (), ("show_prose", "show_playable", "show_truth")),
    ],
)
def test_a_part_is_drawn_by_its_kind_and_stage(kind, stage, pairs, charts, drawn):
    block = SimpleNamespace(kind=kind, name="two_rooms", question="Who?", text="Text.")
    part = SimpleNamespace(
        block=block, stage=stage, pairs=pairs, charts=charts, place=1, key=(1, "before"),
        signs=2, live=None,
    )  # fmt: skip
    called = []
    fakes = {name: (lambda *_, name=name, **__: called.append(name)) for name in DRAWN}
    screen, view = MagicMock(), MagicMock(code="BCDFG", title="A lesson")
    with patch.multiple(
        projector, st=screen, projector_now=lambda _: None, typed_address=lambda _: "", **fakes
    ):
        projector._part(view, part)
    assert tuple(called) == drawn
    signs = [call for call in screen.html.call_args_list if "nip-signs" in call.args[0]]
    assert len(signs) == (pairs and stage != "revealed")


@each(
    ("changes", "title"),
    [
        ({"phase": "gathering"}, "Join this room"),
        ({"phase": "paused"}, "Paused"),
        ({"over": True}, "All tables are over"),
        ({"turn": 1}, "2 of 2 tables are over"),
        ({"asked": ("Which?", ("these", "those"), 1, 3)}, "What do you expect?"),
        ({"phase": "revealed"}, "The result"),
        ({"phase": "closed"}, "The result"),
    ],
)
def test_the_projector_says_at_which_point_a_room_is(changes, title):
    far = {"tables": 2, "over": 2, "bots": 0, "played": 4, "rounds": 4}
    page = {"phase": "running", "asked": None, "over": False, "title": "", "board": None}
    page |= {"people": 3, "bots": 0, "far": far, **changes}
    titles, screen = [], MagicMock()
    fakes = {name: MagicMock() for name in ("show_invitation", "show_debrief")}
    with patch.multiple(
        projector, st=screen, _title=lambda said, _: titles.append(said),
        projector_now=lambda *_, **__: None, **fakes,
    ):  # fmt: skip
        projector.show_projector(MagicMock(**page))
    assert titles == [title]
    assert fakes["show_debrief"].called == (title == "The result")
    assert any("nip-wall" in call.args[0] for call in screen.html.call_args_list)
