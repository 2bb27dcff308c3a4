"""What the projector's page asks for; `rooms/test_slides.py` has what is on a slide."""

from unittest.mock import MagicMock, patch

from explorer.rooms import ProjectorView
from explorer.ui.room import projector
from tests.depth import each


@each(("kind", "made"), [(ProjectorView, "lesson_slide"), (None, "tables_slide")])
def test_the_projector_shows_one_slide(kind, made):
    slides = {"lesson_slide": MagicMock(), "tables_slide": MagicMock()}
    own = {name: MagicMock() for name in ("st", "show_slide", "invitation", "room_of", "access_to")}
    with patch.multiple(
        projector, own_settings=lambda *_: ({}, "tried"), **slides, **own,
    ):  # fmt: skip
        projector.show_projector(MagicMock(spec=kind, code="ABCDE", parts=()))
    assert [name for name, each in slides.items() if each.called] == [made]
    assert own["show_slide"].call_args.args == (slides[made].return_value,)
    # Only a lesson has experiments to turn.
    assert own["show_slide"].call_args.kwargs == ({"experiment": "tried"} if kind else {})
