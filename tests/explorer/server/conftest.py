"""The real server, as people start it, and what a browser would never send to it."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.browser.conftest import ROOT, App
from tests.explorer.server.provider import Provider

# Writes down every machine that the server asks for anything.
WATCH = """
import ipaddress, os, sys

def watch(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    if host not in (None, "", "localhost", "127.0.0.1", "::1"):
        with open(os.environ["NIP_TEST_OUTSIDE"], "a") as file:
            print(event, host, file=file)

sys.addaudithook(watch)
"""


class Server(App):
    """The app, before whose rooms people sign in, and a record of whom it asked."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.provider = Provider()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        secrets = self.provider.write(folder / "secrets.toml", self.url)
        options = (*options, "--sign-in-file", str(secrets))
        (folder / "sitecustomize.py").write_text(WATCH, "utf-8")
        self.outside = folder / "outside.txt"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("NIP_TEST_OUTSIDE", str(self.outside))
            patch.setenv("PYTHONPATH", os.pathsep.join([str(folder), str(ROOT)]))
            super().__init__(folder, *options)

    @property
    def asked(self) -> str:
        return self.outside.read_text("utf-8") if self.outside.exists() else ""

    def send(self, request: str | bytes, *, wait: float = 20) -> bytes:
        """Send bytes as they are; all that comes back until the server closes or falls silent."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as line:
            line.sendall(request.encode("latin-1") if isinstance(request, str) else request)
            got = b""
            while more := self._receive(line):
                got += more
            return got

    @staticmethod
    def _receive(line: socket.socket) -> bytes:
        try:
            return line.recv(65536)
        except ConnectionResetError:
            return b""

    def ask(self, method: str, path: str, *headers: str) -> tuple[int, dict[str, str], str]:
        """A request with exactly these headers: the status, the headers and the body."""
        lines = [f"{method} {path} HTTP/1.1", *headers, "Connection: close", "", ""]
        head, _, body = self.send("\r\n".join(lines)).partition(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").split("\r\n")
        said = {}
        for name, _, value in (line.partition(":") for line in rest):
            said[name.lower()] = value.strip()
        return int(first.split()[1]), said, body.decode("utf-8", "replace")

    def handshake(self, *headers: str, path: str = "/_stcore/stream") -> int:
        """The status with which a websocket is answered: 101 if it is opened."""
        lines = (
            f"GET {path} HTTP/1.1",
            *headers,
            *("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"),
            *("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""),
        )
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as line:
            line.sendall("\r\n".join(lines).encode("latin-1"))
            return int(line.recv(4096).split()[1])


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    served = Server(tmp_path_factory.mktemp("served"), "--allow-host", "explorer.example.org")
    yield served
    served.kill()
    served.provider.close()
    assert served.asked == ""
