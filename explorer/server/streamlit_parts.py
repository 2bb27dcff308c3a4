"""Every use of a part of Streamlit that is not in its documentation, and nothing else.

Undocumented parts may change with any version. This file was tried with Streamlit 1.67;
``pyproject.toml`` admits no version that was not tried. The rest of the explorer uses these parts
only through this file and ``streamlit_order.py``.
"""

from __future__ import annotations

import asyncio
import functools
import re
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit import config
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.file_util import get_static_dir
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Block_pb2 import Block
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.proto.NumberInput_pb2 import NumberInput
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime import Runtime, RuntimeConfig, app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import MemoryFile, MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.session_manager import SessionClient, SessionInfo, SessionStorage
from streamlit.runtime.state.session_state import WStates
from streamlit.runtime.uploaded_file_manager import (
    UploadedFile,
    UploadedFileRec,
    UploadFileUrlInfo,
)
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.web.cache_storage_manager_config import create_default_cache_storage_manager

from explorer.server.uploads import UploadLedger
from explorer.visitors import COOKIE, visitor_name

if TYPE_CHECKING:
    from streamlit.runtime.script_data import ScriptData
    from streamlit.runtime.scriptrunner_utils.script_run_context import UserInfoType

__all__ = [
    "READING",
    "App",
    "BackMsg",
    "Block",
    "Downloads",
    "Element",
    "ForwardMsg",
    "Leavers",
    "NumberInput",
    "UploadedFile",
    "Uploads",
    "WidgetState",
    "forget_unreadable",
    "is_page_running",
    "is_served_elsewhere",
    "make_theme_once",
    "modules_of",
    "page_visitor",
    "session_id",
    "stop_if_gone",
    "upload_ledger",
    "use_secrets",
]

# How many seconds a session waits for its browser after the connection broke, and how many
# sessions may wait.
RETURN_TIMEOUT = 120.0
MOST_WAITING = 500
# How many seconds an unused download is kept, and how many bytes of them.
FETCH_TIMEOUT = 60.0
MOST_UNUSED = 64 << 20


class Uploads(MemoryUploadedFileManager):
    """Keeps uploaded files in memory, and records them in a ledger."""

    def __init__(self, endpoint: str, ledger: UploadLedger) -> None:
        super().__init__(endpoint)
        self.ledger = ledger

    def get_upload_urls(
        self, session_id: str, file_names: Sequence[str]
    ) -> list[UploadFileUrlInfo]:
        """Return the addresses to which a session may upload."""
        urls = super().get_upload_urls(session_id, file_names)
        for url in urls:
            self.ledger.give(session_id, url.file_id)
        return urls

    def add_file(self, session_id: str, file: UploadedFileRec) -> None:
        """Keep a file, unless its session has ended during the upload."""
        if self.ledger.keep(session_id, file.file_id, len(file.data)):
            super().add_file(session_id, file)

    def remove_file(self, session_id: str, file_id: str) -> None:
        """Remove a file."""
        super().remove_file(session_id, file_id)
        self.ledger.drop(session_id, file_id)

    def remove_session_files(self, session_id: str) -> None:
        """Remove all files of a session."""
        super().remove_session_files(session_id)
        self.ledger.close(session_id)


