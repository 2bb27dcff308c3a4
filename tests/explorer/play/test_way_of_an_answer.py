"""How many files of `explorer` a model's answer passes on its way to the transcript."""

import sys
import threading
from pathlib import Path

import pytest

import explorer
from explorer.play.stored import StoredTable
from explorer.players.models.transport import on_network
from explorer.storage import open_storage
from nip_core.play import Move
from nip_core.transcript import dumps
from tests.explorer.play.test_workers import finished, table_of
from tests.explorer.players.misbehaving import sensible
from tests.explorer.players.model_server import ModelServer

PACKAGE = f"{Path(explorer.__file__).parent}/"
# From the service's first word, and from the request on. If a change adds a file to the way, merge
# two that belong together.
MOST_FILES, MOST_WITH_REQUEST = 21, 22


class Tracer:
    """Records the functions that are passed in all threads that it is set for, by file."""

    def __init__(self):
        self.passed = {}

    def __call__(self, frame, event, _):
        return self.at_line if frame.f_code.co_filename.startswith(PACKAGE) else None

    def at_line(self, frame, event, _):
        if event == "line":
            file = frame.f_code.co_filename.removeprefix(PACKAGE)
            self.passed.setdefault(file, set()).add(frame.f_code.co_name)
        return self.at_line


@pytest.fixture
def tracer():
    """Trace threads that are begun from now on, and the network's, which may be running already."""
    made = Tracer()
    set_in_network(made)
    threading.settrace(made)
    yield made
    threading.settrace(None)
    set_in_network(None)


def set_in_network(tracer):
    async def on_thread():
        sys.settrace(tracer)

    on_network(on_thread()).result(30)


def in_thread(work):
    """Do some work in a thread of its own, which is traced; return its result."""
    found = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def test_an_answer_passes_few_files_on_its_way_to_the_transcript(tmp_path, tracer):
    storage = open_storage(f"sqlite:///{tmp_path}/episodes.sqlite")
    before = {}

    def answer(messages):
        before.update(tracer.passed)
        tracer.passed = {}
        return sensible(messages)

    with ModelServer(answer=answer) as server:
        table = table_of(storage, "nip", {"prover": server})
        # The first answer fills caches and opens connections; the second one counts.
        finished(table)
        table.play(Move("verifier", {"main": "And for an empty list?"}))
        before.clear()
        tracer.passed = {}
        assert not finished(table).failed
        text = in_thread(lambda: dumps(storage.load(table.id).episode))
    assert text == dumps(StoredTable(storage, table.id).episode)
    passed = tracer.passed
    # Both ends of the way, so that nothing between them was overlooked.
    assert "_read" in passed["players/models/wire.py"]
    assert "read" in passed["players/models/player.py"]
    assert "act" in passed["play/table.py"]
    assert "write" in passed["storage/records.py"]
    assert "load" in passed["storage/storage.py"]
    assert "hold" in before["players/models/limits.py"]
    for files, most in ((passed, MOST_FILES), (passed | before, MOST_WITH_REQUEST)):
        listed = "\n".join(f"{file}: {', '.join(sorted(files[file]))}" for file in sorted(files))
        print(f"{len(files)} files:\n{listed}")
        assert len(files) <= most
