"""No input costs far more than its size: in processor time, in memory, or of other people's time.

`inputs.py` is the table of inputs. What reads an input and is not in it makes these tests fail.
"""

from __future__ import annotations

import ast
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial

import pytest

from explorer.asgi import FRONTS, HEALTH
from explorer.kept_results import held_by
from explorer.server.connection import ChangeFeedRoutes
from explorer.server.guard import OPEN, SIGN_IN
from explorer.server.messages import KINDS, MESSAGES
from tests.browser.conftest import ROOT
from tests.depth import FULL, each, exhaustive
from tests.explorer.frames.client import Page
from tests.explorer.server.inputs import (
    INPUTS,
    OPERATOR,
    READERS,
    REQUEST,
    ROUTES,
    SHIPPED,
    STORED,
    UPLOADS,
    field,
)
from tests.explorer.server.raw import (
    BINARY,
    CONTINUED,
    DEFLATE,
    NEWS,
    PING,
    STREAM,
    TEXT,
    Cost,
    RawSocket,
    compressed,
    frame,
)
from tests.growth import seconds
from tests.sources import parsed

SECONDS, TIMES = 2.0, 20  # of processor time; bytes in memory for each byte received
KNOWN = {each_.name for each_ in INPUTS}
# Functions that turn bytes or text into other things, whose size the writer of the text chooses.
READS = {
    *("parse_json", "parse_toml", "read_csv", "python_literal", "python_tree", "literal_eval"),
    *("json.loads", "tomllib.loads", "csv.reader", "zipfile.ZipFile", "ZipFile", "decompressobj"),
    *("zlib.decompressobj", "zlib.decompress", "gzip.decompress", "gzip.open", "yaml.safe_load"),
    *("parquet.ParquetFile", "pickle.loads", "parse_qs", "parse_qsl", "BackMsg.FromString"),
    *("documents.parse_json", "ast.literal_eval", "b64decode", "urlsafe_b64decode"),
}


