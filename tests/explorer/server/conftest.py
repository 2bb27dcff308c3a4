"""The real server, as people start it, and requests that a browser would never send."""

import os
import socket
from pathlib import Path

import pytest

from tests.browser.conftest import ROOT, App
from tests.explorer.server.provider import Provider

# Logs every host that the server asks for anything.
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
    """The app with sign-in before its rooms, and a log of the hosts that it asked."""

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
        """Send raw bytes; return the answer until the server closes or stops sending."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as connection:
            connection.sendall(request.encode("latin-1") if isinstance(request, str) else request)
            got = b""
            while more := self._receive(connection):
                got += more
            return got

    @staticmethod
    def _receive(connection: socket.socket) -> bytes:
        try:
            return connection.recv(65536)
        except ConnectionResetError:
            return b""

    def ask(self, method: str, path: str, *headers: str) -> tuple[int, dict[str, str], str]:
        """Send a request with exactly these headers; return status, headers and body."""
        lines = [f"{method} {path} HTTP/1.1", *headers, "Connection: close", "", ""]
        head, _, body = self.send("\r\n".join(lines)).partition(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").split("\r\n")
        said = {}
        for name, _, value in (line.partition(":") for line in rest):
            said[name.lower()] = value.strip()
        return int(first.split()[1]), said, body.decode("utf-8", "replace")

    def handshake(self, *headers: str, path: str = "/_stcore/stream") -> int:
        """Return the status of a websocket handshake: 101 if it is accepted."""
        lines = (
            f"GET {path} HTTP/1.1",
            *headers,
            *("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"),
            *("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""),
        )
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall("\r\n".join(lines).encode("latin-1"))
            return int(connection.recv(4096).split()[1])


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    served = Server(tmp_path_factory.mktemp("served"), "--allow-host", "explorer.example.org")
    yield served
    served.kill()
    served.provider.close()
    assert served.asked == ""
