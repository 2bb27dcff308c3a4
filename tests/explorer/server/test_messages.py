"""A browser may send anything: pages stay usable, and the log stays short."""

import math

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from nip_core import Episode, HyperParameters, bundled_tasks
from nip_core.play import Move, Seated
from tests.depth import exhaustive, first
from tests.explorer.rooms.people import opened
from tests.explorer.server.log_lines import LogLines

APOLOGY = "could not be shown"


def forged(name):
    """Return one value of each kind, and some that no widget takes."""
    texts = ("", "x" * 50, "prover1", "\0", "NaN")
    jsons = ("[", "5", "null", "NaN", "1e999", '{"act": 5}', "[" * 5000)
    numbers = (math.nan, math.inf, -1e300, 1e300, 0.5, 2.0**60)
    yield WidgetState(id=name)
    yield from (WidgetState(id=name, string_value=text) for text in texts)
    yield from (WidgetState(id=name, json_value=text) for text in jsons)
    yield from (WidgetState(id=name, json_trigger_value=text) for text in jsons)
    yield from (WidgetState(id=name, double_value=number) for number in numbers)
    yield WidgetState(id=name, int_value=2**40)
    yield WidgetState(id=name, bool_value=True)
    yield WidgetState(id=name, bytes_value=b"\xff")
    yield WidgetState(id=name, string_trigger_value={"data": "x"})
    for values in ([], [math.nan], [1e9, 2, 3], [-1.0], [0.5, 0.4]):
        state = WidgetState(id=name)
        state.double_array_value.data.extend(values)
        state.double_array_value.SetInParent()
        yield state
    for words in ([], ["no such option"], ["a", "a"]):
        state = WidgetState(id=name)
        state.string_array_value.data.extend(words)
        state.string_array_value.SetInParent()
        yield state
    file = WidgetState(id=name)
    file.file_uploader_state_value.uploaded_file_info.add(file_id="x", name="a.csv", size=3)
    yield file


@pytest.fixture
def episodes(frames):
    def episode(*moves, **players):
        made = Episode(HyperParameters(interaction_protocol="nip"), bundled_tasks("easy")[0], 5)
        for agent, kind in players.items():
            made.apply(Seated(agent=agent, player={"kind": kind, "who": "me"}))
        for move in moves:
            made.play(move)
        return frames.storage.create(made)

    asked = Move("verifier", {"main": "Why?"}), Move("prover", {"main": "So."})
    return {
        "running": episode(verifier="human", prover="scripted"),
        "over": episode(*asked, Move("verifier", decision=1)),
    }


PAGES = [
    ("protocols", {"compare": "debate"}),
    ("play", {"sits.prover": "llm", "protocol": "nip"}),
    ("play", {"episode": "running"}),
    ("transcripts", {}),
    ("transcripts", {"episode": "over"}),
    ("rewards", {}),
    ("learn", {"lesson": "colour_blind"}),
    ("learn", {"show": "glossary"}),
    ("learn", {"show": "tally"}),
]


def widgets(page):
    """Return the widgets of a page, with component events and the menus that can be opened."""
    names = [element.id for _, element in page.elements() if getattr(element, "id", "")]
    shown = (element for kind, element in page.elements() if kind == "bidi_component")
    return [*names, *(f"$$STREAMLIT_INTERNAL_KEY_{each.id}__events" for each in shown)]


@pytest.mark.parametrize("address", first(1, PAGES))
def test_pages_survive_any_values_of_widgets(frames, episodes, address):
    path, query = address
    query = {key: episodes.get(value, value) for key, value in query.items()}
    page = frames.open(path, **query)
    # Each message gives all widgets the same kind of value, so there are as many messages as kinds.
    # The first page is given all of them, the others together every one.
    every = 1 if address is PAGES[0] else 6
    forgeries = [*zip(*map(forged, widgets(page)), strict=True)]
    for states in forgeries[PAGES.index(address) % every :: every]:
        logged = LogLines(frames)
        page.rerun(states)
        assert len(logged.lines) <= 1, (str(states[0])[:80], logged.lines[-3:])
        assert not any(APOLOGY in text for text in page.texts("alert")), str(states[0])[:80]
    page.rerun()
    assert len(page.elements()) > 3
    assert not any(APOLOGY in text for text in page.texts("alert"))


@pytest.mark.parametrize("address", first(1, PAGES[1::-1]))
def test_a_first_message_may_be_forged_too(frames, address):
    """Ids can be predicted before the page with them was sent."""
    path, query = address
    names = widgets(frames.open(path, **query))
    for states in zip(*map(forged, names), strict=True):
        if states[0].WhichOneof("value") not in ODD:
            continue
        logged = LogLines(frames)
        page = frames.open("learn", show="glossary")
        page.rerun(states)
        page.goto(path, **query)
        page.rerun()
        page.rerun()
        assert len(logged.lines) <= 1
        assert not any(APOLOGY in text for text in page.texts("alert"))
        assert len(page.elements()) > 3
        page.close()


ODD = {"json_value", "bytes_value", "file_uploader_state_value"}


