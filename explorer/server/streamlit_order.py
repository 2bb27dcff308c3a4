"""In which order the runs of a page act, and what its address is meanwhile.

Undocumented parts of Streamlit, as in ``streamlit_parts.py``: two runs of a page may be under way
at the same time, and a browser learns of what they did a moment later.
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode

from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequests,
    ScriptRequestType,
)
from streamlit.runtime.state.query_params import QueryParams
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState, WStates

if TYPE_CHECKING:
    from streamlit.proto.ClientState_pb2 import ClientState

__all__ = ["act_in_whole", "is_shown_by_browser", "keep_written_addresses"]

# How many addresses a browser may be late with.
MOST_BEHIND = 20
# The id of a widget that no page has: what is sent with it comes from an automatic rerun.
AUTOMATIC = "automatic rerun"

Query = dict[str, list[str]]


class _Notes:
    """What is noted about a session.

    Attributes
    ----------
    lock : RLock
        Held by the run that acts; two runs may be under way at the same time.
    newest : int
        The number of the latest run that has acted.
    shown : set of str
        The ids of the widgets that the browser shows with the session's values, if an automatic
        rerun has asked for the latest run.
    read : int
        The number of the latest run that has read an address.
    page, left : str and dict
        The page that has last written an address, and the address's query.
    behind : list of dict
        Which ones the browser may have until it knows of that.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.newest = 0
        self.shown: set[str] = set()
        self.read = 0
        self.page = ""
        self.left: Query = {}
        self.behind: list[Query] = []


def _notes(params: QueryParams) -> _Notes:
    # Of a session's own objects, only this one takes further attributes.
    return params.__dict__.setdefault("_nip_notes", _Notes())


def _number(state: Any) -> int:
    """Return the number of a run, of which this is the session's state."""
    return state.__dict__.get("_nip_number", 0)


def act_in_whole() -> None:
    """Have the functions of pressed buttons run to their end, whatever else a page asks for.

    A run is broken off by the next request of its page wherever it reads the session's state.
    Before or within such a function, the press was lost, if an update came at that moment.

    A press that waits for a run goes on to the next one, if that is the whole page's, which ends
    all others. Runs act one after the other. If a later one has acted, it knew all values that were
    sent before but no press, so of an earlier one only the presses count.
    """
    act: Callable[..., None] = SafeSessionState.on_script_will_rerun
    begin: Callable[..., None] = SafeSessionState.__init__
    if hasattr(act, "__wrapped__"):
        return
    numbers = itertools.count(1)

    @functools.wraps(begin)
    def begun(state: SafeSessionState, *arguments: Any, **named: Any) -> None:
        begin(state, *arguments, **named)
        object.__setattr__(state, "_nip_number", next(numbers))

    @functools.wraps(act)
    def acted(state: SafeSessionState, sent: WidgetStates | None, **named: Any) -> None:
        runner: Any = getattr(state._yield_callback, "__self__", None)
        # Outside of the page's own code, a run is not broken off.
        inside = getattr(runner, "_execing", False)
        if not inside:
            act(state, sent, **named)
            return
        notes = _notes(state._state.query_params)
        number = _number(state)
        with notes.lock:
            automatic = any(each.id == AUTOMATIC for each in sent.widgets) if sent else False
            if sent and automatic:
                sent = _unchanged(state._state, sent)
            if number < notes.newest:
                sent = _presses(sent)
                if not sent.widgets:
                    return
            notes.newest = max(number, notes.newest)
            notes.shown = {each.id for each in sent.widgets} if sent and automatic else set()
            runner._execing = False
            try:
                act(state, sent, **named)
            finally:
                runner._execing = True

    ask: Callable[..., None] = AppSession.request_rerun

    @functools.wraps(ask)
    def asked(session: AppSession, request: ClientState | None) -> None:
        runner = session._scriptrunner
        if runner is not None and request is not None and not request.fragment_id:
            waiting = runner._requests
            with waiting._lock:
                if waiting._state is ScriptRequestType.RERUN:
                    pressed = _presses(waiting._rerun_data.widget_states).widgets
                    sent = {each.id for each in request.widget_states.widgets}
                    request.widget_states.widgets.extend(
                        each for each in pressed if each.id not in sent
                    )
        ask(session, request)

    setattr(SafeSessionState, begin.__name__, begun)
    setattr(SafeSessionState, act.__name__, acted)
    setattr(AppSession, ask.__name__, asked)
    _mark_automatic_reruns()


