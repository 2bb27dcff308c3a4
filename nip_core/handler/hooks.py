"""A step of a handler that replaces a rule: calls every documented hook, on tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.handler.interface import Handler, StepInputs, StepOutcome
from nip_core.handler.reading import ANY_INTEGER, read_tensor
from nip_core.handler.rules import Item
from nip_core.tensors import Tensor, torch

__all__ = ["apply_rules", "include_prover_rewards", "step_items"]


def include_prover_rewards(
    handler: Handler, made: Tensor, decision: Tensor, reward: Tensor, env: Any
) -> None:
    """Return the provers' rewards by the documented ``_include_prover_rewards``, in place."""
    rules, stance = handler.rules, None
    if rules.draws_stance and not handler.payoff.shared_reward:
        stance = read_tensor(handler, env, "prover_stance", made.shape, ANY_INTEGER)
    amounts = torch.tensor(rules.amounts, device=reward.device, dtype=reward.dtype)
    mine = reward[..., rules.verifiers[0]]
    for index, paid in rules.prover_pay(made, decision, stance, mine, amounts.__getitem__):
        reward[..., index] = paid


def apply_rules(handler: Handler, inputs: StepInputs) -> StepOutcome:
    """Step a batch, calling every documented hook, without similarity rewards."""
    rules, labels = handler.rules, inputs.y.unsqueeze(-1)
    guess = handler.get_verifier_guess_mask_from_rounds_and_seed(inputs.round, inputs.seed)
    item = Item(
        y=inputs.y,
        round=inputs.round,
        guess=guess,
        decisions=[inputs.decision[..., index] for index in rules.verifiers],
        done=inputs.done,
        terminated=inputs.terminated,
        agents_done=inputs.agents_done.unbind(-1),
    )
    settled = rules.settle(
        item,
        lambda said: handler._get_agent_decision_made_mask(inputs.round, labels, guess, said),
        lambda made: handler._get_new_terminated_mask(inputs.round, made),
    )
    amounts = torch.tensor(rules.amounts, device=inputs.round.device)
    reward = torch.zeros(inputs.decision.shape, device=inputs.round.device)
    for index, amount in zip(rules.verifiers, settled.amounts, strict=True):
        reward[..., index] = amounts[amount]
    handler._include_prover_rewards(settled.made, settled.decision, reward, inputs.env)
    reward = torch.where(inputs.frozen.unsqueeze(-1), 0.0, reward)
    shared_done, agents_done, terminated = rules.flags(item, settled)
    return shared_done, torch.stack(agents_done, dim=-1), terminated, reward


def step_items(
    handler: Handler, item: Item, seeds: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], ...]:
    """Step items given as numpy arrays by a handler's rules, on tensors."""

    def tensor(values: npt.NDArray[Any]) -> Tensor:
        return torch.tensor(values, device=handler.settings.device)

    decision = torch.full((*item.y.shape, len(item.agents_done)), 2, device=handler.settings.device)
    for index, said in zip(handler.rules.verifiers, item.decisions, strict=True):
        decision[..., index] = tensor(said)
    stance = None if item.stance is None else tensor(item.stance)
    outcome = handler.apply_rules(
        StepInputs(
            env={} if stance is None else {"prover_stance": stance},
            y=tensor(item.y),
            round=tensor(item.round),
            seed=tensor(seeds),
            decision=decision,
            done=tensor(item.done),
            agents_done=tensor(np.stack(item.agents_done, axis=-1)),
            terminated=tensor(item.terminated),
            stance=stance,
        )
    )
    return tuple(part.cpu().numpy() for part in outcome)