def test_a_browser_cannot_clear_shared_caches(frames, episodes):
    page = frames.open("transcripts")
    page.choose("Search", "nothing like it")
    before = frames.call(storage_id)
    for _ in range(3):
        page.send(BackMsg(clear_cache=True))
    page.rerun()
    assert frames.call(storage_id) == before
    assert any("No transcripts match" in text for text in page.texts())


def test_messages_that_no_page_needs_are_ignored(frames):
    page = frames.open("learn")
    for_developers = BackMsg()
    asked = for_developers.backend_operation_request
    asked.request_id, asked.session_id = "a", page.session
    asked.install_skills.SetInParent()
    for sent in (
        BackMsg(load_git_info=True).SerializeToString(),
        BackMsg(set_run_on_save=True).SerializeToString(),
        BackMsg(debug_shutdown_runtime=True).SerializeToString(),
        BackMsg(debug_disconnect_websocket=True).SerializeToString(),
        for_developers.SerializeToString(),
        b"",
        b"\xff\xff\xff",
    ):
        logged = LogLines(frames)
        page.forget()
        page._socket.send(sent)
        page.rerun()
        assert page.frames
        assert "git_info" not in page.said
        assert all(b"install" not in received for received in page.frames), sent
        assert logged.lines == [], sent


def test_half_a_character_is_read_as_a_replacement_character(frames):
    code = opened(frames.storage, 0, started=False, names=True)
    page = frames.open("room", code=code)
    page.choose("Your name, if you like", "@@@da")
    half = "\ud800".encode(errors="surrogatepass")
    page.send = lambda said: page._socket.send(said.SerializeToString().replace(b"@@@", half))
    page.click("Join")
    assert "as \ufffdda" in page.said


def storage_id():
    from explorer.ui.database import storage

    return id(storage())


def test_whole_numbers_are_read_as_browsers_send_them(frames):
    page = frames.open("play", protocol="debate")
    (rounds,) = (
        element
        for kind, element in page.elements()
        if kind == "number_input" and element.label == "Max message rounds"
    )
    page.rerun([WidgetState(id=rounds.id, int_value=5)])
    assert page.query["set.max_message_rounds"] == "5"


def let_all_through(fitting=None):
    """Make the server accept whatever browsers send, or what they sent before."""
    from explorer.server import messages

    before = messages.fitting
    messages.fitting = (lambda data, page: data) if fitting is None else messages_fitting[0]
    messages_fitting[:] = [before]


messages_fitting = []


REFUSED = "Refused what a browser sent"


def let_inspect_log_errors_only():
    """Change the root logger as a study with Inspect does."""
    import logging

    from inspect_ai._util.logger import init_logger

    init_logger("error")
    assert logging.getLogger().level == logging.ERROR


def forget_what_was_logged():
    """Reset the limit on log lines: other tests have caused some in this minute."""
    import logging

    from explorer.server.logs import Seldom

    for limit in logging.getLogger("explorer").filters:
        if isinstance(limit, Seldom):
            limit._seen.clear()


@exhaustive
def test_an_accepted_value_that_cannot_be_read_costs_one_run(frames):
    page = frames.open("transcripts")
    page.choose("Search", "nothing like it")
    kept = set(page.states)
    frames.call(let_inspect_log_errors_only)
    frames.call(let_all_through)
    frames.call(forget_what_was_logged)
    try:
        for value in ({"string_value": "x"}, {"json_value": "["}):
            logged = LogLines(frames)
            states = [WidgetState(id=n, **value) for n in widgets(page) if n not in kept]
            page.rerun(states)
            assert any("cannot read" in text for text in page.texts("alert"))
            assert [line[: len(REFUSED)] for line in logged.lines] == [REFUSED]
            logged = LogLines(frames)
            page.rerun()
            assert logged.lines == []
            assert not page.texts("alert")
            assert any("No transcripts match" in text for text in page.texts())
    finally:
        frames.call(let_all_through, 1)


def test_an_error_of_ours_is_not_blamed_on_the_browser():
    from streamlit.runtime.state.common import WidgetMetadata
    from streamlit.runtime.state.session_state import SessionState

    from explorer.ui.shell import EXPLORER, is_unreadable

    def written_by_us(source):
        names = {"state": state}
        exec(compile(source, str(EXPLORER / "ui" / "some_page.py"), "exec"), names)
        return names["callback"]

    def raised_by(call):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            call()
        return caught.value

    def widget(deserializer):
        sent = state._new_widget_state
        sent.set_widget_from_proto(WidgetState(id="w", string_value="x"))
        sent.set_widget_metadata(
            WidgetMetadata("w", deserializer, lambda value: value, "string_value")
        )

    state = SessionState()
    widget(int)
    reads = written_by_us("def callback(): return state['w']")
    # Values from a browser, requested by Streamlit or by a callback of ours.
    assert is_unreadable(raised_by(lambda: state["w"]))
    assert is_unreadable(raised_by(reads))
    # Our own mistakes: a missing state, a callback, the code that makes a value.
    assert not is_unreadable(raised_by(written_by_us("def callback(): return state['none']")))
    assert not is_unreadable(raised_by(written_by_us("def callback(): return int('x')")))
    widget(written_by_us("def callback(value): return {}['x']"))
    assert not is_unreadable(raised_by(lambda: state["w"]))
