"""Every use of a part of Streamlit that is not in its documentation, and nothing else.

Such a part may change with any version. What is here was tried with Streamlit 1.67;
``pyproject.toml`` admits no version that was not tried. The rest of the explorer asks here.
"""

from __future__ import annotations

import asyncio
import functools
import secrets
import time
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit import config
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Block_pb2 import Block
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.proto.NumberInput_pb2 import NumberInput
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime import Runtime, RuntimeConfig, app_session
from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import MemoryFile, MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
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
    from streamlit.runtime.app_session import AppSession
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
    "session_id",
    "upload_ledger",
    "use_secrets",
]

# How long a session waits for its browser after the connection broke, and how many do.
RETURN_TIMEOUT = 120.0
MOST_WAITING = 500


class Uploads(MemoryUploadedFileManager):
    """Uploaded files, which a ledger records."""

    def __init__(self, endpoint: str, ledger: UploadLedger) -> None:
        super().__init__(endpoint)
        self.ledger = ledger

    def get_upload_urls(
        self, session_id: str, file_names: Sequence[str]
    ) -> list[UploadFileUrlInfo]:
        """Return the addresses to which a session may upload."""
        given = super().get_upload_urls(session_id, file_names)
        for each in given:
            self.ledger.give(session_id, each.file_id)
        return given

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
    """Downloads, at addresses that nobody can guess.

    Streamlit's own addresses are hashes of (parts of) the content: a visitor who guesses what a
    download contains could ask whether it is there, and two long files may share an address.
    """

    def __init__(self, media_endpoint: str) -> None:
        super().__init__(media_endpoint)
        self._key = secrets.token_bytes(32)

    def load_and_get_id(
        self,
        path_or_data: str | bytes,
        mimetype: str,
        kind: MediaFileKind,
        filename: str | None = None,
    ) -> str:
        """Keep a file and return its id: the same for the same file, while the server runs."""
        data = self._read_file(path_or_data) if isinstance(path_or_data, str) else path_or_data
        made = blake2b(key=self._key, digest_size=24)
        for part in (data, mimetype.encode(), kind.name.encode(), repr(filename).encode()):
            made.update(len(part).to_bytes(8))
            made.update(part)
        file_id = made.hexdigest()
        self._files_by_id.setdefault(file_id, MemoryFile(data, mimetype, kind, filename))
        return file_id


class Leavers(SessionStorage):
    """Sessions whose browser has gone, for some seconds, since it may come back.

    Streamlit's own storage drops them without ending them, so that their files stay until a full
    garbage collection, which is rare.
    """

    def __init__(
        self, timeout: float = RETURN_TIMEOUT, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._timeout = timeout
        self._clock = clock
        # By id, those that left first in front.
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
        """End those that have waited long enough, and the first ones if there are too many."""
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
    """Sessions that only the browser that began them can come back to."""

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
    """An event loop for libraries that want to see one. It is never run and has no open files."""

    def run_forever(self) -> None:
        """Refuse."""
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
    """The token of a browser, or "" if it has none."""
    context = client.client_context
    return context.cookies.get(COOKIE, "") if context else ""


class Components(BidiComponentManager):
    """The components of our pages only.

    To look for others in all installed packages would take much of the time of a server's start.
    """

    def discover_and_register_components(self, *, start_file_watching: bool = True) -> None:
        """Do nothing: ours are registered by the pages that show them."""


class App(st.App):
    """Streamlit's application with our own sessions, uploads, downloads and components.

    It takes what `streamlit.App` takes.
    """

    def __init__(self, script: Path, ledger: UploadLedger, **options: Any) -> None:
        self.ledger = ledger
        self.leavers = Leavers()
        super().__init__(script, **options)

    def _create_runtime(self) -> Runtime:
        # Streamlit has no other way to say this; a test sees that it is asked here.
        return Runtime(
            RuntimeConfig(
                script_path=str(self._resolve_script_path()),
                media_file_storage=Downloads("/media"),
                uploaded_file_manager=Uploads("/_stcore/upload_file", self.ledger),
                cache_storage_manager=create_default_cache_storage_manager(),
                bidi_component_registry=Components(),
                session_manager_class=OwnedSessions,
                session_storage=self.leavers,
                on_script_error=self._on_script_error,
            )
        )

    def owner(self, session_id: str) -> str | None:
        """Return the token of a session's browser: "" without one, None if nobody has it open."""
        client = self._runtime.get_client(session_id) if self._runtime else None
        return _token(client) if client else None


# -- what runs now -------------------------------------------------------------------------------

# Where Streamlit makes a widget's value of what a browser has sent.
READING: CodeType = WStates.__getitem__.__code__


def is_page_running() -> bool:
    """Does this thread run a page?"""
    return get_script_run_ctx(suppress_warning=True) is not None


def session_id() -> str:
    """Return the id of the session whose page runs; "" if none does."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def forget_unreadable() -> None:
    """Drop what a browser has sent and no widget can read: each later run would fail again."""
    if (context := get_script_run_ctx()) is None:
        return
    sent = context.session_state._state._new_widget_state
    for name in list(sent.states):
        try:
            sent[name]
        except KeyError:
            pass  # nobody on this page has asked for it
        # A widget may raise any error for a value that it does not know.
        except Exception:
            del sent[name]


def upload_ledger() -> UploadLedger | None:
    """Return what our server notes of uploads; None in a test, which has no server."""
    files = _uploaded_files()
    return files.ledger if isinstance(files, Uploads) else None


def is_served_elsewhere() -> bool:
    """Return whether a server of Streamlit's own serves the app; a test has no server."""
    files = _uploaded_files()
    return isinstance(files, MemoryUploadedFileManager) and not isinstance(files, Uploads)


def _uploaded_files() -> object:
    return Runtime.instance().uploaded_file_mgr if Runtime.exists() else None


# -- settings ------------------------------------------------------------------------------------


def use_secrets(file: str) -> None:
    """Have Streamlit read its secrets, with the providers of identities, from a file."""
    config.set_option("secrets.files", [file])


# Writes a section of the theme, which a file sets and nothing changes, into a message.
MAKER = "_populate_theme_msg"


def make_theme_once() -> None:
    """Have Streamlit write its theme once, and not for each run: a fifth of a small page's cost."""
    make: Callable[..., None] | None = getattr(app_session, MAKER, None)
    if make is None or hasattr(make, "__wrapped__"):
        return  # another Streamlit, which does without; or done

    @functools.cache
    def made(*section: str) -> CustomThemeConfig:
        theme = CustomThemeConfig()
        make(theme, *section)
        return theme

    @functools.wraps(make)
    def put(message: Any, *section: str) -> None:
        # A section without content is none: merged, it would be there.
        if (theme := made(*section)).ByteSize():
            message.MergeFrom(theme)

    setattr(app_session, MAKER, put)
