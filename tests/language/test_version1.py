"""Tests of version1.py, machine.py, plain.py and totals.py.

Version 1 in the language of version 2, and plain protocols back again.
"""

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import protocol_spec
from nip_core.errors import SpecError, UnsupportedError
from nip_core.handler.zero_knowledge import zero_knowledge
from nip_core.language import Specification, from_version_1, load_specification, to_version_1
from nip_core.language.machine import Machine
from nip_core.play import Deal, Move
from nip_core.spec import ProtocolSpec
from tests import reference
from tests.depth import cases, each
from tests.language.zoo import PATHS, PUBLISHED, VERSION_1, converted, published
from tests.strategies import specs

SAID = ("reject", "accept", "wait")
NO_LIKENESS = {"simulator_reward_coefficient": 0.0, "aux_prover_reward_coefficient": 0.0}


def rounds_of(spec, variant):
    """Return who writes where in each round of a converted protocol, and who may decide."""
    machine, place, found = Machine(spec), Machine(spec).first, []
    registers = machine.blank() | ({"variant": variant} if "variant" in spec.options else {})
    while place is not None:
        acts = machine.acts(place, registers)
        assert all(
            set(act.say) == set(a) for act, a in zip(acts, (x.say for x in acts), strict=True)
        )
        found.append(({act.seat: sorted(act.say) for act in acts}, any(act.choose for act in acts)))
        place = spec.after(place)
    return found


def rounds_of_version_1(spec, seed):
    document = spec.to_dict()
    for number in range(spec.max_message_rounds):
        said = {a: sorted(c) for a, c in reference.turn(document, number, seed).items() if c}
        yield said, spec.decision_counts(number, seed)


@settings(max_examples=cases(300), deadline=None)
@given(specs())
def test_the_schedule_is_the_same(drawn):
    found = from_version_1(drawn)
    assert Specification.from_dict(found.to_dict()) == found
    for variant in range(drawn.num_variants):
        assert rounds_of(found, variant) == list(rounds_of_version_1(drawn, variant))


@each("name", VERSION_1)
def test_the_eight_convert_back(name):
    spec = protocol_spec(name)
    back = to_version_1(converted(name))
    assert back.agents == spec.agents
    assert back.channels == spec.channels
    assert back.max_message_rounds == spec.max_message_rounds
    for seed in range(4):
        old, new = (list(rounds_of_version_1(s, seed)) for s in (spec, back))
        assert old == new
    # Without a prover's side, no reward of provers can be derived.
    sides = any(agent.stance is not None for agent in spec.agents)
    payoff = spec.payoff if sides else dataclasses.replace(spec.payoff, prover_reward=0.0)
    assert back.payoff == payoff


@settings(max_examples=cases(300), deadline=None)
@given(specs())
def test_what_converts_back_is_the_same_protocol(drawn):
    found = from_version_1(drawn)
    back = to_version_1(found)
    again = from_version_1(back)
    assert [rounds_of(again, v) for v in range(drawn.num_variants)] == [
        rounds_of(found, v) for v in range(drawn.num_variants)
    ]


def test_documents_of_version_1_load():
    spec = protocol_spec("debate")
    assert load_specification(spec.to_dict()) == converted("debate")
    without = {key: value for key, value in spec.to_dict().items() if key != "format"}
    assert load_specification(without) == converted("debate")
    with pytest.raises(SpecError, match="of version 1 has no settings"):
        load_specification(without, {"rounds": 3})


def test_a_plain_protocol_by_hand_is_the_projects_own():
    back, own = to_version_1(published("nip")), protocol_spec("nip")
    assert back.payoff == own.payoff
    assert [*rounds_of_version_1(back, 0)] == [*rounds_of_version_1(own, 0)]


@each("name", [name for name in PUBLISHED if name != "nip"])
def test_other_protocols_name_the_part_that_version_1_cannot_express(name):
    with pytest.raises(UnsupportedError, match="has no form in version 1: "):
        to_version_1(published(name))


def nip(old, new):
    """Return the document of `nip` with one place changed; without an old text, with more."""
    text = PATHS["nip"].read_text("utf-8")
    assert old in text
    return text.replace(old, new) if old else text + new


def chance(*names):
    given = 'by = "chance", options = ["reject", "accept"]'
    return "\n".join(f"{name} = {{ {given} }}" for name in names) + "\n[[stages]]"


def paid(more):
    return f'[[pay]]\nto = "verifier"\namount = "repeat"\n{more}\n'


