"""A school behind one address, with usual limits on open files, while others try wrong links."""

import asyncio
import http.client
import os
import re
import secrets
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from explorer import rooms
from explorer.rooms import Watcher
from explorer.server.connection_limiter import raise_limit
from explorer.storage import open_storage
from explorer.visitors import COOKIE, visitor_name
from tests.browser.conftest import ROOT
from tests.browser.waiting import answering, becomes
from tests.depth import exhaustive
from tests.explorer.frames.client import Page
from tests.explorer.rooms.people import plan

PHONES = 300
# The addresses from which wrong links come, beside the school's.
OTHERS = [f"127.0.0.{number}" for number in range(2, 7)]
MEGABYTE = 1_000_000

pytestmark = [
    exhaustive,
    pytest.mark.skipif(sys.platform != "linux", reason="Open files are counted on Linux."),
]


class Server:
    """The app as people start it, as a public server with a limit on open files."""

    def __init__(self, folder: Path, *, soft: int, hard: int) -> None:
        self.folder = folder
        self.database = f"sqlite:///{folder}/episodes.db"
        start = f"ulimit -Sn {soft} && ulimit -Hn {hard} && exec {sys.executable} -m explorer"
        with (folder / "log.txt").open("wb") as log:
            self.process = subprocess.Popen(
                ["bash", "-c", f"{start} --no-browser --port 0 --database {self.database}"],
                cwd=ROOT,
                env={**os.environ, "NIP_EXPLORER_PUBLIC": "1"},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        becomes(lambda: re.search(r":(\d+) ", self.log) is not None)
        self.port = int(re.search(r":(\d+) ", self.log)[1])
        answering(f"http://127.0.0.1:{self.port}/healthz", self.process)

    @property
    def log(self) -> str:
        return (self.folder / "log.txt").read_text("utf-8")

    @property
    def files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    @property
    def memory(self) -> int:
        """The server's memory in bytes."""
        said = Path(f"/proc/{self.process.pid}/status").read_text("utf-8")
        return 1024 * int(re.search(r"VmRSS:\s+(\d+)", said)[1])

    def ask(self, path: str, *, near: str = "127.0.0.1", token: str = "") -> tuple[int, dict, str]:
        """Send a request from an address; return the status, the headers and the text."""
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=60, source_address=(near, 0)
        )
        try:
            connection.request(
                "GET", path, headers={"Cookie": f"{COOKIE}={token}"} if token else {}
            )
            answer = connection.getresponse()
            return answer.status, {n.lower(): v for n, v in answer.getheaders()}, read(answer)
        finally:
            connection.close()

    def stop(self) -> None:
        self.process.kill()
        self.process.wait(60)


def read(answer: http.client.HTTPResponse) -> str:
    return answer.read().decode("utf-8", "replace")


@contextmanager
def serving(folder: Path, *, soft: int, hard: int):
    raise_limit()  # also of this process
    server = Server(folder, soft=soft, hard=hard)
    try:
        yield server
    finally:
        server.stop()


class Phone:
    """A person's window in a room: its session, and its connection."""

    def __init__(self, server: Server, number: int, near: str = "127.0.0.1") -> None:
        self.server, self.number, self.near = server, number, near
        self.token = secrets.token_hex(32)
        self.connections: list[websockets.ClientConnection] = []

    async def connect(self, path: str, *protocols: str) -> websockets.ClientConnection:
        connection = await websockets.connect(
            f"ws://127.0.0.1:{self.server.port}{path}",
            subprotocols=list(protocols) or None,
            additional_headers={"Cookie": f"{COOKIE}={self.token}"},
            local_addr=(self.near, 0),
            max_size=None,
            open_timeout=60,
            proxy=None,
        )
        self.connections.append(connection)
        return connection

    async def open(self) -> None:
        """Open the window; no page runs yet."""
        await self.connect("/_stcore/stream", "streamlit")
        await self.connect("/news?database=")

    async def show(self, code: str) -> None:
        """Open the room, and wait until its page has run and its connection has sent everything."""
        page = await self.connect("/_stcore/stream", "streamlit")
        message = BackMsg()
        message.rerun_script.query_string = f"code={code}"
        message.rerun_script.page_name = "room"
        message.rerun_script.context_info.url = f"http://127.0.0.1:{self.server.port}/room"
        await page.send(message.SerializeToString())
        async with asyncio.timeout(120):
            while ForwardMsg.FromString(await page.recv()).WhichOneof("type") != "script_finished":
                pass
            self.changes = await self.connect(
                f"/news?code={code}&as={Watcher('person', self.number)}"
            )
            await self.changes.recv()

    async def close(self) -> None:
        while self.connections:
            await self.connections.pop().close()


