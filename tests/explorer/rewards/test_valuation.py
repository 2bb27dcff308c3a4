"""Tests of valuation.py and answers.py.

Questions about rewards: their addresses, files, answers and downloads.
"""

import contextlib
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.choice import ProtocolChoice
from explorer.rewards.answers import (
    components_table,
    in_short,
    recorded_play,
    recorded_rewards,
    rule_table,
    sample_table,
    seats,
)
from explorer.rewards.sweep import sweepable, swept_values
from explorer.rewards.valuation import (
    CHANCES,
    PLAYS,
    Valuation,
    model_csv,
    read_rows,
    rewards_csv,
    rewards_json,
    rewards_python,
)
from nip_core import Episode, HyperParameters, Move, protocol_names
from nip_core.errors import ModelError
from nip_core.values import exact_values, optimal_stopping, sample
from tests.depth import cases, each
from tests.language.one_verdict import PUBLISHED_ONES
from tests.language.zoo import PATHS, STRANGERS
from tests.play_worlds import ONE_TASK

chances = st.integers(0, 100).map(lambda n: n / 100)
ASKED = ["random", "simple", "listening"]


@st.composite
def questions(draw):
    return Valuation(
        ProtocolChoice.of(
            HyperParameters(
                interaction_protocol=draw(st.sampled_from(protocol_names())),
                protocol_common={
                    "verifier_no_guess_reward": draw(st.sampled_from([0.0, 0.1, -0.5])),
                    "shared_reward": draw(st.booleans()),
                    "zero_knowledge": draw(st.booleans()),
                },
            )
        ),
        play=draw(st.sampled_from(ASKED)),
        **{name: draw(chances) for name in CHANCES},
        logits=draw(st.integers(1, 9)),
    )


@settings(max_examples=cases(60), deadline=None)
@given(questions())
def test_an_address_says_all(valuation):
    query = valuation.to_query()
    assert Valuation.from_query(query) == (valuation, [])
    handler = valuation.protocol()
    values = exact_values(handler, valuation.model(handler))
    assert len(seats(handler, values)) == len(handler.spec.agents)
    assert in_short(values).startswith("Verdicts")


@given(
    st.dictionaries(
        st.sampled_from(["play", "logits", *CHANCES, "protocol", "nonsense"]), st.text(max_size=30)
    )
)
def test_any_address_makes_a_question(query):
    valuation, refused = Valuation.from_query(query)
    assert valuation.play in PLAYS
    assert all(0 <= getattr(valuation, name) <= 1 for name in CHANCES)
    assert all(any(key in sentence for key in query) for sentence in refused)


def test_a_default_question_has_a_bare_address():
    assert Valuation(ProtocolChoice.of(HyperParameters())).to_query() == {}


SHARED = HyperParameters(interaction_protocol="mnip", protocol_common={"shared_reward": True})
HIDDEN = HyperParameters(interaction_protocol="nip", protocol_common={"zero_knowledge": True})
# All protocols with one verdict, some of them in files of one's own.
CHOICES = [
    *map(ProtocolChoice.of, (SHARED, HIDDEN)),
    ProtocolChoice.of("khan_debate").with_setting("rounds", 2),
    *(
        ProtocolChoice.own(PATHS[name].read_text("utf-8"))
        if name in STRANGERS
        else ProtocolChoice.of(name)
        for name in sorted(PUBLISHED_ONES)
    ),
]


