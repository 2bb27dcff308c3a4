"""Tests of models/failures.py and models/tryout.py.

The messages for everything that services do wrong, after each of which the game goes on.
"""

import json
import ssl
from pathlib import Path

import httpx2
import pytest

from explorer.players import step
from explorer.players.errors import LLMError
from explorer.players.models import Client, LLMPlayer, LLMSettings, Retries, Secret
from explorer.players.models import transport as ways
from explorer.players.models.client import Attempt
from explorer.players.models.failures import complaint_of, failure_of, of_complaint
from explorer.players.models.limits import missing_key
from explorer.players.models.tryout import UNREAD, list_models, try_out
from explorer.players.models.wire import AnswerDetails, TextChunk
from nip_core.documents import MAX_TEXT
from tests.depth import each
from tests.explorer.players import services
from tests.explorer.players.misbehaving import ModelServer
from tests.explorer.players.model_server import OWN, PUBLIC, Handler, begun

KEY = "sk-planted-0123456789-secret"
CERTIFICATES = Path(__file__).parent / "certificates"

TOO_LONG = (
    "The conversation has become too long for 'test' at HOST. Choose a model with a longer "
    "context, or let the server give it one; or make the move yourself."
)
NO_CHAT = "What HOST sent is not the answer of a chat service. Does the address end in /v1?"
A_PAGE = (
    "HOST sent a web page instead of an answer. Does something in between, such as a proxy, want a "
    "login? Or is the address wrong (it ends in /v1)?"
)
NO_KEY = "HOST does not accept the key. Is it complete, and meant for this address?"
NO_CREDIT = "The account at HOST has no credit left. Add some there."
MODELS = "HOST knows no model 'test'. It has: tester, large, small."
ON = (
    "HOST redirects requests to another address. We do not follow, because a key is for one "
    "address only."
)
WAIT = "Wait a while, or choose another model."
OF_ITS_OWN = "HOST reports an internal error (HTTP {}). Try again later."
NO_MOVE = (
    "The model has answered 3 times, but never with a move that can be played. {} Try again, "
    "change the model, or make the move yourself."
)
# What the person in the model's seat reads. Others do not get the service's own words.
WORDS = {
    "llama.cpp context": f"{TOO_LONG} It says: “the request exceeds the available context size, "
    "try increasing it”",
    "vLLM context": f"{TOO_LONG} It says: “This model's maximum context length is 2048 tokens. "
    "However, you requested 9048 tokens (7000 in the messages, 2048 in the completion). Please "
    "reduce the length of the messages or completion.”",
    "vLLM model": f"{MODELS} It says: “The model `test` does not exist.”",
    "Ollama model": f'{MODELS} It says: “model "test" not found, try pulling it first”',
    "FastAPI": "HOST does not take the request (HTTP 422). It says: “messages: Extra inputs are "
    "not permitted”",
    "Flask": OF_ITS_OWN.format(500),
    "plain text": f"{MODELS} It says: “404 page not found”",
    "TLS wanted": "HOST speaks https. Let the address begin with https://.",
    "OpenAI key": NO_KEY,
    "OpenAI quota": NO_CREDIT,
    "OpenAI limit": f"HOST asks us to wait 62 s, because it has too many requests. {WAIT} It says: "
    "“Rate limit reached for test in organization org-x on tokens per min (TPM): Limit 10, Used 9, "
    "Requested 2. Please try again in 1m2.5s.” The next attempt would come too late, in 62 s.",
    "OpenAI context": f"{TOO_LONG} It says: “This model's maximum context length is 8192 tokens. "
    "However, your messages resulted in 9001 tokens. Please reduce the length of the messages.”",
    "Gemini": "HOST does not take the request (HTTP 400). It says: “Invalid value at "
    "'temperature'”",
    "Gemini key": NO_KEY,
    "Gemini limit": f"HOST asks us to wait 23 s, because it has too many requests. {WAIT} It says: "
    "“You exceeded your current quota, please check your plan and billing details.” The next "
    "attempt would come too late, in 23 s.",
    "Anthropic overloaded": f"{OF_ITS_OWN.format(529)} It says: “Overloaded”",
    "OpenRouter credit": NO_CREDIT,
    "forbidden": "HOST does not let this key use 'test'. It says: “Project does not have access to "
    "model test”",
    "429 alone": f"HOST has too many requests at the moment. {WAIT}",
    "429 with a time": f"HOST asks us to wait 12 s, because it has too many requests. {WAIT} It "
    "says: “slow down”",
    "429 for a day": f"HOST asks us to wait 86,400 s, because it has too many requests. {WAIT} It "
    "says: “daily limit” The next attempt would come too late, in 86,400 s.",
    "proxy page": A_PAGE,
    "proxy page with an error": A_PAGE,
    "bad gateway": OF_ITS_OWN.format(502),
    "elsewhere": f"{ON} If you trust it, give this one: https://login.example/start",
    "307": f"{ON} If you trust it, give this one: https://other.example/v1",
    "307 to nowhere": f"{ON} Give the address that it should be.",
    "empty": "HOST sent nothing at all. Try again.",
    "not JSON": NO_CHAT,
    "JSON of something else": NO_CHAT,
    "wrong types": "HOST sent an answer whose “content” is not text. Does it speak chat "
    "completions, and is this a chat model?",
    "wrong types everywhere": NO_CHAT,
    "an error as an answer": f"{OF_ITS_OWN.format(502)} It says: “upstream failed”",
    "an error in the middle": "HOST reported an error in the middle of its answer. It says: “gpu "
    "fell off”",
    "a limit in the middle": f"HOST has too many requests at the moment. {WAIT} It says: “slow "
    "down”",
    "cut off in the middle": "HOST stopped in the middle of its answer. Try again.",
    "null": NO_MOVE.format("The answer is empty. Write your move."),
    "no words": NO_MOVE.format("The answer is empty. Write your move."),
    "a refusal": NO_MOVE.format(
        "You have refused. This is a game in which every seat must make its move."
    ),
    "a filter": NO_MOVE.format(
        "You have refused. This is a game in which every seat must make its move."
    ),
    "tool calls": NO_MOVE.format("There are no tools here. Write your move as plain text."),
    "length": NO_MOVE.format("The answer was cut off at the limit of tokens. Write a shorter one."),
    "1 MB": NO_MOVE.format("The answer does not end. Write a short one."),
}
READY_LATER = ("llama.cpp loads", "Ollama busy")


