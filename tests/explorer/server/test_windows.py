"""Windows are notified when their own screen changes, and of nothing else."""

import urllib.error
import urllib.request
from contextlib import ExitStack
from functools import partial

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from explorer.visitors import signature, visitor_name
from tests.depth import exhaustive
from tests.explorer.connections import leading
from tests.explorer.connections.browsers import Browser, NoRedirects, Window, wait_for


@pytest.fixture
def room(frames):
    """A room of two people at one table, and the facilitator's browser."""
    code, key = frames.call(leading.open_room)
    with ExitStack() as opened:
        browser = partial(Browser, frames, opened)
        leader = browser()
        assert leader.fetch(f"/lead/{code}/{key}")[:2] == (303, f"/room?code={code}&as=lead")
        yield frames, code, key, leader, browser


@exhaustive
def test_each_window_is_notified_of_its_own_screen_only(room):
    server, code, _, leader, new_browser = room
    people = {}
    for _ in range(2):
        browser = new_browser()
        people[server.call(leading.join, code, browser.visitor)] = browser
    windows = {n: each.open_window(code, f"person:{n}") for n, each in people.items()}
    board = leader.open_window(code, "lead")
    wait_for(lambda: server.call(leading.there, code), {"person:1": 1, "person:2": 1, "lead": 1})
    server.call(leading.start, code)
    for window in (*windows.values(), board):
        window.changes()
    seats = {server.call(leading.seat, code, n, b.visitor): n for n, b in people.items()}
    first, second = seats["verifier"], seats["prover"]
    # Only the facilitator sees that somebody has left, and nobody at the table.
    quiet = windows[first].ask()
    windows[second].connection.close()
    wait_for(lambda: server.call(leading.there, code), {f"person:{first}": 1, "lead": 1})
    board.ask()
    assert windows[first].ask() == quiet
    # A person who comes back sees what the others see now.
    windows[second] = people[second].open_window(code, f"person:{second}")
    move = {"messages": {"main": "Why?"}, "decision": 2, "confidence": None, "mark": "1"}
    move |= {"round": 0, "seat": "verifier"}
    assert server.call(leading.play, code, first, people[first].visitor, move) is None
    windows[second].changes()
    # A browser gets no other person's view, no facilitator's view, and no connection from another
    # site.
    for watcher in (f"person:{first}", "lead", "projector", "person:9"):
        denied = people[second].open_window(code, watcher)
        assert denied.mark == "gone"
        with pytest.raises(ConnectionClosed, match="4000"):
            denied.receive()
    nowhere = f"episode={'0' * 32}&present="
    key = signature(leader.token, f"{'0' * 32}/")
    episode = f"ws://127.0.0.1:{server.port}/news?{nowhere}&key={key}"
    with connect(episode, additional_headers=leader.headers, proxy=None) as connection:
        assert Window(connection).mark == "gone"
    with pytest.raises(Exception, match="403"):
        leader.open_window(code, "lead", Origin="https://evil.example")
    for nothing in ("code=&as=lead", f"code={code}", f"code={code}&as=x", nowhere, ""):
        with pytest.raises(Exception, match="403"):
            connect(
                f"ws://127.0.0.1:{server.port}/news?{nothing}",
                additional_headers=leader.headers,
                proxy=None,
            )


def test_doors(room):
    server, code, key, leader, new_browser = room
    assert server.call(leading.leads, code, leader.visitor)
    stranger = new_browser()
    # Only the page says whether such a room exists.
    for typed in (code, code.lower(), "no-such"):
        assert stranger.fetch(f"/join/{typed}")[:2] == (303, f"/room?code={typed}")
    assert stranger.fetch(f"/join/{code}/k-1_")[1] == f"/room?code={code}&invitation=k-1_"
    number = server.call(leading.join, code, stranger.visitor)
    for link in (f"{code}/{key}", f"{code}/{key[:-1]}", f"XXXXX/{key}", "%3Cb%3E/x"):
        status, _, words = stranger.fetch(f"/lead/{link}")
        assert status in (403, 404)
        assert "<b>" not in words
    assert number == 1
    assert not server.call(leading.leads, code, stranger.visitor)
    # A browser that comes for the first time gets a cookie.
    stranger.headers = {}
    opener = urllib.request.build_opener(NoRedirects)
    with pytest.raises(urllib.error.HTTPError) as answer:
        opener.open(f"{server.url}/lead/{code}/{key}")
    assert answer.value.headers["location"] == f"/room?code={code}&as=lead"
    token = answer.value.headers["set-cookie"].partition("=")[2].partition(";")[0]
    assert server.call(leading.leads, code, visitor_name(token))
    with pytest.raises(urllib.error.HTTPError) as answer:
        opener.open(urllib.request.Request(f"{server.url}/lead/{code}/{key}", method="HEAD"))
    assert answer.value.status == 400
    assert key not in server.log
