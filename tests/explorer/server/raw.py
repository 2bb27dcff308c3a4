"""Websockets and requests byte by byte, as no browser sends them."""

import base64
import os
import socket
import struct
import zlib
from pathlib import Path

TEXT, BINARY, CONTINUED, CLOSE, PING = 1, 2, 0, 8, 9
FINAL, COMPRESSED = 0x80, 0x40
DEFLATE = "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover"
STREAM, NEWS = "/_stcore/stream", "/news?database=1"


def frame(code: int, data: bytes = b"", flags: int = FINAL) -> bytes:
    """Return a frame with an empty mask, so that its content stands in it unchanged."""
    size = len(data)
    if size < 126:
        length = bytes([0x80 | size])
    elif size < 65536:
        length = bytes([0x80 | 126]) + struct.pack("!H", size)
    else:
        length = bytes([0x80 | 127]) + struct.pack("!Q", size)
    return bytes([flags | code]) + length + bytes(4) + data


def compressed(code: int, size: int) -> bytes:
    """Return a frame that stands for so many bytes after unpacking."""
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packed.compress(b"0" * size) + packed.flush(zlib.Z_SYNC_FLUSH)
    return frame(code, data[:-4], FINAL | COMPRESSED)


class RawSocket:
    """A websocket; `head` is the answer to its handshake."""

    def __init__(self, port: int, path: str, *headers: str, token: str = "") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        lines = (
            f"GET {path} HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            *("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"),
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
            f"Cookie: nip_visitor={token or os.urandom(32).hex()}",
            *(["Sec-WebSocket-Protocol: streamlit"] if path == STREAM else []),
            *headers,
        )
        self.socket.sendall("\r\n".join((*lines, "", "")).encode())
        self.head = b""
        while not self.head.endswith(b"\r\n\r\n"):
            more = self.socket.recv(1)
            assert more, self.head
            self.head += more

    def send(self, data: bytes) -> int:
        """Send as much as the server takes within a second; return how many bytes that is."""
        self.socket.settimeout(1)
        sent = 0
        try:
            while sent < len(data):
                sent += self.socket.send(data[sent : sent + 65536])
        except OSError:
            pass
        return sent

    def close_code(self) -> int:
        """Return the code with which the server closes the connection."""
        self.socket.settimeout(120)
        got = b""
        while more := self.socket.recv(65536):
            got += more
            if (at := _close_frame(got)) is not None:
                return struct.unpack("!H", got[at : at + 2])[0]
        raise AssertionError(got[-100:])

    def close(self) -> None:
        self.socket.close()


def _close_frame(got: bytes) -> int | None:
    """Return where the code of a close frame stands."""
    place = 0
    while place + 2 <= len(got):
        code, size, place = got[place] & 15, got[place + 1] & 127, place + 2
        if size >= 126:
            width = 2 if size == 126 else 8
            size, place = int.from_bytes(got[place : place + width]), place + width
        if code == CLOSE and place + 2 <= len(got):
            return place
        place += size
    return None


class Cost:
    """What a server's process has used since the beginning: processor seconds, and bytes."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.begin()

    def begin(self) -> None:
        self._seconds, self._bytes = self._read()

    def _read(self) -> tuple[float, int]:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        ticks = os.sysconf("SC_CLK_TCK")
        resident = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return (int(fields[11]) + int(fields[12])) / ticks, resident * os.sysconf("SC_PAGE_SIZE")

    @property
    def seconds(self) -> float:
        return self._read()[0] - self._seconds

    @property
    def bytes(self) -> int:
        return self._read()[1] - self._bytes
