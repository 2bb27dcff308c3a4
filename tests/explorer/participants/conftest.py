"""Studies are tested on SQLite, in the full run on PostgreSQL; the room follows from its log.

That both databases keep people alike is tested with the storage.
"""

import pytest

from tests.depth import first
from tests.explorer.participants.people import Clock
from tests.explorer.rooms.logs import assert_logs_say_the_rows, assert_rebuilt
from tests.explorer.storage.conftest import place_of


@pytest.fixture(params=first(1, ["sqlite", "postgresql"]))
def place(request, tmp_path):
    yield from place_of(request, tmp_path)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def storage(place):
    with place.open() as opened:
        yield opened
        assert_logs_say_the_rows(opened)
        assert_rebuilt(opened)
