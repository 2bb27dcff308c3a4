"""A click counts, even if the page's own updates interrupt the run that it begins."""

import ast
import time
from pathlib import Path

import pytest

from explorer import play, rooms
from explorer import ui as explorer_ui
from explorer.play import StoredTable
from explorer.storage import DatabaseBusyError
from explorer.ui import acting
from nip_core import Episode, HyperParameters, bundled_tasks
from nip_core.play import Seated
from tests.depth import exhaustive
from tests.explorer.connections.browsers import wait_for
from tests.explorer.frames.client import Page, pressed
from tests.explorer.frames.serve import finish_work
from tests.explorer.players.misbehaving import ModelServer
from tests.explorer.rooms.people import opened
from tests.explorer.ui.play.test_models_at_work import (
    ELSEWHERE,
    ask,
    begin,
    keys_of,
    seatings,
    set_up,
    settle,
    stored,
)
from tests.sources import parsed

UI = Path(explorer_ui.__file__).parent

# -- in the server's process ---------------------------------------------------------------------


def draw_slowly(seconds):
    """Let pages take time before they draw anything, so that a run can be interrupted."""
    from explorer.ui.play import page
    from explorer.ui.room import new
    from explorer.ui.room import page as room_page

    def slowly(*given):
        time.sleep(seconds)
        return play.around(*given)

    def come_back():
        time.sleep(seconds)
        return new.come_back()

    page.around = slowly if seconds else play.around
    room_page.come_back = come_back if seconds else new.come_back


def keep_nothing(refuses):
    """Let the database refuse to store limits of models."""
    from explorer.play import stored as module

    if not refuses:
        del module.StoredTable.set_caps
        module.StoredTable.set_caps = keep_nothing.before
        return

    def refuse(*_):
        raise DatabaseBusyError("The database is busy.")

    keep_nothing.before = module.StoredTable.set_caps
    module.StoredTable.set_caps = refuse


def begin_runs_late(seconds):
    """Let a run take time between its first message and the functions of pressed buttons."""
    from streamlit.runtime.state.safe_session_state import SafeSessionState

    act = getattr(SafeSessionState.on_script_will_rerun, "prompt", None)
    act = act or SafeSessionState.on_script_will_rerun

    def late(*given, **named):
        time.sleep(seconds)
        act(*given, **named)

    late.prompt = act
    SafeSessionState.on_script_will_rerun = late if seconds else act


def say_for(seconds):
    """Say things once for so long."""
    acting.SHOWN_SECONDS = seconds


# -- in the test's process -----------------------------------------------------------------------


@pytest.fixture
def interrupted(frames, monkeypatch):
    """Return the server, whose pages take time to draw while a run is interrupted."""
    interrupt = Page.interrupt_click

    def slowly(page, *given, **named):
        frames.call(draw_slowly, 0.4)
        try:
            interrupt(page, *given, **named)
        finally:
            frames.call(draw_slowly, 0)

    monkeypatch.setattr(Page, "interrupt_click", slowly)
    return frames


def seated(frames, **players):
    """An episode whose seats have these kinds of players, or these models."""
    episode = Episode(HyperParameters(interaction_protocol="nip"), bundled_tasks("easy")[0])
    for agent, player in players.items():
        kind = {"kind": player} if isinstance(player, str) else player
        episode.apply(Seated(agent=agent, player=kind))
    return frames.storage.create(episode)


def failed(frames, server):
    """A game in which a model has failed."""
    page = begin(frames, server)
    ask(frames, page)
    assert "Try again" in page.labels()
    return page


def table_of(frames, page):
    return StoredTable(frames.storage, page.query["episode"])


def test_a_step_counts(interrupted):
    name = seated(interrupted, verifier="scripted", prover="scripted")
    page = interrupted.open("play", episode=name)
    for number in (1, 2):
        page.interrupt_click("Step")
        assert StoredTable(interrupted.storage, name).round == number


def test_a_model_that_has_failed_is_asked_again(interrupted):
    with ModelServer(behaviours=["401"]) as server:
        page = failed(interrupted, server)
        page.interrupt_click("Try again")
        settle(interrupted, page)
        assert len(server.requests) == 2
        assert table_of(interrupted, page).round == 2


@exhaustive
def test_more_money_counts_with_the_click(interrupted, server):
    page = interrupted.open("play", protocol="nip", sits__prover="llm")
    set_up(page, server, "prover")
    page.choose("Money for the whole episode", 0.0001)
    page.choose("Price per million sent", 1.0)
    page.choose("Price per million written", 10.0)
    page.click("Begin")
    ask(interrupted, page)
    assert server.requests == []
    (said,) = page.texts("alert")
    assert "Money for the whole episode" in said
    page.interrupt_click("Try again", typed={"Money for the whole episode": 5.0})
    settle(interrupted, page)
    assert len(server.requests) == 1