class Downloads(MemoryMediaFileStorage):
    """Keeps downloads at addresses that nobody can guess, long enough to be fetched.

    Streamlit's own addresses are hashes of (parts of) the content: a visitor who guesses what a
    download contains could find out whether it exists, and two long files may share an address.
    And Streamlit counts a file that was made for a click as unused. It deletes it when two more
    runs of any pages have ended; on a busy server, the browser may not have fetched it by then.
    """

    def __init__(
        self,
        media_endpoint: str,
        timeout: float = FETCH_TIMEOUT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(media_endpoint)
        self._key = secrets.token_bytes(32)
        self._timeout = timeout
        self._clock = clock
        self._lock = threading.Lock()
        # By id, those that have been unused for longest in front.
        self._unused: dict[str, float] = {}

    def load_and_get_id(
        self,
        path_or_data: str | bytes,
        mimetype: str,
        kind: MediaFileKind,
        filename: str | None = None,
    ) -> str:
        """Keep a file and return its id, which does not change while the server runs."""
        data = self._read_file(path_or_data) if isinstance(path_or_data, str) else path_or_data
        made = blake2b(key=self._key, digest_size=24)
        for part in (data, mimetype.encode(), kind.name.encode(), repr(filename).encode()):
            made.update(len(part).to_bytes(8))
            made.update(part)
        file_id = made.hexdigest()
        with self._lock:
            self._unused.pop(file_id, None)
            self._files_by_id.setdefault(file_id, MemoryFile(data, mimetype, kind, filename))
        return file_id

    def delete_file(self, file_id: str) -> None:
        """Delete a file later, if it is still unused then."""
        with self._lock:
            if file_id in self._files_by_id:
                self._unused.setdefault(file_id, self._clock())
        self.delete_overdue()

    def delete_overdue(self) -> None:
        """Delete the files that have been unused for long, and the oldest if there are too many."""
        now = self._clock()
        with self._lock:
            size = sum(self._files_by_id[file].content_size for file in self._unused)
            for file_id, since in list(self._unused.items()):
                if now - since < self._timeout and size <= MOST_UNUSED:
                    break
                del self._unused[file_id]
                size -= self._files_by_id.pop(file_id).content_size


class Leavers(SessionStorage):
    """Keeps the sessions of disconnected browsers for some seconds, since they may come back.

    Streamlit's own storage drops them without ending them, so that their files stay until a full
    garbage collection, which is rare.
    """

    def __init__(
        self, timeout: float = RETURN_TIMEOUT, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._timeout = timeout
        self._clock = clock
        # By id, those that disconnected first in front.
        self._left: dict[str, tuple[float, SessionInfo]] = {}

    def get(self, session_id: str) -> SessionInfo | None:
        """Return the session, if it still waits."""
        since, info = self._left.get(session_id, (0.0, None))
        return info if info and self._clock() - since < self._timeout else None

    def save(self, session_info: SessionInfo) -> None:
        """Keep a session whose browser has gone."""
        self._left.pop(session_info.session.id, None)
        self._left[session_info.session.id] = (self._clock(), session_info)

    def delete(self, session_id: str) -> None:
        """Forget a session: its browser has come back, or it was ended."""
        self._left.pop(session_id, None)

    def list(self) -> list[SessionInfo]:
        """Return the sessions that wait."""
        return [info for _, info in self._left.values()]

    def end_overdue(self) -> None:
        """End the sessions that have waited too long, and the oldest ones if there are too many."""
        now = self._clock()
        ended = False
        for name, (since, info) in list(self._left.items()):
            if now - since < self._timeout and len(self._left) <= MOST_WAITING:
                break
            del self._left[name]
            ended = True
            info.session.shutdown()
        if ended and Runtime.exists():
            # Streamlit removes a download when it finds it unused for the second time. After the
            # last session there would be no second time.
            Runtime.instance().media_file_mgr.remove_orphaned_files()


class OwnedSessions(WebsocketSessionManager):
    """Lets a browser return only to sessions that it began itself."""

    def connect_session(
        self,
        client: SessionClient,
        script_data: ScriptData,
        user_info: UserInfoType,
        existing_session_id: str | None = None,
        session_id_override: str | None = None,
    ) -> str:
        """Connect a browser to a new session, or to one of its own."""
        owned: UserInfoType = {**user_info, "visitor": visitor_name(_token(client))}
        name = super().connect_session(
            client, script_data, owned, existing_session_id, session_id_override
        )
        if info := self.get_active_session_info(name):
            spare_files(info.session)
        return name


class IdleLoop(asyncio.BaseEventLoop):
    """An event loop for libraries that need one to exist. It is never run and opens no files."""

    def run_forever(self) -> None:
        """Raise an error: this loop never runs."""
        raise RuntimeError("Pages have no event loop that runs. Use asyncio.run.")


def spare_files(session: AppSession) -> None:
    """Give a session an event loop without open files.

    Streamlit keeps a loop for the script of each session, with three open files for as long as the
    session may come back, and never runs it.
    """
    made = session._script_event_loop
    if not isinstance(made, IdleLoop):
        session._script_event_loop = IdleLoop()
        made.close()


def _token(client: SessionClient) -> str:
    """Return the token of a browser, or "" if it has none."""
    context = client.client_context
    return context.cookies.get(COOKIE, "") if context else ""


class Components(BidiComponentManager):
    """Registers the components of our pages only.

    Looking for others in all installed packages would take much of the time that the server needs
    to start.
    """

    def discover_and_register_components(self, *, start_file_watching: bool = True) -> None:
        """Do nothing: the pages register our components when they show them."""


class App(st.App):
    """Streamlit's application with our own sessions, uploads, downloads and components.

    It takes what `streamlit.App` takes.
    """

    def __init__(self, script: Path, ledger: UploadLedger, **options: Any) -> None:
        self.ledger = ledger
        self.leavers = Leavers()
        self.downloads = Downloads("/media")
        super().__init__(script, **options)

    def _create_runtime(self) -> Runtime:
        # Streamlit has no documented way to set these; a test checks that it calls this method.
        return Runtime(
            RuntimeConfig(
                script_path=str(self._resolve_script_path()),
                media_file_storage=self.downloads,
                uploaded_file_manager=Uploads("/_stcore/upload_file", self.ledger),
                cache_storage_manager=create_default_cache_storage_manager(),
                bidi_component_registry=Components(),
                session_manager_class=OwnedSessions,
                session_storage=self.leavers,
                on_script_error=self._on_script_error,
            )
        )

    def end_overdue(self) -> None:
        """End the sessions whose browsers do not come back, and delete unused downloads."""
        self.leavers.end_overdue()
        self.downloads.delete_overdue()

    def owner(self, session_id: str) -> str | None:
        """Return the token of a session's browser: "" without one, None if nobody has it open."""
        client = self._runtime.get_client(session_id) if self._runtime else None
        return _token(client) if client else None


# -- what runs now -------------------------------------------------------------------------------

# The code in which Streamlit converts what a browser has sent to a widget's value.
READING: CodeType = WStates.__getitem__.__code__


def is_page_running() -> bool:
    """Return whether this thread runs a page."""
    return get_script_run_ctx(suppress_warning=True) is not None


def session_id() -> str:
    """Return the id of the session whose page runs; "" if none does."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def page_visitor() -> str:
    """Return the name of the visitor whose page runs; "" if none does."""
    context = get_script_run_ctx(suppress_warning=True)
    return str(context.user_info.get("visitor") or "") if context else ""


def stop_if_gone() -> None:
    """End the run of this page if its browser has gone; Streamlit looks only when a page draws.

    A run that another one shall replace goes on until it draws, so that clicks are kept.
    """
    context = get_script_run_ctx(suppress_warning=True)
    requests = context.script_requests if context else None
    if requests is not None and requests._state is ScriptRequestType.STOP:
        st.stop()


def forget_unreadable() -> None:
    """Drop sent values that no widget can read; with them, each later run would fail again."""
    if (context := get_script_run_ctx()) is None:
        return
    sent = context.session_state._state._new_widget_state
    for name in list(sent.states):
        try:
            sent[name]
        except KeyError:
            pass  # no widget on this page has this id
        # A widget may raise any error for a value that it cannot read.
        except Exception:
            del sent[name]


def upload_ledger() -> UploadLedger | None:
    """Return our server's record of uploads; None in a test, which has no server."""
    files = _uploaded_files()
    return files.ledger if isinstance(files, Uploads) else None


def is_served_elsewhere() -> bool:
    """Return whether a server of Streamlit's own serves the app; a test has no server."""
    files = _uploaded_files()
    return isinstance(files, MemoryUploadedFileManager) and not isinstance(files, Uploads)


def _uploaded_files() -> object:
    return Runtime.instance().uploaded_file_mgr if Runtime.exists() else None


# -- the code in the browser ---------------------------------------------------------------------

# An import within a file of Streamlit's code, and a file that its page asks for at once.
IMPORTED = re.compile(r'(?:from|import)\s*"\./([^"/]+\.js)"')
AT_ONCE = re.compile(r'"\./static/js/([^"/]+\.js)"')


def modules_of(*kinds: str) -> list[str]:
    """Return the addresses of the code of some kinds of elements, and of all that it imports.

    A browser asks for them when such an element arrives; what it asks for at once is left out.
    """
    static = Path(get_static_dir())
    folder = static / "static" / "js"
    at_once = set(AT_ONCE.findall(_text(static / "index.html")))
    names: set[str] = set()
    new = {file.name for kind in kinds for file in folder.glob(f"{kind}.*.js")}
    while new := new - names - at_once:
        names |= new
        new = {imported for name in new for imported in IMPORTED.findall(_text(folder / name))}
    return [f"/static/js/{name}" for name in sorted(names)]


def _text(file: Path) -> str:
    return file.read_text("utf-8") if file.is_file() else ""


# -- settings ------------------------------------------------------------------------------------


def use_secrets(file: str) -> None:
    """Have Streamlit read its secrets, with the providers of identities, from a file."""
    config.set_option("secrets.files", [file])


# Streamlit's function that writes a section of the theme into a message. The theme comes from a
# file and never changes.
MAKER = "_populate_theme_msg"


def make_theme_once() -> None:
    """Have Streamlit write its theme once, not in each run (a fifth of a small page's cost)."""
    make: Callable[..., None] | None = getattr(app_session, MAKER, None)
    if make is None or hasattr(make, "__wrapped__"):
        return  # this version of Streamlit has no such function, or it is replaced already

    @functools.cache
    def made(*section: str) -> CustomThemeConfig:
        theme = CustomThemeConfig()
        make(theme, *section)
        return theme

    @functools.wraps(make)
    def put(message: Any, *section: str) -> None:
        # An empty section must stay absent: merging it would create it.
        if (theme := made(*section)).ByteSize():
            message.MergeFrom(theme)

    setattr(app_session, MAKER, put)
