"""Making rooms, without a browser."""

from types import SimpleNamespace
from unittest.mock import MagicMock, patch

import pytest

from explorer.rooms import RoomError, RoomPlan
from explorer.ui.room import new
from tests.depth import each

ENDED = {new.ENDED: ("BCDFG", {"workshop": "1"})}


@each(
    ("state", "code", "back"),
    [
        (ENDED, "BCDFG", True),
        (ENDED, "BCDFH", False),
        (ENDED, None, False),
        ({}, "BCDFG", False),
        ({}, None, False),
    ],
)
def test_only_the_window_that_ended_a_rehearsal_returns_to_its_form(state, code, back):
    query = MagicMock()
    query.get.return_value = code
    with patch.object(new, "st", SimpleNamespace(session_state=state, query_params=query)):
        new.come_back()
    assert [call.args for call in query.from_dict.call_args_list] == [({"workshop": "1"},)] * back


def test_after_many_wrong_passwords_a_visitor_waits():
    with (
        patch.multiple(new, who_may_open=lambda: "password", seconds_to_wait=lambda *_: 6.2),
        pytest.raises(RoomError, match=r"Too many wrong passwords came .* again in 7 seconds"),
    ):
        new._open_as_visitor(RoomPlan(), "guess")
