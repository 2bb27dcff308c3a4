"""A server of the app in a process of its own, with a database of its own."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from multiprocessing.connection import Listener
from pathlib import Path
from typing import Any

from explorer.storage import Storage, open_storage
from tests.explorer.frames.client import Page
from tests.explorer.frames.serve import is_running, set_variable

ROOT = Path(__file__).parents[3]
DATABASE = "NIP_EXPLORER_DATABASE"


class FrameServer:
    """A server, and the pages that tests have open on it.

    Parameters
    ----------
    folder : Path
        Where its log and its databases are.
    **environment : str
        Variables of the server's process, beside the usual ones.
    """

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self._pages: list[Page] = []
        self._storage: Storage | None = None
        secret = secrets.token_bytes(16)
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("NIP_")}
        with Listener(("127.0.0.1", 0), authkey=secret) as listener, self._log.open("wb") as log:
            port = str(listener.address[1])
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.explorer.frames.serve", port, secret.hex()],
                env={
                    **inherited,
                    "PYTHONPATH": str(ROOT),
                    "NIP_STUDIES": str(folder / "studies"),
                    # Tests use pages without a pause.
                    "NIP_PROCESSOR_SECONDS": "600",
                    **environment,
                },
                cwd=folder,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            self._pipe = listener.accept()
        self.port: int = self._pipe.recv()
        self.url = f"http://127.0.0.1:{self.port}"
        self._wait_until_healthy()

    def _wait_until_healthy(self) -> None:
        for _ in range(4_000):
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=10):
                    return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(self.log)

    @property
    def _log(self) -> Path:
        return self.folder / "log.txt"

    @property
    def log(self) -> str:
        """The server's log so far."""
        return self._log.read_text("utf-8")

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run a function of an importable module in the server's process."""
        self._pipe.send((function, arguments))
        done, result = self._pipe.recv()
        assert done, result
        return result

    @property
    def storage(self) -> Storage:
        """The database that the server uses now."""
        assert self._storage is not None, "use_database comes first"
        return self._storage

    def use_database(self, url: str) -> Storage:
        """Make the server use another database from now on."""
        if self._storage is not None:
            self._storage.close()
        self._storage = open_storage(url)
        self.call(set_variable, DATABASE, url)
        return self._storage

    def open(self, page: str = "", /, *, visitor: Page | None = None, **query: str) -> Page:
        """Open a page in a session of its own, and run it.

        Parameters
        ----------
        page : str
            Its address: ``""`` for the first, ``"play"``, ``"transcripts"``, ...
        visitor : Page, optional
            Another page of the same browser: its cookies are sent. Without it, the browser is new.
        **query : str
            The parameters of the address; dots may be written as ``__``.
        """
        opened = Page(
            self.port,
            page,
            query,
            cookies=None if visitor is None else visitor.cookies,
            running=lambda session: self.call(is_running, session),
        )
        self._pages.append(opened)
        opened.rerun()
        return opened

    def close_pages(self) -> None:
        """Close all pages, as when tabs are closed."""
        while self._pages:
            self._pages.pop().close()

    def stop(self) -> None:
        """Stop the server."""
        self.close_pages()
        if self._storage is not None:
            self._storage.close()
        self._pipe.close()  # it ends by itself then
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(120)