def printed(code):
    """Return what Python prints, in this process, since a new one needs seconds to start."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "<shown>", "exec"), {})
    return out.getvalue()


@each("choice", CHOICES)
@each("play", [*ASKED, "table", "recorded"])
def test_the_python_runs_and_says_the_same(choice, play):
    row = {"round": 0, "label": 1, "reject": 0.25, "accept": 0.5, "go_on": 0.25}
    records = ((1, 0, (2, 1)), (0, 3, (0,)))
    valuation = Valuation(choice, play=play, prior=0.25, rows=(row,), records=records)
    made = valuation.protocol()
    values = exact_values(made, valuation.model(made))
    said = printed(rewards_python(valuation))
    for seat in values.spec.seat_names:
        assert f"{seat} {values.mean(seat)} {values.variance(seat)}\n" in said


def test_a_table_of_play_round_trips():
    valuation = Valuation(ProtocolChoice.of(HyperParameters()), play="simple")
    rows = read_rows(model_csv(valuation), "mine.csv")
    again = Valuation(ProtocolChoice.of(HyperParameters()), play="table", rows=rows)
    handler = valuation.protocol()
    values = [exact_values(handler, each.model(handler)) for each in (valuation, again)]
    assert values[0].mean("verifier") == pytest.approx(values[1].mean("verifier"), abs=1e-12)
    printed = []
    exec(rewards_python(again), {"print": lambda *said: printed.append(said)})
    assert printed[0][1] == pytest.approx(values[1].mean("prover"))
    as_json = json.dumps([dict(row) for row in rows]).encode()
    assert (
        Valuation(
            ProtocolChoice.of(HyperParameters()), play="table", rows=read_rows(as_json, "a.json")
        )
        == again
    )


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"", "a.csv"),
        (b"\xff\xfe\x00", "a.csv"),
        (b"{", "a.json"),
        (b"7", "a.json"),
        (b"[1, 2]", "a.json"),
        (b"[" * 100_000, "a.json"),
        (b"a,b\n", "a.csv"),
    ],
)
def test_a_file_that_is_no_table_is_refused_in_words(content, name):
    with pytest.raises(ModelError, match="file"):
        read_rows(content, name)


def test_a_table_of_something_else_is_refused_in_words():
    rows = read_rows(b"a,b\n1,2\n", "a.csv")
    valuation = Valuation(ProtocolChoice.of(HyperParameters()), play="table", rows=rows)
    with pytest.raises(ModelError, match="Row 1"):
        valuation.model(valuation.protocol())


@pytest.mark.parametrize("name", protocol_names())
@pytest.mark.parametrize("zero_knowledge", [False, True])
def test_sweeps_are_exact_at_every_point(name, zero_knowledge):
    valuation = Valuation(
        ProtocolChoice.of(
            HyperParameters(
                interaction_protocol=name, protocol_common={"zero_knowledge": zero_knowledge}
            )
        ),
        play="simple",
    )
    handler = valuation.protocol()
    names = sweepable(valuation, handler)
    assert "accuracy" not in names
    for along in ("prior", "verifier_reward"):
        points = swept_values(valuation, along)
        assert set(points["seat"]) == set(handler.spec.agent_names)
        assert (points["low"] <= points["high"]).all()
    # Values are linear in the prior, and the present setting is among the points of a reward.
    mine = (
        swept_values(valuation, "prior").query("seat == @handler.spec.verifier")["mean"].to_numpy()
    )
    assert mine[12] == pytest.approx((mine[0] + mine[-1]) / 2)
    points = swept_values(valuation, "verifier_reward").query(
        "seat == @handler.spec.verifier and value == 1"
    )
    now = exact_values(handler, valuation.model(handler)).mean(handler.spec.verifier)
    assert points["mean"].tolist() == pytest.approx([now])


def test_sweeps_along_rounds_leave_out_what_cannot_be():
    valuation = Valuation(ProtocolChoice.of(HyperParameters(interaction_protocol="nip")))
    points = swept_values(valuation, "max_message_rounds").query("seat == 'verifier'")
    # Only the odd turns are the verifier's: 1 - (1/3)^turns of the episodes are decided.
    turns = (points["value"] + 1) // 2
    assert points["mean"].tolist() == pytest.approx((-((1 / 3.0) ** turns)).tolist())


def test_files_hold_the_answers():
    valuation = Valuation(ProtocolChoice.of(HyperParameters()))
    handler = valuation.protocol()
    values = exact_values(handler, valuation.model(handler))
    document = json.loads(rewards_json(valuation, values))
    assert document["verdicts"]["none"] == pytest.approx(1 / 81)
    assert sum(row["chance"] for row in document["endings"]) == pytest.approx(1)
    assert rewards_csv(values).decode().startswith("seat,reward,from,to,chance")
    parts = components_table(values)
    means = parts.groupby("seat")["contributes"].sum()
    for agent in handler.spec.agent_names:
        assert means[agent] == pytest.approx(values.mean(agent))
    table = sample_table(values, sample(handler, valuation.model(handler), 5_000))
    assert len(table) == len(handler.spec.agents) + 4
    rule = rule_table(handler, optimal_stopping(handler, accuracy=0.8))
    assert set(rule["best"]) <= {"accept", "reject", "ask on"}


def test_what_was_recorded_is_how_the_verifier_plays():
    episodes = []
    for decision in (1, 1, 0):
        episode = Episode(HyperParameters(), ONE_TASK, seed=3)
        episode.play(Move("verifier", {"main": "Why?"}))
        episode.play(Move("prover", {"main": "So."}))
        episode.play(Move("verifier", decision=decision))
        episodes.append(episode)
    episodes.append(Episode(HyperParameters(), ONE_TASK))  # goes on
    spec = episodes[0].setup.handler.spec
    records = recorded_play(episodes, spec)
    assert records == ((0, 3, (2, 2, 1)), (0, 3, (2, 2, 1)), (0, 3, (2, 2, 0)))
    model = Valuation(ProtocolChoice.of(HyperParameters()), play="recorded", records=records)
    decide = model.model(model.protocol()).decide
    assert decide[0, 0, 0, 0].tolist() == pytest.approx([1 / 6, 1 / 6, 4 / 6])
    assert decide[0, 2, 0, 0].tolist() == pytest.approx([2 / 6, 3 / 6, 1 / 6])
    rewards = recorded_rewards(episodes).query("seat == 'verifier'")["reward"]
    assert sorted(rewards) == [-1, -1, 1]
