"""All cases of a step with their outcomes by the rules, on numpy arrays.

The outcome of a step depends on few things: the phase of the round (whether the verifier may
decide, whether a decision counts, whether it is the last round), the verifiers' decisions, the
label, the incoming flags, and the stance if it is drawn. Tables of tensors and exact values are
made from the outcomes of all these cases.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from nip_core.handler.interface import Handler
from nip_core.handler.rules import Item
from nip_core.spec import ProtocolSpec

__all__ = ["Cases", "case_items", "case_sizes", "step_cases"]

Floats = npt.NDArray[np.floating[Any]]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.integer[Any]]


class Cases(NamedTuple):
    """The outcome of a step in every phase and, after that, for every digit of :func:`case_sizes`.

    Parameters
    ----------
    phases : integer array, ``[variant, round]``
        The phase of each round.
    shared_done, terminated : boolean array, ``[phase, ...]``
    agents_done : boolean array, ``[phase, ..., agent]``
    reward : array, ``[phase, ..., agent]``
    """

    phases: Ints
    shared_done: Bools
    agents_done: Bools
    terminated: Bools
    reward: Floats


def step_cases(handler: Handler) -> Cases:
    """Return the results of a step in every phase and case, without rewards for similarity.

    Tensors are needed only if the handler replaces a rule, since its method is then called.
    """
    phases, item, seeds = case_items(handler)
    if handler.overrides_rules:
        from nip_core.handler.hooks import step_items

        outcome = step_items(handler, item, seeds)
    else:
        step = handler.rules.step(item)
        reward = np.array(handler.rules.amounts)[np.stack(step.amounts, axis=-1)]
        agents_done = np.stack(step.agents_done, axis=-1)
        outcome = step.shared_done, agents_done, step.terminated, reward
    shape = (len(item.y), *case_sizes(handler))
    shared_done, agents_done, terminated, reward = (
        part.reshape(*shape, *part.shape[2:]) for part in outcome
    )
    return Cases(phases, shared_done, agents_done, terminated, reward)


def case_sizes(handler: Handler) -> list[int]:
    """Return the number of values of each digit of a case.

    The digits are the verifiers' decisions; with two verifiers, whether each is done; the label;
    done; terminated; and the stance if it is drawn.
    """
    verifiers = len(handler.spec.verifiers)
    flags = verifiers if handler.spec.is_zero_knowledge else 0
    return [3] * verifiers + [2] * (flags + 3 + handler.draws_prover_stance)


def case_items(handler: Handler) -> tuple[Ints, Item, Ints]:
    """Return every case once.

    Returns
    -------
    phases : integer array, ``[variant, round]``
    items : Item
        Of arrays ``[phase, case]``, in the order of the digits.
    seeds : integer array, ``[phase, case]``
    """
    spec, sizes = handler.spec, case_sizes(handler)
    phases, first = _phases(handler)
    shape = (len(first), int(np.prod(sizes)))

    def spread(values: Any) -> Any:
        return np.broadcast_to(values, shape)

    digits = list(np.indices(sizes).reshape(len(sizes), -1))
    variants, rounds = np.divmod(first, spec.max_message_rounds)
    guess = _may_decide(spec)[variants, rounds]
    verifiers = [spec.agent_index(name) for name in spec.verifiers]
    decisions = [spread(digits.pop(0)) for _ in verifiers]
    agents_done = [spread(False)] * len(spec.agents)
    if spec.is_zero_knowledge:
        for index in verifiers:
            agents_done[index] = spread(digits.pop(0) == 1)
    y, done, terminated, *stance = digits
    item = Item(
        y=spread(y),
        round=spread(rounds[:, None]),
        guess=spread(guess[:, None]),
        decisions=decisions,
        done=spread(done == 1),
        terminated=spread(terminated == 1),
        agents_done=agents_done,
        stance=spread(stance[0]) if stance else None,
    )
    return phases, item, spread(variants[:, None])


def _phases(handler: Handler) -> tuple[Ints, Ints]:
    """Return the phase of each ``[variant, round]``, and each phase's first index, flattened.

    Rounds of the same phase pay the same in the same case. If a subclass replaces a rule, every
    round is a phase of its own.
    """
    spec = handler.spec
    shape = (spec.num_variants, spec.max_message_rounds)
    if handler.overrides_rules:
        each = np.arange(shape[0] * shape[1])
        return each.reshape(shape), each
    rounds = np.arange(spec.max_message_rounds)
    guess = _may_decide(spec)
    counts = guess & (rounds >= spec.min_message_rounds - 1)
    keys = guess * 4 + counts * 2 + (rounds == spec.max_message_rounds - 1)
    _, first, phases = np.unique(keys, return_index=True, return_inverse=True)
    return cast("Ints", phases).reshape(shape), cast("Ints", first)


def _may_decide(spec: ProtocolSpec) -> Bools:
    """Return where the verifier may decide: ``[variant, round]``."""
    spoken = spec.count_by_round(lambda pairs: sum(name == spec.verifier for name, _ in pairs))
    return spoken > 0