def _mark_automatic_reruns() -> None:
    """Have it known of the sent values whether an automatic rerun sends them.

    A part of a page that reruns by itself sends all values that the browser shows. If a person
    clicks a switch while a run that does not know of it is drawing, the browser shows the earlier
    value again until the click's own run draws. What was sent in between undid the click. What a
    person changes is always sent with a request of its own.
    """
    ask: Callable[[ScriptRequests, RerunData], bool] = ScriptRequests._request_rerun_locked

    @functools.wraps(ask)
    def asked(requests: ScriptRequests, request: RerunData) -> bool:
        if request.is_auto_rerun:
            waiting = requests._state is ScriptRequestType.RERUN
            sent = WidgetStates()
            if request.widget_states is not None:
                sent.CopyFrom(request.widget_states)
            sent.widgets.add(id=AUTOMATIC)
            # One that waits keeps its own values.
            has_values = waiting and requests._rerun_data.widget_states is not None
            request = replace(request, widget_states=None if has_values else sent)
        return ask(requests, request)

    setattr(ScriptRequests, ask.__name__, asked)


def is_shown_by_browser(key: str) -> bool:
    """Return whether the browser shows the value of a control, so that it need not be set there.

    Known only of a run for which an automatic rerun has asked. Otherwise, the browser may not have
    the control yet, or not any more, and would begin with an empty or first choice.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return False
    state = context.session_state._state
    return state._get_widget_id(key) in _notes(state.query_params).shown


def _unchanged(state: SessionState, sent: WidgetStates) -> WidgetStates:
    """Return those of the sent values that are the session's own, or of unknown widgets."""
    shown = WStates(widget_metadata=state._new_widget_state.widget_metadata)
    same = WidgetStates()
    for each in sent.widgets:
        shown.set_widget_from_proto(each)
        try:
            is_same = shown[each.id] == state._getitem(
                each.id, state._key_id_mapper.id_key_mapping.get(each.id)
            )
        except KeyError:
            is_same = each.id != AUTOMATIC
        if is_same:
            same.widgets.append(each)
    return same


def _presses(sent: WidgetStates | None) -> WidgetStates:
    """Return what was pressed, of all that a browser has sent."""
    pressed = WidgetStates()
    for each in sent.widgets if sent else ():
        kind = each.WhichOneof("value") or ""
        value = getattr(each, kind, "")
        if "trigger" in kind and (value if isinstance(value, bool | str) else value.ByteSize()):
            pressed.widgets.append(each)
    return pressed


def keep_written_addresses() -> None:
    """Let what a page has written into its address stay, until its browser knows of it.

    A browser learns of it a moment later. What it sends until then (an update, the next click) has
    the address from before, and undid the choice. Only Back and Forward lead to an earlier address.

    A run that was replaced before it has begun reads no address: the one that replaces it may have
    read its own by then, and would go on with the earlier one.
    """
    read, write = QueryParams.populate_from_query_string, QueryParams._send_query_param_msg
    if hasattr(read, "__wrapped__"):
        return

    @functools.wraps(write)
    def written(params: QueryParams) -> None:
        context = get_script_run_ctx()
        if context is None:
            return
        notes, before = _notes(params), parse_qs(context.query_string, True)
        write(params)
        notes.page, notes.left = context.page_script_hash, parse_qs(context.query_string, True)
        behind = [each for each in (*notes.behind, before) if each != notes.left]
        notes.behind = behind[-MOST_BEHIND:]

    @functools.wraps(read)
    def kept(params: QueryParams, sent: str, *of_page: Any) -> None:
        context, notes = get_script_run_ctx(), _notes(params)
        number = 0 if context is None else _number(context.session_state)
        with notes.lock:
            if number < notes.read:
                params.set_initial_query_params_from_current()
                return
            notes.read = number
        query = parse_qs(sent, True)
        by_browser = context is not None and context.__dict__.pop("_nip_by_browser", False)
        stays = (
            context is not None
            and not context.is_history_navigation
            and not of_page
            and context.page_script_hash == notes.page
        )
        if not stays or query not in notes.behind:
            # A run that asks for another one knows the address before the browser does.
            if not stays or by_browser or query != notes.left:
                notes.behind = []
            read(params, sent, *of_page)
            return
        read(params, urlencode(notes.left, doseq=True))
        params.set_initial_query_params_from_current()
        # The run that wrote it may have been broken off before it was sent.
        write(params)

    run: Callable[[ScriptRunner, RerunData], None] = ScriptRunner._run_script

    @functools.wraps(run)
    def ran(runner: ScriptRunner, request: RerunData) -> None:
        # What the run itself asks for comes after that, within the same call.
        runner._get_script_run_ctx().__dict__["_nip_by_browser"] = True
        run(runner, request)

    ask: Callable[..., None] = AppSession.request_rerun

    @functools.wraps(ask)
    def asked(session: AppSession, request: ClientState | None) -> None:
        if request is not None and request.is_history_navigation:
            # A click just after Back replaces its run, maybe before that has read the address.
            _notes(session._session_state.query_params).behind = []
        ask(session, request)

    setattr(QueryParams, read.__name__, kept)
    setattr(QueryParams, write.__name__, written)
    setattr(ScriptRunner, run.__name__, ran)
    setattr(AppSession, ask.__name__, asked)
