"""Tests of models/client.py, models/limits.py, models/player.py and models/settings.py.

Models in a seat, asked at a real server that misbehaves in every way.
"""

import asyncio
import copy
import dataclasses
import itertools
import logging
import pickle
import socket
import threading
import time
import traceback
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.players import play_out, step
from explorer.players.errors import (
    AddressRefusedError,
    LLMBudgetError,
    LLMCancelledError,
    LLMError,
    LLMFailedError,
)
from explorer.players.models import (
    PRESETS,
    Client,
    LLMPlayer,
    LLMSettings,
    Retries,
    Secret,
    ServerPolicy,
    TokenBudget,
    find_key,
    read_extra,
    try_out,
    usual_tokens,
)
from explorer.players.models.limits import public_address, tokens_in_chat
from nip_core import HyperParameters
from nip_core.play import Episode
from nip_core.transcript import dumps
from tests.depth import FULL, each, short
from tests.explorer.players.misbehaving import tokens_in
from tests.explorer.players.model_server import OWN, PUBLIC, ModelServer, begun, prover_view
from tests.play_worlds import FOREIGN, GRAPHS, ONE_TASK, protocols

KEY = "sk-planted-0123456789-secret"
# Much less than a stalled server, and more than a busy machine needs.
TIMEOUT = 120
LONG = {"timeout": 400.0, "deadline": 500.0}


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def settings(server, **changes):
    values = {"model": "test", "base_url": server.url, "timeout": 60.0, "deadline": 120.0}
    return LLMSettings(**{**values, **changes})


def client(server, *, policy=OWN, budget=None, attempts=5, **changes):
    """Return a client that does not wait, but records how long it would have."""
    waits = []

    async def wait(seconds):
        waits.append(seconds)

    made = Client(
        settings(server, **changes),
        Secret(KEY),
        policy,
        budget=budget,
        retries=Retries(attempts, random=lambda: 0.0),
        wait=wait,
    )
    made.waits = waits
    return made


# -- playing ------------------------------------------------------------------------------------


TASKS = [ONE_TASK, GRAPHS, FOREIGN]


@pytest.mark.parametrize("task", range(3))
def test_whole_games(task):
    """In the quick run, each protocol is played with one of the tasks."""
    with ModelServer() as server:
        for protocol in [*protocols().values()][slice(None) if FULL else slice(task, None, 3)]:
            server.requests.clear()
            episode = Episode(protocol, TASKS[task], 3)
            player = LLMPlayer(client(server))
            play_out(episode, dict.fromkeys(episode.rules.seat_names, player))
            assert episode.over
            check_origins(episode, player.client.settings, server.requests)


def check_origins(episode, settings, requests):
    moved = [event for event in episode.events if event.type == "moved"]
    for event, request in zip(moved, requests, strict=True):
        origin = dict(event.origin)
        assert 0 <= origin.pop("seconds") < 20
        assert origin == {
            "kind": "llm",
            "model": "test",
            "answered_by": "test",
            "host": settings.host,
            "settings": {"max_tokens": settings.max_tokens},
            "scratchpad": True,
            "instructions": sha256(request["messages"][0]["content"].encode()).hexdigest(),
            "tokens_in": tokens_in(request),
            "tokens_out": 20,
            "attempts": 1,
        }
    assert KEY not in dumps(episode)


def test_what_is_sent_is_the_seats_chat_and_nothing_else(monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-planted")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-planted")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Planted: planted\nAuthorization: planted")
    with ModelServer() as server:
        view = prover_view()
        LLMPlayer(client(server, temperature=0.5, max_tokens=77)).turn(view)
        (request,) = server.requests
        assert request == {
            "model": "test",
            "messages": view.portable_messages(),
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": 77,
            "temperature": 0.5,
        }
        (headers,) = server.headers_seen
        sent = {name.lower(): value for name, value in headers.items()}
        assert sent["authorization"] == f"Bearer {KEY}"
        assert "planted" not in str({**sent, "authorization": ""})
        assert set(sent) <= {
            *("host", "accept", "accept-encoding", "authorization", "connection"),
            *("content-type", "content-length", "user-agent"),
        }


