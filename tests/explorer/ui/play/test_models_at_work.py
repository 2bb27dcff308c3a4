"""Models in several seats of one game: set up, changed, replaced, and counted, through the page."""

from contextlib import suppress
from types import SimpleNamespace
from unittest.mock import patch

import pytest

from explorer.play.stored import StoredTable, use_in_record
from explorer.players import LLMError
from explorer.players.models.settings import LLMSettings
from explorer.ui.play import models_at_work
from explorer.usage import Usage
from nip_core.play import Moved, Seated
from nip_core.transcript import dumps
from tests.depth import each, exhaustive
from tests.explorer.frames.client import in_words
from tests.explorer.frames.serve import finish_work
from tests.explorer.players.misbehaving import ModelServer

ELSEWHERE = "Another address (vLLM, llama.cpp, ...)"
SERVICE_KEY = "sk-planted-for-the-service"
LOCAL_KEY = "local-planted-for-the-verifier"


# -- in the server's process --------------------------------------------------------------------


def start_anew():
    """Clear what a server keeps in memory."""
    from explorer.play import stored, workers
    from explorer.play.workers import grants

    finish_work()
    workers._workers.clear()
    grants._grants.clear()
    stored._accounts.clear()


# -- in the test's process ----------------------------------------------------------------------


@pytest.fixture
def other():
    with ModelServer() as started:
        yield started


def set_up(page, server, seat, model="mine", key="", beside=False):
    called = in_words(seat)
    suffix = f" for {called}" if beside else ""
    if beside:
        page.choose(f"{called[0].upper()}{called[1:]} is", "a model at another address")
    page.choose(f"Where{suffix}", ELSEWHERE)
    page.choose(f"Address{suffix}", server.url)
    page.choose(f"Model for {called}", model)
    if key:
        page.choose(f"Key{suffix}", key)


def begin(frames, server, key="", tokens=None, **query):
    page = frames.open("play", protocol="nip", sits__prover="llm", **query)
    set_up(page, server, "prover", key=key)
    if tokens:
        page.choose("Tokens for the whole episode", tokens)
    page.click("Begin")
    return page


def settle(frames, page):
    frames.call(finish_work)
    page.run_fragments()
    page.rerun()


def ask(frames, page):
    page.act(messages=dict.fromkeys(page.table["composer"]["channels"], "Is it right?"))
    settle(frames, page)


def keys_of(server):
    found = set()
    for headers in server.headers_seen:
        found |= {value for name, value in headers.items() if name.lower() == "authorization"}
    return found


def stored(frames, page):
    return frames.storage.load(page.query["episode"]).episode


def seatings(episode, agent):
    """Return who has sat in a seat, in order: the model, or the kind of player."""
    players = [e.player for e in episode.events if isinstance(e, Seated) and e.agent == agent]
    return [player.get("model", player["kind"]) for player in players]


def test_a_prover_elsewhere_against_a_local_verifier_and_a_person(
    frames, server, other, tmp_path, caplog
):
    """Two addresses, two keys, one game: each key is sent to its own address only."""
    page = frames.open(
        "play", protocol="debate", seat="prover1", sits__prover0="llm", sits__verifier="llm"
    )
    set_up(page, server, "prover0", "service-model", SERVICE_KEY)
    set_up(page, other, "verifier", "local-model", LOCAL_KEY, beside=True)
    page.click("Begin")
    settle(frames, page)
    for _ in range(20):
        episode = stored(frames, page)
        if episode.over:
            break
        assert page.table["seat"] == "prover1"
        ask(frames, page)
    assert episode.over
    assert {request["model"] for request in server.requests} == {"service-model"}
    assert {request["model"] for request in other.requests} == {"local-model"}
    assert keys_of(server) == {f"Bearer {SERVICE_KEY}"}
    assert keys_of(other) == {f"Bearer {LOCAL_KEY}"}
    moved = [event for event in episode.events if isinstance(event, Moved)]
    kinds = {(event.move.agent, event.origin.get("model")) for event in moved}
    assert kinds == {("prover0", "service-model"), ("prover1", None), ("verifier", "local-model")}
    page.goto("transcripts", episode=page.query["episode"])
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    downloads = b"".join(page.downloads().values()).decode("utf-8", "replace")
    for text in (page.said, dumps(episode), files.decode("latin1"), downloads, caplog.text):
        assert SERVICE_KEY not in text
        assert LOCAL_KEY not in text