@exhaustive
def test_somebody_else_moves_for_a_model(interrupted):
    with ModelServer(behaviours=["401"]) as server:
        page = failed(interrupted, server)
        page.interrupt_click(
            "A scripted player moves for it",
            typed={"Or somebody else moves for it": "From now on"},
        )
        interrupted.call(finish_work)
        # With "This move", the model would get its seat back.
        assert seatings(stored(interrupted, page), "prover") == ["mine", "scripted"]


@exhaustive
def test_a_form_that_is_not_drawn_meanwhile_keeps_a_name_just_typed(interrupted):
    with ModelServer(behaviours=["401"]) as server:
        page = failed(interrupted, server)
        page.choose("Change the models", True)
        server.pause = 0.5
        page.interrupt_click("Use it from now on", typed={"Model for the prover": "another"})
        assert "Use it from now on" not in page.labels()
        page.states.clear()  # a browser forgets the widgets that are no longer on the page
        settle(interrupted, page)
        page.choose("Change the models", True)
        name = page.widget("Model for the prover", "text_input").delta.new_element.text_input
        assert name.default == "another"


@exhaustive
def test_changes_of_models_count_and_what_is_refused_is_said(interrupted, server):
    page = begin(interrupted, server)
    page.choose("Change the models", True)
    interrupted.call(keep_nothing, True)
    try:
        page.click("Set this cap")
    finally:
        interrupted.call(keep_nothing, False)
    (said,) = page.texts("alert")
    assert "try again" in said
    # An update may have broken off the run that drew it, so the next one draws it, too.
    page.rerun()
    assert page.texts("alert") == [said]
    interrupted.call(say_for, 0)
    try:
        page.rerun()
    finally:
        interrupted.call(say_for, acting.SHOWN_SECONDS)
    assert page.texts("alert") == []
    page.interrupt_click("Set this cap", typed={"Tokens for the whole episode": 5_000})
    assert table_of(interrupted, page).caps(page.visitor).tokens == 5_000
    # So does a click whose run has hardly begun.
    interrupted.call(begin_runs_late, 0.3)
    try:
        page.interrupt_click("Use it from now on", typed={"Model for the prover": "another"})
    finally:
        interrupted.call(begin_runs_late, 0)
    interrupted.call(finish_work)
    assert seatings(stored(interrupted, page), "prover") == ["mine", "another"]


def of_a_stranger(frames, server):
    model = {"kind": "llm", "model": "theirs", "base_url": server.url}
    page = frames.open("play", episode=seated(frames, verifier="human", prover=model))
    ask(frames, page)
    assert server.requests == []
    return page


@exhaustive
def test_consent_counts_with_the_key_that_was_typed(interrupted, server):
    page = of_a_stranger(interrupted, server)
    page.interrupt_click("Let it move", typed={"Key for": "sk-just-typed"})
    settle(interrupted, page)
    assert keys_of(server) == {"Bearer sk-just-typed"}


def test_models_are_asked_for_advice_and_a_server_for_its_models(interrupted, server):
    page = interrupted.open(
        "play", episode=seated(interrupted, verifier="human", prover="scripted")
    )
    page.choose("Set models up", True)
    page.choose("Where", ELSEWHERE)
    page.choose("Address", server.url)
    page.choose("Model for the first model", "one")
    page.choose("Model for the second model", "two")
    page.interrupt_click("Draft my move")
    assert [request["model"] for request in server.requests] == ["one"]
    assert page.table["draft"] is not None
    # A model whose answer is on its way is not asked twice.
    server.pause = 0.3
    page.interrupt_click(
        "What would both have said", after=lambda: wait_for(lambda: len(server.requests) > 1, True)
    )
    assert [request["model"] for request in server.requests] == ["one", "one", "two"]
    assert len([text for text in page.texts("text") if text.strip()]) == 2
    server.pause = 0
    # This server has no list of its models.
    for label, says in (("Test", "answers"), ("List its models", "internal error")):
        assert not any(says in text for text in page.texts("alert"))
        page.interrupt_click(label)
        assert any(says in text for text in page.texts("alert"))
    page.choose("Key", "sk-of-mine")
    page.choose("Key", "")
    assert "Forget the key" in page.labels()
    page.interrupt_click("Forget the key")
    page.rerun()
    assert "Forget the key" not in page.labels()


