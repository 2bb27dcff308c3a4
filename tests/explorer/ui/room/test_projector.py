"""What the projector draws of a room at tables; `rooms/test_lesson_parts.py` has lessons."""

from unittest.mock import MagicMock, patch

from explorer.ui.room import projector
from tests.depth import each


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
