"""Tests of batches.py and language/states.py: batches against single plays on the machine."""

import random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from nip_core import NipProtocol, protocol
from nip_core.budget import for_document
from nip_core.errors import MissingInputError, StepInputError, TooLargeError, UnsupportedError
from nip_core.language import Specification
from nip_core.registry import published_document
from tests.depth import cases, each
from tests.language.playing import begin, deal_of, played, releases
from tests.language.strategies import accepted, documents
from tests.language.zoo import published
from tests.later import later, torch
from tests.strategies import parameters, specs

batches = later("nip_core.batches")

SLOW = list(HealthCheck)
PLAYS = 6


def table_of(spec, most=3_000):
    try:
        return batches.BatchTable(spec, most=most)
    except UnsupportedError:
        assume(False)


def number_of(spec, name, option):
    return spec.options[name].index(option)


def columns(spec, names, rows):
    """Return the numbers of options by choice; 0 where a row has none."""
    return {
        name: torch.tensor([number_of(spec, name, row[name]) if name in row else 0 for row in rows])
        for name in names
    }


def compare(spec, table, deals, rng):
    """Step plays together, turn by turn, with the choices of single plays."""
    ends = [played(deal, rng)[1][-1] for deal in deals]
    firsts = [end.nodes[0].registers for end in ends]
    revealed = [releases(end) for end in ends]
    drawn = [choice.name for choice in spec.drawn]
    states = table.begin(len(deals), columns(spec, drawn, firsts))
    for turn in range(max(map(len, revealed))):
        here = [own[turn] if turn < len(own) else None for own in revealed]
        rows = [release.choices if release else {} for release in here]
        chosen = columns(spec, table.choices, rows)
        for name in table.choices:
            made = [name in row for row in rows]
            may = table.may(states, name)
            assert may.any(dim=-1).tolist() == made
            assert all(
                may[item, chosen[name][item]] for item, is_made in enumerate(made) if is_made
            )
        found = table.step(states, chosen)
        for item, (end, release) in enumerate(zip(ends, here, strict=True)):
            paid = dict.fromkeys(spec.seat_names, 0.0)
            if release is not None:
                paid |= {seat: float(amount) for seat, amount in release.paid.items()}
            assert found.paid[item].tolist() == pytest.approx([*paid.values()], rel=1e-6, abs=1e-6)
            assert bool(found.over[item]) == (turn >= len(revealed[item]) - 1)
            if turn == len(revealed[item]) - 1:
                verdict = end.result().verdict
                assert table.verdicts[int(found.verdict[item])] == verdict
            else:
                assert not found.verdict[item]
        states = found.states
    assert not states.any()


@settings(max_examples=cases(150), deadline=None, suppress_health_check=SLOW)
@given(documents(), st.integers(0, 1_000_000))
def test_random_protocols_are_stepped_as_they_are_played(document, seed):
    spec = accepted(document)
    table, rng = table_of(spec), random.Random(seed)
    compare(spec, table, [deal_of(spec, seed + item, rng) for item in range(PLAYS)], rng)


@each("name", ["khan_debate", "jury", "trusted_monitor", "doubly_efficient_debate", "nip"])
def test_published_protocols_are_stepped_as_they_are_played(name):
    spec, rng = published(name), random.Random(1)
    compare(spec, batches.BatchTable(spec), [deal_of(spec, seed, rng) for seed in range(20)], rng)


@settings(max_examples=cases(60), deadline=None, suppress_health_check=SLOW)
@given(documents(), st.integers(0, 1_000_000))
def test_options_are_open_as_in_single_plays(document, seed):
    spec = accepted(document)
    table, rng = table_of(spec), random.Random(seed)
    deal = deal_of(spec, seed, rng)
    state = begin(deal)
    assume(not state.over and not releases(state))
    drawn = columns(spec, [c.name for c in spec.drawn], [state.node.registers])
    states = table.begin(1, drawn)
    for seat in state.to_move:
        legal = state.legal(seat)
        assume(legal.total is None)
        for name, options in legal.choices.items():
            numbers = [number_of(spec, name, option) for option in options]
            assert table.may(states, name)[0].nonzero().flatten().tolist() == sorted(numbers)