@pytest.mark.parametrize("other", [None, pytest.param("another", marks=exhaustive)])
def test_a_further_seat_is_as_the_first_unless_said_otherwise(frames, server, other):
    page = frames.open("play", protocol="mnip", sits__prover0="llm", sits__prover1="llm")
    set_up(page, server, "prover0", key=SERVICE_KEY)
    if other:
        page.choose("Prover 2 is", "another model at the address of prover 1")
        page.choose("Model for prover 2", other)
        page.choose("Seed for prover 2", 11)
    page.click("Begin")
    ask(frames, page)
    asked = {(request["model"], request.get("seed")) for request in server.requests}
    assert asked == {("mine", None), (other, 11) if other else ("mine", None)}
    assert len(server.requests) == 2
    assert keys_of(server) == {f"Bearer {SERVICE_KEY}"}


@exhaustive
def test_every_setting_is_sent_and_in_the_record(frames, server):
    page = frames.open("play", protocol="nip", sits__prover="llm")
    set_up(page, server, "prover")
    for label, value in (
        ("Temperature", 0.2),
        ("Top p", 0.5),
        ("Seed", 7),
        ("Reasoning effort", "low"),
        ("Longest answer", 900),
        ("Extra body", '{"top_k": 40}'),
        ("Price per million sent", 1.0),
        ("Price per million written", 10.0),
    ):
        page.choose(label, value)
    page.click("Begin")
    ask(frames, page)
    (request,) = server.requests
    wanted = {"temperature": 0.2, "top_p": 0.5, "seed": 7, "reasoning_effort": "low"}
    wanted |= {"max_tokens": 900, "top_k": 40}
    assert {name: request[name] for name in wanted} == wanted
    episode = stored(frames, page)
    record = episode.players["prover"]
    del wanted["top_k"]
    assert wanted.items() <= record.items()
    assert record["extra"] == {"top_k": 40}
    (origin,) = (e.origin for e in episode.events if isinstance(e, Moved) and e.origin)
    cost = (origin["tokens_in"] * 1 + origin["tokens_out"] * 10) / 1e6
    assert origin["cost"] == pytest.approx(cost)
    assert StoredTable(frames.storage, page.query["episode"]).use.money == pytest.approx(cost)


def test_unusable_settings_are_reported_and_nothing_begins(frames, server):
    page = frames.open("play", protocol="nip", sits__prover="llm")
    set_up(page, server, "prover", key=LOCAL_KEY)
    for label, value, said in (
        ("Extra body", '{"model": "planted"}', "what the explorer sends"),
        ("Extra body", '{"api_key": "planted"}', "must hold no key"),
        ("Extra body", '{"temperature": 1}', "there is a field for it"),
        ("Extra body", "{", "not JSON"),
        ("Model for the prover", f"x-{LOCAL_KEY}", "is also in another field"),
        ("Model for the prover", "", "Which model"),
    ):
        page.choose(label, value)
        assert any(said in text.replace("\\", "") for text in page.texts("alert")), said
        assert page.widget("Begin", "button").delta.new_element.button.disabled
        page.choose(label, "mine" if label.startswith("Model") else "")
        assert not page.texts("alert")
    assert LOCAL_KEY not in page.said.replace(f"x-{LOCAL_KEY}", "")


# -- in the middle of a game ----------------------------------------------------------------------


@exhaustive
def test_another_model_takes_over_and_the_count_goes_on(frames, server, other):
    page = begin(frames, server, SERVICE_KEY)
    ask(frames, page)
    used = StoredTable(frames.storage, page.query["episode"]).use.tokens
    page.choose("Change the models", True)
    set_up(page, other, "prover", "another", LOCAL_KEY)
    page.click("Use it from now on")
    ask(frames, page)
    assert [request["model"] for request in other.requests] == ["another"]
    assert keys_of(other) == {f"Bearer {LOCAL_KEY}"}
    assert len(server.requests) == 1
    episode = stored(frames, page)
    assert seatings(episode, "prover") == ["mine", "another"]
    assert episode.players["prover"]["base_url"] == other.url
    assert 0 < used < StoredTable(frames.storage, page.query["episode"]).use.tokens
    assert StoredTable(frames.storage, page.query["episode"]).use == use_in_record(episode)


def test_only_changed_seats_are_recorded(frames, server):
    page = begin(frames, server)
    page.choose("Change the models", True)
    page.choose("Key", SERVICE_KEY)
    page.click("Use it from now on")
    ask(frames, page)
    assert keys_of(server) == {f"Bearer {SERVICE_KEY}"}
    assert seatings(stored(frames, page), "prover") == ["mine"]


@exhaustive
def test_a_model_whose_record_is_damaged_can_be_replaced(frames, server):
    page = begin(frames, server)
    damaged = {"kind": "llm", "model": "lost", "temperature": "hot"}
    StoredTable(frames.storage, page.query["episode"]).seat("prover", damaged)
    page.choose("Change the models", True)
    set_up(page, server, "prover", "found")
    page.click("Use it from now on")
    assert seatings(stored(frames, page), "prover") == ["mine", "lost", "found"]
    ask(frames, page)
    assert [request["model"] for request in server.requests] == ["found"]


