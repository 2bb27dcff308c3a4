"""One step of a batch of episodes, on tensors.

The rules are those of :mod:`nip_core.handler.rules`. They are run once over all cases that a step
can be in (:mod:`nip_core.handler.cases`), and a batch is stepped by looking its cases up
(:class:`StepTable`). A handler that replaces a rule is stepped by :func:`apply_rules`, which calls
every documented hook.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from nip_core.errors import InputTypeError, MissingInputError, RoundError, StepInputError
from nip_core.handler.cases import case_sizes, step_cases
from nip_core.handler.masks import widen
from nip_core.handler.rules import Item
from nip_core.spec import ADDED_ROLES

if TYPE_CHECKING:
    from nip_core.handler.classes import ProtocolHandler

__all__ = [
    "Outcome",
    "StepInputs",
    "StepTable",
    "apply_rules",
    "check_values",
    "include_prover_rewards",
    "read_inputs",
    "read_tensor",
    "step",
    "step_items",
]

Outcome = tuple[Tensor, Tensor, Tensor, Tensor]
"""``shared_done``, ``agent_done``, ``terminated``, ``reward``."""

_ANY_INTEGER = frozenset({torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8})
_BOOLEAN = frozenset({torch.bool})

# From about this many items on, moving memory costs more than calling torch.
_LARGE_BATCH = 4096


@dataclass(slots=True)
class StepInputs:
    """The tensors of one step, with shapes checked; `env` is what they were read from.

    ``y``, ``round``, ``seed``, ``done``, ``terminated`` and ``stance`` have the batch's shape;
    ``decision`` and ``agents_done`` have one more dimension, the agents'. ``seed`` and ``stance``
    are None where they play no part. ``agents_done`` alone may go on after the handler's agents,
    with those that the zero-knowledge variant adds.
    """

    env: Any
    y: Tensor
    round: Tensor
    seed: Tensor | None
    decision: Tensor
    done: Tensor
    agents_done: Tensor
    terminated: Tensor
    stance: Tensor | None

    @property
    def frozen(self) -> Tensor:
        """The items that are over already."""
        return self.done | self.terminated


def step(handler: ProtocolHandler, env: Any) -> Outcome:
    """Step a batch; see :meth:`ProtocolHandler.step_interaction_protocol`."""
    inputs = check_values(handler, read_inputs(handler, env))
    return step_checked(handler, inputs)


def step_checked(handler: ProtocolHandler, inputs: StepInputs) -> Outcome:
    """Step a batch whose values are known to be right."""
    if handler.overrides_rules:
        return handler.apply_rules(inputs)
    device = inputs.round.device
    cache: dict[torch.device, StepTable] = vars(handler).setdefault("_step_cache", {})
    if device not in cache:
        cache[device] = StepTable(handler, device)
    return cache[device].step(inputs)


# -- the rules, where a handler replaces some ---------------------------------------------------


def include_prover_rewards(
    handler: ProtocolHandler, made: Tensor, decision: Tensor, reward: Tensor, env: Any
) -> None:
    """The documented ``_include_prover_rewards``: fill the provers' rewards in, in place."""
    rules, stance = handler.rules, None
    if rules.draws_stance and not handler.payoff.shared_reward:
        stance = read_tensor(handler, env, "prover_stance", made.shape, _ANY_INTEGER)
    amounts = torch.tensor(rules.amounts, device=reward.device, dtype=reward.dtype)
    mine = reward[..., rules.verifiers[0]]
    for index, paid in rules.prover_pay(made, decision, stance, mine, amounts.__getitem__):
        reward[..., index] = paid


def apply_rules(handler: ProtocolHandler, inputs: StepInputs) -> Outcome:
    """Step a batch, calling every documented hook; nothing is paid for similarity."""
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
    handler: ProtocolHandler, item: Item, seeds: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], ...]:
    """Step items of numpy arrays by a handler's rules, in tensors."""

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