class Service(ModelServer):
    """Answers with rows of the table, and then normally."""

    models = ("tester", "large", "small")

    def __init__(self, *rows):
        super().__init__(behaviours=rows)
        self.RequestHandlerClass = Rows


class Rows(Handler):
    def setup(self):
        self.server.connections = 0
        super().setup()

    def __getattr__(self, name):
        if not name.startswith("do_"):
            raise AttributeError(name)
        status, said, *headers = services.ROWS[name.removeprefix("do_")]
        return lambda body: self.say(status, said, *headers)

    def do_GET(self):
        listed = [{"id": name, "object": "model"} for name in self.server.models]
        self.plain(200, json.dumps({"object": "list", "data": listed}))

    def say(self, status, said, headers=None):
        if isinstance(said, str):
            self.plain(status, said, **(headers or {}))
            return
        self.begin()
        for event in said:
            self.send(raw=event)


async def no_wait(seconds):
    """Return without waiting."""


def player(server, deadline=20.0, **changes):
    url = server.url
    values = {"model": "test", "base_url": url, "timeout": 60.0, "deadline": deadline, **changes}
    client = Client(
        LLMSettings(**values),
        Secret(KEY),
        OWN,
        retries=Retries(2, random=lambda: 0.0),
        wait=no_wait,
    )
    return LLMPlayer(client)


def test_every_row_is_tried():
    assert {*WORDS, *READY_LATER, *services.PLAYED} == set(services.ROWS)
    assert not any(hasattr(Handler, f"do_{row}") for row in services.ROWS)


