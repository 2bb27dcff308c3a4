"""Mermaid text has every arrow, and names are never read as syntax."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.pictures import sequence_mermaid
from explorer.pictures.lanes import events_of
from nip_core import Agent, Channel, ProtocolSpec, Schedule, Turn
from tests.depth import cases
from tests.strategies import specs

HOSTILE = "<a href='javascript:alert(1)'>x</a> & <b>[y](https://e.example)"


def hostile_spec() -> ProtocolSpec:
    prover, verifier, channel = f"p {HOSTILE}", f"v {HOSTILE}", f"c {HOSTILE}"
    ask, answer = Turn.of({verifier: [channel]}), Turn.of({prover: [channel]})
    return ProtocolSpec(
        name=f"n {HOSTILE}",
        agents=(Agent(prover, "prover", 1), Agent(verifier, "verifier")),
        channels=(Channel(channel, (prover, verifier)),),
        schedules=(Schedule(cycle=(ask, answer)),),
        max_message_rounds=3,
    )


def test_mermaid_text_keeps_names_apart_from_signs():
    text = sequence_mermaid(hostile_spec())
    assert text.startswith("sequenceDiagram\n")
    for line in text.splitlines()[1:]:
        assert re.fullmatch(
            r"    (participant a\d as [\w#;. -]+"
            r"|Note over a\d(,a\d)?: (round \d+(, [a-z ]+)?|may decide(, too early to count)?)"
            r"|a\d--?>>a\d: [\w#;. -]+)",
            line,
        ), line


@settings(max_examples=cases(40))
@given(specs(), st.none() | st.integers(0, 5))
def test_mermaid_text_has_an_arrow_for_each_reader(spec, seed):
    messages = [event for event in events_of(spec, seed) if event.kind == "message"]
    arrows = sequence_mermaid(spec, seed).count(">>")
    assert arrows == sum(max(1, len(message.readers)) for message in messages)
