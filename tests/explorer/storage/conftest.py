"""Every test of the storage runs on SQLite and on PostgreSQL."""

from collections.abc import Iterator

import pytest

from explorer.storage import Storage
from tests.explorer.storage.places import Place, PostgresPlace, SqlitePlace


def place_of(request, tmp_path) -> Iterator[Place]:
    """Yield a database of the kind that a fixture's parameter says."""
    if request.param == "sqlite":
        yield SqlitePlace(tmp_path)
        return
    postgres = request.getfixturevalue("postgres")
    # Tests of migrations begin without tables, like those that do not open a storage at once.
    names = request.fixturenames
    ready = "storage" in names and "_migrations_run" not in names
    yield PostgresPlace(postgres, with_tables=ready)
    postgres.take_back()


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path) -> Iterator[Place]:
    yield from place_of(request, tmp_path)


@pytest.fixture
def storage(place) -> Iterator[Storage]:
    with place.open() as opened:
        yield opened