@pytest.mark.parametrize("table", ["OWN_MACHINE", "LARGE", "ODD", "NO_MOVE"])
def test_each_failure_has_a_message_and_the_game_goes_on(table):
    for row in [row for row in getattr(services, table) if row in WORDS]:
        with Service(*[row] * (3 if row in services.NO_MOVE else 2)) as server:
            check_failure(server, row)


def check_failure(server, row):
    episode = begun()
    with pytest.raises(LLMError) as caught:
        step(episode, {"prover": player(server)})
    host = server.url.removeprefix("http://").removesuffix("/v1")
    assert (row, str(caught.value)) == (row, WORDS[row].replace("HOST", host))
    # Others at the table do not see the service's own words: they may quote the seat.
    assert "It says" not in caught.value.for_others
    assert caught.value.for_others
    server.behaviours.clear()
    assert step(episode, {"prover": player(server)}) == "prover"


@each("row", services.PLAYED)
def test_what_can_be_read_is_played(row):
    episode = begun()
    with Service(row) as server:
        step(episode, {"prover": player(server)})
        (said,) = episode.node.moves["prover"].messages.values()
        assert said == ("Answer: \ufffd!" if "unicode" in row else services.SAID)
        assert len(server.requests) == 1


@pytest.mark.parametrize("row", READY_LATER)
def test_a_service_that_gets_ready_is_waited_for_as_long_as_the_person_likes(row):
    episode, progress = begun(), []
    with Service(*[row] * 9) as server:
        patient = player(server)
        patient.client.on_progress = progress.append
        assert step(episode, {"prover": patient}) == "prover"
        assert len(server.requests) == 10
        doing = "is loading its model." if "loads" in row else "is not ready (HTTP 503)."
        (trouble,) = {each.trouble for each in progress if each.stage == "waiting"}
        assert trouble.endswith(doing)
        # None of these requests counts towards the few that may fail.
        assert {each.attempt for each in progress} == {1}
    late = pytest.raises(LLMError, match=r"in a while, or raise “Time for a move”\.")
    with Service(*[row] * 999) as server, late:
        step(begun(), {"prover": player(server, deadline=1.0)})


def test_a_service_names_when_it_is_ready():
    waits = []
    services.ROWS["soon"] = (503, "{}", {"retry-after": "7"})
    with Service("soon") as server:
        patient = player(server)

        async def wait(seconds):
            waits.append(seconds)

        patient.client.wait = wait
        patient.client.retries = Retries(random=lambda: 0.0)
        step(begun(), {"prover": patient})
    assert waits == [7.0]
    del services.ROWS["soon"]


@each(
    "said",
    [
        "This model's maximum context length is 2048 tokens. However, you requested 2748 tokens "
        "(700 in the messages, 2048 in the completion).",
        "'max_tokens' or 'max_completion_tokens' is too large: 2048. This model's maximum context "
        "length is 2048 tokens and your request has 700 input tokens (2048 > 2048 - 700).",
        "You passed 700 input tokens and requested 2048 output tokens. However, the model's "
        "context length is only 2048 tokens.",
        "max_tokens is too large: 2048. This model supports at most 1348 completion tokens.",
        "`max_tokens` must be less than or equal to `1348`, the maximum value for `max_tokens` is "
        "less than the `context_window` for this model",
    ],
)
def test_an_answer_is_asked_for_that_fits(said):
    services.ROWS["tight"] = (400, json.dumps({"error": {"message": said}}))
    with Service("tight") as server:
        step(begun(), {"prover": player(server)})
        assert [request["max_tokens"] for request in server.requests] == [2048, 1348]
    del services.ROWS["tight"]


def test_of_many_models_the_nearest_are_named():
    with Service("vLLM model") as server:
        server.models = [f"m{n}" for n in range(300)] + ["test-2", "<b>", "x" * 500]
        with pytest.raises(LLMError) as caught:
            step(begun(), {"prover": player(server)})
        assert "It has: test-2, m0, m1, m2, m3, m4, m5, m6, and 293 more." in str(caught.value)