@settings(max_examples=cases(40), deadline=None, suppress_health_check=SLOW)
@given(st.one_of(specs(), parameters()), st.integers(0, 1000))
def test_the_documented_step_is_that_of_its_table(chosen, seed):
    handler, generator = protocol(chosen), torch.Generator().manual_seed(seed)
    spec, size = handler.spec, 40

    def numbers(most, *shape):
        return torch.randint(0, most, (size, *shape), generator=generator)

    table, agents = table_of(handler, most=30_000), len(spec.agents)
    label, stance, seeds = numbers(2), numbers(2), numbers(1000)
    drawn = {"truth": label, **({"side": stance} if handler.draws_prover_stance else {})}
    states = table.begin(size, drawn, seeds=seeds)
    over, flags = torch.zeros(size, dtype=torch.bool), torch.zeros(2, size, dtype=torch.bool)
    for round_id in range(spec.max_message_rounds):
        decision = numbers(3, agents)
        done, _, terminated, reward = handler.step_interaction_protocol(
            {
                "y": label,
                "round": torch.full((size,), round_id),
                "seed": seeds,
                "prover_stance": stance,
                "done": flags[0],
                "terminated": flags[1],
                ("agents", "decision"): decision,
                ("agents", "done"): torch.zeros(size, agents, dtype=torch.bool),
            }
        )
        found = table.step(states, {"verdict": decision[:, spec.agent_index(spec.verifier)]})
        assert torch.equal(found.paid, reward)
        assert torch.equal(found.over, done | terminated)
        said = [table.verdicts[number] for number in found.verdict.tolist()]
        assert [verdict is not None for verdict in said] == (done & ~over).tolist()
        states, flags, over = found.states, torch.stack([done, terminated]), found.over


DRAWN = """
name = "drawn"
[seats]
ann = "Ann"
[choices]
truth = { by = "task", options = ["x", "y"] }
coin = { by = "chance", options = ["a", "b", "c"], weights = [1, "3 if truth = x else 0", 0] }
late = { by = "chance", options = ["u", "v"], weights = ["1 if coin = a else 0", 1] }
[[stages]]
name = "one"
turns = [{ chance = { choose = "late" }, ann = { choose = {} } }]
"""


def test_chance_draws_as_the_protocol_says():
    spec = Specification.from_toml(DRAWN.replace(", ann = { choose = {} }", ""))
    table, generator = batches.BatchTable(spec), torch.Generator().manual_seed(1)
    size = 40_000
    states = table.begin(size, {"truth": 0}, generator=generator)
    late = table.drawn(states, generator=generator)["late"]
    # Where the coin is `a`, a quarter of plays, half of them draw `u`; all others draw `v`.
    assert float((late == 0).float().mean()) == pytest.approx(1 / 8, abs=0.01)
    states = table.begin(size, {"truth": 1}, generator=generator)
    late = table.drawn(states, generator=generator)["late"]
    assert float((late == 0).float().mean()) == pytest.approx(1 / 2, abs=0.015)
    assert table.step(states, table.drawn(states)).over.all()


def test_what_is_wrong_is_said():
    table = batches.BatchTable("khan_debate")
    with pytest.raises(MissingInputError, match="does not say what 'truth' is"):
        table.begin(2)
    with pytest.raises(StepInputError, match="'verdict' is not drawn before play; what is: truth"):
        table.begin(2, {"verdict": 0})
    with pytest.raises(StepInputError, match="'truth' has no option 2; its options are numbered"):
        table.begin(2, {"truth": torch.tensor([0, 2])})
    with pytest.raises(StepInputError, match="'truth' has 3 numbers for 2 items"):
        table.begin(2, {"truth": torch.zeros(3, dtype=torch.int64)})
    with pytest.raises(StepInputError, match="whole numbers"):
        table.begin(2, {"truth": torch.zeros(2)})
    states = table.begin(2, {"truth": 0})
    with pytest.raises(StepInputError, match="'speech' is made in no turn; what is: verdict"):
        table.may(states, "speech")
    for _ in range(3):
        states = table.step(states, {}).states
    with pytest.raises(MissingInputError, match="'verdict' is chosen, and no option was given"):
        table.step(states, {})
    monitor = batches.BatchTable("trusted_monitor")
    states = monitor.begin(2)
    for _ in range(2):
        chosen = {"intent": 0, "suspicion": 0, "action": 2, "finding": 0}
        for _ in range(3):
            states = monitor.step(states, chosen).states
    states = monitor.step(states, {"intent": 0}).states
    with pytest.raises(
        StepInputError, match=r"Item 1 chooses what is not open: .*action 'audit', of"
    ):
        monitor.step(states, {"suspicion": 0, "action": torch.tensor([0, 2])})


def test_numbers_that_miss_their_total_do_not_go_together():
    budget = batches.BatchTable(published("budget"))
    with pytest.raises(StepInputError, match="Item 0 chooses options that do not go together: x_"):
        budget.step(budget.begin(1), {"x_north": 1, "x_south": 1, "x_rest_of_it": 1})


def test_what_has_no_table_is_refused():
    with pytest.raises(UnsupportedError, match=r"more than 50 pairs .*play_values"):
        batches.BatchTable("jury", most=50)
    with pytest.raises(UnsupportedError, match="its own step_interaction_protocol"):
        batches.BatchTable(protocol("nip", zero_knowledge=True))
    own = type("Own", (NipProtocol,), {"_get_new_terminated_mask": lambda *_: None})
    with pytest.raises(UnsupportedError, match="its own step_interaction_protocol"):
        batches.BatchTable(own)


def test_tables_of_documents_have_a_budget():
    spec = Specification.from_toml(published_document("jury"))
    with pytest.raises(TooLargeError, match="possible plays"), for_document(most=100):
        batches.BatchTable(spec)