async def at_once(acts) -> Counter:
    """Run acts 50 at a time; return how often each result came."""
    turns, came = asyncio.Semaphore(50), Counter()

    async def one(act):
        async with turns:
            try:
                await act
                came["done"] += 1
            except websockets.InvalidStatus as error:
                # The answer must say when to try again.
                later = int(error.response.headers["retry-after"])
                came[error.response.status_code if later > 0 else "never"] += 1

    await asyncio.gather(*map(one, acts))
    return came


@contextmanager
def wrong_links(server: Server, code: str):
    """Try wrong facilitator links from five addresses meanwhile."""
    said, over = Counter(), threading.Event()

    def guess(near: str) -> None:
        while not over.is_set():
            with suppress(OSError):
                link = f"/lead/{code}/{secrets.token_urlsafe(24)}"
                said[server.ask(link, near=near, token=secrets.token_hex(32))[0]] += 1
            over.wait(0.05)

    threads = [threading.Thread(target=guess, args=(near,)) for near in OTHERS]
    for thread in threads:
        thread.start()
    try:
        yield said
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_a_school_behind_one_address_is_served_while_others_try_wrong_links(tmp_path):
    with serving(tmp_path, soft=1_024, hard=4_096) as server:
        assert "Up to 1,000 pages" in server.log
        storage = open_storage(server.database)
        opened = rooms.open_room(storage, plan(), "f" * 32)
        phones = [Phone(server, number) for number in range(1, PHONES + 1)]
        for phone in phones:
            rooms.join(rooms.Access(storage, opened.code, visitor_name(phone.token)))
        before, begun = server.memory, time.monotonic()
        with wrong_links(server, opened.code) as said:
            asyncio.run(lesson(server, opened, phones))
        took, grown = time.monotonic() - begun, server.memory - before
        print(
            f"{PHONES} windows in {took:.0f} s beside {said.total()} wrong links {dict(said)}; "
            f"memory +{grown / MEGABYTE:.0f} MB, log {len(server.log):,} characters"
        )
        assert said.total() > 20
        assert grown < 600 * MEGABYTE
        assert len(server.log) < 20_000
        assert "Traceback" not in server.log
        # A closed page holds no resources.
        becomes(lambda: server.files < 100)
        storage.close()


async def lesson(server: Server, opened, phones: list[Phone]) -> None:
    """The phones open the room and reload it together, and the facilitator starts play."""
    assert await at_once(phone.show(opened.code) for phone in phones) == {"done": PHONES}
    print(f"{server.files} open files")
    assert server.files < 2 * PHONES + 150
    for phone in phones:
        await phone.close()
    assert await at_once(phone.show(opened.code) for phone in phones) == {"done": PHONES}
    await asyncio.to_thread(lead, server, opened)
    async with asyncio.timeout(120):
        await asyncio.gather(*(seated(phone) for phone in phones))
    for phone in phones:
        await phone.close()


def lead(server: Server, opened) -> None:
    """The facilitator opens the link, and starts."""
    page = Page(server.port, "room", {"code": opened.code, "as": "lead"})
    try:
        page.fetch(f"/lead/{opened.code}/{opened.key}")
        page.rerun()
        page.click("Start")
    finally:
        page.close()


async def seated(phone: Phone) -> None:
    """Wait until the person has a seat."""
    while '"seat":{' not in await phone.changes.recv():
        pass
