"""Tests of validation.py and anonymous.py.

Specifications from strangers: accepted ones are handled without walking through their rounds.
"""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import HyperParameters, protocol_names
from nip_core.errors import NipError
from nip_core.registry import protocol_spec
from nip_core.spec import Agent, Channel, ProtocolSpec, Schedule, Turn, anonymous_agents
from nip_core.text.seats import default_agent_specs
from tests.depth import cases, each
from tests.odd import changed

SEATS = (Agent("p", "prover", 1), Agent("v", "verifier"), Agent("q", "prover", 0))
CHANNELS = (Channel("a", ("p", "v", "q")), Channel("b", ("p", "v")))
PAIRS = [(agent, channel.name) for channel in CHANNELS for agent in channel.viewers]

turns = st.lists(st.sampled_from(PAIRS), max_size=4).map(lambda pairs: Turn(tuple(pairs)))
schedules = st.builds(
    lambda prelude, cycle: Schedule(tuple(prelude), tuple(cycle)),
    st.lists(turns, max_size=4),
    st.lists(turns, max_size=4),
)


@settings(max_examples=cases(300))
@given(st.lists(schedules, min_size=1, max_size=3), st.integers(1, 12), st.data())
def test_computed_facts_agree_with_a_walk_through_the_rounds(own, rounds, data):
    spec = ProtocolSpec("x", SEATS, CHANNELS, tuple(own), rounds)
    first, last, questions = {}, {}, [0] * len(own)
    for round_id in range(rounds):
        for seed in range(len(own)):
            for agent, _ in spec.turn(round_id, seed).speakers:
                first.setdefault(agent, round_id)
                last[agent] = round_id
            questions[seed] += spec.may_decide(round_id, seed)
    assert list(spec.first_active_rounds.items()) == list(first.items())
    assert spec.last_active_rounds == last
    assert spec.max_verifier_questions == max(questions)
    least = data.draw(st.integers(0, 13))
    counting = [
        round_id
        for round_id in range(rounds)
        for seed in range(len(own))
        if spec.replace(min_message_rounds=least).decision_counts(round_id, seed)
    ]
    found = spec.replace(min_message_rounds=least).first_counting_round
    assert found == min(counting, default=None)
    assert walked_findings(spec) == {
        (f.code, agent, f.rounds)
        for f in spec.lint()
        if f.rounds or (f.agents and not f.channel)
        for agent in f.agents or (None,)
    }
    assert anonymous_agents(spec) == walked_anonymous(spec)


def walked_anonymous(spec):
    """Return the agents whose messages would reveal a random side, by trying every round."""
    hidden = set()
    for round_id in range(spec.max_message_rounds):
        own = [spec.turn(round_id, seed).speakers for seed in range(spec.num_variants)]
        for channel in spec.channel_names:
            here = [{a for a, on in speakers if on == channel} for speakers in own]
            sometimes = (set().union(*here) - set.intersection(*here)) & set(spec.provers)
            if len({spec.agent(name).stance for name in sometimes}) > 1:
                hidden |= sometimes
    return hidden


def walked_findings(spec):
    """Return the remarks about agents and rounds, by looking at every round."""
    numbers, seeds = range(spec.max_message_rounds), range(spec.num_variants)
    found = set()
    silent = [tuple(r for r in numbers if not spec.turn(r, seed).speakers) for seed in seeds]
    found |= {("silent-round", None, own) for own in silent if own}
    speaks = {
        name: [r for r in numbers if any(name in spec.turn(r, seed).agents for seed in seeds)]
        for name in spec.agent_names
    }
    last = max(speaks[spec.verifier], default=-1)
    for name, own in speaks.items():
        late = tuple(r for r in own if r > last)
        if not own:
            found.add(("agent-never-speaks", name, ()))
        elif name in spec.provers and len(late) == len(own):
            found.add(("prover-never-answered", name, late[:1]))
        elif name in spec.provers and late:
            found.add(("last-message-unread", name, late))
    return found


def large(rounds: int) -> ProtocolSpec:
    """Return as many schedules as allowed, whose cycles rarely coincide."""
    rng = random.Random(0)
    return ProtocolSpec(
        "large",
        SEATS,
        CHANNELS,
        tuple(
            Schedule(
                tuple(Turn(tuple(rng.sample(PAIRS, 2))) for _ in range(20)),
                tuple(Turn(tuple(rng.sample(PAIRS, 2))) for _ in range(60 + number)),
            )
            for number in range(64)
        ),
        rounds,
    )


