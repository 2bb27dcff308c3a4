"""Tests of join.py, about.py and page.py.

Whatever others at an address have tried, keys work at once, and codes after a moment.
"""

import secrets
import time
from contextlib import ExitStack
from functools import partial

import pytest

from explorer import rooms
from explorer.server.rate_limit import CLASS, RoomRateLimit, joins, wrong_codes
from explorer.ui.room import join, new
from explorer.ui.room import page as room_page
from explorer.visitors import new_token, visitor_name
from tests.depth import exhaustive
from tests.explorer.connections import leading
from tests.explorer.connections.browsers import Browser
from tests.explorer.frames.client import Page
from tests.explorer.frames.server import FrameServer
from tests.explorer.rooms.people import LEADER, plan
from tests.explorer.ui.pages import open_page


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(join, "time", made)
    for module in (join, new, room_page):
        monkeypatch.setattr(module, "network_address", lambda: "")
    return made


page = partial(open_page, "room")


def fill(tries, storage, number=200):
    tries.count(storage, "")
    with storage._engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE tries SET count = {number}")


def buttons(app):
    return [button.label for button in app.button]


def waits(app):
    return any("goes on by itself" in each.value for each in app.info)


def test_after_many_wrong_codes_a_right_one_waits_and_gets_in(storage, clock):
    opened = rooms.open_room(storage, plan(), LEADER)
    fill(wrong_codes, storage)
    app = page(new_token(), code=opened.code)
    assert waits(app)
    assert "Join" not in buttons(app)
    # Asking early gives no earlier answer.
    assert waits(app.run())
    clock.now += 3
    app.run()
    assert "Join" in buttons(app)
    # Not again for each click.
    assert "Join" in buttons(app.run())


def test_a_wrong_code_is_refused_after_the_same_wait_and_the_next_waits_again(storage, clock):
    fill(wrong_codes, storage)
    app = page(new_token(), code="BBBBB")
    assert waits(app)
    clock.now += 3
    assert "no room with this code" in app.run().warning[-1].value
    app.query_params["code"] = "BBBBC"
    assert waits(app.run())


def test_invited_people_and_those_who_were_there_do_not_wait(storage, access, clock):
    opened = rooms.open_room(storage, plan(gallery="seat", gallery_seat=(1, "verifier")), LEADER)
    fill(wrong_codes, storage)
    fill(joins, storage, 1500)
    room = rooms.load_room(access(opened.code))
    assert len(room.invitation) == 22
    token = new_token()
    for wrong in (room.invitation[:-1], "漢"):
        assert waits(page(token, code=opened.code, invitation=wrong))
    app = page(token, code=opened.code, invitation=room.invitation)
    app.button[0].click().run()
    assert not app.exception
    assert rooms.load_room(access(opened.code)).persons_of(visitor_name(token))
    # Another window of the same browser, a person who left, a facilitator, a spectator.
    assert not waits(page(token, code=opened.code))
    rooms.leave(access(opened.code, visitor_name(token)), 1)
    assert not waits(page(token, code=opened.code))
    leads, looks = new_token(), new_token()
    rooms.lead(access(opened.code, visitor_name(leads)), opened.key)
    assert not waits(page(leads, code=opened.code, as_="lead"))
    key = rooms.watch_link(access(opened.code, LEADER))
    rooms.watch(access(opened.code, visitor_name(looks)), key)
    assert not waits(page(looks, code=opened.code, as_="gallery"))


@pytest.mark.parametrize(
    ("keys", "kept"), [(("room-leave",), 1), (("room-forget", "room-forget-yes"), 0)]
)
def test_a_person_leaves_with_or_without_their_part(storage, access, clock, keys, kept):
    code = rooms.open_room(storage, plan(names=True), LEADER).code
    token = new_token()
    rooms.join(access(code, visitor_name(token)), "Ada")
    app = page(token, code=code)
    app.session_state["room-more"] = True
    app.run()
    for key in keys:
        app.button(key=key).click().run()
        assert not app.exception
        # Before it is done, it says what cannot be undone.
        warned = any("are deleted for everybody" in each.value for each in app.warning)
        assert warned == (key == "room-forget")
    room = rooms.load_room(access(code))
    assert not room.here
    assert sum("Ada" in each.shown for each in room.people) == kept
    assert any("You have left the room" in each.value for each in app.info)