# -- certificates -------------------------------------------------------------------------------


class Secure(ModelServer):
    def __init__(self, certificate):
        super().__init__()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATES / f"{certificate}.pem")
        self.socket = context.wrap_socket(self.socket, server_side=True)

    @property
    def url(self):
        return super().url.replace("http://", "https://")


@each(
    ("certificate", "trusted", "words"),
    [
        (
            "own",
            False,
            "The certificate of HOST is signed by an authority that this machine does not trust. "
            "If it is your "
            "own, set SSL_CERT_FILE to it where the explorer runs, or use http:// on your own "
            "network. Nothing was sent.",
        ),
        (
            "expired",
            True,
            "The certificate of HOST has expired. Its operator has to renew it. Nothing was sent.",
        ),
        (
            "other",
            True,
            "The certificate of HOST is for another name. Is the address right? Nothing was sent.",
        ),
    ],
)
def test_certificates(certificate, trusted, words, monkeypatch):
    if trusted:
        context = ssl.create_default_context(cafile=CERTIFICATES / f"{certificate}.pem")
        monkeypatch.setattr(ways, "_trusted", lambda: context)
    with Secure(certificate) as server:
        with pytest.raises(LLMError) as caught:
            step(begun(), {"prover": player(server)})
        host = server.url.removeprefix("https://").removesuffix("/v1")
        assert str(caught.value) == words.replace("HOST", host)
        assert server.requests == []


def test_a_certificate_that_the_machine_trusts_is_enough(monkeypatch):
    context = ssl.create_default_context(cafile=CERTIFICATES / "own.pem")
    monkeypatch.setattr(ways, "_trusted", lambda: context)
    with Secure("own") as server:
        assert step(begun(), {"prover": player(server)}) == "prover"


def test_what_speaks_no_https():
    with ModelServer() as server:
        url = server.url.replace("http://", "https://")
        with pytest.raises(LLMError, match="Does the address begin with http://"):
            step(begun(), {"prover": player(server, base_url=url)})


# -- hostile words ------------------------------------------------------------------------------


def test_a_key_that_a_service_repeats_is_not_shown():
    for text in (KEY, "x" * 290 + KEY, KEY[:10] + "\u200b" + KEY[10:]):
        complaint = complaint_of(json.dumps({"error": {"message": text}}).encode())
        found = of_complaint(400, {}, complaint, LLMSettings("m"), Secret(KEY))
        assert KEY not in found.quote
        if "\u200b" not in text:
            assert KEY[:12] not in found.quote


@each(
    "body",
    [
        b"[" * 100_000,
        b'{"error": ' * 5000 + b"1" + b"}" * 5000,
        json.dumps({"error": {"message": {"message": [["x"] * 50] * 50}}}).encode(),
        json.dumps([{"loc": {}, "msg": 7}, None, 7]).encode(),
        b"\xff\xfe" * 1000,
        b'{"retryDelay": "9e999s"}',
        json.dumps({"error": "try again in " + "9" * 5000 + "s"}).encode(),
    ],
)
def test_any_complaint_is_read(body):
    complaint = complaint_of(body)
    assert len(complaint.said) <= 10_000
    found = of_complaint(400, {"retry-after": "nan"}, complaint, LLMSettings("m"), None)
    assert len(found.quote) < 320


@each(
    ("error", "words"),
    [
        (ImportError(), "Models need the httpx2 package"),
        (TimeoutError(), "was silent for 7 seconds"),
        (ConnectionError(), "broke off in the middle of its answer"),
        (httpx2.ReadTimeout(""), "was silent for 7 seconds"),
        (httpx2.ReadError(""), "broke off in the middle of its answer"),
        (httpx2.ProxyError(""), "The proxy between this machine and"),
        (ValueError(), "is not the answer of a chat service"),
    ],
)
def test_what_breaks_on_the_way_is_told_apart(error, words):
    assert words in failure_of(error, LLMSettings("m", timeout=7)).words


