"""One step of a batch of episodes, on tensors.

The outcomes of all cases of a step are those of the protocol's machine
(:mod:`nip_core.handler.cases`); a batch is stepped by looking up its cases (:class:`StepTable`). A
handler that replaces a rule is stepped by its hooks (:mod:`nip_core.handler.hooks`).
"""

from __future__ import annotations

import math
from typing import Any

from nip_core.handler.cases import case_sizes, step_cases
from nip_core.handler.interface import Handler, StepInputs, StepOutcome
from nip_core.handler.reading import check_values, read_inputs
from nip_core.tensors import Tensor, torch

__all__ = ["StepTable", "step", "step_checked"]

# From about this many items on, moving memory costs more than calling torch.
_LARGE_BATCH = 4096


def step(handler: Handler, env: Any) -> StepOutcome:
    """Step a batch; see :meth:`nip_core.handler.ProtocolHandler.step_interaction_protocol`."""
    inputs = check_values(handler, read_inputs(handler, env))
    return step_checked(handler, inputs)


def step_checked(handler: Handler, inputs: StepInputs) -> StepOutcome:
    """Step a batch whose values were checked."""
    if handler.overrides_rules:
        return handler.apply_rules(inputs)
    device = inputs.round.device
    cache: dict[torch.device, StepTable] = vars(handler).setdefault("_step_cache", {})
    if device not in cache:
        cache[device] = StepTable(handler, device)
    return cache[device].step(inputs)


class StepTable:
    """The outcome of every case of a step.

    A case is a mixed-radix number whose most significant digit is the round's phase. Rounds of the
    same phase share their rows, so the size of the table does not depend on the number of rounds.
    """

    def __init__(self, handler: Handler, device: torch.device) -> None:
        self._masks = handler._masks(device)
        self._verifiers = handler.rules.verifiers
        # With two verifiers, the result for one depends on whether the other is done already.
        self._reads_agents_done = handler.spec.is_zero_knowledge
        sizes = case_sizes(handler)
        self._weights = [math.prod(sizes[place + 1 :]) for place in range(len(sizes))]

        phases, *outcome = step_cases(handler)
        self._first_rows = torch.tensor(phases.flatten() * math.prod(sizes), device=device)
        # Two bytes hold every row: a round has one of 6 phases (the verifier may not decide, may,
        # or may and it counts; the last round or not), and a phase has 576 cases at most.
        self._narrow_rows = self._first_rows.to(torch.int16)
        flags = 1 + len(sizes)
        self._shared_done, self._agent_done, self._terminated, self._reward = (
            torch.tensor(part, device=device).flatten(0, flags - 1) for part in outcome
        )
        self._reward = self._reward.float()

    def step(self, inputs: StepInputs) -> StepOutcome:
        """Look up a batch. The inputs are not changed."""
        shape, decision = inputs.round.shape, inputs.decision
        # A large batch is limited by memory, so its cases are computed in two bytes instead of
        # eight. A small one is limited by the number of calls, so its digits are used unchanged.
        narrow = inputs.round.numel() >= _LARGE_BATCH
        first_rows = self._narrow_rows if narrow else self._first_rows
        rows = self._masks.rows(inputs.round, inputs.seed)
        # Most batches have one dimension and skip the calls that change shapes.
        is_flat = len(shape) == 1
        case = first_rows.index_select(0, rows if is_flat else rows.reshape(-1))
        case = case if is_flat else case.view(shape)
        digits = [decision[..., index] for index in self._verifiers]
        if self._reads_agents_done:
            digits += [inputs.agents_done[..., index] for index in self._verifiers]
        digits += [inputs.y, inputs.done, inputs.terminated]
        if inputs.stance is not None:
            digits.append(inputs.stance)
        for digit, weight in zip(digits, self._weights, strict=True):
            case.add_(digit.to(torch.int16) if narrow else digit, alpha=weight)
        case = case if is_flat else case.view(-1)
        case = case.int() if narrow else case
        shared_done = self._shared_done.index_select(0, case)
        terminated = self._terminated.index_select(0, case)
        reward = self._reward.index_select(0, case)
        if not is_flat:
            shared_done, terminated = shared_done.view(shape), terminated.view(shape)
            reward = reward.view(decision.shape)
        if self._reads_agents_done:
            agent_done = self._agent_done.index_select(0, case).view(decision.shape)
            agent_done |= inputs.agents_done & inputs.frozen.unsqueeze(-1)
        else:
            agent_done = _or_each_agent(inputs.agents_done, shared_done)
        return shared_done, agent_done, terminated, reward


def _or_each_agent(agents_done: Tensor, shared_done: Tensor) -> Tensor:
    """``agents_done | shared_done``; agent by agent if that is quicker, as in a large batch."""
    if shared_done.numel() < _LARGE_BATCH:
        return agents_done | shared_done.unsqueeze(-1)
    result = torch.empty_like(agents_done)
    for index in range(agents_done.shape[-1]):
        torch.bitwise_or(agents_done[..., index], shared_done, out=result[..., index])
    return result
