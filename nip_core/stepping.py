r"""One step of a batch of episodes, on tensors.

The rules are written once, in :func:`apply_rules` (and, for zero knowledge, in
:mod:`nip_core.zero_knowledge`), as masked arithmetic over a batch. What a step does depends on few
things: the phase of the round (may the verifier decide, does a decision count, is it the last
round), the verifiers' decisions, the label, the flags that come in, and the stance where it is
drawn. So the rules are run once over all those cases, and a batch is stepped by looking its cases
up (:class:`StepTable`). A handler that overrides a rule is stepped by the rules themselves.

With :math:`c` = "the decision counts", :math:`g` = "the verifier may decide", :math:`t` = "this
step terminates the episode", :math:`d` the decision and :math:`y` the label, the verifier gets

.. math::

    r_V = r_\text{right}\,[c \wedge d = y] + r_\text{wrong}\,[c \wedge d \ne y]
        + r_\text{terminated}\,[t] + r_\text{no guess}\,[g \wedge \neg c \wedge \neg t]

and prover :math:`i` with stance :math:`s_i` gets :math:`r_V` if rewards are shared, else
:math:`r_P\,[c \wedge d = s_i]`. An item that comes in done or terminated is frozen: it keeps its
flags and nobody is paid.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor

from nip_core.errors import InputTypeError, MissingInputError, RoundError, StepInputError
from nip_core.masks import widen
from nip_core.spec import ADDED_ROLES, Payoff

if TYPE_CHECKING:
    from nip_core.handler import ProtocolHandler

__all__ = [
    "Outcome",
    "StepInputs",
    "StepTable",
    "apply_rules",
    "check_values",
    "forced_decision",
    "include_prover_rewards",
    "read_inputs",
    "read_tensor",
    "step",
    "verifier_reward",
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


# -- the rules ----------------------------------------------------------------------------------


def forced_decision(payoff: Payoff, decision: Tensor, y: Tensor) -> Tensor:
    """The decision that counts: the forced one, if there is one, in the place of the verifier's."""
    if payoff.force_guess is None:
        return decision
    if payoff.force_guess == "y":
        return y
    return torch.full_like(decision, 0 if payoff.force_guess == "zero" else 1)


def verifier_reward(
    payoff: Payoff, made: Tensor, right: Tensor, terminated: Tensor, goes_on: Tensor
) -> Tensor:
    """The verifier's reward: a sum of which at most one term is not zero."""
    zero = torch.zeros(made.shape, device=made.device)
    reward = torch.where(goes_on, payoff.verifier_no_guess_reward, zero)
    reward = torch.where(terminated, payoff.verifier_terminated_penalty, reward)
    reward = torch.where(made & ~right, payoff.verifier_incorrect_penalty, reward)
    return torch.where(made & right, payoff.verifier_reward, reward)


def include_prover_rewards(
    handler: ProtocolHandler, made: Tensor, decision: Tensor, reward: Tensor, env: Any
) -> None:
    """The documented ``_include_prover_rewards``: fill the provers' rewards in, in place."""
    spec, payoff = handler.spec, handler.payoff
    drawn = None
    if handler.draws_prover_stance and not payoff.shared_reward:
        drawn = read_tensor(handler, env, "prover_stance", made.shape, _ANY_INTEGER)
    for index, agent in enumerate(spec.agents):
        if agent.role != "prover":
            continue
        stance = agent.stance if drawn is None else drawn
        if payoff.shared_reward:
            reward[..., index] = reward[..., spec.agent_index(spec.verifier)]
        elif stance is None:
            reward[..., index] = 0.0
        else:
            reward[..., index] = (made & (decision == stance)) * payoff.prover_reward


def apply_rules(handler: ProtocolHandler, inputs: StepInputs) -> Outcome:
    """Step a batch with one verifier by the rules, calling every documented hook."""
    payoff, verifier = handler.payoff, handler.verifier_index
    live = ~inputs.frozen
    guess = handler.get_verifier_guess_mask_from_rounds_and_seed(inputs.round, inputs.seed)
    decision = forced_decision(payoff, inputs.decision[..., verifier], inputs.y)
    made = live & handler._get_agent_decision_made_mask(
        inputs.round, inputs.y.unsqueeze(-1), guess, decision
    )
    ended = live & handler._get_new_terminated_mask(inputs.round, made)

    reward = torch.zeros(inputs.decision.shape, device=made.device)
    right = decision == inputs.y
    reward[..., verifier] = verifier_reward(payoff, made, right, ended, guess & ~made & ~ended)
    handler._include_prover_rewards(made, decision, reward, inputs.env)
    reward = torch.where(live.unsqueeze(-1), reward, 0.0)

    shared_done = inputs.done | made
    agent_done = inputs.agents_done | shared_done.unsqueeze(-1)
    return shared_done, agent_done, inputs.terminated | ended, reward


# -- the table ----------------------------------------------------------------------------------


