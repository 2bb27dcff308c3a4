"""Tests of streamlit_parts.py and uploads.py.

What sessions upload, download and leave behind: bounded, private, and deleted with them.
"""

import http.client
import json
import os
import re
import time
import urllib.error
import urllib.request
import uuid
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.exceptions import HTTPException
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import _calculate_file_id
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from websockets.sync.client import connect

from explorer.kept_results import held_by
from explorer.players import RandomPlayer, play_out
from explorer.server.streamlit_parts import (
    FETCH_TIMEOUT,
    MOST_UNUSED,
    MOST_WAITING,
    RETURN_TIMEOUT,
    Downloads,
    Leavers,
    Uploads,
)
from explorer.server.uploads import MEGABYTE, UploadLedger, UploadLimits
from explorer.visitors import COOKIE, visitor_name
from nip_core import Episode, HyperParameters, bundled_tasks, specification
from nip_core.transcript import dumps
from tests.depth import exhaustive

LIMITS = UploadLimits()
SMALL = UploadLimits(session=100, visitor=150, everybody=250, read=100, read_everybody=250, files=3)


# -- the ledger ----------------------------------------------------------------------------------


def bring(uploads: Uploads, session: str, file: str, pieces: list[int]) -> bool:
    """Upload a file in pieces, as the route does; return False if it is refused."""
    try:
        with uploads.ledger.coming(session, file) as count:
            for size in pieces:
                count(size)
            data = b"x" * sum(pieces)
            uploads.add_file(session, UploadedFileRec(file, "f.json", "text/json", data))
    except HTTPException:
        return False
    return True


STEPS = st.tuples(
    st.sampled_from(["give", "bring", "bring", "bring", "remove", "end"]),
    st.sampled_from("ABCD"),
    st.integers(0, 4),
    st.lists(st.integers(0, 60), max_size=3),
)


@given(st.lists(STEPS, max_size=40))
def test_the_ledger_is_what_is_held_and_never_more_than_it_may_be(steps):
    uploads = Uploads("/upload", UploadLedger(SMALL))
    places: dict[str, list[str]] = {}
    for step, session, number, pieces in steps:
        given_to = places.setdefault(session, [])
        if step == "give":
            given_to.extend(each.file_id for each in uploads.get_upload_urls(session, ["f"]))
        elif step == "bring":
            file = given_to[number] if number < len(given_to) else f"made-up-{number}"
            done = bring(uploads, session, file, pieces)
            assert not (done and file.startswith("made-up"))
        elif step == "remove" and number < len(given_to):
            uploads.remove_file(session, given_to[number])
        elif step == "end":
            uploads.remove_session_files(session)
            given_to.clear()
        held = {
            session: [len(file.data) for file in files.values()]
            for session, files in uploads.file_storage.items()
        }
        assert uploads.ledger.size == sum(sum(sizes) for sizes in held.values()) <= SMALL.everybody
        assert all(sum(sizes) <= SMALL.session for sizes in held.values())
        assert all(len(sizes) <= SMALL.files for sizes in held.values())


def test_what_is_on_its_way_counts_and_is_forgotten_if_it_breaks_off():
    ledger = UploadLedger(SMALL)
    for session in "AB":
        for file in "12":
            ledger.give(session, file)
    with ledger.coming("A", "1") as first, ledger.coming("A", "2") as second:
        first(60)
        second(40)
        with pytest.raises(HTTPException, match="may be 0 MB in all"):
            second(1)
        with pytest.raises(HTTPException, match="being uploaded"), ledger.coming("A", "1"):
            pass
        assert ledger.size == 101
    assert ledger.size == 0


def test_there_are_only_so_many_files():
    uploads = Uploads("/upload", UploadLedger(SMALL))
    given_to = [each.file_id for each in uploads.get_upload_urls("A", ["f"] * 5)]
    assert [bring(uploads, "A", file, [1]) for file in given_to] == [True] * 3 + [False] * 2
    with (
        pytest.raises(HTTPException, match="A page may hold 3 files, and this one does"),
        uploads.ledger.coming("A", given_to[3]),
    ):
        pass


