"""Rooms are tested on SQLite, and what many people do at once on PostgreSQL, too."""

from collections.abc import Iterator

import pytest

from explorer.storage import Storage, open_storage
from tests.explorer.rooms.logs import assert_logs_say_the_rows, assert_rebuilt
from tests.explorer.storage.conftest import place

__all__ = ["place", "storage"]


@pytest.fixture
def storage(tmp_path) -> Iterator[Storage]:
    with open_storage(f"sqlite:///{tmp_path / 'rooms.db'}") as opened:
        yield opened
        if (tmp_path / "rooms.db").exists() and opened._engine.pool.checkedout() == 0:
            assert_logs_say_the_rows(opened)
            assert_rebuilt(opened)


@pytest.fixture
def both(place):
    """Return two processes' accesses to one database."""
    with place.open() as one, place.open() as two:
        yield one, two
        assert_logs_say_the_rows(one)
        assert_rebuilt(two)