@exhaustive
def test_models_are_not_asked_where_it_is_not_ones_turn(frames):
    """A move does not run the page again, so the buttons stay where they are."""
    with ModelServer(behaviours=["401"]) as server:
        page = failed(frames, server)
        page.choose("Set models up", True)
        page.click("Draft my move")
        assert any("when it is your turn" in text for text in page.texts("markdown"))
        assert len(server.requests) == 1
        page.rerun()
        assert not any("when it is your turn" in text for text in page.texts("markdown"))


# -- the class ------------------------------------------------------------------------------------

PERSON = "only the person makes this page run again: it has no connection"
FRAGMENT = "what runs again by itself is a fragment, which waits until a click's run has ended"
READ = {
    "play/page.py: _show_why_not": PERSON,
    "play/page.py: show_page": PERSON,  # instead of a table
    "play/start.py: _show_choices": PERSON,
    "protocol_families.py: open_own": PERSON,
    "room/about.py: offer_forgetting": FRAGMENT,
    "room/about.py: show_way_out": FRAGMENT,
    "room/join.py: offer_place": FRAGMENT,
    "room/join.py: show_code": FRAGMENT,
    "room/new.py: show_new": FRAGMENT,
    "studies/running.py: show_form": FRAGMENT,
    "transcript_reader.py: _comment": PERSON,
    "transcript_reader.py: _label": PERSON,
    "transcript_reader.py: _new": PERSON,
    "transcript_reader.py: _play_on": PERSON,
    "transcripts.py: _delete": PERSON,
    "transcripts.py: _import": PERSON,
    "transcripts.py: _list": PERSON,
    "transcripts.py: _nothing": PERSON,
    "transcripts.py: _undo": PERSON,
    "transcripts.py: show_page": PERSON,
}


def read_where_drawn(folder):
    """Return each button whose click is read where it is drawn, as file and function."""
    for path in sorted(folder.rglob("*.py")):
        tree = parsed(path.read_text("utf-8"))
        alone = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
        for function in (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)):
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and id(call) not in alone:
                    called = getattr(call.func, "attr", getattr(call.func, "id", ""))
                    if called in ("button", "form_submit_button", "sure_button"):
                        yield f"{path.relative_to(folder).as_posix()}: {function.name}"


def test_no_further_button_is_read_where_it_is_drawn(tmp_path):
    assert {*read_where_drawn(UI)} == READ.keys()
    (tmp_path / "page.py").write_text(
        'def shown():\n    if st.button("Try again"):\n        pass\n    st.button("Other")\n'
    )
    assert [*read_where_drawn(tmp_path)] == ["page.py: shown"]


@exhaustive
def test_an_update_of_a_room_waits_for_the_run_of_a_click(interrupted):
    code = opened(interrupted.storage, 0, started=False)
    page = interrupted.open("room", code=code)
    page.click("Join")

    def here():
        return len(rooms.load_room(rooms.Access(interrupted.storage, code)).here)

    for _ in range(2):
        assert here() == 1
        page.interrupt_click("Leave the room")
        assert here() == 0
        page.click("Join")

    # A click in a part waits while the whole page runs, and then another run of the page is asked.
    button = page.widget("Leave the room", "button")
    click = page.request([pressed(button)], fragment=button.delta.fragment_id)
    interrupted.call(draw_slowly, 0.4)
    page.send(page.request())
    page._wait_for("new_session")
    page.send(click)
    page.rerun()
    interrupted.call(draw_slowly, 0)
    page._wait_until_idle()
    assert here() == 0


CHOICES = {
    "nip": {
        "play-seat-nip-verifier": "Scripted verifier",
        "play-strategy-nip-verifier": "Tester",
    },
    "jury": {"play-seat-jury-juror1": "Random"},
}


@pytest.mark.parametrize("protocol", CHOICES)
def test_choices_that_a_browser_has_forgotten_are_shown_again(frames, protocol):
    """A browser forgets a control that disappears; a server whose run is interrupted does not."""
    page = frames.open("play", protocol=protocol)
    for key, value in CHOICES[protocol].items():
        page.choose(key, value)
    page.states.clear()
    page.rerun()
    for key, value in CHOICES[protocol].items():
        shown = page.widget(key, "selectbox", "button_group").delta.new_element
        given = shown.selectbox.raw_value or "".join(shown.button_group.raw_values)
        assert given == value


def test_a_false_claim_that_a_browser_has_forgotten_stays_false(frames):
    page = frames.open("play", protocol="nip", sits__prover="me", sits__verifier="scripted")
    page.choose("play-lies", True)
    page.states.clear()
    page.rerun()
    shown = page.widget("play-lies", "checkbox").delta.new_element.checkbox
    assert shown.set_value
    assert shown.value
    page.choose("play-lies", False)
    page.rerun()
    assert not page.widget("play-lies", "checkbox").delta.new_element.checkbox.value