@each("rounds", [10, 1_000_000])
def test_no_round_outside_preludes_and_cycles_is_looked_up(rounds):
    def near(look_up):
        def refusing(schedule, round_id):
            assert round_id < 1_000
            return look_up(schedule, round_id)

        return refusing

    spec = large(rounds)
    with pytest.MonkeyPatch.context() as patched:
        for name in ("turn", "place"):
            patched.setattr(Schedule, name, near(getattr(Schedule, name)))
        assert spec.first_active_rounds
        assert spec.last_active_rounds
        assert spec.max_verifier_questions >= spec.count_turns("v", 5)
        assert spec.first_turn("v") is not None
        assert spec.first_counting_round is not None
        assert spec.speaks_again("p")
        spec.replace(min_message_rounds=rounds).lint()
        silent = Schedule(cycle=(Turn(),))
        assert spec.replace(schedules=(*spec.schedules[1:], silent)).lint()
        default_agent_specs(spec)


def crowd(count: int, turns: int):
    """Return a document in which everybody may speak everywhere."""
    agents = [{"name": "v", "role": "verifier"}]
    agents += [{"name": f"p{i}", "role": "prover", "stance": i % 2} for i in range(count - 1)]
    names = [agent["name"] for agent in agents]
    channels = [{"name": f"c{i}", "viewers": names} for i in range(count)]
    on = [channel["name"] for channel in channels]
    turn = dict.fromkeys(names, on)
    return {
        "name": "crowd",
        "agents": agents,
        "channels": channels,
        "schedules": [{"prelude": [], "cycle": [turn] * turns}] * 2,
        "max_message_rounds": 1_000,
    }


@each(
    ("change", "said"),
    [
        ({"schedules": [{"prelude": [{}] * 10_001, "cycle": []}]}, "turns; at most 10,000"),
        (
            {"schedules": [{"prelude": [[]], "cycle": []}]},
            "it must map agents to lists of channels",
        ),
        (crowd(64, 20), "speakers; at most 100,000"),
        (
            {**crowd(64, 1), "max_message_rounds": 10_000},
            "schedules x rounds x agents x channels are 2 x 10,000 x 64 x 64 = 81,920,000",
        ),
        ({"agents": [{"name": "a", "role": "prover"}] * 1_000}, "1 to 64"),
        ({"channels": [{"name": "c", "viewers": []}] * 1_000}, "1 to 64"),
        ({"name": "x" * 1_000_000}, "1 to 100 printable"),
        ({"max_message_rounds": 10**400}, "a whole number"),
        ({"max_message_rounds": 8.0}, "a whole number"),
        ({"payoff": {"prover_reward": 10**400}}, "finite number"),
        ({"payoff": {"prover_reward": float("inf")}}, "finite number"),
        ({"payoff": {"prover_reward": 1e300}}, "finite number"),
        ({"payoff": {"force_guess": [1]}}, "'zero'"),
        ({"agents": [{"name": "verifier", "role": "verifier", "stance": 10**5000}]}, "stance"),
        ({"agents": [{"name": "verifier", "role": "verifier", "stance": 0.0}]}, "stance"),
        ({"agents": [{"name": "verifier", "role": ["verifier"]}]}, "role"),
    ],
)
def test_bounds_are_named_in_short_messages(change, said):
    document = {**protocol_spec(HyperParameters()).to_dict(), **change}
    with pytest.raises(NipError) as caught:
        ProtocolSpec.from_dict(document)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 1_500


VALUES = [
    None, True, 0, -1, 1.0, 1.5, 10**30, 10**400, float("inf"), float("nan"), -0.0, "", "x" * 300,
    "\ud800", "a\0", [], {}, [[]], {"a": 1}, [None], "prover", "main", "verifier",
]  # fmt: skip


DOCUMENTS = [protocol_spec(name).to_dict() for name in protocol_names()]


@settings(max_examples=cases(150))
@given(changed(DOCUMENTS, st.sampled_from(VALUES)))
def test_a_changed_document_is_a_protocol_or_a_clear_error(document):
    try:
        spec = ProtocolSpec.from_dict(document)
        default_agent_specs(spec)
        spec.lint()
        assert ProtocolSpec.from_dict(spec.to_dict()) == spec
        said = "It loads."
    except NipError as error:
        said = str(error)
    assert 0 < len(said) < 1_500
