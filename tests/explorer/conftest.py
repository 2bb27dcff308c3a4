"""A running server whose every frame tests can read (`tests.explorer.frames`), and PostgreSQL."""

import functools
import sys
from collections.abc import Iterator

import pytest

from explorer.storage import engines, schema
from tests.explorer.frames import FrameServer
from tests.explorer.storage.compiling import with_kept_statements
from tests.explorer.storage.migrating import repeating
from tests.explorer.storage.postgres import Server, running


def pytest_collection_finish():
    """Replace two slow parts of Streamlit's own testing.

    It would collect garbage after every run, which our server does not do, among all modules that a
    worker has imported. And for every app it would search the metadata of all installed packages
    for components, which takes ten times as long as a page.
    """
    if "streamlit" in sys.modules:
        from streamlit import config
        from streamlit.components.v2 import manifest_scanner

        config.set_option("runner.postScriptGC", False)
        scan = manifest_scanner.scan_component_manifests
        manifest_scanner.scan_component_manifests = functools.cache(scan)


@pytest.fixture(scope="session", autouse=True)
def _tables_and_statements_are_made_once():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "_upgrade", repeating(schema._upgrade))
        patch.setattr(engines, "create_engine", with_kept_statements(engines.create_engine))
        yield


@pytest.fixture(scope="session", autouse=True)
def _nothing_of_the_person_is_used(tmp_path_factory):
    """Keep what a test stores without a database of its own out of this user's data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="session")
def frame_server(tmp_path_factory):
    """Return one server for all tests of a worker, since it takes seconds to start."""
    server = FrameServer(tmp_path_factory.mktemp("frames"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """Return one database server for all tests of a worker: a cluster takes a second to make."""
    with running() as server:
        yield server


@pytest.fixture
def frames(frame_server, tmp_path):
    """Return the server with a fresh database; opened pages are closed after the test."""
    frame_server.use_database(f"sqlite:///{tmp_path}/frames.db")
    yield frame_server
    frame_server.close_pages()


@pytest.fixture
def access(storage):
    """Return how to get a visitor's access to a room of the test's database: `access(code, who)`.

    Without a visitor, the access is for reading only.
    """
    from explorer import rooms

    return functools.partial(rooms.Access, storage)
