"""Tests of stepping.py, masks.py and reading.py.

For any protocol, tensors agree with the slow reference for single items.
"""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import reference
from tests.depth import cases
from tests.later import later, torch
from tests.strategies import batch_of, handlers, items_of

reading = later("nip_core.handler.reading")
stepping = later("nip_core.handler.stepping")

SHAPES = {(): 1, (1,): 1, (3,): 3, (2, 2): 4, (3, 1, 2): 6}
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def check(handler, items, outcome):
    doc = handler.spec.to_dict()
    count = len(items)
    shared, agents, terminated, reward = (part.reshape(count, -1).tolist() for part in outcome)
    tolerance = 1e-4 if handler.spec.is_zero_knowledge else 0.0
    for place, item in enumerate(items):
        expected = reference.step(doc, item, handler.draws_prover_stance)
        assert shared[place] == [expected["shared_done"]]
        assert agents[place] == expected["agent_done"]
        assert terminated[place] == [expected["terminated"]]
        for ours, theirs in zip(reward[place], expected["reward"], strict=True):
            assert abs(ours - theirs) <= tolerance


@settings(max_examples=cases(400), suppress_health_check=SLOW)
@given(data=st.data())
def test_steps_agree(data):
    handler = data.draw(handlers())
    shape = data.draw(st.sampled_from(sorted(SHAPES)))
    size = SHAPES[shape]
    items = data.draw(st.lists(items_of(handler), min_size=size, max_size=size))
    dtype = data.draw(st.sampled_from([torch.int64, torch.int32, torch.uint8]))
    if dtype == torch.uint8:
        for item in items:
            item["seed"] %= 256
    batch = batch_of(items, shape, dtype=dtype, flat_y=data.draw(st.booleans()))
    before = batch.clone()
    outcome = handler.step_interaction_protocol(batch)
    agents = (*shape, handler.num_agents)
    assert [tuple(part.shape) for part in outcome] == [shape, agents, shape, agents]
    assert [p.dtype for p in outcome] == [torch.bool, torch.bool, torch.bool, torch.float32]
    assert (batch == before).all()
    check(handler, items, outcome)


@settings(max_examples=cases(60), suppress_health_check=SLOW)
@given(data=st.data())
def test_large_batches_take_the_other_path_and_agree(data):
    """Many copies of a few items, enough for the code that counts cases in two bytes."""
    handler = data.draw(handlers())
    items = data.draw(st.lists(items_of(handler), min_size=1, max_size=4))
    copies = stepping._LARGE_BATCH // len(items) + 1
    many = items * copies
    batch = batch_of(many, (len(many),), dtype=torch.int64, flat_y=True)
    outcome = handler.step_interaction_protocol(batch)
    few = handler.step_interaction_protocol(batch[: len(items)])
    check(handler, items, few)
    for large, small in zip(outcome, few, strict=True):
        assert torch.equal(large, small.repeat(copies, *[1] * (small.dim() - 1)))


@settings(max_examples=cases(100), suppress_health_check=SLOW)
@given(handlers())
def test_tables_agree(handler):
    doc, spec = handler.spec.to_dict(), handler.spec
    rounds = torch.arange(spec.max_message_rounds)
    for seed in range(-3, 3):
        seeds = torch.full_like(rounds, seed)
        masks = [reference.active_mask(doc, r, seed) for r in rounds.tolist()]
        active = handler.get_active_agents_mask_from_rounds_and_seed(rounds, seeds)
        assert active.dtype == torch.bool
        assert active.tolist() == masks
        guess = handler.get_verifier_guess_mask_from_rounds_and_seed(rounds, seeds)
        assert guess.tolist() == [reference.may_decide(doc, r, seed) for r in rounds.tolist()]
    for round_id in range(-1, spec.max_message_rounds + 2):
        tables = [reference.active_mask(doc, round_id, seed) for seed in range(spec.num_variants)]
        for a, agent in enumerate(spec.agent_names):
            for c, channel in enumerate(spec.channel_names):
                cells = [table[a][c] for table in tables]
                assert handler.can_agent_be_active(agent, round_id, channel) == any(cells)
                assert handler.is_agent_active(agent, round_id, channel) == all(cells)
                share = spec.active_probability(agent, round_id, channel)
                assert share == sum(cells) / len(cells)


@settings(max_examples=cases(60), suppress_health_check=SLOW)
@given(data=st.data())
def test_the_table_says_what_the_rules_say(data):
    handler = data.draw(handlers())
    items = data.draw(st.lists(items_of(handler), min_size=3, max_size=3))
    batch = batch_of(items, (3,), dtype=torch.int64, flat_y=True)
    inputs = reading.read_inputs(handler, batch)
    for by_table, by_rules in zip(
        stepping.step_checked(handler, inputs), handler.apply_rules(inputs), strict=True
    ):
        assert torch.equal(by_table, by_rules)
