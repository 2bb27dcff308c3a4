"""The server's process: serves the app, and runs functions that the tests send."""

from __future__ import annotations

import os
import socket
import sys
import threading
import traceback
from multiprocessing.connection import Client, Connection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from streamlit.runtime.forward_msg_queue import ForwardMsgQueue


def obey(tests: Connection) -> None:
    """Run the calls that the tests send, one after the other, until they close the pipe."""
    while True:
        try:
            function, arguments = tests.recv()
        except EOFError:
            os._exit(0)
        try:
            answer = True, function(*arguments)
        except Exception:
            answer = False, traceback.format_exc()
        tests.send(answer)


def set_variable(name: str, value: str | None) -> None:
    """Set or unset a variable of the server's environment."""
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def is_running(session: str) -> bool:
    """Return whether a run of a session is under way, or has been asked for."""
    from streamlit.runtime import get_instance
    from streamlit.runtime.app_session import AppSessionState

    info = get_instance()._session_mgr.get_session_info(session)
    # A session drops the thread that runs its script once it has handled its last message.
    return info is not None and (
        info.session._scriptrunner is not None
        or info.session._state == AppSessionState.APP_IS_RUNNING
    )


def finish_work() -> None:
    """Wait until no model is working at any table."""
    for thread in threading.enumerate():
        if thread.name.startswith("table-"):
            thread.join(600)


def begin_anew() -> None:
    """Clear what the process caches about tables beside the database."""
    from explorer.play import workers as models

    finish_work()
    models._workers.clear()


def compute_only_in_pages(only: bool) -> None:
    """Refuse what pages compute in other processes, or allow it again.

    It depends on nothing but a document; when its results come, and with how many frames, depends
    on time.
    """
    from explorer.computations import BusyError, Computations

    def refuse(*_: object, **__: object) -> None:
        raise BusyError("Nothing is computed here.")

    if not hasattr(Computations, "allowed"):
        Computations.allowed = Computations.begin
    Computations.begin = refuse if only else Computations.allowed


def keep_every_message() -> None:
    """Send every message, even if a newer message or run would replace it in the queue.

    Which of them a browser gets depends on timing; a client may have been sent each of them.
    """
    from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

    def enqueue(queue: ForwardMsgQueue, message: ForwardMsg) -> None:
        queue._queue.append(message)

    def clear(queue: ForwardMsgQueue, retain_lifecycle_msgs: bool = False, **_: object) -> None:
        if not retain_lifecycle_msgs:
            queue._queue = []

    ForwardMsgQueue.enqueue, ForwardMsgQueue.clear = enqueue, clear


def never_wait_for_models() -> None:
    """Allow a request to a failed model to be repeated at once."""
    from explorer.players.models import Retries

    Retries.pause = lambda *_: 0.0


def main() -> None:
    tests = Client(("127.0.0.1", int(sys.argv[1])), authkey=bytes.fromhex(sys.argv[2]))
    from explorer import asgi as server
    from tests import patience as patience

    keep_every_message()
    never_wait_for_models()
    server.warm_up()
    bound = socket.create_server(("127.0.0.1", 0))
    tests.send(bound.getsockname()[1])
    threading.Thread(target=obey, args=(tests,), daemon=True).start()
    server.serve(bound)


if __name__ == "__main__":
    main()
