"""Tests of streamlit_order.py: two runs of a page that are under way at the same time."""

from types import SimpleNamespace

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.query_params import QueryParams
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState

from explorer.server import act_in_whole, is_shown_by_browser, keep_written_addresses


class Runner:
    """A run of a page, which another one replaces: it is broken off wherever it may be."""

    _execing = True

    def ask(self):
        assert not self._execing, "broken off"


class Session:
    """A session of a page with a switch and a button."""

    def __init__(self):
        self.state, self.said = SessionState(), []
        for name, kind in (("switch", "bool_value"), ("button", "trigger_value")):
            self.state._set_widget_metadata(
                WidgetMetadata(
                    name,
                    deserializer=bool,
                    serializer=bool,
                    value_type=kind,
                    callback=lambda name=name: self.said.append((name, self.shown)),
                )
            )

    @property
    def shown(self):
        return self.state._getitem("switch", None)

    def run(self):
        return SafeSessionState(self.state, Runner().ask)


def sent(switch, *, press=False):
    states = [WidgetState(id="switch", bool_value=switch)]
    return WidgetStates(widgets=[*states, *[WidgetState(id="button", trigger_value=True)] * press])


@pytest.fixture
def session():
    act_in_whole()
    ThreadState.initialize(active_script_hash="")
    return Session()


def test_an_earlier_run_changes_nothing_that_a_later_one_was_told(session):
    earlier, later = session.run(), session.run()
    later.on_script_will_rerun(sent(True))
    earlier.on_script_will_rerun(sent(False))
    assert (session.shown, session.said) == (True, [("switch", True)])


def test_what_was_pressed_in_an_earlier_run_counts_with_the_values_of_the_later(session):
    earlier, later = session.run(), session.run()
    later.on_script_will_rerun(sent(True))
    earlier.on_script_will_rerun(sent(False, press=True))
    assert (session.shown, session.said[1:]) == (True, [("button", True)])


def test_a_run_that_is_replaced_before_it_has_begun_counts_in_whole(session):
    earlier, later = session.run(), session.run()
    earlier.on_script_will_rerun(sent(True, press=True))
    later.on_script_will_rerun(sent(False))
    assert session.said == [("switch", True), ("button", True), ("switch", False)]


def asked(*requests):
    """Return the values with which a run begins that was asked for in all these ways."""
    waiting = ScriptRequests()
    for values, automatic in requests:
        part = "part" if automatic else None
        data = RerunData(widget_states=values, fragment_id=part, is_auto_rerun=automatic)
        waiting.request_rerun(data)
    return waiting.on_scriptrunner_ready().rerun_data.widget_states


def test_an_automatic_rerun_changes_no_value(session):
    session.run().on_script_will_rerun(sent(True))
    session.run().on_script_will_rerun(asked((sent(False), True)))
    assert (session.shown, session.said) == (True, [("switch", True)])
    session.run().on_script_will_rerun(asked((sent(False), False)))
    assert (session.shown, session.said[1:]) == (False, [("switch", False)])


def test_what_the_browser_shows_is_known_from_an_automatic_rerun(session, monkeypatch):
    run = session.run()
    context = SimpleNamespace(session_state=run)
    where = "explorer.server.streamlit_order.get_script_run_ctx"
    monkeypatch.setattr(where, lambda **_: context)

    def shown(values, *, automatic):
        run.on_script_will_rerun(asked((values, automatic)))
        return is_shown_by_browser("switch")

    assert not shown(sent(True), automatic=False)
    assert shown(sent(True), automatic=True)
    # The browser does not have the value yet, or does not have the switch.
    assert not shown(sent(False), automatic=True)
    assert not shown(WidgetStates(), automatic=True)
    # A choice may make a switch disappear.
    assert not shown(sent(True), automatic=False)


@pytest.mark.parametrize("is_first", [False, True])
def test_a_choice_that_waits_together_with_an_automatic_rerun_counts(session, is_first):
    choice, automatic = (sent(True, press=True), False), (sent(False), True)
    order = (choice, automatic) if is_first else (automatic, choice)
    session.run().on_script_will_rerun(asked(*order))
    assert session.said == [("switch", True), ("button", True)]


class Address:
    """The address of a page, as its runs read and write it."""

    def __init__(self, monkeypatch):
        # Replaced until the end of the test only: other tests go to earlier addresses as by links.
        for kind, name in (
            (QueryParams, "populate_from_query_string"),
            (QueryParams, "_send_query_param_msg"),
            (ScriptRunner, "_run_script"),
            (AppSession, "request_rerun"),
        ):
            monkeypatch.setattr(kind, name, getattr(kind, name))
        keep_written_addresses()
        self.params = QueryParams()
        for module in ("explorer.server.streamlit_order", "streamlit.runtime.state.query_params"):
            monkeypatch.setattr(f"{module}.get_script_run_ctx", lambda: self.context)

    def read(self, run, choice, *, history=False, by_browser=True):
        """Let a run begin with an address; return the choice that it then has."""
        self.context = SimpleNamespace(
            _nip_by_browser=by_browser,
            session_state=run,
            is_history_navigation=history,
            page_script_hash="page",
            query_string=f"choice={choice}",
            enqueue=lambda _: None,
        )
        self.params.populate_from_query_string(self.context.query_string)
        return self.params["choice"]


@pytest.fixture
def address(monkeypatch):
    return Address(monkeypatch)


def test_a_run_that_was_replaced_reads_no_address(session, address):
    earlier, later = session.run(), session.run()
    assert address.read(later, "back", history=True) == "back"
    assert address.read(earlier, "before") == "back"
    assert address.read(later, "next") == "next"


def test_what_was_written_stays_although_another_run_has_read_it(session, address):
    run = session.run()
    address.read(run, "first")
    address.params["choice"] = "second"
    # The browser still has the first one.
    assert address.read(run, "second", by_browser=False) == "second"
    assert address.read(run, "first") == "second"
    assert address.read(run, "second") == "second"
    # Now it does not.
    assert address.read(run, "first") == "first"
    address.params["choice"] = "second"
    assert address.read(run, "first", history=True) == "first"