def test_without_a_key_none_is_sent(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ModelServer() as server:
        asyncio.run(
            Client(settings(server), None, OWN).complete([{"role": "user", "content": "Hello"}])
        )
        assert "authorization" not in {name.lower() for name in server.headers_seen[0]}


# -- failures on the way ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "behaviour",
    [
        *("429", "429_date", "429_nonsense", "500", "half", "garbage", "wrong_json"),
        *("never", "stalls", "error_in_stream"),
    ],
)
def test_what_fails_on_the_way_is_tried_again(behaviour):
    timeout = 1 if behaviour in ("never", "stalls") else 60
    with ModelServer(behaviours=[behaviour] * 2) as server:
        made = client(server, timeout=timeout)
        acted = LLMPlayer(made).turn(prover_view())
        assert acted.move.messages["main"].startswith("Answer: the loop")
        assert acted.origin["attempts"] == 3
        assert len(server.requests) == 3
        # The server's stated delay is obeyed; without one, the delays grow.
        wish = {"429": [0.01, 0.01], "429_date": [0.0, 0.0]}
        assert made.waits == wish.get(behaviour, [0.25, 0.5])


@pytest.mark.parametrize(
    ("behaviour", "message", "requests"),
    [
        ("401", "does not accept the key", 1),
        ("redirect", "do not follow", 1),
        ("429_long", "in 86,000 s", 1),
        ("endless_error", "HTTP 400", 1),
        ("endless_line", "far more than an answer", 1),
        ("bomb", "sent far more than an answer", 1),
        ("500", "HTTP 500", 5),
        ("429", "too many requests", 5),
        ("half", "in the middle of its answer", 5),
    ],
)
def test_permanent_errors_are_reported(behaviour, message, requests):
    with ModelServer(behaviours=[behaviour] * 9) as server:
        with pytest.raises(LLMError, match=message):
            LLMPlayer(client(server)).turn(prover_view())
        assert len(server.requests) == requests


def test_nobody_at_the_address():
    with ModelServer() as server:
        gone = client(server)
    with pytest.raises(LLMError, match=r"Nobody answers at 127\.0"):
        LLMPlayer(gone).turn(prover_view())


def test_pauses_grow_are_bounded_and_jittered():
    calm, eager = Retries(random=lambda: 1.0), Retries(random=lambda: 0.0)
    assert [calm.pause(n, None) for n in range(1, 9)] == [0.5, 1, 2, 4, 8, 16, 20, 20]
    assert [eager.pause(n, None) for n in (1, 2)] == [0.25, 0.5]
    assert [eager.pause(1, 7.0), calm.pause(1, 7.0)] == [7.0, 7.5]


@pytest.mark.parametrize("behaviour", ["never", "stalls", "drips"])
def test_the_deadline_holds_whatever_the_server_does(behaviour):
    with ModelServer(behaviours=[behaviour] * 3) as server:
        start = time.monotonic()
        with pytest.raises(LLMError, match="in the time that a move may take"):
            LLMPlayer(client(server, **{**LONG, "deadline": 1.0})).turn(prover_view())
        assert time.monotonic() - start < TIMEOUT
        assert len(server.requests) == 1


def test_a_pause_can_be_stopped():
    with ModelServer(behaviours=["500"] * 3) as server:
        made = Client(settings(server, **LONG), None, OWN, retries=Retries(first=90, longest=90))
        threading.Timer(0.1, made.cancel.set).start()
        start = time.monotonic()
        with pytest.raises(LLMCancelledError):
            LLMPlayer(made).turn(prover_view())
        assert time.monotonic() - start < TIMEOUT


def test_words_are_shown_as_they_come():
    with ModelServer(behaviours=["half"]) as server:
        server.pause = 0.03
        seen = []
        acted = LLMPlayer(client(server), seen.append).turn(prover_view())
    # Those before the interruption were shown before it.
    begin = next(n for n, text in enumerate(seen) if n and not text.startswith(seen[n - 1]))
    for part in (seen[:begin], seen[begin:]):
        assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(part))
    assert seen[-1] == acted.move.messages["main"]
    assert len(seen) > 4


def test_an_error_while_words_are_shown_does_not_end_the_request():
    budget = TokenBudget(100_000)

    def leave(_):
        raise KeyboardInterrupt

    with ModelServer() as server:
        made = client(server, budget=budget)
        with pytest.raises(KeyboardInterrupt):
            LLMPlayer(made, leave).turn(prover_view())
        assert budget.used > 0
        assert len(server.requests) == 1


# -- answers that are not moves -----------------------------------------------------------------


@each(("behaviour", "reason"), [("nothing", "The answer is empty."), ("wordy", "take out 350")])
def test_what_cannot_be_played_goes_back_with_the_reason(behaviour, reason):
    with ModelServer(behaviours=[behaviour]) as server:
        acted = LLMPlayer(client(server)).turn(prover_view())
        assert acted.origin["attempts"] == 2
        correction = server.requests[1]["messages"][-1]
        assert correction["role"] == "user"
        assert reason in correction["content"]


