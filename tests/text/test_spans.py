"""Which part of an answer was read as what."""

from hypothesis import given
from hypothesis import strategies as st

from nip_core.errors import InvalidResponseError
from nip_core.parameters import HyperParameters
from nip_core.play import Episode, Move
from nip_core.tasks import bundled_tasks
from nip_core.text import read_spans, split_thoughts
from nip_core.text.answers import read_answer, statements_in
from nip_core.text.confidence import read_confidence
from nip_core.text.expected import VERDICT, Expected
from nip_core.text.parsing import split_at_headers
from nip_core.text.parts import split_parts
from tests.depth import each
from tests.growth import seconds
from tests.hostile_texts import HOSTILE
from tests.text.test_answers import HEADERS, ROWS

PIECES = (
    "Decision: accept",
    "**Decision: reject**",
    "Decision: accept (confidence: 80%)",
    "Confidence: 90 %",
    "confidence\n",
    "my verdict\n",
    '{"decision": "accept", "confidence": 70}',
    "> Decision: reject",
    "```\nDecision: accept\n```",
    "<think>",
    "</think>",
    "<|channel|>final<|message|>",
    "<|end|>",
    "<answer>",
    "</answer>",
    *HEADERS.values(),
    "what of line 3?",
    "İß漢🙂\u2028\r\n",
    "\n",
    " ",
    *HOSTILE[:4],
)
TEXTS = st.one_of(
    st.sampled_from([text for text, *_ in ROWS]),
    st.lists(st.sampled_from(PIECES), max_size=8).map("\n".join),
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
    st.text(max_size=60),
)


def asked(headers):
    return Expected(VERDICT, headers or {"main": "Main:"}, instead=True)


def reading(text, headers):
    """Return (decision, messages, confidence) as read from a text; None if it is refused."""
    try:
        read = read_answer(text, asked(headers))
    except InvalidResponseError:
        return None
    if read.choices:
        return int(read.choices["decision"] == "accept"), {}, read_confidence(read.said)
    return (2, read.messages, None) if read.said.strip() else None


def kept(text, spans, kind):
    return [text[span.start : span.end] for span in spans if span.kind == kind]


@given(text=TEXTS, headers=st.sampled_from([{}, HEADERS]))
def test_the_parts_of_an_answer_are_disjoint_cover_it_and_read_the_same_again(text, headers):
    found = reading(text, headers)
    if found is None:
        return
    decision, messages, sure = found
    spans = read_spans(text, decision, messages, headers, sure=sure)
    assert "".join(text[span.start : span.end] for span in spans) == text
    assert all(span.start < span.end for span in spans)
    thoughts = split_thoughts(text).thoughts
    assert "".join("".join(kept(text, spans, "thought")).split()) == "".join(thoughts.split())
    if decision != 2:
        assert kept(text, spans, "verdict") or kept(text, spans, "confidence")
        assert not kept(text, spans, "message")
        # With everything else blotted out, verdict and confidence are read again.
        if len(spans) < 60:
            left = "\n".join(
                text[s.start : s.end] for s in spans if s.kind in ("verdict", "confidence")
            )
            whole = _joined(text, spans)
            again = [f.option for t in (left, whole) for f in statements_in(t, asked(headers))]
            assert ("reject", "accept")[decision] in again
    elif headers:
        again = split_parts("\n".join(kept(text, spans, "message")), headers)
        assert again == messages
    else:
        assert kept(text, spans, "message") == [messages["main"]]


def _joined(text, spans):
    """Join what was read, with nothing between adjacent parts."""
    parts = [s for s in spans if s.kind in ("verdict", "confidence")]
    return "".join(
        ("" if place and parts[place - 1].end == span.start else "\n") + text[span.start : span.end]
        for place, span in enumerate(parts)
    )


@each(
    ("text", "parts"),
    [
        (
            "<think>Bad loop.</think>\nIt fails.\nDecision: reject (confidence: 80%)",
            ["thought", "ignored", "verdict", "confidence", "ignored"],
        ),
        ("Decision:\n\naccept\n\nConfidence: 90 %", ["verdict", "ignored", "confidence"]),
        ('{"verdict": "accept", "confidence": 70}', ["verdict", "confidence", "verdict"]),
        ("Do not write Decision: accept.", []),
    ],
)
def test_what_a_verdict_was_read_from(text, parts):
    said = split_thoughts(text).text
    sure = read_confidence(said)
    spans = read_spans(text, 0 if "reject" in text else 1, {}, {}, sure=sure)
    if parts:
        assert [span.kind for span in spans] == parts
    else:
        # Read as documented, where a verdict may be anywhere.
        assert kept(text, spans, "verdict") == ["Decision: accept"]


def test_messages_of_the_documented_reading_are_found():
    text = "Question for Expert_1: why?\nquestion for expert_2: how?"
    messages = split_at_headers(text, HEADERS)
    spans = read_spans(text, 2, messages, HEADERS)
    assert {span.channel: text[span.start : span.end] for span in spans if span.channel} == messages


def test_a_text_of_another_move_explains_nothing():
    assert read_spans("Decision: reject", 1, {}, {}) == ()
    assert read_spans("What of line 3?", 2, {"main": "What of line 4?"}, {}) == ()
    assert read_spans("", 2, {"main": "a"}, {}) == ()


def test_a_view_says_what_its_moves_were_read_from():
    parameters = HyperParameters(interaction_protocol="mnip")
    episode = Episode(parameters, bundled_tasks()[0])
    asked = "Thoughts first.\n\n" + "\n".join(
        f"{header} What of line {n}?"
        for n, header in enumerate(
            episode.view_for("verifier")._handler.response_headers("verifier").values(), 1
        )
    )
    before = episode.node.id
    move = episode.view_for("verifier").read_answer(asked)
    episode.play(move)
    spans = episode.view_for("verifier", before).spans(move)
    assert [span.kind for span in spans] == ["ignored", "message", "ignored", "message"]
    assert [span.channel for span in spans if span.channel] == list(move.messages)
    assert episode.view_for("verifier", before).spans(Move("verifier", decision=1)) == ()


def test_time_grows_with_the_length_of_the_text():
    def take(size, enough=0):
        text = "Decision: accept\nconfidence: 90 %\n" * size
        return seconds(lambda: read_spans(text, 1, {}, {}, sure=90), enough=enough)

    limit = 12 * max(take(200), 0.01)
    assert take(800, enough=limit) < limit
