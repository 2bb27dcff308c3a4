"""The tensors of a rollout as checked arrays, and the limits of its episodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from nip_core.documents import MAX_TEXT
from nip_core.errors import InputTypeError, MissingInputError, StepInputError
from nip_core.spec import ProtocolSpec

if TYPE_CHECKING:
    from nip_core.handler import ProtocolHandler

__all__ = ["MOST_STEPS", "Steps", "read_steps"]

MOST_STEPS = 1_000_000
Array = npt.NDArray[Any]
Key = str | tuple[str, ...]

DECISION: tuple[Key, ...] = (("agents", "decision"), "decision")
REWARD: tuple[Key, ...] = (
    *(("next", "agents", "reward"), ("agents", "reward")),
    *(("next", "reward"), "reward"),
)
MESSAGE: tuple[Key, ...] = (
    *(("agents", "message"), ("agents", "messages")),
    *("message", "messages"),
)
MASK: tuple[Key, ...] = (("collector", "mask"), "mask")


@dataclass(slots=True)
class Steps:
    """All steps of a rollout, row by row; `shape` is ``(row, time)``.

    For each step, `ends` and `rules` say whether the episode ends with it, according to the rollout
    and to the protocol's rules. `rules` and `verdict` are None for zero-knowledge protocols, whose
    steps cannot be recomputed.
    """

    shape: tuple[int, int]
    places: list[str]
    round: Array
    y: Array
    seed: Array | None
    stance: Array | None
    decision: Array
    reward: Array | None
    message: Array | None
    is_step: Array
    over_before: Array | None
    done: Array
    terminated: Array
    rules_done: Array | None
    rules_terminated: Array | None
    verdict: Array | None

    def episodes(self) -> Iterator[tuple[str, list[int], str]]:
        """Yield the episodes: a name, the indices of their steps, and how they ended.

        The last is ``"done"``, ``"terminated"``, or empty if they were cut off.
        """
        for row in range(self.shape[0]):
            yield from self._row(row)

    def _row(self, row: int) -> Iterator[tuple[str, list[int], str]]:
        time = self.shape[1]
        running: list[int] = []
        is_past_end = is_flagged = False
        for place in range(row * time, (row + 1) * time):
            round_id = int(self.round[place])
            if running and (not self.is_step[place] or round_id != self.round[running[-1]] + 1):
                yield self._named(row, running), running, ""
                running, is_past_end = [], False
            if not self.is_step[place]:
                continue
            if not running and is_past_end and self._is_padding(place, is_flagged):
                continue
            running.append(place)
            end = self._end(place)
            is_flagged |= bool(self.done[place] | self.terminated[place])
            if end:
                yield self._named(row, running), running, end
                running, is_past_end = [], True
        if running:
            yield self._named(row, running), running, ""

    def _named(self, row: int, places: list[int]) -> str:
        start = places[0] % self.shape[1]
        return f"{self.places[row]},{start}" if self.places[row] else f"{start}"

    def _is_padding(self, place: int, is_flagged: bool) -> bool:
        """Return whether a step after an end belongs to no episode."""
        if self.round[place] != 0:
            return True
        if self.over_before is not None:
            return bool(self.over_before[place])
        pays = self.reward is not None and bool(np.any(self.reward[place]))
        if self.done[place] or self.terminated[place]:
            return not pays
        # All zeros: the rules would end the episode with this verdict, but the rollout does not
        # mark an end.
        return is_flagged and not pays and bool(self._by_rules(place))

    def _by_rules(self, place: int) -> str:
        if self.rules_done is None or self.rules_terminated is None:
            return ""
        if self.rules_done[place]:
            return "done"
        return "terminated" if self.rules_terminated[place] else ""

    def _end(self, place: int) -> str:
        ruled = self._by_rules(place)
        if ruled:
            return ruled
        if self.done[place]:
            return "done"
        return "terminated" if self.terminated[place] else ""

    def messages_at(self, place: int, spec: ProtocolSpec) -> dict[str, dict[str, str]]:
        """Return the non-empty messages of a step, by agent and channel."""
        if self.message is None:
            return {}
        messages: dict[str, dict[str, str]] = {}
        for agent, row in zip(spec.agent_names, self.message[place], strict=True):
            own = {
                channel: text
                for channel, message in zip(spec.channel_names, row, strict=True)
                if (text := _text(message))
            }
            if own:
                messages[agent] = own
        return messages


def _text(message: Any) -> str:
    """Return a message as text; numbers of symbols are joined by blanks."""
    if message is None:
        return ""
    if isinstance(message, np.ndarray):
        return " ".join(str(symbol) for symbol in message.tolist())[:MAX_TEXT]
    return str(message)[:MAX_TEXT]


def read_steps(rollout: Any, handler: ProtocolHandler, limit_used: int = 0) -> Steps:
    """Read the arrays of a rollout, and compute each step by the rules."""
    spec = handler.spec
    rounds = _whole(rollout, "round", None)
    size = _batch(rollout)
    if size is None:
        size = rounds.shape
    if rounds.shape == (*size, 1):
        rounds = rounds[..., 0]
    if rounds.shape != size:
        raise _misshapen("round", rounds.shape, size)
    size = rounds.shape or (1,)
    count = int(np.prod(size))
    if count + limit_used > MOST_STEPS:
        raise StepInputError(
            f"'round' has {count:,} entries; at most {MOST_STEPS:,} steps are read. Take fewer."
        )
    agents = len(spec.agents)
    y = _numbers(rollout, "y", size, whole=True)
    decision = _numbers(rollout, DECISION, (*size, agents), whole=True)
    mask = _flags(rollout, MASK, size)
    is_next = _found(rollout, (("next", "done"), ("next", "terminated"))) is not None
    root = "next" if is_next else None
    done, terminated, before = (
        _flags(rollout, keys, size)
        for keys in (
            (_under(root, "done"),),
            (_under(root, "terminated"),),
            ("done",) if is_next else (),
        )
    )
    nothing = np.zeros(count, dtype=bool)
    steps = Steps(
        shape=(count // size[-1] if size[-1] else 0, size[-1]),
        places=[",".join(map(str, place)) for place in np.ndindex(*size[:-1])],
        round=rounds.reshape(-1),
        y=cast("Array", y),
        seed=_numbers(rollout, "seed", size, whole=True, needed=spec.num_variants > 1),
        stance=_numbers(
            rollout, "prover_stance", size, whole=True, needed=handler.draws_prover_stance
        )
        if handler.draws_prover_stance
        else None,
        decision=cast("Array", decision),
        reward=_numbers(rollout, REWARD, (*size, agents), whole=False, needed=False),
        message=_messages(rollout, spec, size),
        is_step=nothing | True if mask is None else mask,
        over_before=before,
        done=nothing if done is None else done,
        terminated=nothing if terminated is None else terminated,
        rules_done=None,
        rules_terminated=None,
        verdict=None,
    )
    # TorchRL's `done` includes terminated steps.
    steps.done = steps.done & ~steps.terminated
    if not spec.is_zero_knowledge:
        _ask_rules(steps, handler)
    _check_steps(steps, spec)
    return steps


def _ask_rules(steps: Steps, handler: ProtocolHandler) -> None:
    """Compute all steps at once; rewards are the rules' if none were recorded."""
    from nip_core.tensors import torch

    most = handler.spec.max_message_rounds
    y = torch.as_tensor(np.clip(steps.y, 0, 1))
    decision = torch.as_tensor(np.clip(steps.decision, 0, 2))
    open_ = torch.zeros(len(y), dtype=torch.bool)
    env: dict[Any, Any] = {
        "y": y,
        "round": torch.as_tensor(np.clip(steps.round, 0, most - 1)),
        "done": open_,
        "terminated": open_,
        ("agents", "decision"): decision,
        ("agents", "done"): torch.zeros(decision.shape, dtype=torch.bool),
    }
    if steps.seed is not None:
        env["seed"] = torch.as_tensor(np.abs(steps.seed))
    if steps.stance is not None:
        env["prover_stance"] = torch.as_tensor(np.clip(steps.stance, 0, 1))
    done, _, terminated, reward = handler.step_interaction_protocol(cast("Any", env))
    steps.rules_done, steps.rules_terminated = done.numpy(), terminated.numpy()
    if steps.reward is None:
        steps.reward = reward.detach().numpy()
    verifier = handler.spec.agent_index(handler.spec.verifier)
    forced = handler.rules.forced(cast("Any", decision[:, verifier]), cast("Any", y))
    steps.verdict = np.asarray(forced)


