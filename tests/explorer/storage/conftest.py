"""Every test of the storage runs on SQLite and on PostgreSQL."""

from collections.abc import Iterator

import pytest

from explorer.storage import Storage
from tests.explorer.storage.places import Place, PostgresPlace, SqlitePlace


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path) -> Iterator[Place]:
    if request.param == "sqlite":
        yield SqlitePlace(tmp_path)
        return
    postgres = request.getfixturevalue("postgres")
    yield PostgresPlace(postgres)
    postgres.take_back()


@pytest.fixture
def storage(place) -> Iterator[Storage]:
    with place.open() as opened:
        yield opened