def test_a_verdict_that_contradicts_itself_goes_back():
    with ModelServer(behaviours=["two_decisions"]) as server:
        view = Episode(HyperParameters(), ONE_TASK).view_for("verifier")
        assert LLMPlayer(client(server)).turn(view).origin["attempts"] == 2
        assert "gives two verdicts that disagree" in server.requests[1]["messages"][-1]["content"]


def test_after_a_bounded_number_of_answers_a_person_is_asked():
    with ModelServer(behaviours=["wordy"] * 9) as server:
        with pytest.raises(LLMFailedError, match="make the move yourself") as caught:
            LLMPlayer(client(server, corrections=1)).turn(prover_view())
        assert len(server.requests) == 2
        assert caught.value.raw == "word " * 500


def test_halves_of_characters_are_joined_or_replaced():
    with ModelServer(behaviours=["surrogates"]) as server:
        said = LLMPlayer(client(server)).turn(prover_view()).move.messages["main"]
        assert said == "Answer: \U0001f600 well \ufffd."


def test_a_template_without_a_system_message_gets_it_from_the_user():
    with ModelServer(behaviours=["no_system"] * 3) as server:
        view = prover_view()
        assert LLMPlayer(client(server)).turn(view).move.messages["main"].startswith("Answer:")
        refused, taken = (request["messages"] for request in server.requests)
        assert refused == view.portable_messages()
        assert [message["role"] for message in taken] == ["user"]
        assert all(message["content"] in taken[0]["content"] for message in refused)
        # In another seat and another game, the model is not asked in vain again.
        LLMPlayer(client(server)).turn(view)
        assert len(server.requests) == 3


def test_a_last_turn_without_a_verdict_goes_back():
    prompts = []

    def answer(messages):
        prompts.append(messages[-1]["content"])
        return "Decision - accept" if len(prompts) > 1 else "What about line 3?"

    with ModelServer(answer=answer) as server:
        view = Episode(HyperParameters(interaction_protocol="solo_verifier"), ONE_TASK)
        acted = LLMPlayer(client(server)).turn(view.view_for("verifier"))
        assert (acted.move.decision, acted.origin["attempts"]) == (1, 2)
        assert "This is your last turn" in prompts[1]


@each(
    ("behaviours", "lacks", "has"),
    [
        (["no_tokens"], {"max_tokens"}, {"max_completion_tokens", "temperature"}),
        (["no_temperature"], {"temperature"}, {"max_tokens"}),
        (["no_options"], {"stream_options"}, {"max_tokens", "temperature"}),
        (["no_tokens", "no_temperature"], {"max_tokens", "temperature"}, set()),
        (["no_seed"], {"seed"}, {"top_p", "reasoning_effort", "temperature"}),
        (["no_effort", "no_top_p"], {"reasoning_effort", "top_p"}, {"seed", "temperature"}),
    ],
)
def test_what_a_model_does_not_take_is_left_out_from_then_on(behaviours, lacks, has):
    with ModelServer(behaviours=behaviours) as server:
        chosen = {"temperature": 0.3, "top_p": 0.9, "seed": 7, "reasoning_effort": "low"}
        player = LLMPlayer(client(server, **chosen))
        acted = player.turn(prover_view())
        player.turn(prover_view())
        assert len(server.requests) == len(behaviours) + 2
        for request in server.requests[len(behaviours) :]:
            assert not lacks & set(request)
            assert has <= set(request)
        assert acted.origin["settings"].get("temperature") == (
            None if "temperature" in lacks else 0.3
        )
        assert set(acted.origin.get("left_out", ())) == lacks & set(chosen)


def test_endless_complaints_are_not_followed():
    with ModelServer(behaviours=["no_temperature"] * 9) as server:
        with pytest.raises(LLMError, match="HTTP 400"):
            LLMPlayer(client(server, temperature=0.3)).turn(prover_view())
        assert len(server.requests) == 2


# -- tokens -------------------------------------------------------------------------------------


