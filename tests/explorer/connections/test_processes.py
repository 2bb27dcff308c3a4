"""Two processes of the app on one PostgreSQL, and people of one table on different processes."""

import signal
from contextlib import ExitStack

import pytest

from tests.depth import exhaustive
from tests.explorer.connections import leading
from tests.explorer.connections.browsers import Browser, wait_for
from tests.explorer.frames import FrameServer
from tests.explorer.frames.client import UPDATES
from tests.explorer.storage.postgres import running


@pytest.fixture
def database():
    """A database server for this test alone, since it is restarted."""
    with running() as server:
        yield server


@pytest.fixture
def processes(frame_server, database, tmp_path):
    """Two servers, the second of which a test may kill."""
    url = database.url(database.new_database())
    second = FrameServer(tmp_path)
    for each in (frame_server, second):
        each.use_database(url)
    yield frame_server, second
    second.stop()
    frame_server.call(leading.forget_database)


@exhaustive
def test_a_table_outlives_its_processes_and_its_database(processes, database):
    one, two = processes
    code, _ = one.call(leading.open_room)
    with ExitStack() as opened:
        people = {}
        for server in processes:
            browser = Browser(server, opened)
            people[server.call(leading.join, code, browser.visitor)] = browser
        windows = {n: each.open_window(code, f"person:{n}") for n, each in people.items()}
        one.call(leading.start, code)
        for window in windows.values():
            window.changes()
        seats = {one.call(leading.seat, code, n, b.visitor): n for n, b in people.items()}

        def play(agent, words):
            mover = windows[seats[agent]]
            assert mover.act(messages={"main": words}) is None
            acknowledged.append(words)
            for window in windows.values():
                if window is not mover:
                    window.changes()

        acknowledged = []
        play("verifier", "Why?")
        # When a process is killed, no confirmed move is lost, and its people go on at the other
        # one.
        (lost,) = [n for n, each in people.items() if each.server is two]
        two._process.kill()
        two._process.wait()
        people[lost].server = one
        windows[lost] = people[lost].open_window(code, f"person:{lost}")
        play("prover", "Because.")
        # While the database restarts, people see a message; then play goes on.
        database.stop(signal.SIGQUIT)
        for window in windows.values():
            window.receive_until(lambda mark: mark == "lost")
        mover = windows[seats["verifier"]]
        refused = mover.act(messages={"main": "Hello?"})["message"]
        assert "cannot reach its database at the moment" in refused
        stranger = one.open("room", code=code)
        assert "This page goes on by itself" in stranger.said
        assert "NIP_EXPLORER" not in stranger.said
        stranger.open_updates()
        database.start()
        while (mark := stranger.next_mark()) == "lost":
            pass
        stranger.trigger(UPDATES, "update", mark)
        assert "Join" in stranger.labels("button")
        for window in windows.values():
            window.receive_until(lambda mark: mark != "lost")
        play("verifier", "Really?")
        wait_for(lambda: len(one.call(leading.there, code)), 2)
        assert one.call(leading.said, code) == acknowledged