def _check_steps(steps: Steps, spec: ProtocolSpec) -> None:
    """Refuse values that no step can have; padding may contain anything."""
    limits: dict[str, tuple[Array | None, int]] = {
        "round": (steps.round, spec.max_message_rounds - 1),
        "y": (steps.y, 1),
        "decision": (steps.decision, 2),
        "prover_stance": (steps.stance, 1),
        "seed": (steps.seed, (1 << 63) - 1),
    }
    played = np.array([place for _, places, _ in steps.episodes() for place in places], dtype=int)
    for key, (values, most) in limits.items():
        if values is None or not len(played):
            continue
        own = values[played].reshape(len(played), -1)
        wrong = np.flatnonzero(((own < 0) | (own > most)).any(axis=1))
        if len(wrong):
            place = int(played[wrong[0]])
            row, time = divmod(place, steps.shape[1])
            at = f"{steps.places[row]},{time}".lstrip(",")
            value = values[place]
            raise StepInputError(
                f"{key!r} is {value.tolist()} at [{at}]; it must be from 0 to {most:,}. Where a "
                "step is padding, 'mask' must be False, or 'done' True."
            )


# -- keys ------------------------------------------------------------------------------------------


def _under(root: str | None, key: str) -> Key:
    return key if root is None else (root, key)