def test_tokens_are_capped_for_all_seats_together():
    view = prover_view()
    with ModelServer() as server:
        budget = TokenBudget(5000)
        seats = [LLMPlayer(client(server, budget=budget)) for _ in range(2)]

        def play_on():
            for seat in itertools.cycle(seats):
                seat.turn(view)

        with pytest.raises(LLMBudgetError, match="5,000 tokens"):
            play_on()
        each = tokens_in(server.requests[0]) + 20
        assert budget.used == each * len(server.requests) <= 5000
        assert f"{budget.used:,} of 5,000 tokens" in repr(budget)
        assert len(server.requests) > 3
        # An answer may not be longer than what is left.
        allowed = [request["max_tokens"] for request in server.requests]
        left = 5000 - tokens_in_chat(server.requests[0]["messages"])
        assert allowed == [min(2048, left - each * made) for made in range(len(allowed))]


def test_tokens_are_estimated_where_the_server_does_not_say():
    with ModelServer(behaviours=["surrogates"]) as server:
        origin = LLMPlayer(client(server)).turn(prover_view()).origin
        text = sum(len(m["content"]) for m in server.requests[0]["messages"])
        assert 0.8 < origin["tokens_in"] / (text / 4) < 1.2
        assert 0 < origin["tokens_out"] < 10


# -- keys ---------------------------------------------------------------------------------------


@each(
    "behaviours",
    [
        *([], ["401"], ["echo_error"], ["echo"], ["500"] * 9, ["garbage"] * 9, ["half"] * 9),
        *(["429"] * 9, ["wordy"] * 9, ["redirect"], ["bomb"]),
    ],
)
def test_a_key_is_found_nowhere(behaviours, caplog):
    seen = []
    caplog.clear()
    with ModelServer(behaviours=behaviours) as server, caplog.at_level(logging.DEBUG):
        for name in ("openai", "httpx2", "httpcore2", "httpx", "httpcore"):
            caplog.set_level(logging.DEBUG, logger=name)
        made = client(server)
        player = LLMPlayer(made, seen.append)
        episode = begun()
        failed = None
        try:
            step(episode, {"prover": player})
        except LLMError as error:
            failed = error
        assert (failed is None) == (behaviours in ([], ["echo"]))
        texts = [*seen, caplog.text, dumps(episode), repr(made), str(made), repr(player)]
        texts += [repr(vars(made)), repr(player.describe())]
        texts.append(repr(dataclasses.asdict(made.settings)))
        if failed is not None:
            assert failed.__cause__ is failed.__context__ is None
            texts += [*traceback.format_exception(failed), repr(failed), repr(vars(failed))]
            # Including all variables of the stack frames, as error reporters show them.
            trace = traceback.TracebackException.from_exception(failed, capture_locals=True)
            shown = "".join(trace.format()).splitlines()
            texts += [line for line in shown if "KEY" not in line]
            texts.append(pickle.dumps(failed).decode("latin1"))
        assert any(f"Bearer {KEY}" in seen.values() for seen in server.headers_seen)
        assert "httpcore2" in caplog.text
        assert KEY not in "\n".join(texts)


def test_a_key_cannot_be_copied_by_accident():
    secret = Secret(f" {KEY}\n")
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not written"):
            attempt(secret)
    assert KEY not in f"{secret} {secret!r} {secret:>40} {[secret]}" + repr(dir(secret))
    assert secret.reveal() == KEY


@each("value", ["", "  ", "two words", "line\nbreak", "schlüssel", "a\x00b"])
def test_an_invalid_key_is_refused_and_not_repeated(value):
    with pytest.raises(LLMError, match="not a key") as caught:
        Secret(value)
    assert caught.value.__context__ is None


def test_a_key_goes_to_its_own_address_only():
    environ = {"OPENAI_API_KEY": KEY}
    openai, other = LLMSettings("m"), LLMSettings("m", "https://evil.example/v1")
    mine = {"https://mine.example/v1": Secret("mine")}
    assert find_key(openai, {}, OWN, environ).reveal() == KEY
    assert find_key(openai, {}, PUBLIC, environ) is None
    assert find_key(openai, {None: Secret("typed")}, OWN, environ).reveal() == "typed"
    assert (
        find_key(LLMSettings("m", "https://mine.example/v1/"), mine, OWN, environ)
        is (mine["https://mine.example/v1"])
    )
    # An episode in a stranger's file may name any address.
    assert find_key(other, {**mine, None: Secret("typed")}, OWN, environ) is None


# -- addresses ----------------------------------------------------------------------------------