@each(
    ("words", "document"),
    [
        ("it limits what is written or chosen", nip(
            "", '[[limits]]\nseat = "prover"\nof = "words"\nmost = 9\n'
        )),
        ("not every seat sees the part 'statement', or quotes are", nip(
            'statement = "everyone"', 'statement = ["prover"]'
        )),
        ("not every seat sees the part 'statement', or quotes are", nip(
            'statement = "everyone"', 'statement = { seen = "everyone", quotable = true }'
        )),
        ("'main' is seen from some time on only", nip(
            'main = "everyone"', 'main = { prover = "start", verifier = "rounds" }'
        )),
        ("'truth' is seen by 'prover' during play", nip(
            'seen = "end"', 'seen = { verifier = "end", prover = "start" }'
        )),
        ("it has 10,002 turns, and 10,000 can be written down", nip(
            "questions = 4", "questions = 5001"
        )),
        ("whether 'prover' acts depends on the course of play", nip(
            '{ prover = "main" }', '{ prover = { say = "main", when = "verdict = wait" } }'
        )),
        ("messages are copied from one channel to another", nip(
            'main = "everyone"', 'main = "everyone"\nside = "everyone"'
        ).replace('{ prover = "main" }', '{ prover = "main", copy = { side = "main" } }')),
        ("'prover' is asked for what it does one by one", nip(
            '{ prover = "main" }', '{ prover = { say = "main", apart = true } }'
        )),
        ("'verifier' acts without writing", nip(
            'say = "main", choose = "verdict", silent = "verdict != wait"', 'choose = "verdict"'
        )),
        ("it needs exactly one choice of a seat, and has vote1, vote2, vote3",
            PATHS["jury"].read_text("utf-8")),
        ("chance makes more than one schedule and one side", nip(
            "[[stages]]", chance("side", "one", "two")
        )),
        ("what 'prover' argues for depends on the course of play", nip(
            'argues = "accept"', 'argues = "before(verdict)"'
        )),
        ("what 'verifier' argues for depends on the course of play", nip(
            '"Verifier"', '{ title = "Verifier", argues = "truth" }'
        )),
        ("'prover' argues for what is not one of the two", nip(
            'argues = "accept"', 'argues = "wait"'
        )),
        ("'prover' does not argue for the side that is drawn", nip(
            "[[stages]]", chance("side").replace("] }", '], seen = ["prover"] }')
        )),
        ("the verifier cannot choose freely whenever it chooses", nip(
            'choose = "verdict"', 'choose = { verdict = ["accept", "wait"] }'
        )),
        ("play may leave a stage for something else than the verdict", nip(
            'verdict = reject" }', 'truth = reject" }'
        )),
        ("play may end in a turn without a decision", nip(
            '{ prover = "main" }', '{ prover = "main", then = { end = "verdict = wait" } }'
        )),
        ("version 1 itself works out who is anonymous", nip(
            'argues = "accept"', 'argues = "accept", anonymous = true'
        )),
        ("its pay or its verdict is none that version 1 has", nip(
            'when = "verdict = accept"', 'when = "verdict = reject"'
        )),
        ("pay or the verdict looks at the repetition", nip("", paid('at = "verifier"'))),
        ("pay or the verdict looks at 'before verdict'", nip(
            "", paid('when = "before(verdict) = wait"').replace('"repeat"', "1")
        )),
    ],
)  # fmt: skip
def test_the_part_that_version_1_cannot_express_is_named(words, document):
    with pytest.raises(UnsupportedError, match="has no form in version 1: ") as error:
        to_version_1(Specification.from_toml(document))
    assert words in str(error.value)


def renamed(name, old, new):
    """Return a protocol of version 1 with another name for an agent."""
    text = json.dumps(protocol_spec(name).to_dict()).replace(f'"{old}"', f'"{new}"')
    return ProtocolSpec.from_dict(json.loads(text.replace(f'"role": "{new}"', f'"role": "{old}"')))


def test_no_agent_is_called_like_a_word_of_the_language():
    for word in ("task", "chance", "end", "then"):
        with pytest.raises(SpecError, match=f"an agent cannot be called '{word}'"):
            renamed("nip", "prover", word)


@settings(max_examples=cases(200), deadline=None)
@given(specs(), st.data())
def test_a_zero_knowledge_variant_is_paid_as_its_base(base, data):
    drawn = zero_knowledge(base.replace(payoff=dataclasses.replace(base.payoff, **NO_LIKENESS)))
    found, document = from_version_1(drawn), drawn.to_dict()
    assert Specification.from_dict(found.to_dict()) == found
    y, seed = data.draw(st.integers(0, 1)), data.draw(st.integers(0, 5))
    deal = Deal(found, {"question": "q", "solution": "s"}, {"truth": SAID[y]}, seed)
    registers, place, seats = deal.first(), found.machine.first, drawn.agent_names
    flags = {"done": False, "terminated": False, "agents_done": [False] * len(seats)}
    logits = [[[[0.0]]] * len(drawn.channels)] * len(seats)
    for number in range(drawn.max_message_rounds):
        decisions = [data.draw(st.integers(0, 2)) for _ in seats]
        item = flags | {"y": y, "round": number, "seed": seed, "decision": decisions}
        item |= {"main_message_logits": logits, "decision_logits": [[0.0] * 3] * len(seats)}
        wanted = reference.step(document, item)
        acts = found.machine.acts(place, registers)
        moves = {act.seat: Move(act.seat) for act in acts}
        chosen = {
            name: SAID[decisions[seats.index(act.seat)]] for act in acts for name, _ in act.choose
        }
        after, release = deal.turn(place, registers, number, moves, chosen)
        assert [float(release.paid.get(seat, 0)) for seat in seats] == wanted["reward"]
        assert (after.place is None) == (wanted["shared_done"] or wanted["terminated"])
        registers, place = after.registers, after.place
        if place is None:
            break
        flags = {"done": False, "terminated": False, "agents_done": wanted["agent_done"]}


def test_a_verdict_without_an_option_to_wait_is_not_version_1():
    with pytest.raises(
        UnsupportedError, match="'verdict' needs two answers and one option to wait"
    ):
        to_version_1(published("hostile"))


@each("name", VERSION_1)
def test_names_of_choices_keep_out_of_the_way_of_seats(name):
    found = from_version_1(renamed(name, protocol_spec(name).verifier, "verdict"))
    assert found.options.keys() >= {"truth", "verdict_"}
