"""A session with the server, like that of a browser's tab."""

from __future__ import annotations

import itertools
import json
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import parse_qsl, urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

from explorer.visitors import read_token, visitor_name
from tests.explorer.connections.browsers import Window

TABLE = "nip_table"
SEAT = "nip_seat"
UPDATES = "nip_updates"
TIMEOUT = 180.0  # seconds: a server that has not answered by then is stuck
LOOK = 0.02  # seconds between questions whether the server still runs a page
FINISHED_EARLY = ForwardMsg.FINISHED_EARLY_FOR_RERUN

# The field of a widget's state that carries its value, by the kind of its element.
VALUES = {
    "checkbox": "bool_value",
    "text_input": "string_value",
    "text_area": "string_value",
    "number_input": "double_value",
    "selectbox": "string_value",
    "radio": "string_value",
    "slider": "double_array_value",
    "multiselect": "string_array_value",
    "button_group": "string_array_value",
}


class Page:
    """A session, what it was sent, and what its page shows.

    Parameters
    ----------
    port : int
    page : str
        The address of a page of the app, without a slash.
    query : dict of str to str
    cookies : CookieJar, optional
        The browser's cookies; the first page is fetched with them, as by a navigation.
    headers : dict, optional
        Further headers of the handshake, such as ``Origin``.
    running : callable, optional
        Tells whether the server has a run of a session left. A page that is only run once at a time
        needs none.

    Attributes
    ----------
    frames : list of bytes
        Every message that the session was sent, in order.
    received : list of str
        The messages of a seat's connections.
    messages : list of ForwardMsg
        The same, parsed; where the server only refers to an earlier message, that message.
    query : dict of str to str
        The address as the app has changed it.
    states : dict of str to WidgetState
        The state of each widget that was set, by its id; all are sent with every rerun.
    session : str
        The session's id.
    """

    def __init__(
        self,
        port: int,
        page: str,
        query: dict[str, str],
        *,
        cookies: CookieJar | None = None,
        headers: dict[str, str] | None = None,
        running: Callable[[str], bool] | None = None,
    ) -> None:
        self._running = running
        self.url = f"http://127.0.0.1:{port}"
        self.page = page
        self.query = _address(query)
        self.cookies = CookieJar() if cookies is None else cookies
        self._http = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        self.fetch(f"/{page}")
        self.fetch("/_stcore/health")  # as the page does; it sets the cookie that uploads need
        self._headers = headers or {}
        self._open = ExitStack()
        # As the page does: the server believes who has signed in only with this token.
        xsrf = [cookie.value for cookie in self.cookies if cookie.name.endswith("xsrf")]
        stream = self._connect("/_stcore/stream", "streamlit", *xsrf)
        self._socket = self._open.enter_context(stream)
        self.frames: list[bytes] = []
        self.received: list[str] = []
        self._error: dict[str, str | None] | None = None
        self.messages: list[ForwardMsg] = []
        self._requests = itertools.count()
        self.states: dict[str, WidgetState] = {}
        self.session = ""
        self._hash = ""
        self._hashes: dict[str, str] = {}
        self._known: dict[str, ForwardMsg] = {}
        self._shown: dict[tuple[int, ...], ForwardMsg] = {}
        self._clocks: dict[str, float] = {}
        self._folded: dict[str, ForwardMsg] = {}

    def _connect(self, path: str, *protocols: Any) -> Any:
        sent = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.cookies)
        return connect(
            f"ws{self.url.removeprefix('http')}{path}",
            subprotocols=protocols or None,
            additional_headers={**({"Cookie": sent} if sent else {}), **self._headers},
            max_size=None,
            proxy=None,
        )

    @property
    def visitor(self) -> str:
        """The visitor's name, by which the server knows the page's browser."""
        token = read_token([f"{cookie.name}={cookie.value}" for cookie in self.cookies])
        assert token is not None
        return visitor_name(token)

    def close(self) -> None:
        """Close the session, as when its tab is closed."""
        self._open.close()

    # -- sending -------------------------------------------------------------------------------

    def rerun(
        self,
        states: Iterable[WidgetState] = (),
        *,
        fragment: str = "",
        keep: bool = True,
        back: bool = False,
        automatic: bool = False,
    ) -> list[ForwardMsg]:
        """Rerun the page with what was set on it, and wait until it is done.

        Parameters
        ----------
        states : iterable of WidgetState
            Sent in addition to what was set before. They may be forged.
        fragment : str
            Run only this part.
        keep : bool
            Whether to send what was set before.
        back : bool
            Whether the browser's Back or Forward led to the page's address.
        automatic : bool
            Whether the part of the page reruns by itself.
        """
        message = self.request(states, fragment=fragment, keep=keep)
        message.rerun_script.is_history_navigation = back
        message.rerun_script.is_auto_rerun = automatic
        self.send(message)
        return list(self._until_done())

    def request(
        self, states: Iterable[WidgetState] = (), *, fragment: str = "", keep: bool = True
    ) -> BackMsg:
        """Return the message that asks for a rerun."""
        message = BackMsg()
        run = message.rerun_script
        run.query_string = urlencode(self.query)
        if self._hash:
            run.page_script_hash = self._hash
        else:
            run.page_name = self.page
        run.context_info.url = f"{self.url}/{self.page}"
        run.context_info.timezone, run.context_info.locale = "UTC", "en"
        run.context_info.color_scheme = "light"
        run.fragment_id = fragment
        sent = {**(self.states if keep else {}), **{state.id: state for state in states}}
        run.widget_states.widgets.extend(sent.values())
        return message

    def goto(self, page: str, **query: str) -> list[ForwardMsg]:
        """Go to another page within the session, as by a click on the navigation."""
        self.page, self.query = page, _address(query)
        self._hash = self._hashes[page]
        return self.rerun()

    def click(self, label: str) -> list[ForwardMsg]:
        """Press a button, given its label or its key, or the beginning of its label."""
        shown = self.widget(label, "button")
        return self.rerun([pressed(shown)], fragment=shown.delta.fragment_id)

    def interrupt_click(
        self, label: str, *, typed: dict[str, Any] | None = None, after: Callable = lambda: None
    ) -> None:
        """Press a button; as its run has begun, an update of the page asks for another one.

        Parameters
        ----------
        label : str
        typed : dict, optional
            Values of fields, by label, that the server gets together with the press.
        after : callable
            Called before the other run is asked for.
        """
        button = self.widget(label, "button")
        fragment = button.delta.fragment_id
        states = [self._set(*self._field(each), value) for each, value in (typed or {}).items()]
        self.send(self.request([*states, pressed(button)], fragment=fragment))
        self._wait_for("new_session")
        after()
        if fragment:
            self.trigger(UPDATES, "update", "another")
        else:
            self.rerun()
        # That may have been the click's run only.
        self._wait_until_idle()

    def choose(self, label: str, value: Any) -> list[ForwardMsg]:
        """Set a widget, given its label or its key, to a value.

        Within a form nothing is sent before the form is.
        """
        shown, kind = self._field(label)
        self._set(shown, kind, value)
        in_form = getattr(shown.delta.new_element, kind).form_id
        return [] if in_form else self.rerun(fragment=shown.delta.fragment_id)

    def _field(self, label: str) -> tuple[ForwardMsg, str]:
        """Return a field that can be set, and its kind."""
        shown = self.widget(label, *VALUES)
        return shown, _kind(shown)

    def _set(self, shown: ForwardMsg, kind: str, value: Any) -> WidgetState:
        """Set a field, and send nothing yet."""
        state = WidgetState(id=getattr(shown.delta.new_element, kind).id)
        if VALUES[kind].endswith("_array_value"):
            values = value if isinstance(value, list | tuple) else [value]
            getattr(state, VALUES[kind]).data.extend(values)
        else:
            setattr(state, VALUES[kind], value)
        self.states[state.id] = state
        return state

    def unfold(self, label: str) -> list[ForwardMsg]:
        """Open a menu whose content is made only then."""
        shown = self._folded[label]
        state = WidgetState(id=shown.delta.add_block.popover.id, bool_value=True)
        self.states[state.id] = state
        return self.rerun(fragment=shown.delta.fragment_id)

    def act(self, **act: Any) -> dict[str, str | None] | None:
        """Do something at the table: a move (the rest is filled in), or ``goto=position``.

        Return why it was refused, if it was. The page runs again if it has to.
        """
        with self._at_seat() as window:
            refused = window.act(**act)
        self._error = None if refused is None else {"mark": window.answer["mark"], **refused}
        self._take_up(window.mark)
        return refused

    def take_back(self) -> dict[str, str | None] | None:
        """Take the last move back at the table, as its button does; return why it was refused."""
        return self.act(undo=self.table["undo"])

    def _take_up(self, mark: str) -> None:
        """Rerun the page, unless it already shows the state with this mark."""
        if mark not in self._data(SEAT)["known"]:
            self.trigger(SEAT, "update", mark)

    @contextmanager
    def _at_seat(self) -> Iterator[Window]:
        """Open a seat's connection anew; its messages are kept in `received`."""
        with self._connect(self._data(SEAT)["address"]) as socket:
            window = Window(socket)
            try:
                yield window
            finally:
                self.received += window.frames

    def _data(self, component: str) -> dict[str, Any]:
        return json.loads(self.component(component).delta.new_element.bidi_component.json)[0]

    def trigger(self, component: str, event: str, value: Any) -> list[ForwardMsg]:
        """Send an event of a component to the page, with any value."""
        return self.tell(self.component(component), event, value)

    def tell(self, shown: ForwardMsg, event: str, value: Any) -> list[ForwardMsg]:
        """Send an event of a component given by its element, if several have the same name."""
        base = shown.delta.new_element.bidi_component.id
        states = [
            WidgetState(id=base, json_value="{}"),
            WidgetState(
                id=f"$$STREAMLIT_INTERNAL_KEY_{base}__events",
                json_trigger_value=json.dumps([{"event": event, "value": value}]),
            ),
        ]
        return self.rerun(states, fragment=shown.delta.fragment_id)

    def run_fragments(self) -> None:
        """Rerun all fragments of the page, as their clocks and connections would."""
        for name in self._fragments():
            # A fragment may have rerun the whole page, after which the next no longer exists.
            if name in self._fragments():
                self.rerun(fragment=name)
        if self._has_seat:
            with self._at_seat() as window:
                pass
            self._take_up(window.mark)

    def _fragments(self) -> dict[str, None]:
        shown = (message.delta.fragment_id for message in self._shown.values())
        return dict.fromkeys(name for name in (*shown, *self._clocks) if name)

    def run_clocks(self) -> None:
        """Rerun the fragments that have a clock, shown or not, once."""
        for name in list(self._clocks):
            if name in self._clocks:
                self.rerun(fragment=name)

    def open_updates(self) -> None:
        """Open the connection that notifies the page of changes."""
        self._updates = self._open.enter_context(self._connect(self._data(UPDATES)["address"]))

    def open_seat(self) -> Window:
        """Open the connection of a person's seat, which brings the table."""
        return Window(self._open.enter_context(self._connect(self._data(SEAT)["address"])))

    def next_mark(self) -> str:
        """Return the next mark that the connection of the page sends."""
        said = json.loads(self._updates.recv(timeout=TIMEOUT))
        return "lost" if said.get("lost") else said["mark"]

    def follow(self) -> list[ForwardMsg]:
        """Let the page handle the next notification, unless it already shows that state."""
        mark = self.next_mark()
        return [] if mark in self._data(UPDATES)["known"] else self.trigger(UPDATES, "update", mark)

    def upload(self, label: str, name: str, content: bytes) -> list[ForwardMsg]:
        """Upload a file, as a browser does."""
        shown = self.widget(label, "file_uploader")
        place = shown.delta.new_element.file_uploader
        message = BackMsg()
        asked = message.file_urls_request
        asked.request_id, asked.session_id = f"files-{next(self._requests)}", self.session
        asked.file_names.append(name)
        self.send(message)
        (given,) = self._wait_for("file_urls_response").file_urls_response.file_urls
        mark = uuid.uuid4().hex
        head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        body = f"{head}Content-Type: application/octet-stream\r\n\r\n".encode()
        kind = {"Content-Type": f"multipart/form-data; boundary={mark}"}
        self.fetch(
            given.upload_url,
            method="PUT",
            data=body + content + f"\r\n--{mark}--\r\n".encode(),
            headers=kind,
        )
        state = WidgetState(id=place.id)
        info = state.file_uploader_state_value.uploaded_file_info.add()
        info.file_id, info.name, info.size = given.file_id, name, len(content)
        info.file_urls.CopyFrom(given)
        self.states[place.id] = state
        return [] if place.form_id else self.rerun(fragment=shown.delta.fragment_id)

    def download(self, label: str) -> bytes:
        """Return the file behind a download button."""
        button = self.widget(label, "download_button").delta.new_element.download_button
        deferred = button.deferred_file_id
        return self.fetch_deferred(deferred) if deferred else self.fetch(button.url)

    def fetch_deferred(self, file_id: str) -> bytes:
        """Let the server make the file that a download button announces, and fetch it."""
        return self.fetch(self.made(file_id))

    def made(self, file_id: str) -> str:
        """Let the server make a file, and return its address."""
        message = BackMsg()
        asked = message.backend_operation_request
        asked.request_id, asked.session_id = f"file-{next(self._requests)}", self.session
        asked.deferred_file.file_id = file_id
        self.send(message)
        answer = self._wait_for("backend_operation_response").backend_operation_response
        assert answer.deferred_file.url, answer
        return answer.deferred_file.url

    def downloads(self) -> dict[str, bytes]:
        """Return every file that the page offers, by the button's label."""
        labels = self.labels("download_button")
        # A disabled button has no file: its empty address would fetch the first page.
        return {label: self.download(label) for label in labels if not self._is_disabled(label)}

    def _is_disabled(self, label: str) -> bool:
        button = self.widget(label, "download_button").delta.new_element.download_button
        return button.disabled

    def fetch(self, path: str, **request: Any) -> bytes:
        """Fetch an address of the server with the browser's cookies."""
        headers = request.pop("headers", {})
        xsrf = [cookie.value for cookie in self.cookies if cookie.name.endswith("xsrf")]
        if xsrf:
            headers = {**headers, "X-Xsrftoken": xsrf[0]}
        asked = urllib.request.Request(f"{self.url}{path}", headers=headers, **request)
        with self._http.open(asked, timeout=TIMEOUT) as answer:
            return answer.read()

    def send(self, message: BackMsg) -> None:
        """Send a message to the server as it is."""
        self._socket.send(message.SerializeToString())

    # -- received ------------------------------------------------------------------------------

    @property
    def said(self) -> str:
        """Everything that the browser was sent, as text without escapes for quotes."""
        whole = b"\n".join([*self.frames, *map(str.encode, self.received)]).decode(
            "utf-8", "replace"
        )
        for quoted, plain in (("\\n", "\n"), ('\\"', '"'), ("\\\\", "\\")):
            whole = whole.replace(quoted, plain)
        return whole

    def forget(self) -> None:
        """Forget the messages so far: `frames` becomes empty."""
        self.frames.clear()
        self.messages.clear()
        self.received.clear()

    def elements(self) -> list[tuple[str, Any]]:
        """The elements on the page now, in order: the kind of each, and the element."""
        found = sorted(self._shown.items())
        return [(_kind(m), getattr(m.delta.new_element, _kind(m))) for _, m in found]

    def find(self, *kinds: str) -> list[ForwardMsg]:
        """Return the messages of the elements of some kinds that are on the page now."""
        return [m for _, m in sorted(self._shown.items()) if _kind(m) in kinds]

    def labels(self, kind: str = "button") -> list[str]:
        """Return the labels of all elements of a kind."""
        return [_plain(element.label) for name, element in self.elements() if name == kind]

    def texts(self, *kinds: str) -> list[str]:
        """Return the texts of alerts, markdown, headings and so on, of some kinds or all."""
        return [
            element.body
            for kind, element in self.elements()
            if hasattr(element, "body") and (not kinds or kind in kinds)
        ]

    def widget(self, label: str, *kinds: str) -> ForwardMsg:
        """Return a widget's message, given its label, its key, or the beginning of its label."""
        found = self.find(*kinds)
        for fits in (_labelled, _keyed, _begins):
            for message in found:
                if fits(getattr(message.delta.new_element, _kind(message)), label):
                    return message
        there = {kind: self.labels(kind) for kind in kinds if self.labels(kind)}
        raise AssertionError(f"No {label!r} on the page: {there}; {self.texts('alert')}")

    def component(self, name: str) -> ForwardMsg:
        """Return the message of a component that is on the page."""
        components = self.components(name)
        assert components, f"No {name} on the page: {self.texts()}"
        return components[0]

    def components(self, name: str) -> list[ForwardMsg]:
        """Return the messages of all components of a name that are on the page."""
        return [
            message
            for message in self.find("bidi_component")
            if name in message.delta.new_element.bidi_component.component_name
        ]

    @property
    def has_table(self) -> bool:
        """Whether the table is on the page."""
        return self._has_seat or self._has(TABLE)

    @property
    def _has_seat(self) -> bool:
        return self._has(SEAT)

    def _has(self, component: str) -> bool:
        return bool(self.components(component))

    @property
    def table(self) -> dict[str, Any]:
        """What the table shows now, from the connection of a seat or from its component's data."""
        if not self._has_seat:
            return self._data(TABLE)
        with self._at_seat() as window:
            around = {"draft": self._data(SEAT)["draft"], "error": self._error}
            return {**window.seat["table"], **around}

    # -- listening -----------------------------------------------------------------------------

    def _until_done(self) -> Iterator[ForwardMsg]:
        """Yield messages until the server has no run left for the session."""
        finished = False
        while True:
            message = self._take(TIMEOUT)
            yield message
            kind = message.WhichOneof("type")
            if kind == "new_session":
                finished = False
            elif kind == "script_finished" and message.script_finished != FINISHED_EARLY:
                finished = True
            elif kind == "session_status_changed":
                running = message.session_status_changed.script_is_running
                if finished and not running:
                    return

    def _wait_until_idle(self) -> None:
        """Wait until no run is left, and take all messages that were sent until then."""
        assert self._running is not None, "such a page is opened by a `FrameServer`"
        self._answered()
        while self._running(self.session):
            time.sleep(LOOK)
        self._answered()

    def _answered(self) -> None:
        """Wait until the server has handled everything that it was sent, in order.

        The answer to a question without content is removed: it is not of the page.
        """
        message = BackMsg()
        asked = message.file_urls_request
        asked.request_id, asked.session_id = "answered", self.session
        self.send(message)
        while self._wait_for("file_urls_response").file_urls_response.response_id != "answered":
            pass
        del self.frames[-1], self.messages[-1]

    def _wait_for(self, kind: str) -> ForwardMsg:
        while (message := self._take(TIMEOUT)).WhichOneof("type") != kind:
            pass
        return message

    def _take(self, timeout: float) -> ForwardMsg:
        data = self._socket.recv(timeout=timeout)
        assert isinstance(data, bytes)
        self.frames.append(data)
        message = ForwardMsg()
        message.ParseFromString(data)
        if message.WhichOneof("type") == "ref_hash":
            known = self._known[message.ref_hash]
            meant = ForwardMsg()
            meant.CopyFrom(known)
            meant.metadata.CopyFrom(message.metadata)
            message = meant
        elif message.hash:
            self._known[message.hash] = message
        self.messages.append(message)
        self._take_in(message)
        return message

    def _take_in(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.session = message.new_session.initialize.session_id or self.session
            self._hash = message.new_session.page_script_hash or self._hash
            if not message.metadata.run.fragment_ids:
                self._shown.clear()
                self._clocks.clear()
                self._folded.clear()
        if kind in ("new_session", "navigation"):
            body = getattr(message, kind)
            self._hashes.update({p.url_pathname: p.page_script_hash for p in body.app_pages})
        if kind == "navigation":
            self._hash = message.navigation.page_script_hash or self._hash
        elif kind == "page_info_changed":
            self.query = dict(
                parse_qsl(message.page_info_changed.query_string, keep_blank_values=True)
            )
        elif kind == "auto_rerun":
            self._clocks[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "delta":
            path = tuple(message.metadata.delta_path)
            if message.delta.WhichOneof("type") == "new_element":
                self._shown[path] = message
            else:
                menu = message.delta.add_block.popover
                if menu.id:
                    self._folded[_plain(menu.label)] = message
                # A new block replaces all that was there.
                gone = [each for each in self._shown if each[: len(path)] == path]
                for each in gone if message.delta.WhichOneof("type") == "add_block" else ():
                    del self._shown[each]


def _address(query: dict[str, str]) -> dict[str, str]:
    return {name.replace("__", "."): value for name, value in query.items()}


def pressed(button: ForwardMsg) -> WidgetState:
    """Return the state of a button that was just pressed."""
    return WidgetState(id=button.delta.new_element.button.id, trigger_value=True)


def _kind(message: ForwardMsg) -> str:
    return message.delta.new_element.WhichOneof("type") or "empty"


def _labelled(element: Any, label: str) -> bool:
    return _plain(element.label) == label


def _keyed(element: Any, key: str) -> bool:
    return element.id.endswith(f"-{key}")


def _begins(element: Any, label: str) -> bool:
    return _plain(element.label).startswith(label)


def _plain(label: str) -> str:
    """Return a label as people read it, without the backslashes that protect it from markdown."""
    return label.replace(":small[]", "").replace("\\", "")


def in_words(seat: str) -> str:
    """Return the words for a seat in a sentence on the page; other words stay as they are."""
    if seat[-1].isdigit():
        return f"{seat[:-1]} {int(seat[-1]) + 1}"
    return seat if " " in seat else f"the {seat}"
