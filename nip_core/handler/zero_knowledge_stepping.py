"""One step of a zero-knowledge variant, on tensors; see :mod:`nip_core.handler.zero_knowledge`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nip_core.errors import StepInputError
from nip_core.handler.interface import StepInputs, StepOutcome, ZeroKnowledgeHandler
from nip_core.handler.reading import check_values, read_inputs, read_tensor
from nip_core.handler.stepping import step_checked
from nip_core.spec import COPIES
from nip_core.tensors import Tensor, torch

__all__ = ["simulator_reward", "step"]

_HALF = frozenset({torch.float16, torch.bfloat16})
_FLOATING = _HALF | {torch.float32, torch.float64}


def step(handler: ZeroKnowledgeHandler, env: Any) -> StepOutcome:
    """Step a batch and add the rewards for similarity."""
    inputs = read_inputs(handler, env)
    messages, decisions = _read_logits(handler, env, inputs)
    inputs = check_values(handler, inputs)
    shared_done, agent_done, terminated, reward = step_checked(handler, inputs)
    table = _tables(handler, reward.device)
    # Masking after the cosine would make gradients NaN where the logits are NaN.
    has_gradient = messages.requires_grad or decisions.requires_grad
    if table.live is None or has_gradient:
        similarity = simulator_reward(handler, inputs, messages, decisions).unsqueeze(-1)
    else:
        similarity = _similarity(handler, inputs, table, messages, decisions)
    return shared_done, agent_done, terminated, reward + similarity * table.shares


@dataclass(frozen=True, slots=True)
class _Tables:
    """Data that is the same in every step.

    Parameters
    ----------
    shares : Tensor, ``[agent]``
        Each agent's share of the simulator's reward.
    live : boolean Tensor, ``[variant and round, 2]``, or None
        Whether messages and decisions count in a round. None if only some of the adversarial
        verifier's channels are active in a round, or if a rule is overridden: masks must then be
        looked up channel by channel.
    """

    shares: Tensor
    live: Tensor | None


def _tables(handler: ZeroKnowledgeHandler, device: torch.device) -> _Tables:
    """Return a handler's tables on a device; they are made once."""
    cache: dict[torch.device, _Tables] = vars(handler).setdefault("_similarity_cache", {})
    if device not in cache:
        shares = torch.zeros(len(handler.spec.agents), device=device)
        shares[handler.prover_indices] = handler.payoff.aux_prover_reward_coefficient
        shares[handler.adversarial_verifier_index] = -1.0
        shares[handler.simulator_index] = 1.0
        masks, (theirs, _) = handler._masks(device), _copies(handler)
        active = masks.active[:, :, handler.adversarial_verifier_index, theirs].flatten(0, 1)
        spoken = active.any(dim=-1)
        by_round = not handler.overrides_rules and torch.equal(spoken, active.all(dim=-1))
        live = torch.stack([spoken, masks.guess.flatten()], dim=-1) if by_round else None
        cache[device] = _Tables(shares, live)
    return cache[device]


def _copies(handler: ZeroKnowledgeHandler) -> tuple[slice, slice]:
    """Return the indices of the adversarial verifier's and the simulator's copies of channels."""
    # The copies are in blocks: standard, adversarial, simulator.
    size = len(handler.spec.channels) // len(COPIES)
    return slice(size, 2 * size), slice(2 * size, 3 * size)


def _similarity(
    handler: ZeroKnowledgeHandler,
    inputs: StepInputs,
    table: _Tables,
    messages: Tensor,
    decisions: Tensor,
) -> Tensor:
    """Return :func:`simulator_reward` with one more dimension of size 1, masked at the end."""
    assert table.live is not None
    adversary, simulator = handler.adversarial_verifier_index, handler.simulator_index
    theirs, own = _copies(handler)
    cosine = torch.nn.functional.cosine_similarity
    said = cosine(
        messages[..., adversary, theirs, :, :].flatten(-3),
        messages[..., simulator, own, :, :].flatten(-3),
        dim=-1,
    )
    decided = cosine(decisions[..., adversary, :], decisions[..., simulator, :], dim=-1)
    rows = handler._masks(inputs.round).rows(inputs.round, inputs.seed)
    live = table.live.index_select(0, rows.reshape(-1)).view(*rows.shape, 2)
    counts = live & ~inputs.frozen.unsqueeze(-1)
    total = torch.where(counts, torch.stack([said, decided], dim=-1), 0.0).sum(-1, keepdim=True)
    return handler.payoff.simulator_reward_coefficient * total


def _read_logits(
    handler: ZeroKnowledgeHandler, env: Any, inputs: StepInputs
) -> tuple[Tensor, Tensor]:
    batch_agents, channels = inputs.decision.shape, len(handler.spec.channels)
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
    return _precise(messages), _precise(decisions)


def _precise(logits: Tensor) -> Tensor:
    """Return logits in at least single precision: in half precision, the cosine of zeros is NaN."""
    return logits.float() if logits.dtype in _HALF else logits


def simulator_reward(
    handler: ZeroKnowledgeHandler, inputs: StepInputs, messages: Tensor, decisions: Tensor
) -> Tensor:
    """Return the simulator's reward, ``(...)``; 0 for items that are over. Gradients flow."""
    adversary, simulator = handler.adversarial_verifier_index, handler.simulator_index
    theirs, own = _copies(handler)
    active = handler.get_active_agents_mask_from_rounds_and_seed(inputs.round, inputs.seed)
    active = active[..., adversary, theirs] & ~inputs.frozen.unsqueeze(-1)
    guess = handler.get_verifier_guess_mask_from_rounds_and_seed(inputs.round, inputs.seed)
    guess = guess & ~inputs.frozen

    # A silent channel holds no message: its values are arbitrary and may be NaN.
    spoken = active[..., None, None]
    seen = torch.where(spoken, messages[..., adversary, theirs, :, :], 0.0).flatten(-3)
    made_up = torch.where(spoken, messages[..., simulator, own, :, :], 0.0).flatten(-3)
    decided = guess.unsqueeze(-1)
    theirs_decided = torch.where(decided, decisions[..., adversary, :], 0.0)
    own_decided = torch.where(decided, decisions[..., simulator, :], 0.0)
    # The cosine of a zero vector is 0, so silence earns no reward.
    cosine = torch.nn.functional.cosine_similarity
    total = cosine(seen, made_up, dim=-1) + cosine(theirs_decided, own_decided, dim=-1)
    return handler.payoff.simulator_reward_coefficient * total
