"""One step of a zero-knowledge variant, on tensors; see :mod:`nip_core.zero_knowledge`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from nip_core.errors import StepInputError
from nip_core.stepping import (
    Outcome,
    StepInputs,
    check_values,
    forced_decision,
    read_inputs,
    read_tensor,
    step_checked,
    verifier_reward,
)

if TYPE_CHECKING:
    from nip_core.zero_knowledge import ZeroKnowledgeProtocol

__all__ = ["apply_rules", "simulator_reward", "step"]

_FLOATING = frozenset({torch.float32, torch.float64, torch.float16, torch.bfloat16})


def apply_rules(handler: ZeroKnowledgeProtocol, inputs: StepInputs) -> Outcome:
    """Step a batch with two verifiers, without the similarity rewards.

    Either verifier that is done already neither decides nor is paid or fined again. The episode
    is done when both have decided, and terminated by its last round if one has not. The verifier
    is fined for its own silence; the adversarial verifier only if the verifier did decide.
    """
    payoff = handler.payoff
    verifier, adversary = handler.verifier_index, handler.adversarial_verifier_index
    live = ~inputs.frozen
    labels = inputs.y.unsqueeze(-1)
    guess = handler.get_verifier_guess_mask_from_rounds_and_seed(inputs.round, inputs.seed)

    was_done = inputs.agents_done[..., verifier]
    decision = forced_decision(payoff, inputs.decision[..., verifier], inputs.y)
    made = handler._get_agent_decision_made_mask(inputs.round, labels, guess, decision)
    made = made & live & ~was_done
    verifier_done = was_done | made
    adversary_done = inputs.agents_done[..., adversary] | handler._get_agent_decision_made_mask(
        inputs.round, labels, guess, inputs.decision[..., adversary]
    )
    both_done = verifier_done & adversary_done
    ended = live & handler._get_new_terminated_mask(inputs.round, both_done)

    right = decision == inputs.y
    fined = ended & ~verifier_done
    goes_on = guess & ~verifier_done & ~ended
    reward = torch.zeros(inputs.decision.shape, device=made.device)
    reward[..., verifier] = verifier_reward(payoff, made, right, fined, goes_on)
    handler._include_prover_rewards(made, decision, reward, inputs.env)
    reward[..., adversary] = (ended & verifier_done) * payoff.verifier_terminated_penalty
    reward = torch.where(live.unsqueeze(-1), reward, 0.0)

    shared_done = torch.where(live, both_done, inputs.done)
    agent_done = shared_done.unsqueeze(-1).repeat(*[1] * shared_done.dim(), handler.num_agents)
    agent_done[..., verifier] = verifier_done
    agent_done[..., adversary] = adversary_done
    kept = inputs.agents_done | inputs.done.unsqueeze(-1)
    agent_done = torch.where(live.unsqueeze(-1), agent_done, kept)
    return shared_done, agent_done, inputs.terminated | ended, reward


def step(handler: ZeroKnowledgeProtocol, env: Any) -> Outcome:
    """Step a batch and pay for similarity."""
    inputs = read_inputs(handler, env)
    messages, decisions = _read_logits(handler, env, inputs)
    inputs = check_values(handler, inputs)
    shared_done, agent_done, terminated, reward = step_checked(handler, inputs)
    similarity = simulator_reward(handler, inputs, messages, decisions)
    shares = torch.zeros(handler.num_agents, device=reward.device, dtype=reward.dtype)
    shares[handler.prover_indices] = handler.payoff.aux_prover_reward_coefficient
    shares[handler.adversarial_verifier_index] = -1.0
    shares[handler.simulator_index] = 1.0
    return shared_done, agent_done, terminated, reward + similarity.unsqueeze(-1) * shares


def _read_logits(
    handler: ZeroKnowledgeProtocol, env: Any, inputs: StepInputs
) -> tuple[Tensor, Tensor]:
    batch_agents, channels = inputs.decision.shape, handler.num_message_channels
    decisions = read_tensor(
        handler, env, ("agents", "decision_logits"), (*batch_agents, 3), _FLOATING
    )
    key = ("agents", "main_message_logits")
    messages = read_tensor(handler, env, key, None, _FLOATING)
    leading = (*batch_agents, channels)
    if messages.dim() != len(leading) + 2 or messages.shape[: len(leading)] != leading:
        raise StepInputError(
            f"{key!r} has shape {tuple(messages.shape)}; it must be {leading} followed by "
            "positions and logits."
        )
    return messages, decisions


def simulator_reward(
    handler: ZeroKnowledgeProtocol, inputs: StepInputs, messages: Tensor, decisions: Tensor
) -> Tensor:
    """The simulator's reward, ``(...)``; 0 for items that are over. Gradients flow."""
    adversary, simulator = handler.adversarial_verifier_index, handler.simulator_index
    # The copies stand one block after the other: standard, adversarial, simulator.
    size = handler.base_protocol.num_message_channels
    theirs, own = slice(size, 2 * size), slice(2 * size, 3 * size)
    active = handler.get_active_agents_mask_from_rounds_and_seed(inputs.round, inputs.seed)
    active = active[..., adversary, theirs] & ~inputs.frozen.unsqueeze(-1)
    guess = handler.get_verifier_guess_mask_from_rounds_and_seed(inputs.round, inputs.seed)
    guess = guess & ~inputs.frozen

    # What stands on a silent channel is nobody's message: it may be anything, even not a number.
    spoken = active[..., None, None]
    seen = torch.where(spoken, messages[..., adversary, theirs, :, :], 0.0).flatten(-3)
    made_up = torch.where(spoken, messages[..., simulator, own, :, :], 0.0).flatten(-3)
    decided = guess.unsqueeze(-1)
    theirs_decided = torch.where(decided, decisions[..., adversary, :], 0.0)
    own_decided = torch.where(decided, decisions[..., simulator, :], 0.0)
    # The cosine of a vector of zeros is 0, so that silence pays nothing.
    cosine = torch.nn.functional.cosine_similarity
    total = cosine(seen, made_up, dim=-1) + cosine(theirs_decided, own_decided, dim=-1)
    return handler.payoff.simulator_reward_coefficient * total
