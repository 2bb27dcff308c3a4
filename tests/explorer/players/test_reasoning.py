"""What models only think: in fields of their own, in parts, between marks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.players.llm import Client, LLMSettings, ServerPolicy
from explorer.players.llm.reasoning import text_and_reasoning
from tests.explorer.players import misbehaving

OWN = ServerPolicy(custom_addresses=True, server_keys=True, private_addresses=True)
SAID, THOUGHT = "Answer: it is right.", "I know that this is wrong. Decision: reject"
# As services send it, a piece after the other.
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


@pytest.mark.parametrize("kind", PIECES)
def test_thoughts_come_apart_from_the_answer(kind):
    seen = []
    with Server(PIECES[kind]) as server:
        client = Client(LLMSettings("test", server.url), None, OWN)
        reply = client.complete([{"role": "user", "content": "Well?"}], seen.append)
    assert reply.text == SAID
    assert reply.reasoning.count("that this is wrong.") == 1
    assert "c2VjcmV0" not in reply.text + reply.reasoning
    if kind != "the opening mark in the template":
        assert not any("wrong" in words for words in seen)
    # They are paid for as words are.
    assert reply.tokens_out >= (len(THOUGHT) + len(SAID)) // 4


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