def case_sizes(handler: ProtocolHandler) -> list[int]:
    """The digits of a case: how many values each has.

    They are the verifiers' decisions; with two of them, whether each is done; the label; done;
    terminated; and the stance, where it is drawn.
    """
    verifiers = len(handler.spec.verifiers)
    flags = verifiers if handler.spec.is_zero_knowledge else 0
    return [3] * verifiers + [2] * (flags + 3 + handler.draws_prover_stance)


def round_phases(handler: ProtocolHandler) -> tuple[Tensor, list[tuple[int, int]]]:
    """What kind of round each is.

    Returns
    -------
    phases : integer Tensor, ``[variant, round]``
        Rounds of the same phase pay the same in the same case. Where a subclass replaces a rule,
        every round is a phase of its own.
    representatives : list of (variant, round)
        One for each phase.
    """
    spec = handler.spec
    rounds = torch.arange(spec.max_message_rounds)
    if handler.overrides_rules:
        shape = (spec.num_variants, spec.max_message_rounds)
        each = [(variant, int(r)) for variant in range(spec.num_variants) for r in rounds]
        return torch.arange(len(each)).view(shape), each
    counts = rounds >= spec.min_message_rounds - 1
    last = rounds == spec.max_message_rounds - 1
    guess = handler._masks(torch.device("cpu")).guess
    keys = guess * 4 + (guess & counts) * 2 + last
    # The first (variant, round) of each phase stands for all of them.
    listed = cast("list[int]", keys.flatten().tolist())
    found = sorted(set(listed))
    phases = torch.tensor([found.index(key) for key in listed]).view(keys.shape)
    return phases, [divmod(listed.index(key), spec.max_message_rounds) for key in found]


def step_cases(handler: ProtocolHandler) -> tuple[Tensor, Outcome]:
    """What a step leads to in every phase and case, by the rules.

    Returns
    -------
    phases : integer Tensor, ``[variant, round]``
    outcome : tuple of Tensor
        ``shared_done``, ``agent_done``, ``terminated``, ``reward``: for each phase, and then for
        each digit of :func:`case_sizes`.
    """
    sizes = case_sizes(handler)
    phases, representatives = round_phases(handler)
    inputs = _case_inputs(handler, representatives, sizes, torch.device("cpu"))
    outcome = handler.apply_rules(inputs)
    shape = (len(representatives), *sizes)
    done, agents_done, terminated, reward = outcome
    agents = reward.shape[-1]
    return phases, (
        done.reshape(shape),
        agents_done.reshape(*shape, agents),
        terminated.reshape(shape),
        reward.reshape(*shape, agents),
    )


class StepTable:
    """The outcome of every case that a step can be in, made by running the rules once.

    A case is a mixed-radix number whose most significant digit is the round's phase. Rounds of
    the same phase share their rows, so that the table does not grow with the rounds.
    """

    def __init__(self, handler: ProtocolHandler, device: torch.device) -> None:
        spec = handler.spec
        self._masks = handler._masks(device)
        self._verifiers = [spec.agent_index(name) for name in spec.verifiers]
        # With two verifiers, what happens to one depends on whether the other is done already.
        self._reads_agents_done = spec.is_zero_knowledge
        sizes = case_sizes(handler)
        self._weights = [math.prod(sizes[place + 1 :]) for place in range(len(sizes))]

        phases, representatives = round_phases(handler)
        self._first_rows = (phases.flatten() * math.prod(sizes)).to(device)
        self._narrow_rows = self._first_rows.to(torch.int16)
        outcome = handler.apply_rules(_case_inputs(handler, representatives, sizes, device))
        self._shared_done, self._agent_done, self._terminated, self._reward = (
            part.flatten(0, 1) for part in outcome
        )
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


def _case_inputs(
    handler: ProtocolHandler,
    representatives: list[tuple[int, int]],
    sizes: list[int],
    device: torch.device,
) -> StepInputs:
    """A batch ``(phase, case)`` in which every case occurs once, in the table's order."""
    spec = handler.spec
    cases = torch.tensor(list(itertools.product(*map(range, sizes))), device=device)
    shape = (len(representatives), len(cases))
    digits = [column.expand(shape) for column in cases.unbind(dim=1)]
    variants, rounds = torch.tensor(representatives, device=device).unsqueeze(-1).unbind(dim=1)

    decision = torch.full((*shape, len(spec.agents)), 2, device=device)
    agents_done = torch.zeros(decision.shape, dtype=torch.bool, device=device)
    verifiers = [spec.agent_index(name) for name in spec.verifiers]
    for index in verifiers:
        decision[..., index] = digits.pop(0)
    if spec.is_zero_knowledge:
        for index in verifiers:
            agents_done[..., index] = digits.pop(0).bool()
    y, done, terminated, *stance = digits
    return StepInputs(
        env={"prover_stance": stance[0]} if stance else {},
        y=y,
        round=rounds.expand(shape),
        seed=variants.expand(shape),
        decision=decision,
        done=done.bool(),
        agents_done=agents_done,
        terminated=terminated.bool(),
        stance=stance[0] if stance else None,
    )


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
