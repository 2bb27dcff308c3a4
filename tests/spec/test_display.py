"""Tests of display.py, naming.py and remarks.py.

The schedule as a table agrees with the specification, and contains no markup of strangers.
"""

import re
from base64 import b64decode
from html.parser import HTMLParser
from xml.etree import ElementTree

from hypothesis import assume, given, settings

from nip_core import (
    ExperimentSettings,
    HyperParameters,
    build_protocol_handler,
    protocol_names,
    protocol_spec,
)
from nip_core.spec import Agent, Channel, ProtocolSpec, Schedule, Turn
from nip_core.spec.display import MAX_COLUMNS, schedule_html, schedule_text
from tests.depth import cases, each
from tests.strategies import specs


class Table(HTMLParser):
    """Collects the cells of all rows of the only table, and every tag."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.tags = [], set()
        self.cell = None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.cell = ""

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append(self.cell)
            self.cell = None


def check(spec):
    rounds = range(min(spec.max_message_rounds, MAX_COLUMNS))
    head, *lanes = Table(schedule_html(spec)).rows
    assert head[: len(rounds) + 1] == ["round", *(str(r + 1) for r in rounds)]
    assert (head[-1][0] == "+") == (spec.max_message_rounds > MAX_COLUMNS)
    pairs = [(c, a) for c in spec.channel_names for a in spec.agent_names]
    assert [tuple(lane[:2]) for lane in lanes] == [*pairs, ("decide", spec.verifier)]
    for (channel, agent), lane in zip(pairs, lanes, strict=False):
        for r in rounds:
            chance = spec.active_probability(agent, r, channel)
            blind = not spec.can_see(agent, channel)
            assert lane[2 + r] == ("–" if blind else "●" if chance == 1 else "◌" if chance else "")
    for r in rounds:
        seeds = range(spec.num_variants)
        counts = any(spec.decision_counts(r, s) for s in seeds)
        may = any(spec.may_decide(r, s) for s in seeds)
        assert lanes[-1][2 + r] == ("◆" if counts else "◇" if may else "")
    text = schedule_text(spec).splitlines()
    assert len(text) == 2 + 1 + len(lanes) + 2
    for line, lane in zip(text[3:], lanes, strict=False):
        assert re.findall("[●◌◆◇–…]", line) == [mark for mark in lane[2:] if mark]


@each(
    ("name", "zero_knowledge"),
    [*((name, False) for name in protocol_names()), ("merlin_arthur", True), ("mnip", True)],
)
def test_every_registered_protocol(name, zero_knowledge):
    parameters = HyperParameters(
        interaction_protocol=name, protocol_common={"zero_knowledge": zero_knowledge}
    )
    handler = build_protocol_handler(parameters, ExperimentSettings())
    check(handler.spec)
    spec, shown = handler.spec, handler._repr_mimebundle_()
    assert shown == spec._repr_mimebundle_()
    # The picture is an image, which pages that only show notebooks keep.
    assert shown.keys() == {"text/html", "text/plain"}
    assert schedule_html(spec) in shown["text/html"]
    (held,) = re.findall('src="data:image/svg[+]xml;base64,([^"]+)"', shown["text/html"])
    assert ElementTree.fromstring(b64decode(held)).tag.endswith("svg")
    frame = spec.to_frame()
    assert frame.equals(handler.to_frame())
    for round_id, agent, channel, writes, decides in frame.itertuples(index=False):
        assert writes == spec.active_probability(agent, round_id, channel) > 0
        seeds = range(spec.num_variants)
        counts = [spec.decision_counts(round_id, seed) for seed in seeds]
        assert decides == (sum(counts) / len(seeds) if agent == spec.verifier else 0)


def test_without_drawing_code_it_is_a_table_that_says_the_same(monkeypatch):
    spec = protocol_spec(HyperParameters(interaction_protocol="nip"))
    monkeypatch.setattr("nip_core.spec.display.drawing_of", lambda thing: None)
    assert spec._repr_mimebundle_() == {
        "text/html": schedule_html(spec),
        "text/plain": schedule_text(spec),
    }


def test_a_schedule_too_long_for_a_picture_is_a_table():
    long = protocol_spec(HyperParameters(interaction_protocol="nip")).replace(
        max_message_rounds=5_000
    )
    assert long._repr_mimebundle_().keys() == {"text/html", "text/plain"}
    assert len(long._repr_mimebundle_()["text/html"]) < 50_000


@settings(max_examples=cases(50))
@given(specs())
def test_any_specification(spec):
    assume(not any(re.search("[●◌◆◇–…]", agent.name) for agent in spec.agents))
    check(spec)


def test_names_are_text():
    evil = "<script>alert(1)</script>"
    spec = ProtocolSpec(
        name=evil,
        agents=(Agent(f"{evil}&", "verifier"),),
        channels=(Channel(f"'{evil}", (f"{evil}&",)),),
        schedules=(Schedule(cycle=(Turn.of({f"{evil}&": [f"'{evil}"]}),)),),
        max_message_rounds=100,
    )
    table = Table(schedule_html(spec))
    assert table.tags == {"div", "table", "caption", "tr", "td", "th", "small"}
    assert table.rows[1][:2] == [f"'{evil}", f"{evil}&"]
    check(spec)
