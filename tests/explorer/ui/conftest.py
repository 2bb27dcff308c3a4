"""Pages have a database of their own in each test, which the test reads too."""

import pytest

from explorer.storage import open_storage
from tests.explorer.players.model_server import ModelServer


@pytest.fixture
def database(tmp_path, monkeypatch):
    address = f"sqlite:///{tmp_path}/episodes.db"
    monkeypatch.setenv("NIP_EXPLORER_DATABASE", address)
    return address


@pytest.fixture
def storage(database):
    with open_storage(database) as opened:
        yield opened


@pytest.fixture
def server():
    with ModelServer() as started:
        yield started