# -- the table ----------------------------------------------------------------------------------


class StepTable:
    """The outcome of every case that a step can be in.

    A case is a mixed-radix number whose most significant digit is the round's phase. Rounds of
    the same phase share their rows, so that the table does not grow with the rounds.
    """

    def __init__(self, handler: ProtocolHandler, device: torch.device) -> None:
        self._masks = handler._masks(device)
        self._verifiers = handler.rules.verifiers
        # With two verifiers, what happens to one depends on whether the other is done already.
        self._reads_agents_done = handler.spec.is_zero_knowledge
        sizes = case_sizes(handler)
        self._weights = [math.prod(sizes[place + 1 :]) for place in range(len(sizes))]

        phases, *outcome = step_cases(handler)
        self._first_rows = torch.tensor(phases.flatten() * math.prod(sizes), device=device)
        self._narrow_rows = self._first_rows.to(torch.int16)
        flags = 1 + len(sizes)
        self._shared_done, self._agent_done, self._terminated, self._reward = (
            torch.tensor(part, device=device).flatten(0, flags - 1) for part in outcome
        )
        self._reward = self._reward.float()
        self._fits_narrow = len(self._shared_done) <= torch.iinfo(torch.int16).max

    def step(self, inputs: StepInputs) -> Outcome:
        """Look a batch up. Nothing is written to the inputs."""
        shape, decision = inputs.round.shape, inputs.decision
        # A large batch is bound by memory, so its cases are counted in two bytes instead of eight;
        # a small one is bound by the number of calls, so its digits are taken as they are.
        narrow = self._fits_narrow and inputs.round.numel() >= _LARGE_BATCH
        first_rows = self._narrow_rows if narrow else self._first_rows
        rows = self._masks.rows(inputs.round, inputs.seed)
        # Most batches have one dimension; they are spared the calls that change shapes.
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


# -- reading and checking -----------------------------------------------------------------------


def read_tensor(
    handler: ProtocolHandler,
    env: Any,
    key: str | tuple[str, str],
    shape: tuple[int, ...] | None,
    dtypes: frozenset[torch.dtype],
) -> Tensor:
    """One entry of `env` as a tensor with one of the given dtypes and, if given, the shape."""
    return _checked(handler, key, _get(env, key), shape, dtypes)


def _checked(
    handler: ProtocolHandler,
    key: str | tuple[str, str],
    value: Any,
    shape: tuple[int, ...] | None,
    dtypes: frozenset[torch.dtype],
) -> Tensor:
    """The value of an entry as a tensor, if it is as documented."""
    if not isinstance(value, Tensor):
        if value is None:
            raise MissingInputError(f"A step needs the entry {key!r}, which is missing.")
        value = _as_tensor(handler, key, value)
    if value.dtype not in dtypes:
        wanted = "booleans" if dtypes is _BOOLEAN else "whole numbers"
        wanted = wanted if dtypes in (_BOOLEAN, _ANY_INTEGER) else "floating-point numbers"
        raise InputTypeError(f"{key!r} has dtype {value.dtype}; it must hold {wanted}.")
    if shape is not None and value.shape != shape:
        raise StepInputError(
            f"{key!r} has shape {tuple(value.shape)}; with the shape of 'round' as the batch's it "
            f"must be {tuple(shape)}."
        )
    return value


def _get(env: Any, key: str | tuple[str, str]) -> Any:
    if isinstance(env, dict):
        return cast("dict[Any, Any]", env).get(key)
    # A nested key of which the first part is a tensor is absent, like one that is not there.
    try:
        return env.get(key, None)
    except (AttributeError, KeyError, TypeError) as error:
        if not hasattr(env, "batch_size"):
            raise InputTypeError(
                f"A step takes a TensorDict or a NestedArrayDict, not {type(env).__name__}."
            ) from error
        return None


