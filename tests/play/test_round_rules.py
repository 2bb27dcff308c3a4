"""Tests of round_rules.py and rules.py.

Cached facts about rounds agree with the protocol and its rules.
"""

import itertools

import pytest

from nip_core.handler.rules import Item
from nip_core.play import Move, Setup
from nip_core.play.round_rules import step
from tests.play_worlds import ONE_TASK, protocols

ALL = protocols()


@pytest.mark.parametrize("name", ALL)
def test_every_round_agrees_with_the_protocol(name):
    for seed in range(3):
        setup = Setup.of(ALL[name], ONE_TASK, seed)
        spec = setup.spec
        for number in [*range(spec.max_message_rounds), *range(spec.max_message_rounds)]:
            here, turn = setup.rounds[number], spec.turn(number, seed)
            assert here.may_decide == spec.may_decide(number, seed)
            assert list(here.legal) == [a for a in spec.agent_names if a in turn.agents]
            for agent, legal in here.legal.items():
                decides = agent in spec.verifiers
                assert set(legal.channels) == set(turn.channels_of(agent))
                assert legal.may_decide == (decides and spec.decision_counts(number, seed))
                assert legal.decision_counts == legal.may_decide
                assert legal.last_turn == (spec.last_active_rounds[agent] == number)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("shorter", [0, 1, 2])
def test_outcomes_shared_by_similar_rounds_are_those_of_each(name, shorter):
    whole = Setup.of(ALL[name], ONE_TASK, 1)
    # A handler that replaces a rule is asked for each step, without the cache.
    assert not whole.handler.overrides_rules
    # When the rounds run out does not depend on anything in a turn.
    rounds = max(whole.spec.max_message_rounds - shorter, 1)
    setup = Setup.of(whole.spec.replace(max_message_rounds=rounds), ONE_TASK, 1)
    spec, rules = setup.spec, setup.handler.rules
    for number, decision in itertools.product(range(rounds), (0, 1, 2)):
        moves = {spec.verifier: Move(spec.verifier, decision=decision)}
        if not spec.may_decide(number, 1):
            moves, decision = {}, 2
        said = rules.step(
            Item(
                y=ONE_TASK.y,
                round=number,
                guess=spec.may_decide(number, 1),
                decisions=(decision,),
                done=False,
                terminated=False,
                agents_done=(False,) * len(spec.agents),
                stance=setup.prover_stance,
            )
        )
        expected = said.shared_done, said.terminated, rules.rewards(said)
        assert step(setup, number, moves) == step(setup, number, moves) == expected