def test_a_key_or_a_login_that_is_missing_is_asked_for():
    settings, nothing = LLMSettings("m"), complaint_of(b"")
    wanted = of_complaint(401, {}, nothing, settings, None).words
    assert "wants a key, and there is none" in wanted
    assert "wants a login" in of_complaint(407, {}, nothing, settings, None).words
    asked = missing_key(settings, {}, OWN, {})
    assert asked.endswith("Type yours into the key's field, or set OPENAI_API_KEY on the server.")
    assert missing_key(settings, {}, PUBLIC, {}).endswith("Type yours into the key's field.")
    assert missing_key(settings, {None: Secret(KEY)}, PUBLIC, {}) == ""
    assert missing_key(LLMSettings("m", "http://localhost:1/v1"), {}, OWN, {}) == ""


# -- trying out ---------------------------------------------------------------------------------


def test_a_service_that_drops_the_instructions_is_found_out():
    with Service() as server:
        settings = LLMSettings("test", server.url)
        assert "instructions" not in try_out(settings, None, OWN).message

    class Forgetful(Rows):
        def do_good(self, body):
            kept = [each for each in body["messages"] if each["role"] != "system"]
            self.usage = {"prompt_tokens": sum(len(m["content"]) for m in kept) // 4 + 30}
            super().do_good(body)

    with Service() as server:
        server.RequestHandlerClass = Forgetful
        settings = LLMSettings("test", server.url)
        found = try_out(settings, None, OWN)
        assert found.ok
        assert found.message.endswith(f"\n\n{UNREAD.format(host=settings.host)}")
        episode = begun()
        step(episode, {"prover": player(server)})
        assert episode.events[-1].origin["unread"]


def test_models_of_a_service_are_listed_once_and_without_invalid_names():
    with Service() as server:
        server.models = ["b", "two\nlines", "a", "b"]
        assert list_models(server.url, None, OWN) == ("b", "a")
        for models in ([], ["two\nlines"], ["a", f"x{KEY}"]):
            server.models = models
            with pytest.raises(LLMError, match="lists no models"):
                list_models(server.url, Secret(KEY), OWN)


# -- what is shown while one waits ---------------------------------------------------------------


def test_waiting_is_reported():
    """Each step is reported once, with its duration; of thoughts and words only their number."""
    progress = []
    services.ROWS["ponders"] = (
        200,
        [
            services._delta(reasoning_content="A thought of eight tokens, here."),
            services._delta(content="Answer: because of line three."),
            services._delta("stop"),
        ],
    )
    with Service("429 with a time", "ponders") as server:
        made = player(server)
        made.client.on_progress = progress.append
        step(begun(), {"prover": made})
        host = server.url.removeprefix("http://").removesuffix("/v1")
    del services.ROWS["ponders"]
    stages = [each.stage for each in progress]
    assert stages[:3] == ["asked", "waiting", "asked"]
    assert stages[-1] == "writing"
    waits, last = progress[1], progress[-1]
    why = f"{host} asks us to wait 12 s, because it has too many requests."
    assert waits.for_others == f"{why} The next request comes in 12 s. (Attempt 1 of 2.)"
    assert last.for_others == f"{why} (Attempt 2 of 2.)"
    assert last.for_its_seat == (
        f"It is writing: 5 words so far. {why} (Attempt 2 of 2.) {last.tokens:,} tokens used."
    )
    assert last.tokens > 500
    thinking = [each.for_its_seat for each in progress if each.stage == "thinking"]
    assert all(each.startswith("It is thinking: 8 tokens so far.") for each in thinking)


def test_too_long_is_too_long_however_much_comes_at_once():
    words = [TextChunk("word " * 2000)] * 105
    for end in (AnswerDetails("test", "stop"), AnswerDetails("test")):
        attempt = Attempt(None, lambda: None, lambda attempt: None)
        assert attempt._take([*words, end], 0.0) == AnswerDetails(finish="too_long")
        assert len(attempt.received) == MAX_TEXT
