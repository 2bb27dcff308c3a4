"""Check what browsers send to their sessions: only values that their pages ask for may pass.

Streamlit trusts its own script in the browser. A program that speaks the protocol without it can
clear the caches of all visitors, read facts about the repository, or give a widget a value that it
cannot read, after which every later run of the session fails. So each message is compared with the
page that was sent.
"""

from __future__ import annotations

import logging
import math
import re
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, cast

from google.protobuf.message import DecodeError
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.server.guard import STREAM
from explorer.server.streamlit_parts import (
    BackMsg,
    Block,
    Element,
    ForwardMsg,
    NumberInput,
    WidgetState,
)
from explorer.server.wire import holds_at_most
from nip_core.documents import Limits, parse_json
from nip_core.errors import NipError

UNSUPPORTED = 1003
# The others clear shared caches, describe the repository, or are for Streamlit's developers.
MESSAGES = {"rerun_script", "stop_script", "app_heartbeat", "file_urls_request"}
OPERATION = "deferred_file"  # a download that is made when it is asked for
MOST_SESSIONS, MOST_WIDGETS = 2000, 4000
MOST_TEXT = 2_000_000
# Values in a message and in the JSON of a widget, parameters of an address, and files to upload. In
# memory, each takes far more than the few bytes that it needs in a message.
MOST_VALUES, MOST_PARAMETERS, MOST_FILES = 20_000, 200, 1_000
MOST_ADDRESS = 32_000
OF_A_WIDGET = Limits(size=MOST_TEXT, values=MOST_VALUES)
# Half of a character (a lone surrogate), which browsers send unchanged, and its replacement.
HALF, NONE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]"), "\ufffd".encode()
EVENTS = "$$STREAMLIT_INTERNAL_KEY_{}__events"

Check = Callable[[Any], bool]

log = logging.getLogger("explorer")


class MessageGate:
    """Removes from a browser's messages what its page does not take."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        # What each session's page takes. Kept by session, since a browser may reconnect.
        self.pages: OrderedDict[str, Widgets] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a connection."""
        if scope["type"] != "websocket" or scope["path"] != STREAM:
            await self.app(scope, receive, send)
            return
        protocols = Headers(scope=scope).get("sec-websocket-protocol", "").split(",")
        page = self.pages.get(protocols[2].strip(), Widgets()) if len(protocols) > 2 else Widgets()

        async def receive_fitting() -> Message:
            while True:
                message = await receive()
                if message["type"] != "websocket.receive":
                    return message
                if message.get("bytes") is None:
                    # Streamlit sends and expects bytes. For text, it writes a long traceback into
                    # the log.
                    await send({"type": "websocket.close", "code": UNSUPPORTED})
                    return {"type": "websocket.disconnect", "code": UNSUPPORTED}
                data = fitting(message["bytes"], page)
                if data is not None:
                    return {"type": "websocket.receive", "bytes": data}

        async def send_noted(message: Message) -> None:
            if message["type"] == "websocket.send" and (data := message.get("bytes")):
                self._note(data, page)
            await send(message)

        await self.app(scope, receive_fitting, send_noted)

    def _note(self, data: bytes, page: Widgets) -> None:
        message = ForwardMsg.FromString(data)
        kind = message.WhichOneof("type")
        if kind == "delta":
            page.learn(message.delta)
        elif kind == "new_session" and (name := message.new_session.initialize.session_id):
            self.pages[name] = page
            self.pages.move_to_end(name)
            while len(self.pages) > MOST_SESSIONS:
                self.pages.popitem(last=False)


def fitting(data: bytes, page: Widgets) -> bytes | None:
    """Return a message without what the page does not take; None if nothing of it may pass."""
    if not holds_at_most(MOST_VALUES, data, BackMsg.DESCRIPTOR):
        return None
    try:
        message = BackMsg.FromString(data)
    except DecodeError:
        whole = HALF.sub(NONE, data)  # of the same length, which the message states
        return None if whole == data else fitting(whole, page)
    kind = message.WhichOneof("type")
    address = message.rerun_script.query_string
    if len(address) > MOST_ADDRESS or address.count("&") > MOST_PARAMETERS:
        return None
    if len(message.file_urls_request.file_names) > MOST_FILES:
        return None
    if kind == "backend_operation_request":
        operation = message.backend_operation_request.WhichOneof("payload")
        return data if operation == OPERATION else None
    if kind not in MESSAGES:
        return None
    if kind == "rerun_script":
        states = message.rerun_script.widget_states.widgets
        good = [state for state in states if page.takes(state)]
        if len(good) < len(states):
            log.info("A browser sent %d values that do not fit.", len(states) - len(good))
            del states[:]
            states.extend(good)
            return message.SerializeToString()
    return data


