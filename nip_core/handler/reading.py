"""Reading the tensors of a step, and checking that they are as documented."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

from nip_core.errors import InputTypeError, MissingInputError, RoundError, StepInputError
from nip_core.handler.interface import Handler, StepInputs
from nip_core.handler.masks import widen
from nip_core.spec import ADDED_ROLES
from nip_core.tensors import Tensor, torch

__all__ = ["ANY_INTEGER", "check_values", "read_inputs", "read_tensor"]

ANY_INTEGER = frozenset({torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8})
_BOOLEAN = frozenset({torch.bool})


def read_tensor(
    handler: Handler,
    env: Any,
    key: str | tuple[str, str],
    shape: tuple[int, ...] | None,
    dtypes: frozenset[torch.dtype],
) -> Tensor:
    """Return an entry of `env` as a tensor of one of the dtypes and, if given, the shape."""
    return _checked(handler, key, _get(env, key), shape, dtypes)


def _checked(
    handler: Handler,
    key: str | tuple[str, str],
    value: Any,
    shape: tuple[int, ...] | None,
    dtypes: frozenset[torch.dtype],
) -> Tensor:
    """Return the value of an entry as a tensor if it is as documented."""
    if not isinstance(value, Tensor):
        if value is None:
            raise MissingInputError(f"A step needs the entry {key!r}, which is missing.")
        value = _as_tensor(handler, key, value)
    if value.dtype not in dtypes:
        wanted = "booleans" if dtypes is _BOOLEAN else "whole numbers"
        wanted = wanted if dtypes in (_BOOLEAN, ANY_INTEGER) else "floating-point numbers"
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
    # A nested key whose first part is a tensor counts as absent.
    try:
        return env.get(key, None)
    except (AttributeError, KeyError, TypeError) as error:
        if not hasattr(env, "batch_size"):
            raise InputTypeError(
                f"A step takes a TensorDict or a NestedArrayDict, not {type(env).__name__}."
            ) from error
        return None


def _as_tensor(handler: Handler, key: object, value: Any) -> Tensor:
    try:
        return torch.as_tensor(value, device=handler.settings.device)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputTypeError(f"{key!r} cannot be read as a tensor: {error}") from error


def read_inputs(handler: Handler, env: Any) -> StepInputs:
    """Read the entries of a step and check their dtypes and shapes."""
    rounds = widen(read_tensor(handler, env, "round", None, ANY_INTEGER))
    batch, spec = rounds.shape, handler.spec
    agents = (*batch, len(spec.agents))
    read = read_tensor
    y = _get(env, "y")
    if y is not None and len(y.shape) > len(batch):
        y = _checked(handler, "y", y, (*batch, 1), ANY_INTEGER).squeeze(-1)
    else:
        y = _checked(handler, "y", y, batch, ANY_INTEGER)
    seed = stance = None
    if spec.num_variants > 1:
        seed = widen(read(handler, env, "seed", batch, ANY_INTEGER))
    elif handler.overrides_rules and (given := _get(env, "seed")) is not None:
        # Code may read a seed that the specification does not need.
        seed = widen(_checked(handler, "seed", given, batch, ANY_INTEGER))
    if handler.draws_prover_stance:
        stance = read(handler, env, "prover_stance", batch, ANY_INTEGER)
    key = ("agents", "decision")
    decision = read(handler, env, key, None, ANY_INTEGER)
    if decision.shape != agents:
        # In an environment of the zero-knowledge variant, the first agents are those of the base
        # protocol.
        with_added = (*batch, len(spec.agents) + len(ADDED_ROLES))
        is_variant = decision.shape == with_added and not spec.is_zero_knowledge
        agents = with_added if is_variant else agents
        decision = _checked(handler, key, decision, agents, ANY_INTEGER)
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


def check_values(handler: Handler, inputs: StepInputs) -> StepInputs:
    """Check that decisions, labels, stances and the rounds of live items are possible.

    Returns
    -------
    inputs : StepInputs
        The same inputs. Rounds of frozen items, which may be outside the episode, are moved inside,
        so that tables can be looked up.
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
    """Return the index of the first invalid item, for a message."""
    return f" at {bad.nonzero()[0].tolist()}" if bad.dim() else ""