def test_a_file_whose_session_ended_while_it_came_is_not_kept():
    uploads = Uploads("/upload", UploadLedger(SMALL))
    (place,) = uploads.get_upload_urls("A", ["f"])
    with uploads.ledger.coming("A", place.file_id) as count:
        count(5)
        uploads.remove_session_files("A")
        uploads.add_file("A", UploadedFileRec(place.file_id, "f", "t", b"12345"))
    assert uploads.ledger.size == 0
    assert not uploads.file_storage.get("A")


def test_what_was_read_is_counted_for_each_visitor_and_for_all():
    ledger = UploadLedger(SMALL)
    for session in "ABCDE":
        ledger.give(session, "1")
    assert ledger.note_read("A", "ann", "log", 60) is None
    # In another window of the same browser.
    assert "takes too much memory" in ledger.note_read("B", "ann", "log", 60)
    assert ledger.note_read("C", "bob", "log", 100) is None
    assert ledger.note_read("D", "cid", "log", 90) is None
    assert "no room" in ledger.note_read("E", "dan", "log", 1)
    # Replacing or removing a file, or ending a session, makes room.
    assert ledger.note_read("A", "ann", "log", 50) is None
    assert ledger.note_read("C", "bob", "log", 0) is None
    assert ledger.note_read("B", "ann", "log", 50) is None
    ledger.close("D")
    assert ledger.note_read("E", "dan", "log", 90) is None
    assert ledger.note_read("gone", "dan", "log", 90) is None


def test_one_visitor_does_not_fill_the_server_with_files():
    ledger = UploadLedger(SMALL)
    uploads = Uploads("/upload", ledger)
    sizes = []
    for session, visitor in (("A", "ann"), ("B", "ann"), ("C", "bob"), ("D", "cid")):
        (place,) = uploads.get_upload_urls(session, ["f"])
        try:
            with ledger.coming(session, place.file_id, visitor) as count:
                count(90)
            ledger.keep(session, place.file_id, 90)
            sizes.append(90)
        except HTTPException as error:
            sizes.append(error.detail)
    assert sizes[0] == sizes[2] == 90
    assert "one browser" in sizes[1]
    assert "no room" in sizes[3]


def test_what_is_held_is_all_of_it_and_nothing_that_is_shared():
    text = "\N{GRINNING FACE}" + "w" * 100_000
    kept = {"a": [text], "b": (text,)}

    def read():
        return kept

    for each in (kept, read, [read, kept]):
        assert 400_000 < held_by(each, 10**9) < 402_000
    assert held_by(os, 10**9) < 1_000
    assert held_by(range, 10**9) < 1_000
    assert held_by([[0] * 1_000 for _ in range(1_000)], 50_000) < 100_000


# -- a real server -------------------------------------------------------------------------------


@pytest.fixture(scope="module", autouse=True)
def _sweeps_come_often(frame_server):
    every = frame_server.call(set_sweep, 0.1)
    yield
    frame_server.call(set_sweep, every)


def set_sweep(every: float) -> float:
    """In the server's process: set after how many seconds sweeps come; return what it was."""
    import explorer.asgi

    before, explorer.asgi.SWEEP_EVERY = explorer.asgi.SWEEP_EVERY, every
    return before


def places(page, number):
    """Return addresses for uploads, as a file uploader requests them."""
    message = BackMsg()
    asked = message.file_urls_request
    asked.request_id, asked.session_id = uuid.uuid4().hex, page.session
    asked.file_names.extend(f"{n}.json" for n in range(number))
    page.send(message)
    answer = page._wait_for("file_urls_response").file_urls_response
    return [each.upload_url for each in answer.file_urls]


HEAD = (
    b'--B\r\nContent-Disposition: form-data; name="f"; filename="f.json"\r\n'
    b"Content-Type: application/json\r\n\r\n"
)
TAIL = b"\r\n--B--\r\n"


def put(page, path, content, *, method="PUT", cookies=None, **headers):
    """Upload a file; return the status and the text.

    A server that does not read everything may reset the connection before its answer was read.
    """
    for _ in range(2):
        with suppress(ConnectionResetError):
            return _put(page, path, content, method, cookies, headers)
    return _put(page, path, content, method, cookies, headers)