class Widgets:
    """The values that the widgets of a page take: for each id, the fields and a check."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[str, Check]] = OrderedDict()

    def learn(self, delta: Any) -> None:
        """Record the widget that a message puts on the page, if there is one."""
        widgets: dict[str, tuple[str, Check]] = {}
        if delta.WhichOneof("type") == "new_element":
            widgets = _of_element(delta.new_element)
        elif delta.WhichOneof("type") == "add_block":
            widgets = _of_block(delta.add_block)
        for name, taken in widgets.items():
            self._known[name] = taken
            self._known.move_to_end(name)
        while len(self._known) > MOST_WIDGETS:
            self._known.popitem(last=False)

    def takes(self, state: WidgetState) -> bool:
        """Return whether the page, or for an unknown widget any page, can read a value."""
        field = state.WhichOneof("value")
        if field is None:
            return True  # an empty one, which stands for the default
        value = getattr(state, field)
        if state.id in self._known:
            wanted, check = self._known[state.id]
            return field in wanted.split() and check(value)
        if field in ("json_value", "json_trigger_value"):
            return _json(value) is not None
        return not isinstance(value, float) or math.isfinite(value)


def _of_block(block: Block) -> dict[str, tuple[str, Check]]:
    kind = block.WhichOneof("type")
    fields = {"expandable": "bool_value", "popover": "bool_value", "tab_container": "string_value"}
    name = getattr(getattr(block, kind), "id", "") if kind in fields else ""
    return {name: (fields[kind], _any)} if name and kind else {}


def _of_element(element: Element) -> dict[str, tuple[str, Check]]:
    kind = element.WhichOneof("type")
    if kind not in KINDS:
        return {}
    shown = getattr(element, kind)
    if kind == "bidi_component":
        return {
            shown.id: ("json_value", lambda text: isinstance(_json(text), dict)),
            EVENTS.format(shown.id): ("json_trigger_value", _is_events),
        }
    field, check = KINDS[kind]
    return {shown.id: (field, check(shown))}


def _any(_: Any) -> bool:
    return True


def _anything(_: Any) -> Check:
    return _any


def _text(shown: Any) -> Check:
    most = shown.max_chars or MOST_TEXT
    return lambda text: len(text) <= most


def _option(shown: Any) -> Check:
    options = set(shown.options)
    return options.__contains__


def _options(shown: Any) -> Check:
    options = {getattr(option, "content", option) for option in shown.options}
    return lambda chosen: set(chosen.data) <= options


def _number(shown: NumberInput) -> Check:
    low = shown.min if shown.has_min else -math.inf
    high = shown.max if shown.has_max else math.inf
    whole = shown.data_type == NumberInput.INT
    return lambda v: math.isfinite(v) and low <= v <= high and (not whole or v == int(v))


def _places(shown: Any) -> Check:
    count, low, high = len(shown.default), shown.min, shown.max
    return lambda v: len(v.data) == count and all(low <= index <= high for index in v.data)


KINDS: dict[str, tuple[str, Callable[[Any], Check]]] = {
    "button": ("trigger_value", _anything),
    "download_button": ("trigger_value", _anything),
    "checkbox": ("bool_value", _anything),
    "text_input": ("string_value", _text),
    "text_area": ("string_value", _text),
    # Browsers send whole numbers as integers, where a page asks for whole numbers.
    "number_input": ("double_value int_value", _number),
    "selectbox": ("string_value", _option),
    "radio": ("string_value", _option),
    "multiselect": ("string_array_value", _options),
    "button_group": ("string_array_value", _options),
    "slider": ("double_array_value", _places),
    "file_uploader": ("file_uploader_state_value", _anything),
    "bidi_component": ("json_value", _anything),
}


def _json(text: str) -> Any:
    """Return a JSON document in the strict form that all parsers read alike, or None."""
    try:
        return parse_json(text, OF_A_WIDGET, NipError)
    except NipError:
        return None


def _is_events(text: str) -> bool:
    events = _json(text)
    return isinstance(events, list) and all(map(_is_event, cast("list[object]", events)))


def _is_event(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    event = cast("dict[str, object]", value)
    return isinstance(event.get("event"), str) and "value" in event