def test_what_is_allowed_follows_from_the_environment():
    assert ServerPolicy.from_environment({}) == OWN
    public = {"NIP_EXPLORER_PUBLIC": "1"}
    assert ServerPolicy.from_environment(public) == ServerPolicy(False, False, False)
    allowed = {**public, "NIP_EXPLORER_ALLOW_CUSTOM_ADDRESSES": "1"}
    assert ServerPolicy.from_environment(allowed) == PUBLIC
    behind_a_proxy = {"NIP_EXPLORER_ALLOW_HOSTS": "explorer.example.org"}
    assert ServerPolicy.from_environment(behind_a_proxy) == ServerPolicy(False, False, False)
    assert not ServerPolicy.from_environment({"NIP_EXPLORER_ALLOW_SERVER_KEYS": "0"}).server_keys
    with pytest.raises(LLMError, match="must be 1 or 0"):
        ServerPolicy.from_environment({"NIP_EXPLORER_ALLOW_SERVER_KEYS": "maybe"})


def test_where_addresses_are_not_free_only_openai_is_asked():
    closed = ServerPolicy(custom_addresses=False, server_keys=False, private_addresses=False)
    closed.check(LLMSettings("m"))
    with ModelServer() as server:
        with pytest.raises(AddressRefusedError, match="only calls models at OpenAI's address"):
            LLMPlayer(client(server, policy=closed)).turn(prover_view())
        assert server.requests == []


@each("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]"])
def test_the_operators_network_is_not_reached(host):
    with ModelServer() as server:
        url = server.url.replace("127.0.0.1", host)
        with pytest.raises(AddressRefusedError, match="private network"):
            LLMPlayer(client(server, policy=PUBLIC, base_url=url)).turn(prover_view())
        assert server.requests == []


def resolving_to(*numbers):
    return lambda host, port, **_: [(0, 0, 0, "", (number, port)) for number in numbers]


@each(
    "number",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0"),
        *("100.100.100.200", "168.63.129.16", "224.0.0.1", "255.255.255.255", "192.0.0.192"),
        *("::1", "::", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "::ffff:127.0.0.1", "ff02::1"),
        *("2002:7f00:1::", "64:ff9b::7f00:1", "2001:0:7f00:1::"),
    ],
)
def test_one_private_address_is_enough_to_refuse_a_name(number):
    with pytest.raises(AddressRefusedError) as caught:
        public_address("some.example", 443, resolving_to("93.184.215.14", number))
    assert number not in str(caught.value)


@given(st.ip_addresses())
def test_an_address_is_connected_to_only_if_it_is_global(number):
    try:
        assert public_address("x.example", 80, resolving_to(str(number))) == str(number)
    except AddressRefusedError:
        return
    assert number.is_global
    assert not number.is_multicast


def test_the_address_that_was_checked_is_the_one_that_is_asked(monkeypatch):
    """A name that resolves to another address the second time is not followed there."""
    asked = []

    def number(host, port):
        asked.append((host, port))
        return "127.0.0.1"

    monkeypatch.setattr("explorer.players.models.transport.public_address", number)
    with ModelServer() as server:
        port = server.server_address[1]
        own = {"base_url": f"http://some.example:{port}/v1", "policy": PUBLIC}
        LLMPlayer(client(server, **own)).turn(prover_view())
        assert asked == [("some.example", port)]
        assert server.headers_seen[0]["host"] == f"some.example:{port}"


def test_an_unknown_name_is_reported():
    def unknown(*_, **__):
        raise socket.gaierror

    with pytest.raises(LLMError, match="spelled right") as caught:
        public_address("nowhere.example", 80, unknown)
    assert caught.value.__context__ is None


# -- settings -----------------------------------------------------------------------------------


BAD_SETTINGS = {
    "model": [" ", None, "x" * 300, "two\nlines", "sk-planted-0123456789abcdef"],
    "base_url": [
        *("ftp://x/", "localhost:8000", "http://", "http://[::1", "http://ho st/v1", 7),
        *("http://host:planted/v1", "http://me:planted@host/v1", "http://host/v1?key=planted"),
        "http://host/v1/sk-planted-0123456789abcdef",
    ],
    "temperature": [float("nan"), -1.0, "hot"],
    "max_tokens": [0, 1.5],
    "corrections": [-1],
    "scratchpad": ["planted"],
    "keep_reasoning": [1],
    "timeout": [0],
    "deadline": [float("inf")],
    "top_p": [1.1],
    "seed": [1.0, True, -1],
    "reasoning_effort": ["planted"],
    "price_in": [-1],
    "extra": [
        *(["planted"], {"model": "planted"}, {"models": ["planted"]}, {"messages": []}),
        *({"stream": False}, {"n": 50}, {"temperature": 1}, {"max_completion_tokens": 9}),
        *({"a": {"b": [{"API-Key": "planted"}]}}, {"headers": {"x-api-key": "planted"}}),
        *({"a": "Bearer planted-planted"}, {"a": ["sk-planted-0123456789abcdef"]}),
        *({"sk-planted-0123456789abcdef": 1}, {"a": "planted" * 1000}),
    ],
}


