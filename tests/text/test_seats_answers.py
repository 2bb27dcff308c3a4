"""What models' answers mean in seats of both versions: one reader for all of them."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from nip_core import Episode, Move, specification
from nip_core.errors import InvalidResponseError
from nip_core.parameters import HyperParameters
from nip_core.tasks import bundled_tasks
from tests.depth import each
from tests.language.zoo import must_write

TABLE = Path(__file__).parent / "seats_answers.txt"
QUALITY = {"question": "Who?", "answers": "A: he, B: she", "passage": "He went.", "truth": "A"}
SAID = {"asker": "Why?", "critic": "Line 3 is wrong."}


def rows():
    """Yield (seat, reading, answer)."""
    _, *groups = TABLE.read_text(encoding="utf-8").split("\n== ")
    for group in groups:
        head, _, body = group.partition("\n")
        seat, _, reading = head.partition(": ")
        yield from ((seat, reading, text) for text in body.strip("\n").split("\n--\n"))


def seats():
    """Return a view of each seat of the table, with the move to make."""
    nip = Episode(HyperParameters(interaction_protocol="nip"), bundled_tasks()[0])
    views = {"verifier": nip.view_for("verifier")}
    nip.play(Move("verifier", {"main": "Why?"}))
    views["prover"] = nip.view_for("prover")
    debate = Episode(specification("khan_debate", rounds=1), QUALITY)
    for seat in debate.to_move:
        debate.play(Move(seat, {"debate": "So."}))
    while "judge" not in debate.to_move:
        debate.play(Move(debate.to_move[0], {"debate": "So."}))
    views["judge"] = debate.view_for("judge")
    asked = Episode(must_write("michael_debate", rounds=1), QUALITY)
    views["asker"] = asked.view_for("judge")
    while not asked.view_for("judge").legal.may_act or asked.view_for("judge").legal.channels:
        for seat in asked.to_move:
            owed = asked.view_for(seat).legal.choices
            made = {name: {"estimate": 50, "going": "go_on"}[name] for name in owed}
            asked.play(Move(seat, {"debate": "So."}, choices=made))
    views["estimator"] = asked.view_for("judge")
    spec = specification("single_critique")
    task = {part.name: "text" for part in spec.parts} | {"truth": "accept"}
    critique = Episode(spec, task)
    critique.play(
        Move("proposer", dict.fromkeys(critique.view_for("proposer").legal.channels, "x"))
    )
    views["critic"] = critique.view_for("critic")
    return views


VIEWS = seats()
ROWS = list(rows())


def reading(seat, text):
    """Return a move as a word or words of the table, with the move."""
    try:
        move = VIEWS[seat].read_answer(text)
    except InvalidResponseError as error:
        return f"again{' SECRET' * ('SECRET' in str(error))}", None
    if move.choices:
        return " ".join(f"{name}={option}" for name, option in move.choices.items()), move
    return ("reject", "accept", "message")[move.decision], move


@each(("seat", "expected", "text"), ROWS)
def test_an_answer_is_read_as_it_is_meant(seat, expected, text):
    found, move = reading(seat, text)
    assert found == expected
    if move is not None:
        assert not any("SECRET" in message for message in move.messages.values())
        if seat in SAID:
            assert [*move.messages.values()] == [SAID[seat]]


@each("version", ["verifier prover", "judge estimator asker critic"])
def test_the_table_is_long(version):
    own = [row for row in ROWS if row[0] in version.split()]
    assert len(own) >= 200
    assert len(set(own)) == len(own)


GIVEN = [row for row in ROWS if row[0] in SAID and row[1] != "again"]
PLAIN = [
    row for row in ROWS if row[0] in ("verifier", "judge") and row[1] not in ("again", "message")
]
BACK = [
    *("NOT", "no.", "Just kidding.", "Wait, no.", "Scratch that.", "Never mind.", "I lied."),
    *("Hmm.", "I stand corrected.", "In hindsight, this is wrong."),
    *("On second thought, no.", "This is not my decision.", "This is not my verdict."),
]
MARKS = [
    *("<think>{}</think>", "<thinking>{}</thinking>", "<scratchpad>{}</scratchpad>"),
    *("<reasoning>\n{}\n</reasoning>", "[THINK]{}[/THINK]", "```thinking\n{}\n```"),
    *("~~~reasoning\n{}\n~~~", "<!-- {} -->", "<think>{}", "```thought\n{}", "Thought: {}"),
    *("Thinking out loud: {}", "\u00dcberlegung: {}", "\u601d\u8003\uff1a{}"),
    *("Reasoning: {}", "*{} aside*", "(thinking: {})", "**Scratchpad**\n{}", "<plan>{}</plan>"),
]


@given(
    st.sampled_from(GIVEN),
    st.sampled_from(MARKS),
    st.lists(
        st.sampled_from(["SECRET", "estimate: 9", "going: stop", "finding: sound", "\n", "why?"])
    ),
    st.booleans(),
)
def test_no_thought_reaches_a_message(row, mark, words, before):
    seat, _, text = row
    thought = mark.format(" ".join(["SECRET", *words]))
    whole = f"{thought}\n\n{text}" if before else f"{text}\n\n{thought}"
    _, move = reading(seat, whole)
    assert move is None or "SECRET" not in "".join(move.messages.values())


@given(
    st.sampled_from(PLAIN), st.sampled_from(BACK), st.sampled_from(["\n", "\n\n", "\n\n> so\n\n"])
)
def test_a_choice_that_is_taken_back_is_not_made(row, back, gap):
    seat, _, text = row
    assert reading(seat, f"{text}{gap}{back}")[0] == "again"


@given(st.sampled_from(PLAIN), st.sampled_from(PLAIN))
def test_two_choices_that_disagree_are_none(row, other):
    assert (
        row[0] != other[0]
        or reading(row[0], f"{row[2]}\n\n{other[2]}")[0]
        in ("again", row[1])[: 1 + (row[1] == other[1])]
    )
