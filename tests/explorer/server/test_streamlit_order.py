"""Tests of streamlit_order.py: two runs of a page that are under way at the same time."""

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState

from explorer.server import act_in_whole


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