def _as_tensor(handler: ProtocolHandler, key: object, value: Any) -> Tensor:
    try:
        return torch.as_tensor(value, device=handler.settings.device)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputTypeError(f"{key!r} cannot be read as a tensor: {error}") from error


def read_inputs(handler: ProtocolHandler, env: Any) -> StepInputs:
    """Read the entries of a step and check their dtypes and shapes."""
    rounds = widen(read_tensor(handler, env, "round", None, _ANY_INTEGER))
    batch, spec = rounds.shape, handler.spec
    agents = (*batch, len(spec.agents))
    read = read_tensor
    y = _get(env, "y")
    if y is not None and len(y.shape) > len(batch):
        y = _checked(handler, "y", y, (*batch, 1), _ANY_INTEGER).squeeze(-1)
    else:
        y = _checked(handler, "y", y, batch, _ANY_INTEGER)
    seed = stance = None
    if spec.num_variants > 1:
        seed = widen(read(handler, env, "seed", batch, _ANY_INTEGER))
    elif handler.overrides_rules and (given := _get(env, "seed")) is not None:
        # What is computed in code may read a seed that the specification does not need.
        seed = widen(_checked(handler, "seed", given, batch, _ANY_INTEGER))
    if handler.draws_prover_stance:
        stance = read(handler, env, "prover_stance", batch, _ANY_INTEGER)
    key = ("agents", "decision")
    decision = read(handler, env, key, None, _ANY_INTEGER)
    if decision.shape != agents:
        # The environment of the zero-knowledge variant: its first agents are the base's.
        with_added = (*batch, len(spec.agents) + len(ADDED_ROLES))
        is_variant = decision.shape == with_added and not spec.is_zero_knowledge
        agents = with_added if is_variant else agents
        decision = _checked(handler, key, decision, agents, _ANY_INTEGER)
        decision = decision[..., : len(spec.agents)]
    return StepInputs(
        env=env,
        y=y,
        round=rounds,
        seed=seed,
        decision=decision,
        done=read(handler, env, "done", batch, _BOOLEAN),
        agents_done=read(handler, env, ("agents", "done"), agents, _BOOLEAN),
        terminated=read(handler, env, "terminated", batch, _BOOLEAN),
        stance=stance,
    )


def check_values(handler: ProtocolHandler, inputs: StepInputs) -> StepInputs:
    """Check that decisions, labels, stances and the rounds of live items are possible.

    Returns
    -------
    inputs : StepInputs
        The same, but for the rounds of frozen items, which may lie outside the episode: they are
        brought inside, so that tables can be looked up.
    """
    if not inputs.round.numel():
        return inputs
    _check_range("('agents', 'decision')", inputs.decision, 2, "0 reject, 1 accept, 2 none")
    _check_range("'y'", inputs.y, 1, "0 or 1")
    if inputs.stance is not None:
        _check_range("'prover_stance'", inputs.stance, 1, "0 or 1")
    last = handler.spec.max_message_rounds - 1
    low, high = torch.aminmax(inputs.round)
    if int(low) >= 0 and int(high) <= last:
        return inputs
    outside = ((inputs.round < 0) | (inputs.round > last)) & ~inputs.frozen
    if outside.any():
        where = _first(outside)
        raise RoundError(
            f"'round'{where} is {int(inputs.round[outside][0])}; rounds of this protocol are 0 to "
            f"{last}."
        )
    return dataclasses.replace(inputs, round=inputs.round.clamp(0, last))


def _check_range(name: str, values: Tensor, high: int, allowed: str) -> None:
    least, most = torch.aminmax(values)
    if int(least) < 0 or int(most) > high:
        bad = (values < 0) | (values > high)
        raise StepInputError(f"{name}{_first(bad)} is {int(values[bad][0])}; allowed: {allowed}.")


def _first(bad: Tensor) -> str:
    """The place of the first bad item, for a message."""
    return f" at {bad.nonzero()[0].tolist()}" if bad.dim() else ""