def _put(page, path, content, method, cookies, headers):
    jar = {each.name: each.value for each in page.cookies} | (cookies or {})
    connection = http.client.HTTPConnection(
        "127.0.0.1", int(page.url.rsplit(":", 1)[1]), timeout=60
    )
    sent = {
        "Content-Type": "multipart/form-data; boundary=B",
        "Cookie": "; ".join(f"{name}={value}" for name, value in jar.items()),
        "X-Xsrftoken": jar.get("_streamlit_xsrf", ""),
        **headers,
    }
    body = HEAD + content + TAIL if isinstance(content, bytes) else content
    try:
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def memory(frames) -> int:
    """The memory of the server's process, in bytes."""
    said = Path(f"/proc/{frames._process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", said)[1]) * 1024


def ledger_size() -> int:
    """In the server's process: return the ledger's counts."""
    from streamlit.runtime import get_instance

    return get_instance().uploaded_file_mgr.ledger.size


def set_timeouts(session: float, download: float) -> None:
    """In the server's process: set how long a session, and a download, waits for its browser."""
    from streamlit.runtime import get_instance

    get_instance()._session_mgr._session_storage._timeout = session
    get_instance().media_file_mgr._storage._timeout = download


def waiting() -> int:
    """In the server's process: return the number of sessions."""
    from streamlit.runtime import get_instance

    return len(get_instance()._session_mgr.list_sessions())


@contextmanager
def forgetting_at_once(frames):
    """Let no session wait for its browser meanwhile, and no download."""
    frames.call(set_timeouts, 0.0, 0.0)
    yield
    frames.call(set_timeouts, RETURN_TIMEOUT, FETCH_TIMEOUT)


def eventually(is_so) -> bool:
    """Return whether something becomes true before a timeout."""
    for _ in range(2_000):
        if is_so():
            return True
        time.sleep(0.1)
    return False


def is_there(url: str) -> bool:
    """Return whether an address can be fetched."""
    try:
        urllib.request.urlopen(url, timeout=60).close()
    except urllib.error.HTTPError:
        return False
    return True


@exhaustive
def test_many_large_files_stop_at_the_limit_and_go_with_their_session(frames):
    page = frames.open()
    before = memory(frames)
    content = os.urandom(MEGABYTE) * 19
    said = [put(page, place, content) for place in places(page, 40)]
    assert [status for status, _ in said] == [204, 204] + [413] * 38
    assert "may be 50 MB in all" in said[-1][1]
    assert frames.call(ledger_size) < LIMITS.session
    grown = memory(frames) - before
    page.close()
    with forgetting_at_once(frames):
        assert eventually(lambda: not frames.call(ledger_size))
        assert eventually(lambda: memory(frames) - before < grown / 2)
    # Twice what is held, for the copies that parsing makes.
    assert grown < 2 * LIMITS.session


def allow_memory(size: int) -> None:
    """In the server's process: set how much parsed data one visitor may keep."""
    from streamlit.runtime import get_instance

    ledger = get_instance().uploaded_file_mgr.ledger
    ledger.limits = replace(ledger.limits, read=size)


def small_log() -> bytes:
    """Return the smallest Inspect log."""
    episode = Episode(HyperParameters(interaction_protocol="adp"), bundled_tasks()[0])
    play_out(episode, {agent: RandomPlayer(1) for agent in episode.rules.seat_names})
    held = {"id": "a", "epoch": 1, "store": {"nip_transcript": dumps(episode)}}
    return json.dumps({"eval": {"task": "adp"}, "samples": [held]}).encode()


TASKS = b"question,solution,y\nOne?,print(1),1\n"
JURY = specification("jury").to_dict()
PLACES = [
    ("studies", {"view": "log"}, "study-log", "a.json", small_log),
    ("play", {"about": "own"}, "play-file", "a.csv", lambda: TASKS),
    ("protocols", {"protocol": "own"}, "own file", "a.json", lambda: json.dumps(JURY).encode()),
]


def test_whatever_is_read_from_a_file_is_counted_wherever_it_is_sent(frames):
    for page, address, place, name, make in PLACES:
        for allowed in (400, LIMITS.read):
            frames.call(allow_memory, allowed)
            shown = frames.open(page, **address)
            shown.upload(place, name, make())
            alerts = [each.delta.new_element.alert.body for each in shown.find("alert")]
            assert any("takes too much memory" in each for each in alerts) == (allowed == 400), page