def calls() -> Iterator[tuple[str, str]]:
    """Yield each module of the app and the library with each function that it calls."""
    for folder in ("explorer", "nip_core", "pages"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" in path.parts:
                continue
            for node in ast.walk(parsed(path.read_text("utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                    yield path.relative_to(ROOT).as_posix(), ast.unparse(node.func)


@exhaustive
def test_every_input_is_in_the_table():
    found = set(calls())
    routes = [*OPEN, *SIGN_IN, FRONTS.path, HEALTH]
    assert {*routes, *(each_.path for each_ in ChangeFeedRoutes(None).routes)} == ROUTES.keys()
    assert {m for m, call in found if call.endswith(".file_uploader")} == UPLOADS.keys()
    named = {*ROUTES.values(), *UPLOADS.values(), *READERS.values()}
    assert named <= KNOWN | {REQUEST, STORED, SHIPPED, OPERATOR}
    readers = {module for module, call in found if call in READS}
    assert [m for m in sorted(readers) if not m.startswith(tuple(READERS))] == []
    assert [begin for begin in READERS if not any(m.startswith(begin) for m in readers)] == []


def test_every_kind_of_message_is_known():
    """A new kind of message or of widget needs its worst value in the table of inputs."""
    assert {"rerun_script", "stop_script", "app_heartbeat", "file_urls_request"} == MESSAGES
    fields = {name for names, _ in KINDS.values() for name in names.split()}
    assert fields == {
        *("trigger_value", "bool_value", "double_value", "int_value"),  # of a fixed size
        *("string_value", "json_value", "string_array_value", "double_array_value"),
        "file_uploader_state_value",
    }


@each("given", INPUTS, ids=lambda given: given.name)
def test_the_worst_content_costs_little(given):
    given.keep(given.worst(1_000))  # imports what is needed
    content = given.worst(given.size if FULL else min(given.size, max(given.size // 100, 6_000)))
    kept = []
    assert seconds(lambda: kept.append(given.keep(content)), tries=1) < SECONDS
    most = TIMES * len(content) + given.fixed
    assert held_by(kept[0], most) <= most


def many(code: int, size: int) -> bytes:
    return frame(code) * (size // 6)


MB = 1_000_000
FLOODS = {
    "compressed": (NEWS, compressed(TEXT, 4 * MB) * 62),
    "compressed in a session": (STREAM, compressed(BINARY, 4 * MB) * 62),
    "pings": (NEWS, many(PING, 3 * MB)),
    "large pings": (NEWS, frame(PING, b"x" * 125) * 40_000),
    "small messages": (NEWS, frame(TEXT, b"?") * 400_000),
    "empty messages": (STREAM, many(BINARY, 3 * MB)),
    "parts": (NEWS, frame(TEXT, b"", 0) + frame(CONTINUED, b"", 0) * 500_000),
    "no end": (STREAM, frame(BINARY, b"x" * 4 * MB, 0)),
    "half a frame": (STREAM, frame(BINARY, b"x" * 4 * MB)[:-10]),
    "widgets": (STREAM, frame(BINARY, field(11, field(2, b"\n\0" * 1_900_000))) * 3),
    "files": (STREAM, frame(BINARY, field(16, b"\x12\0" * 1_900_000)) * 3),
    "address": (STREAM, frame(BINARY, field(11, field(1, b"a&" * 1_900_000))) * 3),
}


@exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="A process's memory is read from /proc.")
@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_costs_the_server_little(server, name):
    """A real server gets it over four sockets; others are answered in between."""
    warm(server)
    path, data = FLOODS[name]
    cost, going_on = Cost(server.process.pid), True
    with ExitStack() as opened:
        some = [
            opened.enter_context(closing(RawSocket(server.port, path, DEFLATE))) for _ in "1234"
        ]
        sent: list[int] = []
        floods = [threading.Thread(target=lambda s=s: sent.append(s.send(data))) for s in some]
        for flood in floods:
            flood.start()
        while going_on:  # some floods end before anybody asks: the server closes their connections
            going_on = any(flood.is_alive() for flood in floods)
            before = cost.seconds
            assert server.ask("GET", "/healthz", f"Host: 127.0.0.1:{server.port}")[0] == 200
            # While somebody waited, the server did less than half a second of other work.
            assert cost.seconds - before < 0.5
        assert cost.seconds < SECONDS * len(some)
        assert cost.bytes < TIMES * sum(sent) + 20 * MB
    assert "Traceback" not in server.log


# Pages with a field for files, and the kinds of files that are sent there.
FILES = {"transcripts": "transcript"}


@exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="A process's memory is read from /proc.")
def test_others_wait_little_while_one_visitor_sends_the_worst(server):
    """95 in 100 of their requests take at most twice the quiet time, of 60 from its begin on.

    Counted are the seconds of the server's processor until each answer: what a visitor would wait
    on a quiet machine. A wait of 100 ms is not noticed, and shorter ones are rounded to 10.
    """
    warm(server)
    cost, waits = Cost(server.process.pid), []

    def wait() -> None:
        before = cost.seconds
        assert server.ask("GET", "/healthz", f"Host: 127.0.0.1:{server.port}")[0] == 200
        waits.append(cost.seconds - before)

    for page in ("protocols", *FILES):  # once, so that what pages load is not counted
        opened_once(server, page)
    for _ in range(100):
        wait()
    most = max(2 * slow(waits), 0.1)
    for name, send in worst_visits(server):
        waits.clear()
        with ThreadPoolExecutor(1) as other:
            visit = other.submit(send)
            while not visit.done() or len(waits) < 60:
                wait()
                time.sleep(0.01)
        visit.result()
        assert slow(waits) <= most, (name, sorted(waits)[-5:])
    assert "Traceback" not in server.log


def slow(waits: list[float]) -> float:
    """Return the 95th percentile."""
    return sorted(waits)[len(waits) * 95 // 100]


def opened_once(server, page: str, query: dict[str, str] | None = None) -> Page:
    opened = Page(server.port, page, query or {})
    opened.rerun()
    return opened


def worst_visits(server) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what one visitor does that is known to cost most, by its name."""
    known = {each_.name: each_.worst(each_.size) for each_ in INPUTS}

    def flood(path: str, data: bytes) -> None:
        with closing(RawSocket(server.port, path, DEFLATE)) as opened:
            opened.send(data)

    def link(text: str) -> None:
        with closing(opened_once(server, "protocols", {"protocol": "own", "spec": text})):
            pass

    def upload(page: str, content: bytes) -> None:
        with closing(opened_once(server, page)) as opened:
            (field_,) = opened.find("file_uploader")[:1]
            label = field_.delta.new_element.file_uploader.label
            kind = "eval" if content[:2] == b"PK" else "json"
            opened.upload(label, f"a.{kind}", content)

    for name, (path, data) in FLOODS.items():
        yield name, partial(flood, path, data)
    for name, content in known.items():
        if name.startswith("message: "):
            yield name, partial(flood, STREAM, frame(BINARY, content))
        elif name.startswith("link"):
            yield name, partial(link, content.decode())
    for page, name in FILES.items():
        yield f"{page}: {name}", partial(upload, page, known[name])


def warm(server) -> None:
    """Wait until the server has loaded what pages need, so that this is not counted."""
    for _ in range(1_200):
        if '"warm":true' in server.ask("GET", "/healthz", f"Host: 127.0.0.1:{server.port}")[2]:
            return
        time.sleep(0.1)
