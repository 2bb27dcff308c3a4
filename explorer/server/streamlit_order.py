"""In which order the runs of a page act, and what its address is meanwhile.

Undocumented parts of Streamlit, as in ``streamlit_parts.py``: two runs of a page may be under way
at the same time, and a browser learns of what they did a moment later.
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode

from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.state.query_params import QueryParams
from streamlit.runtime.state.safe_session_state import SafeSessionState

if TYPE_CHECKING:
    from streamlit.proto.ClientState_pb2 import ClientState

__all__ = ["act_in_whole", "keep_written_addresses"]

# How many addresses a browser may be late with.
MOST_BEHIND = 20

Query = dict[str, list[str]]


class _Notes:
    """What is noted about a session.

    Attributes
    ----------
    lock : RLock
        Held by the run that acts; two runs may be under way at the same time.
    newest : int
        The number of the latest run that has acted.
    page, left : str and dict
        The page that has last written an address, and the address's query.
    behind : list of dict
        Which ones the browser may have until it knows of that.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.newest = 0
        self.page = ""
        self.left: Query = {}
        self.behind: list[Query] = []


def _notes(params: QueryParams) -> _Notes:
    # Of a session's own objects, only this one takes further attributes.
    return params.__dict__.setdefault("_nip_notes", _Notes())


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
        number: int = state.__dict__["_nip_number"]
        with notes.lock:
            if number < notes.newest:
                sent = _presses(sent)
                if not sent.widgets:
                    return
            notes.newest = max(number, notes.newest)
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
        late = (
            context is not None
            and not context.is_history_navigation
            and not of_page
            and context.page_script_hash == notes.page
            and parse_qs(sent, True) in notes.behind
        )
        if not late:
            notes.behind = []
            read(params, sent, *of_page)
            return
        read(params, urlencode(notes.left, doseq=True))
        params.set_initial_query_params_from_current()
        # The run that wrote it may have been broken off before it was sent.
        write(params)

    setattr(QueryParams, read.__name__, kept)
    setattr(QueryParams, write.__name__, written)