def test_files_go_only_to_upload_addresses_of_the_same_browser(frames):
    page, other = frames.open(), frames.open()
    place, another = places(page, 2)
    session = place.split("/")[-2]
    strangers = {each.name: each.value for each in other.cookies if each.name == COOKIE}
    assert put(page, place, b"{}", cookies=strangers)[0] == 403
    assert put(page, place, b"", method="DELETE", cookies=strangers)[0] == 403
    assert put(page, place, b"{}", cookies={COOKIE: ""})[0] == 403
    assert put(page, f"/_stcore/upload_file/{session}/made-up", b"{}")[0] == 404
    nowhere = f"/_stcore/upload_file/{uuid.uuid4()}/{uuid.uuid4()}"
    assert put(page, nowhere, b"{}")[0] == 403
    assert put(page, place, b"{}")[0] == 204
    page.close()
    # Its browser has left, and may come back; until then nobody can add files.
    assert eventually(lambda: put(page, another, b"{}")[0] == 403)


def test_a_browser_without_cookies_uploads_to_its_own_address(frames):
    page = frames.open()
    with connect(
        f"{page.url.replace('http', 'ws')}/_stcore/stream", subprotocols=["streamlit"], proxy=None
    ) as connection:
        asked = BackMsg()
        asked.rerun_script.query_string = ""
        asked.file_urls_request.request_id = "x"
        asked.file_urls_request.file_names.append("f")
        connection.send(asked.SerializeToString())
        message = ForwardMsg()
        while message.WhichOneof("type") != "file_urls_response":
            message.ParseFromString(connection.recv(timeout=60))
        (place,) = (each.upload_url for each in message.file_urls_response.file_urls)
        assert put(page, place, b"{}", cookies={COOKIE: ""})[0] == 204
        assert put(page, place + "0", b"{}", cookies={COOKIE: ""})[0] == 404


def test_what_is_too_long_is_refused_while_it_comes(frames):
    page = frames.open()
    sent = 0

    def endless():
        nonlocal sent
        yield HEAD
        while sent < 200 * MEGABYTE:
            sent += MEGABYTE
            yield b"x" * MEGABYTE

    (place,) = places(page, 1)
    before = frames.call(ledger_size)
    try:
        status, said = put(page, place, endless())
        assert (status, said) == (413, "File too large")
    except (BrokenPipeError, ConnectionResetError):
        assert sent < 200 * MEGABYTE
    assert frames.call(ledger_size) <= before


def test_a_length_that_is_not_true_changes_nothing(frames):
    page = frames.open()
    (place,) = places(page, 1)
    assert put(page, place, b"{}", **{"Content-Length": "99999999"})[0] == 413
    for length in ("-1", "x", "1e3", ""):
        assert put(page, place, b"{}", **{"Content-Length": length})[0] == 400


def name_of_visitor(session: str) -> str:
    """In the server's process: return a session's visitor."""
    from streamlit.runtime import get_instance

    return (
        get_instance()._session_mgr.get_active_session_info(session).session._user_info["visitor"]
    )


def test_a_session_belongs_to_the_browser_that_began_it(frames):
    page, same, other = frames.open(), None, frames.open()
    same = frames.open("play", visitor=page)
    token = next(each.value for each in page.cookies if each.name == COOKIE)
    assert frames.call(name_of_visitor, page.session) == visitor_name(token)
    assert frames.call(name_of_visitor, same.session) == visitor_name(token)
    assert frames.call(name_of_visitor, other.session) != visitor_name(token)
    assert token not in page.said
    assert token not in frames.log


# -- sessions and downloads ------------------------------------------------------------------------


def resume(page, cookies):
    """Open a websocket that names an existing session; return the session it gets."""
    jar = "; ".join(f"{each.name}={each.value}" for each in cookies)
    with connect(
        f"{page.url.replace('http', 'ws')}/_stcore/stream",
        subprotocols=["streamlit", "x", page.session],
        additional_headers={"Cookie": jar},
        proxy=None,
    ) as connection:
        asked = BackMsg()
        asked.rerun_script.query_string = ""
        connection.send(asked.SerializeToString())
        while True:
            message = ForwardMsg()
            message.ParseFromString(connection.recv(timeout=60))
            if message.WhichOneof("type") == "new_session":
                return message.new_session.initialize.session_id


