"""What models only think: in separate fields, in parts, or between tags."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.players.errors import LLMFailedError
from explorer.players.models import AnswerWait, Client, LLMPlayer, LLMSettings, Secret
from explorer.players.models.wire import text_and_reasoning, thinks_by_itself
from nip_core import Episode, HyperParameters
from nip_core.play import Origin
from tests.depth import each
from tests.explorer.players import misbehaving
from tests.explorer.players.model_server import OWN, prover_view
from tests.play_worlds import ONE_TASK

KEY = "quiet-planted-0123456789-secret"
SAID, THOUGHT = "Answer: it is right.", "I know that this is wrong. Decision: reject"
# As services send it, piece by piece.
PIECES = {
    "reasoning_content": [{"reasoning_content": THOUGHT}, {"content": SAID}],
    "reasoning": [{"reasoning": THOUGHT, "content": ""}, {"content": SAID, "reasoning": None}],
    "twice": [
        {
            "reasoning": THOUGHT,
            "reasoning_details": [{"type": "reasoning.text", "text": THOUGHT, "format": "x"}],
        },
        {"content": SAID},
    ],
    "details": [
        {"reasoning_details": [{"type": "reasoning.summary", "summary": THOUGHT}]},
        {"reasoning_details": [{"type": "reasoning.encrypted", "data": "c2VjcmV0"}]},
        {"content": SAID},
    ],
    "parts": [
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]}]},
        {"content": [{"type": "text", "text": SAID}]},
    ],
    "parts at once": [
        {"content": [{"type": "reasoning", "text": THOUGHT}, {"type": "text", "text": SAID}]}
    ],
    "marks": [{"content": f"<think>{THOUGHT}</think>"}, {"content": SAID}],
    "the opening mark in the template": [{"content": THOUGHT}, {"content": f"</think>{SAID}"}],
    "both": [
        {"reasoning_content": THOUGHT[:7]},
        {"content": f"<think>{THOUGHT[7:]}</think>{SAID}"},
    ],
}


class Server(misbehaving.ModelServer):
    def __init__(self, pieces):
        super().__init__()
        self.pieces = pieces
        self.RequestHandlerClass = Handler


class Handler(misbehaving.Handler):
    def do_good(self, body):
        self.begin()
        for piece in self.server.pieces:
            self.send(piece)
        self.send({}, "stop")
        self.send(raw="[DONE]")


@each("kind", PIECES)
def test_thoughts_come_apart_from_the_answer(kind):
    seen = []
    with Server(PIECES[kind]) as server:
        client = Client(LLMSettings("test", server.url), None, OWN)
        reply = asyncio.run(
            client.complete([{"role": "user", "content": "Well?"}], AnswerWait(on_text=seen.append))
        )
    assert reply.text == SAID
    assert reply.reasoning.count("that this is wrong.") == 1
    assert "c2VjcmV0" not in reply.text + reply.reasoning
    if kind != "the opening mark in the template":
        assert not any("wrong" in words for words in seen)
    # They cost as much as words.
    assert reply.usage.tokens_out >= (len(THOUGHT) + len(SAID)) // 4


anything = st.recursive(
    st.none() | st.text() | st.integers() | st.booleans(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["type", "text", "x"]), inner),
)


@given(st.none() | st.text() | st.lists(anything), anything)
def test_any_piece_is_read(content, reasoning):
    piece = {"content": content, "reasoning": reasoning}
    said, thought = text_and_reasoning(piece)
    assert isinstance(said, str)
    assert isinstance(thought, str)
    if isinstance(content, str):
        assert said == content


# -- at the table ---------------------------------------------------------------------------------


def verifier_view(name="nip"):
    return Episode(HyperParameters(interaction_protocol=name), ONE_TASK).view_for("verifier")


def player(server, **changes):
    return LLMPlayer(Client(LLMSettings("test", server.url, **changes), Secret(KEY), OWN))


def system_of(request):
    return request["messages"][0]["content"]


def test_a_scratchpad_is_offered_stripped_and_kept_if_wanted():
    answer = "<scratchpad>\nLine 3? Decision: reject\n</scratchpad>\nQuestion: why line 3?"
    with misbehaving.ModelServer(answer=lambda _: answer) as server:
        for keep in (False, True):
            acted = player(server, keep_reasoning=keep).turn(verifier_view())
            assert acted.move.messages == {"main": "Question: why line 3?"}
            assert acted.move.raw == "Question: why line 3?"
            assert acted.move.decision == 2
            assert ("Decision: reject" in acted.origin.get("reasoning", "")) is keep
            assert acted.origin["scratchpad"] is True
        player(server, scratchpad=False).turn(verifier_view())
        offered = ["<scratchpad>" in system_of(request) for request in server.requests]
        assert offered == [True, True, False]


@each("kind", ["reasoning_content", "parts", "marks"])
def test_a_model_that_thinks_by_itself_gets_no_scratchpad(kind):
    with Server(PIECES[kind]) as server:
        origins = [player(server).turn(prover_view()).origin for _ in range(2)]
        assert [origin["scratchpad"] for origin in origins] == [True, False]
        offered = ["<scratchpad>" in system_of(request) for request in server.requests]
        assert offered == [True, False]


@each(
    ("apart", "thoughts", "by_itself"),
    [
        ("hm", "", True),
        (" ", "", False),
        ("", "<scratchpad>hm</scratchpad>", False),
        ("", "<think>\n\n</think>", False),
        ("", "<think>hm</think>", True),
        ("", "[THINK]hm[/THINK]", True),
        ("", "[THINK][/THINK]", False),
        ("", "", False),
    ],
)
def test_which_models_think_by_themselves(apart, thoughts, by_itself):
    assert thinks_by_itself(apart, thoughts) is by_itself


@each(
    ("answer", "reason"),
    [
        ("<scratchpad>All of it is here. Decision: reject", "begins a thought and never ends it"),
        ("<think>All of it is here.</think>", "thoughts only"),
        ("Scratchpad:\nThe expert lies.\n\nQuestion: why?", "between <scratchpad> and"),
    ],
)
def test_thoughts_alone_are_no_move(answer, reason):
    def say(messages):
        return answer if len(messages) == 2 and "cannot" not in messages[-1]["content"] else "Why?"

    with misbehaving.ModelServer(answer=say) as server:
        acted = player(server).turn(verifier_view())
        assert acted.move.messages == {"main": "Why?"}
        (refused,) = acted.origin["refused"]
        assert reason in refused["reason"]
        assert reason in server.requests[1]["messages"][-1]["content"]


@each(
    ("said", "confidence"),
    [
        ("Decision: accept\nConfidence: 80%", 80),
        ("Decision: reject\nConfidence: 80%", 20),
        ("Decision: reject", None),
        ("Decision: accept\nConfidence: high", None),
    ],
)
def test_a_verifier_is_asked_how_sure_it_is(said, confidence):
    with misbehaving.ModelServer(answer=lambda _: said) as server:
        acted = player(server).turn(verifier_view())
        assert acted.move.confidence == confidence
        assert "Confidence: <" in system_of(server.requests[0])
        episode = Episode(HyperParameters(), ONE_TASK)
        episode.play(acted.move)
        brier = episode.result().brier
        if confidence is None:
            assert brier == {}
        else:
            assert brier == {"verifier": pytest.approx((confidence / 100 - ONE_TASK.y) ** 2)}
        unasked = player(server, ask_confidence=False).turn(verifier_view())
        assert unasked.move.confidence is None
        assert "Confidence" not in system_of(server.requests[1])


def test_the_record_says_what_happened():
    said = iter(["Let me ask on: why?", "Verdict: maybe", "Decision: accept. Confidence: 90%"])
    with misbehaving.ModelServer(answer=lambda _: next(said)) as server:
        acted = player(
            server, temperature=0.5, top_p=0.9, seed=7, max_tokens=777, extra={"k": [KEY, 1]}
        ).turn(verifier_view("solo_verifier"))
    origin = Origin.from_dict(acted.origin)
    assert origin.settings == {
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 7,
        "max_tokens": 777,
        "k": ["[key]", 1],
    }
    assert [refused.answer for refused in origin.refused] == [
        "Let me ask on: why?",
        "Verdict: maybe",
    ]
    assert all("last turn" in refused.reason for refused in origin.refused)
    assert (origin.attempts, origin.estimated, origin.scratchpad) == (3, False, True)
    assert (acted.move.decision, acted.move.confidence) == (1, 90)
    assert KEY not in str(acted.origin)


def test_refusals_before_a_retry_are_recorded_too():
    said = iter(["Hm?", "Well?", "Decision: accept"])
    with misbehaving.ModelServer(answer=lambda _: next(said)) as server:
        seat = player(server, corrections=1)
        view, begun = verifier_view("solo_verifier"), []
        begin = seat.begin
        seat.begin = lambda view: begun.append(begin(view, *begun[-1:])) or begun[-1]
        with pytest.raises(LLMFailedError, match="has answered 2 times"):
            seat.turn(view)
        origin = Origin.from_dict(seat.turn(view).origin)
    assert [refused.answer for refused in origin.refused] == ["Hm?", "Well?"]
    assert origin.attempts == 3


def test_estimated_tokens_are_marked():
    with Server(PIECES["reasoning"]) as server:  # it sends no usage
        origin = player(server).turn(prover_view()).origin
        assert origin["estimated"] is True
        assert origin["tokens_out"] > 0
