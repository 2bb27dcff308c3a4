"""What a server logs for what a test does, without the lines of its background work."""

from typing import Protocol

# A busy machine may cause these at any time: they are about the database, and about no request.
BACKGROUND = (
    "Presence could not be recorded",
    "Maintenance of ",
    "The database can",
    "No notifications come from the database",
    "Copies of deleted rows are left for now",
)


class Logs(Protocol):
    """A server with a log."""

    @property
    def log(self) -> str: ...


class LogLines:
    """The lines that a server logs from now on, without those of its background work."""

    def __init__(self, server: Logs) -> None:
        self._server = server
        self._before = len(server.log)

    @property
    def lines(self) -> list[str]:
        found: list[str] = []
        background = False
        for line in self._server.log[self._before :].splitlines():
            # The lines of a traceback are indented, below the line that they belong to.
            if not line.startswith(" "):
                background = line.startswith(BACKGROUND)
            if not background:
                found.append(line)
        return found