def test_knowing_a_sessions_id_is_not_enough_to_take_it_over(frames):
    page, stranger = frames.open("play", protocol="nip"), frames.open()
    assert resume(page, stranger.cookies) != page.session
    assert resume(page, []) != page.session
    # The session continues undisturbed, and its own browser may come back to it.
    page.click("Begin")
    assert page.has_table
    assert resume(page, page.cookies) == page.session


def test_downloads_are_attachments_at_addresses_that_nobody_can_guess(frames):
    page = frames.open("learn", show="writing")
    shown = page.find("download_button")
    assert shown
    for message in shown:
        url = message.delta.new_element.download_button.url
        assert re.fullmatch(r"/media/[0-9a-f]{48}(\.\w+)?", url)
        with urllib.request.urlopen(page.url + url, timeout=60) as answer:
            content, said = answer.read(), answer.headers
        assert said["content-disposition"].startswith("attachment; ")
        assert said["cache-control"] == "no-store"
        assert said["x-content-type-options"] == "nosniff"
        assert "sandbox" in said["content-security-policy"]
        # At Streamlit's own address, known to all who know the content.
        name = re.search('filename="(.*)"', said["content-disposition"])[1]
        kind = said.get_content_type()
        guessed = _calculate_file_id(content, kind, name)
        for id_ in (guessed, _calculate_file_id(content, kind)):
            assert not is_there(f"{page.url}/media/{id_}.json")


def test_each_server_has_addresses_of_its_own():
    first, second = Downloads("/media"), Downloads("/media")
    kind = MediaFileKind.DOWNLOADABLE
    long = bytearray(3 * MEGABYTE)
    changed = bytearray(long)
    changed[MEGABYTE] = 1  # where Streamlit does not look

    def ids(storage, data, mimetype="text/csv", name="a.csv", kind=kind):
        return storage.load_and_get_id(bytes(data), mimetype, kind, name)

    assert ids(first, long) == ids(first, long) != ids(second, long)
    assert ids(first, long) != ids(first, changed)
    assert ids(first, b"a", "b", "c") != ids(first, b"ab", "", "c")
    assert ids(first, b"a") != ids(first, b"a", kind=MediaFileKind.MEDIA)
    assert ids(first, b"a", name=None) != ids(first, b"a", name="None")
    assert first.get_file(f"{ids(first, changed)}.csv").content == changed


def test_downloads_go_with_their_session(frames):
    """Even with the last session, after which no other ends."""
    frames.close_pages()
    with forgetting_at_once(frames):
        assert eventually(lambda: frames.call(waiting) == 0)
    page = frames.open("learn", show="writing")
    url = page.url + page.find("download_button")[0].delta.new_element.download_button.url
    assert is_there(url)
    frames.close_pages()
    with forgetting_at_once(frames):
        assert eventually(lambda: not is_there(url))


def test_a_download_is_there_while_other_pages_run(frames):
    """On a busy server, some run ends between the answer to a click and the browser's request."""
    page = frames.open("play", protocol="nip")
    page.click("Begin")
    page.act(decision=1)
    page.goto("transcripts", episode=page.query["episode"])
    button = page.widget("Transcript (JSON)", "download_button").delta.new_element.download_button
    url = page.url + page.made(button.deferred_file_id)
    for _ in range(3):
        frames.open()
    assert is_there(url)
    with forgetting_at_once(frames):
        assert eventually(lambda: not is_there(url))


@given(
    st.lists(st.tuples(st.sampled_from(["keep", "drop", "wait"]), st.integers(1, 5)), max_size=30)
)
def test_a_download_is_deleted_once_it_has_been_unused_for_long(steps):
    now = 0.0
    downloads = Downloads("/media", timeout=10, clock=lambda: now)
    unused: dict[str, float | None] = {}
    for step, number in steps:
        content = str(number).encode()
        if step == "keep":
            file = downloads.load_and_get_id(content, "text/csv", MediaFileKind.DOWNLOADABLE)
            unused[file] = None
        elif step == "drop":
            file = downloads.load_and_get_id(content, "text/csv", MediaFileKind.DOWNLOADABLE)
            downloads.delete_file(file)
            downloads.delete_file(file)
            unused[file] = now
        else:
            now += number
        downloads.delete_overdue()
        unused = {
            file: since for file, since in unused.items() if since is None or now - since < 10
        }
        assert downloads._files_by_id.keys() == unused.keys()


