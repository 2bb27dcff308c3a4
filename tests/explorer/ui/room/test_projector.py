"""What the projector draws of each part of a lesson."""

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