def test_a_scripted_player_moves_for_a_model_that_has_failed(frames):
    with ModelServer(behaviours=["401"]) as server:
        page = begin(frames, server)
        ask(frames, page)
        page.choose("Or somebody else moves for it", "This move")
        page.click("A scripted player moves for it")
        settle(frames, page)
        assert page.table["round"] == 2
        episode = stored(frames, page)
        assert seatings(episode, "prover") == ["mine", "scripted", "mine"]
        (move,) = (e for e in episode.events if isinstance(e, Moved) and e.move.agent == "prover")
        assert "model" not in move.origin
        # The next time it moves from then on, until the model comes back.
        server.behaviours = ["401"]
        ask(frames, page)
        page.choose("Or somebody else moves for it", "From now on")
        page.click("A scripted player moves for it")
        settle(frames, page)
        assert seatings(stored(frames, page), "prover")[3:] == ["scripted"]
        assert len(server.requests) == 2
        page.choose("Change the models", True)
        page.click("Use it from now on")
        ask(frames, page)
        assert len(server.requests) == 3
        assert page.table["round"] == 6
        assert seatings(stored(frames, page), "prover")[3:] == ["scripted", "mine"]


@exhaustive
def test_i_move_once_for_a_model_that_has_failed(frames):
    with ModelServer(behaviours=["401"]) as server:
        page = begin(frames, server)
        ask(frames, page)
        page.click("I move for it")
        page.click("I am")
        assert page.table["seat"] == "prover"
        page.act(messages={"main": "So."})
        page.rerun()
        with suppress(AssertionError):
            page.click("I am")
        assert page.table["seat"] == "verifier"
        assert seatings(stored(frames, page), "prover") == ["mine", "human", "mine"]
        ask(frames, page)
        assert len(server.requests) == 2


# -- what is kept ---------------------------------------------------------------------------------


@exhaustive
def test_a_restart_keeps_the_cap_and_the_use(frames, server):
    page = begin(frames, server, SERVICE_KEY, tokens=3000)
    ask(frames, page)
    used = StoredTable(frames.storage, page.query["episode"]).use
    assert used == use_in_record(stored(frames, page)) != Usage()
    frames.call(start_anew)
    page.rerun()
    ask(frames, page)
    assert len(server.requests) == 1
    assert any("has forgotten" in text for text in page.texts("markdown"))
    cap = page.widget("Tokens for the whole episode", "number_input").delta.new_element
    assert cap.number_input.default == 3000
    page.click("Let it move")
    settle(frames, page)
    assert StoredTable(frames.storage, page.query["episode"]).use.tokens > used.tokens


@exhaustive
def test_a_tab_remembers_what_was_set_up_and_forgets_a_key_on_request(frames, server):
    page = begin(frames, server, SERVICE_KEY)
    page.states.clear()  # a browser forgets the widgets that are no longer on the page
    page.goto("rewards")
    page.goto("play", protocol="nip", sits__prover="llm")
    shown = {e.label: e for kind, e in page.elements() if kind == "text_input"}
    assert shown["Address"].value == server.url
    page.click("Begin")
    ask(frames, page)
    assert keys_of(server) == {f"Bearer {SERVICE_KEY}"}
    assert server.requests[-1]["model"] == "mine"
    page.goto("play", protocol="nip", sits__prover="llm")
    page.click("Forget the key")
    page.click("Begin")
    ask(frames, page)
    assert len(keys_of(server)) == 1
    assert len(server.requests) == 2
    assert SERVICE_KEY not in page.said


def test_a_thinking_model_is_stopped_from_the_table(frames, server):
    page = begin(frames, server)
    server.pause = 0.3
    page.act(messages={"main": "Is it right?"})
    assert page.table["thinking"] is not None
    page.act(stop=True)
    settle(frames, page)
    assert page.table["thinking"] is None
    assert page.table["round"] == 1
    assert "Try again" in page.labels()


@each(
    ("key", "known", "lacks", "refused"),
    [
        ("", False, "This service needs a key.", True),
        ("", False, "", False),
        ("", True, "This service needs a key.", False),
        ("sk-a-key-of-some-length", False, "", False),
    ],
)
def test_keys_are_asked_for_where_a_service_needs_one(key, known, lacks, refused):
    waiting = {"prover": LLMSettings("any")}
    field = models_at_work._key_field(waiting["prover"].base_url)
    screen = SimpleNamespace(session_state={field: key})
    with patch.multiple(models_at_work, st=screen, _lacks=lambda *_: lacks):
        if refused:
            with pytest.raises(LLMError, match="needs a key"):
                models_at_work.typed_keys(waiting, known=known)
        else:
            assert len(models_at_work.typed_keys(waiting, known=known)) == bool(key)