def test_where_many_have_joined_one_more_waits_and_joins(storage, access, clock):
    opened = rooms.open_room(storage, plan(), LEADER)
    fill(joins, storage, 400)
    app = page(new_token(), code=opened.code)
    app.button[0].click().run()
    assert waits(app)
    clock.now += 3
    app.run()
    assert len(rooms.load_room(access(opened.code)).here) == 1
    # Their address says who they are, for another window.
    assert {**app.query_params} == {"code": opened.code, "person": "1"}


@exhaustive
def test_beyond_a_class_a_code_waits_in_line_and_the_link_does_not(
    storage, access, clock, monkeypatch
):
    limit = partial(RoomRateLimit, clock=lambda: 4201.0)
    monkeypatch.setattr(join, "RoomRateLimit", limit)
    opened = rooms.open_room(storage, plan(), LEADER)
    room = rooms.load_room(access(opened.code))
    waited = [limit(room).wait(storage, "") for _ in range(CLASS + 1)]
    assert [each > 0 for each in waited] == [False] * CLASS + [True]
    for key in ("", "wrong", room.invitation):
        app = page(new_token(), code=opened.code, invitation=key)
        app.button[0].click().run()
        assert any("you are in line" in each.value for each in app.info) is (key != room.invitation)
    assert len(rooms.load_room(access(opened.code)).here) == 1


@exhaustive
def test_wrong_links_keep_nobody_out(frames):
    """A right link and a typed code work after a flood of wrong links."""
    code, key = frames.call(leading.open_room)
    with ExitStack() as opened:
        stranger, leader = Browser(frames, opened), Browser(frames, opened)
        answers = {
            stranger.fetch(f"/{door}/{each}/{secrets.token_urlsafe(16)}")
            for door in ("lead", "watch")
            for each in (code, "BBBBB", "no-code")
            for _ in range(40)
        }
        # The answer to a wrong link does not reveal whether there is such a room.
        assert {status for status, _, _ in answers} == {403}
        assert len(answers) == 2
        assert leader.fetch(f"/lead/{code}/{key}")[0] == 303
        newcomer = frames.open("room", code=code)
        assert "Join" in newcomer.labels()


def test_a_gallerys_connection_cannot_be_used_to_try_codes(frames):
    code, _ = frames.call(leading.open_room)
    with ExitStack() as opened:
        stranger = Browser(frames, opened)
        assert stranger.open_window(code, "gallery").mark == "gone"
        key = frames.storage.rooms.read(code).room["invitation"]
        assert stranger.open_window(code, f"gallery&invitation={key}").mark != "gone"


def test_a_facilitator_s_password_is_guessed_slowly(storage, clock, monkeypatch):
    from explorer.rooms.opening import PASSWORD

    monkeypatch.setenv(PASSWORD, "correct horse")

    def guess(app, password):
        app.text_input(key="new-password").set_value(password)
        app.button(key="new-open").click().run()
        assert not app.exception
        return "\n".join(str(each.proto) for each in app.error)

    app = page(new_token(), new="1")
    for _ in range(10):
        assert "not the facilitator" in guess(app, "wrong")
    # Even the right password waits now: otherwise the time would reveal the wrong ones.
    assert "2 seconds" in guess(app, "correct horse")
    assert storage.rooms.listed() == []
    clock.now += 2.1
    guess(app, "correct horse")
    assert len(storage.rooms.listed()) == 1


@exhaustive
@pytest.mark.parametrize("trusted", ["", "127.0.0.1"])
def test_attempts_count_for_the_visitor_that_a_trusted_proxy_names(tmp_path, trusted):
    server = FrameServer(tmp_path, FORWARDED_ALLOW_IPS=trusted)
    try:
        storage = server.use_database(f"sqlite:///{tmp_path}/frames.db")
        said = {"X-Forwarded-For": "6.6.6.6, 203.0.113.7"}
        opened = Page(server.port, "room", {"code": "BBBBB"}, headers=said)
        opened.rerun()
        opened.close()
        made = {
            address: storage.attempts.made("wrong code", address, time.time())[0]
            for address in ("", "6.6.6.6", "203.0.113.7")
        }
        assert made == {"": not trusted, "6.6.6.6": 0, "203.0.113.7": bool(trusted)}
    finally:
        server.stop()