@each(
    "changes",
    [{name: value} for name, values in BAD_SETTINGS.items() for value in values],
    ids=short,
)
def test_bad_settings_are_refused_and_not_repeated(changes):
    with pytest.raises(LLMError) as caught:
        LLMSettings(**{"model": "m", **changes})
    assert "planted" not in "".join(traceback.format_exception(caught.value)).split("Error: ")[-1]
    assert caught.value.__context__ is None


def test_settings_are_read_from_records():
    own = LLMSettings(
        *("m", "https://Some.Example/v1/"),
        temperature=0.5,
        max_tokens=9,
        top_p=0.5,
        seed=3,
        reasoning_effort="low",
        extra={"top_k": 40},
        price_in=1.5,
    )
    assert own.base_url == "https://some.example/v1"
    assert own.host == "some.example"
    record = {"kind": "llm", "name": "x", **own.describe()}
    assert LLMSettings.from_record(record) == own
    other = LLMSettings("m", scratchpad=False, ask_confidence=False, keep_reasoning=True)
    assert LLMSettings.from_record(other.describe()) == other
    # A record of an older version has no such fields.
    assert LLMSettings.from_record({"model": "m"}) == LLMSettings("m")
    with pytest.raises(LLMError):
        LLMSettings.from_record({"kind": "llm"})
    # In the form of an earlier version with fewer fields.
    old = {"kind": "llm", "model": "m", "base_url": None, "temperature": None, "max_tokens": 2048}
    assert LLMSettings.from_record(old) == LLMSettings("m")


@each("value", [float("nan"), b"bytes", {1, 2}])
def test_an_extra_body_is_plain(value):
    with pytest.raises(LLMError, match="extra body"):
        LLMSettings("m", extra={"a": value})


@each("text", ["{", "[1]", "nonsense", '{"a": 1, "a": 2}', "{} " * 2000, "NaN"])
def test_what_is_no_extra_body_is_refused(text):
    with pytest.raises(LLMError, match="extra body"):
        read_extra(text)


def test_an_extra_body_is_sent_and_kept_and_takes_no_ones_place():
    extra = read_extra('{"top_k": 40, "chat_template_kwargs": {"enable_thinking": false}}')
    assert read_extra(" ") == {}
    with ModelServer() as server:
        made = client(server, extra=extra)
        LLMPlayer(made).turn(prover_view())
        (request,) = server.requests
        assert {**request, **extra} == request
        assert request["model"] == "test"
        assert request["stream"] is True
        assert LLMSettings.from_record(made.settings.describe()).extra == extra


def test_a_thinking_model_is_given_room():
    for name in ("o3-mini", "gpt-5.1", "DeepSeek-R1", "qwen3:8b", "qwq", "some-thinking-model"):
        assert usual_tokens(name) > 10_000
    for name in ("gpt-4o-mini", "llama3.2", "gemma-3", "mistral", "turbo3-r10"):
        assert usual_tokens(name) < 5_000
    assert usual_tokens("llama", "high") > 10_000


def test_prices_are_the_persons_own():
    assert LLMSettings("m").prices.cost(1000, 1000) is None
    assert LLMSettings("m", price_in=2, price_out=10).prices.cost(500_000, 100_000) == 2.0


def test_presets_are_settings():
    for preset in PRESETS:
        LLMSettings(preset.model or "some", preset.base_url)
    assert [bool(preset.key_variable) for preset in PRESETS] == [True, False, False]
    assert [preset.custom for preset in PRESETS] == [False, False, True]


def test_trying_out():
    with ModelServer(answer=lambda _: "I am ready.") as server:
        found = try_out(settings(server), Secret(KEY), OWN)
        assert found.ok
        assert (found.message, found.model) == ("I am ready.", "test")
        assert 0 <= found.first_seconds <= found.seconds
    assert "Nobody answers" in try_out(settings(server), None, OWN).message
    for behaviour, message in (("401", "key"), ("nothing", "without text"), ("500", "500")):
        with ModelServer(behaviours=[behaviour]) as server:
            found = try_out(settings(server), Secret(KEY), OWN)
            assert not found.ok
            assert message in found.message
            assert len(server.requests) == 1
