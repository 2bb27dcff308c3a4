"""All cases of a step with their outcomes, on numpy arrays.

The outcome of a step depends on few things: the phase of the round (whether the verifier may
decide, whether a decision counts, whether it is the last round), the verifiers' decisions, the
label, the incoming flags, and the stance if it is drawn. Tables of tensors and exact values are
made from the outcomes of all these cases. They come from the protocol's machine
(:mod:`nip_core.language.rounds`), or from the hooks of a handler that replaces a rule.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
    if handler.overrides_rules:
        return _cases_by_hooks(handler)
    rounds, sizes = handler.rounds, case_sizes(handler)
    kinds = np.array([kind.phase for kind in rounds.kinds])
    # There is one row for all variants if nothing depends on them.
    shape = handler.spec.num_variants, handler.spec.max_message_rounds
    phases = np.broadcast_to([kinds[np.array(turns)] for turns in rounds.turns], shape)
    cases = [case for phase in rounds.phases for case in phase.cases]
    # Cases have no digits for items that were over before, to which nothing happens, and none for
    # a side on which nothing depends.
    at, side = len(sizes) - handler.draws_prover_stance - 2, [1 + rounds.draws_side]
    live = (-1, *sizes[:at], 1, 1, *side * handler.draws_prover_stance)
    over = np.array([case.over for case in cases]).reshape(live)
    done = np.array([case.done for case in cases]).reshape(*live, len(rounds.deciding))
    paid = np.array([case.paid for case in cases]).reshape(*live, len(rounds.seats))
    digits = np.indices(sizes).astype(bool)
    was_done, was_over = digits[at], digits[at + 1]
    frozen, all_done = was_done | was_over, done.all(axis=-1)
    shared_done = was_done | (all_done & ~frozen)
    terminated = was_over | (~all_done & over & ~frozen)
    reward = np.where(frozen[..., None], 0.0, paid)
    agents_done = np.repeat(shared_done[..., None], len(rounds.seats), axis=-1)
    if handler.spec.is_zero_knowledge:
        # Each verifier is done when it has decided itself, and all others when both have.
        for number, name in enumerate(rounds.deciding):
            kept = was_done | digits[len(rounds.deciding) + number]
            mine = np.where(frozen, kept, done[..., number])
            agents_done[..., handler.spec.agent_index(name)] = mine
    return Cases(phases, shared_done, agents_done, terminated, reward)


def _cases_by_hooks(handler: Handler) -> Cases:
    from nip_core.handler.hooks import step_items

    phases, item, seeds = case_items(handler)
    shape = (len(item.y), *case_sizes(handler))
    outcome = step_items(handler, item, seeds)
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
    """Return every case of every round, which is a phase of its own for a handler with hooks.

    Returns
    -------
    phases : integer array, ``[variant, round]``
    items : Item
        Of arrays ``[phase, case]``, in the order of the digits.
    seeds : integer array, ``[phase, case]``
    """
    spec, sizes = handler.spec, case_sizes(handler)
    first = np.arange(spec.num_variants * spec.max_message_rounds)
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
    phases = first.reshape(spec.num_variants, spec.max_message_rounds)
    return phases, item, spread(variants[:, None])


def _may_decide(spec: ProtocolSpec) -> Bools:
    """Return where the verifier may decide: ``[variant, round]``."""
    spoken = spec.count_by_round(lambda pairs: sum(name == spec.verifier for name, _ in pairs))
    return spoken > 0
