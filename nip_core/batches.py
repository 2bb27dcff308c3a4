"""Batches of plays of any protocol, stepped turn by turn on tensors.

A play's state is one whole number, and a step of a batch is a look-up in a table of states
(:mod:`nip_core.language.states`). Messages are free text that no rule reads, so they are not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from nip_core.displays import brief, displayed, line
from nip_core.errors import MissingInputError, StepInputError, UnsupportedError, show
from nip_core.language import Specification, from_version_1
from nip_core.language.data import SEED, TASK
from nip_core.language.states import CLOSED, MOST_PAIRS, states_of
from nip_core.registry import AnyProtocol, protocol, version_2
from nip_core.tensors import Tensor, torch

__all__ = ["BatchStep", "BatchTable"]

Numbers = int | Tensor
"""The number of an option for all items, or for each."""


@displayed
@dataclass(frozen=True, slots=True, eq=False)
class BatchStep:
    """The outcome of a turn of every item of a batch.

    Parameters
    ----------
    states : integer Tensor, ``[item]``
        The next states; 0 once a play is over.
    paid : float Tensor, ``[item, seat]``
        What each seat is paid for this turn.
    over : boolean Tensor, ``[item]``
    verdict : integer Tensor, ``[item]``
        For a play that has ended with this turn, the number of its verdict in
        :attr:`BatchTable.verdicts`; otherwise 0.
    """

    states: Tensor
    paid: Tensor
    over: Tensor
    verdict: Tensor


class BatchTable:
    """A protocol for batches of plays.

    Parameters
    ----------
    given : str, Specification, or whatever :func:`nip_core.protocol` takes
    device : str or torch.device
    most : int
        The most pairs of a state and a combination of options. Larger protocols are refused.
    dtype : torch.dtype
        Of what is paid.

    Attributes
    ----------
    spec : Specification
    choices : tuple of str
        The choices that are made in turns, by seats and by chance.
    verdicts : tuple
        All verdicts; the first is none.

    Raises
    ------
    UnsupportedError
        For a protocol that is too large for a table, a class that replaces a rule, and a
        zero-knowledge variant, in which similarity is paid for.

    Examples
    --------
    >>> table = BatchTable("khan_debate", most=1_000)
    >>> states = table.begin(3, {"truth": torch.tensor([0, 0, 1])})
    >>> for _ in range(3):
    ...     states = table.step(states, {}).states
    >>> table.may(states, "verdict").tolist()[0], table.spec.options["verdict"]
    ([True, True], ('A', 'B'))
    >>> table.step(states, {"verdict": torch.tensor([0, 1, 1])}).paid.tolist()
    [[1.0, -1.0, 1.0], [-1.0, 1.0, 0.0], [-1.0, 1.0, 1.0]]
    """

    def __init__(
        self,
        given: AnyProtocol,
        *,
        device: str | torch.device = "cpu",
        most: int = MOST_PAIRS,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.spec, self.device = _specification(given), torch.device(device)
        found = states_of(self.spec, most)
        self.choices, self.verdicts = found.made, found.verdicts
        self._drawn = tuple(
            (self.spec.choice(name), self._tensor(chances, torch.float32))
            for name, chances in zip(found.drawn, found.drawn_chances, strict=True)
        )
        self._starts = self._tensor(found.starts, torch.int32)
        self._first = self._tensor(found.first, torch.int32)
        # One row for each choice, which is looked up as a whole.
        self._weights = dict(
            zip(self.choices, self._tensor(found.weights, torch.int32).T.contiguous(), strict=True)
        )
        self._chances = {
            name: self._tensor(chances, torch.float32) for name, chances in found.chances.items()
        }
        self._may = {name: self._open(found.open, name) for name in self.choices}
        self._onward = self._tensor(found.onward, torch.int32)
        self._paid = self._tensor(found.paid, dtype)
        self._verdict = self._tensor(found.verdict, torch.int32)

    def __repr__(self) -> str:
        sizes = f"{self.num_states:,} states", f"{self.num_pairs:,} pairs"
        return line(self, brief(self.spec.name), *sizes)

    def _tensor(self, values: object, dtype: torch.dtype) -> Tensor:
        return torch.tensor(values, dtype=dtype, device=self.device)

    def _open(self, by_state: list[tuple[tuple[int, ...], ...]], name: str) -> Tensor:
        place, size = self.choices.index(name), len(self.spec.options[name])
        found = torch.zeros(len(by_state), size, dtype=torch.bool)
        pairs = [(state, o) for state, each in enumerate(by_state) for o in each[place]]
        if pairs:
            found[tuple(torch.tensor(pairs).T)] = True
        return found.to(self.device)

    @property
    def num_states(self) -> int:
        """The number of states, including the end."""
        return len(self._first)

    @property
    def num_pairs(self) -> int:
        """The number of pairs of a state and a combination of options, open or not."""
        return len(self._onward)

    # -- before play ---------------------------------------------------------------------------

    def begin(
        self,
        size: int,
        facts: Mapping[str, Numbers] | None = None,
        *,
        seeds: Tensor | None = None,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """Return the states of new plays.

        Parameters
        ----------
        size : int
            The number of plays.
        facts : mapping of str to int or integer Tensor
            The number of the option of each fact of the task, and of choices of chance before play
            that are not to be drawn.
        seeds : integer Tensor, ``[item]``, optional
            Pick the options of choices that go by the seed; without seeds they are drawn.
        generator : torch.Generator, optional
        """
        given = dict(facts or {})
        known = [choice.name for choice, _ in self._drawn]
        for name in given:
            if name not in known:
                names = ", ".join(known) or "none"
                raise StepInputError(f"{show(name)} is not drawn before play; what is: {names}.")
        at = torch.zeros(size, dtype=torch.int64, device=self.device)
        for choice, chances in self._drawn:
            options = len(self.spec.options[choice.name])
            if choice.name in given:
                number = self._numbers(choice.name, given[choice.name], size)
            elif choice.by == TASK:
                raise MissingInputError(f"The task does not say what {choice.name!r} is.")
            elif choice.draw == SEED and seeds is not None:
                number = seeds.to(self.device) % options
            else:
                number = _drawn(chances[at], generator)
            at = at * options + number
        return self._starts[at]

    def _numbers(self, name: str, value: Numbers, size: int) -> Tensor:
        number = torch.as_tensor(cast("Any", value), device=self.device)
        if number.dtype.is_floating_point or number.dtype == torch.bool or number.dim() > 1:
            raise StepInputError(f"{name!r} must hold whole numbers, one for each item.")
        if number.dim() and len(number) != size:
            raise StepInputError(f"{name!r} has {len(number):,} numbers for {size:,} items.")
        if number.numel():
            low, high = torch.aminmax(number)
            most = len(self.spec.options[name]) - 1
            if int(low) < 0 or int(high) > most:
                worst = int(low) if int(low) < 0 else int(high)
                raise StepInputError(
                    f"{name!r} has no option {worst}; its options are numbered from 0 to {most}."
                )
        return number

    # -- in a turn -----------------------------------------------------------------------------

    def may(self, states: Tensor, choice: str) -> Tensor:
        """Return which options of a choice are open: boolean, ``[item, option]``.

        None is open where the choice is not made. If several numbers must have a total, an option
        is open if some options of the others fit.
        """
        return self._may[self._known(choice)][states]

    def _known(self, choice: str) -> str:
        if choice not in self._may:
            names = ", ".join(self._may) or "none"
            raise StepInputError(f"{show(choice)} is made in no turn; what is: {names}.")
        return choice

    def drawn(
        self, states: Tensor, *, generator: torch.Generator | None = None
    ) -> dict[str, Tensor]:
        """Return what chance chooses in this turn, for :meth:`step`."""
        return {name: _drawn(rows[states], generator) for name, rows in self._chances.items()}

    def at_random(
        self, states: Tensor, choice: str, *, generator: torch.Generator | None = None
    ) -> Tensor:
        """Return an open option of a choice for each item; 0 where the choice is not made."""
        may = self.may(states, choice).float()
        may[:, 0] += ~self._may[choice].any(dim=-1)[states]
        return _drawn(may, generator)

    def step(self, states: Tensor, choices: Mapping[str, Numbers]) -> BatchStep:
        """Play one turn of every item.

        Parameters
        ----------
        states : integer Tensor, ``[item]``
        choices : mapping of str to int or integer Tensor
            The number of the option of each choice that is made in the turn of any item. Numbers of
            choices that an item does not make have no effect; nor has a play that is over.

        Raises
        ------
        StepInputError
            For options that are not open, with the first such item.
        """
        numbers = {
            self._known(name): self._numbers(name, value, len(states))
            for name, value in choices.items()
        }
        for name in self.choices:
            if name not in numbers and self._weights[name][states].any():
                raise MissingInputError(
                    f"In this turn {name!r} is chosen, and no option was given."
                )
        found = self.step_checked(states, numbers)
        closed = found.states == CLOSED
        if closed.any():
            item = int(closed.nonzero()[0])
            raise StepInputError(f"Item {item} chooses {self._said(states, numbers, item)}")
        return found

    def step_checked(self, states: Tensor, choices: Mapping[str, Tensor]) -> BatchStep:
        """Play one turn of items whose choices are known to be open, which is faster."""
        pairs = self._first.index_select(0, states)
        for name, number in choices.items():
            pairs += number * self._weights[name].index_select(0, states)
        onward = self._onward.index_select(0, pairs)
        return BatchStep(
            onward,
            self._paid.index_select(0, pairs),
            onward == 0,
            self._verdict.index_select(0, pairs),
        )

    def _said(self, states: Tensor, numbers: Mapping[str, Tensor], item: int) -> str:
        said: list[str] = []
        together = True
        for name, number in numbers.items():
            if not self._weights[name][states[item]]:
                continue
            chosen = int(number[item] if number.dim() else number)
            options, may = self.spec.options[name], self._may[name][states[item]]
            can = [show(option) for number, option in enumerate(options) if may[number]]
            together = together and bool(may[chosen])
            said.append(f"{name} {show(options[chosen])}, of {', '.join(can) or 'none'}")
        # Each by itself may be open where numbers have to add up to a total.
        what = "options that do not go together" if together else "what is not open"
        return f"{what}: {'; '.join(said)}."


def _specification(given: AnyProtocol) -> Specification:
    spec = version_2(given)
    if spec is not None:
        return spec
    handler = protocol(given)
    if handler.overrides_rules or handler.spec.is_zero_knowledge:
        raise UnsupportedError(
            f"{handler.spec.name!r} has rules that are not in its specification; step it by its "
            "own step_interaction_protocol."
        )
    return from_version_1(handler.spec, draws_stance=handler.draws_prover_stance)


def _drawn(chances: Tensor, generator: torch.Generator | None) -> Tensor:
    return torch.multinomial(chances, 1, generator=generator).squeeze(-1)
