"""A server whose every frame tests can read; see `tests.explorer.frames`."""

from __future__ import annotations

import functools
import sys

import pytest

from explorer.storage import schema
from tests.explorer.frames import FrameServer
from tests.explorer.storage.migrating import repeating


def pytest_collection_finish():
    """Let Streamlit's own testing do once what it would do for every test.

    It would collect garbage after every run, which our server does not, among all that the tests
    of a worker have imported; and it would read for every app what each installed package says of
    itself, to find components among them, which takes ten times as long as a page.
    """
    if "streamlit" in sys.modules:
        from streamlit import config
        from streamlit.components.v2 import manifest_scanner

        config.set_option("runner.postScriptGC", False)
        scan = manifest_scanner.scan_component_manifests
        manifest_scanner.scan_component_manifests = functools.cache(scan)


@pytest.fixture(scope="session", autouse=True)
def _tables_are_made_once():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "_upgrade", repeating(schema._upgrade))
        yield


@pytest.fixture(scope="session")
def frame_server(tmp_path_factory):
    """One for all tests of a worker, since it takes seconds to start."""
    server = FrameServer(tmp_path_factory.mktemp("frames"))
    yield server
    server.stop()


@pytest.fixture
def frames(frame_server, tmp_path):
    """The server with a fresh database; pages that were opened are closed after the test."""
    frame_server.use_database(f"sqlite:///{tmp_path}/frames.db")
    yield frame_server
    frame_server.close_pages()