def test_only_so_many_unused_bytes_are_kept():
    downloads = Downloads("/media", clock=lambda: 0)
    large, kind = MOST_UNUSED // 4, MediaFileKind.DOWNLOADABLE
    files = [downloads.load_and_get_id(bytes([n]) * large, "text/csv", kind) for n in range(6)]
    # One in use is not counted.
    for file in files[1:]:
        downloads.delete_file(file)
    assert list(downloads._files_by_id) == [files[0], *files[2:]]


class Left:
    """A session whose browser has left, as the storage sees it."""

    def __init__(self, name):
        self.id = name
        self.ended = False
        self.session = self

    def shutdown(self):
        self.ended = True


@given(st.lists(st.tuples(st.sampled_from("ABC"), st.booleans(), st.integers(0, 5)), max_size=30))
def test_sessions_wait_for_their_browsers_and_then_end(steps):
    now = 0
    leavers = Leavers(timeout=10, clock=lambda: now)
    waiting: dict[str, tuple[int, Left]] = {}
    for name, leaves, passed in steps:
        now += passed
        if leaves:
            waiting[name] = (now, Left(name))
            leavers.save(waiting[name][1])
        else:
            leavers.delete(name)
            waiting.pop(name, None)
        leavers.end_overdue()
        for other, (since, left) in list(waiting.items()):
            assert left.ended == (now - since >= 10)
            assert leavers.get(other) is (None if left.ended else left)
            if left.ended:
                del waiting[other]
        assert {each.id for each in leavers.list()} == waiting.keys()


def test_only_so_many_sessions_wait():
    leavers = Leavers(timeout=10, clock=lambda: 0)
    left = [Left(str(number)) for number in range(MOST_WAITING + 3)]
    for each in left:
        leavers.save(each)
    leavers.end_overdue()
    assert [each.ended for each in left] == [True] * 3 + [False] * MOST_WAITING


def open_files() -> int:
    """In the server's process: return the number of open files."""
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="Open files are counted on Linux.")
def test_a_page_has_one_open_file_and_none_when_its_browser_has_gone(frames):
    """Its session waits for the browser to come back, without an open file."""
    frames.close_pages()
    frames.open("protocols", protocol="mnip").close()
    assert eventually(lambda: frames.call(waiting) > 0)
    before = frames.call(open_files)
    for _ in range(3):
        frames.open("protocols", protocol="mnip")
    # Connections that fetched files end by themselves.
    assert eventually(lambda: frames.call(open_files) <= before + 3)
    frames.close_pages()
    assert eventually(lambda: frames.call(open_files) <= before)
    assert frames.call(waiting) >= 3


def allow_writing(size: int | None) -> None:
    """In the server's process: set how many bytes a day strangers may write; None for no limit."""
    from explorer.storage import limits

    os.environ["NIP_EXPLORER_PUBLIC"] = "0" if size is None else "1"
    limits.MOST_EACH = size or 20_000_000


def test_what_a_person_writes_on_a_page_is_bounded_for_a_message_and_for_a_day(frames):
    try:
        page = frames.open("play", protocol="nip")
        page.click("Begin")
        page.act(messages={"main": "w" * 99_000})
        assert "99,000 characters" in page.table["error"]["message"]
        assert page.table["round"] == 0
        # Enough for a question and the answer to it, which are written together.
        frames.call(allow_writing, 2_500)
        page.act(messages={"main": "w" * 3_000})
        assert "written" in page.table["error"]["message"]
        assert page.table["round"] == 0
        page.act(messages={"main": "Why?"})
        page.rerun()  # a move alone does not make the page run again
        assert page.table["round"] > 0
        # Another visitor has not written anything yet.
        frames.call(allow_writing, 20_000)
        other = frames.open("play", protocol="nip")
        other.click("Begin")
        other.act(messages={"main": "Why?"})
        other.rerun()
        assert other.table["round"] > 0
    finally:
        frames.call(allow_writing, None)