def _get(rollout: Any, key: Key) -> Any:
    """Return an entry; a nested key of a mapping may be a tuple or a mapping within it."""
    if isinstance(rollout, Mapping):
        entries = cast("Mapping[Any, Any]", rollout)
        if key in entries or isinstance(key, str):
            return entries.get(key)
        inner = entries.get(key[0])
        *_, last = key
        if inner is None or len(key) < 2:
            return inner
        return _get(inner, key[1:] if len(key) > 2 else last)
    try:
        return rollout.get(key, None)
    except (AttributeError, KeyError, TypeError) as error:
        if not hasattr(rollout, "batch_size"):
            raise InputTypeError(
                "A rollout is a TensorDict, a NestedArrayDict, a mapping, or a list of them, not "
                f"{type(rollout).__name__}."
            ) from error
        return None


def _found(rollout: Any, keys: tuple[Key, ...]) -> tuple[Key, Any] | None:
    """Return the first existing key of several, and its value."""
    for key in keys:
        value = _get(rollout, key)
        if value is not None:
            return key, value
    return None


def _batch(rollout: Any) -> tuple[int, ...] | None:
    size = getattr(rollout, "batch_size", None)
    return None if size is None else tuple(size)


def _array(key: Key, value: Any) -> Array:
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    elif hasattr(value, "tolist") and not isinstance(value, np.ndarray):
        value = value.tolist()  # texts in a TensorDict
    try:
        return np.asarray(cast("Any", value))
    except (TypeError, ValueError) as error:
        raise InputTypeError(f"{_named(key)} cannot be read as an array: {error}") from error


def _whole(rollout: Any, keys: Key | tuple[Key, ...], size: tuple[int, ...] | None) -> Array:
    numbers = _numbers(rollout, keys, size, whole=True, flat=False)
    assert numbers is not None
    return numbers


def _numbers(
    rollout: Any,
    keys: Key | tuple[Key, ...],
    size: tuple[int, ...] | None,
    *,
    whole: bool,
    needed: bool = True,
    flat: bool = True,
) -> Array | None:
    """Return an entry of numbers, with one row for each step."""
    wanted = keys if isinstance(keys, tuple) and isinstance(keys[0], tuple) else (keys,)
    entry = _found(rollout, cast("tuple[Key, ...]", wanted))
    if entry is None:
        if not needed:
            return None
        shape = "" if size is None else f", of shape {size}"
        raise MissingInputError(
            f"A rollout needs the key {_named(cast('Key', wanted[0]))}{shape}, which is missing."
        )
    key, value = entry
    array = _array(key, value)
    if array.dtype.kind not in ("iu" if whole else "iuf"):
        kind = "whole numbers" if whole else "numbers"
        raise InputTypeError(f"{_named(key)} has dtype {array.dtype}; it must hold {kind}.")
    if size is None:
        return array
    array = _fitted(key, array, size)
    steps = size[:-1] if isinstance(key, tuple) or key in ("decision", "reward") else size
    return array.reshape(int(np.prod(steps)), -1) if steps is not size else array.reshape(-1)


def _flags(rollout: Any, keys: tuple[Key, ...], size: tuple[int, ...]) -> Array | None:
    entry = _found(rollout, keys)
    if entry is None:
        return None
    key, value = entry
    array = _array(key, value)
    if array.dtype.kind != "b":
        raise InputTypeError(f"{_named(key)} has dtype {array.dtype}; it must hold booleans.")
    return _fitted(key, array, size).reshape(-1)


def _fitted(key: Key, array: Array, size: tuple[int, ...]) -> Array:
    """Return an entry in the expected shape, ignoring a last dimension of 1."""
    if array.shape == (*size, 1):
        array = array[..., 0]
    if array.shape != size and not (size == (1,) and array.shape == ()):
        raise _misshapen(key, array.shape, size)
    return array


def _messages(rollout: Any, spec: ProtocolSpec, size: tuple[int, ...]) -> Array | None:
    entry = _found(rollout, MESSAGE)
    if entry is None:
        return None
    key, value = entry
    array = _array(key, value)
    wanted = (*size, len(spec.agents), len(spec.channels))
    if array.shape[: len(wanted)] != wanted or array.ndim > len(wanted) + 1:
        raise _misshapen(key, array.shape, wanted)
    if array.dtype.kind not in "UOiu" or (array.dtype.kind in "UO" and array.shape != wanted):
        raise InputTypeError(
            f"{_named(key)} has dtype {array.dtype}; it must hold texts, or whole numbers."
        )
    return array.reshape(int(np.prod(size)), *array.shape[len(size) :])


def _misshapen(key: Key, shape: tuple[int, ...], wanted: tuple[int, ...]) -> StepInputError:
    return StepInputError(f"{_named(key)} has shape {shape}; it must be {wanted}.")


def _named(key: Key) -> str:
    return repr(key)
