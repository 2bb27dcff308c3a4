"""Every test of the storage runs on SQLite and on PostgreSQL."""

from collections.abc import Iterator

import pytest

from explorer.storage import Storage
from tests.explorer.storage.places import Place, PostgresPlace, SqlitePlace
from tests.explorer.storage.postgres import Server, find_binaries


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("PostgreSQL's server programs are not installed (Debian: postgresql)")
    server = Server(binaries)
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path) -> Iterator[Place]:
    if request.param == "sqlite":
        yield SqlitePlace(tmp_path)
        return
    server = request.getfixturevalue("server")
    yield PostgresPlace(server)
    server.take_back()


@pytest.fixture
def storage(place) -> Iterator[Storage]:
    with place.open() as opened:
        yield opened
