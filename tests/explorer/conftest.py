"""A server whose every frame tests can read; see `tests.explorer.frames`."""

from __future__ import annotations

import sys

import pytest

from tests.explorer.frames import FrameServer


def pytest_collection_finish():
    """Let Streamlit's own testing collect no garbage after every run, as our server does not.

    It would go through all that the tests of a worker have imported, each time.
    """
    if "streamlit" in sys.modules:
        from streamlit import config

        config.set_option("runner.postScriptGC", False)


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
