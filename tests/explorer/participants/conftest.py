"""Studies are tested on SQLite and on PostgreSQL; the room's rows follow from its log."""

import pytest

from tests.explorer.participants.people import Clock
from tests.explorer.rooms.logs import assert_logs_say_the_rows, assert_rebuilt
from tests.explorer.storage.conftest import place

__all__ = ["place", "storage"]


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def storage(place):
    with place.open() as opened:
        yield opened
        assert_logs_say_the_rows(opened)
        assert_rebuilt(opened)
