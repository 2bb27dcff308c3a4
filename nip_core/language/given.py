"""How seats play, as weights in the same language as the weights of chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from nip_core.displays import brief, displayed, line, text_html
from nip_core.errors import ModelError, SpecError, TooLargeError, show
from nip_core.language.data import ALWAYS, CHANCE, Choice, Option
from nip_core.language.expressions import OVER, REPEAT, Expression, Registers
from nip_core.language.machine import Machine, chances_of_weights
from nip_core.language.structure import Place, Structure
from nip_core.language.syntax import SyntaxNode

__all__ = ["GivenPlay", "Habit"]


@displayed
@dataclass(frozen=True)
class Habit:
    """The probabilities of one choice.

    Parameters
    ----------
    choice : str
        A seat's choice, or a fact of the task, for which these are its frequencies.
    weights : mapping of option to expression or number
        Options that are left out have weight 0. Weights may depend on what the seat has seen, or on
        the truth, as a signal. If the weights of all open options are 0, these are equally likely.
    stage : str, optional
        Only in this stage.
    when : str
        Only while this condition holds.
    """

    choice: str
    weights: Mapping[Option, str | int | float | Fraction]
    stage: str | None = None
    when: str = ALWAYS


class GivenPlay:
    """How all seats play a protocol.

    Parameters
    ----------
    spec : Specification
    habits : iterable of Habit
        For each choice the first matching one counts. Without one, chance follows the protocol's
        weights, and seats choose at random.

    Raises
    ------
    ModelError
        If a habit does not fit the protocol.
    """

    def __init__(self, spec: Structure, habits: Iterable[Habit] = ()) -> None:
        self.spec = spec
        self._habits: dict[str, list[tuple[int | None, Expression, dict[Option, Expression]]]] = {}
        self._reads: dict[tuple[str, int | None], frozenset[str]] = {}
        for habit in habits:
            try:
                self._add(habit)
            except TooLargeError:
                raise
            except SpecError as error:
                raise ModelError(f"The habit for {show(habit.choice)}: {error}") from None

    def __repr__(self) -> str:
        return line(self, brief(self.spec.name), *map(brief, self._habits))

    def _repr_html_(self) -> str:
        return text_html(repr(self))

    def _add(self, habit: Habit) -> None:
        spec = self.spec
        if habit.choice not in spec.options:
            raise SpecError(f"there is no such choice; there are {', '.join(spec.options)}.")
        if spec.choice(habit.choice).by == CHANCE:
            raise SpecError("what chance does is said by the protocol; change its weights there.")
        if habit.stage is not None and habit.stage not in spec.stage_index:
            stages = ", ".join(spec.stage_index)
            raise SpecError(f"there is no stage {show(habit.stage)}; there are {stages}.")
        when = spec.expression(habit.when)
        if when.kind.name != "truth" or OVER in when.reads:
            raise SpecError("`when` is a condition on what is known before the turn.")
        weights: dict[Option, Expression] = {}
        for option, weight in habit.weights.items():
            if isinstance(option, bool) or option not in spec.options[habit.choice]:
                raise SpecError(f"it has no option {show(option)}.")
            expression = spec.expression(_text(weight))
            if (
                expression.kind.name != "number"
                or not expression.kind.exact
                or OVER in expression.reads
            ):
                raise SpecError(f"the weight of {option} must be a rational number.")
            weights[option] = expression
        stage = None if habit.stage is None else spec.stage_index[habit.stage]
        self._habits.setdefault(habit.choice, []).append((stage, when, weights))

    def trees(self) -> Iterator[SyntaxNode]:
        """Yield the expressions of all habits, with the trees of values."""
        for habits in self._habits.values():
            for _, when, weights in habits:
                for expression in (when, *weights.values()):
                    yield self.spec.names.expanded(expression.tree)

    def reads(self, choice: str, stage: int | None) -> frozenset[str]:
        """Return the registers on which a choice in a stage depends."""
        if choice not in self._habits:
            stage = None
        if (choice, stage) not in self._reads:
            registers = {
                name
                for text in self.spec.choice(choice).weights
                for name in self.spec.expression(text).reads
            }
            for where, when, weights in self._habits.get(choice, ()):
                if where is None or where == stage:
                    registers |= when.reads.union(
                        *(expression.reads for expression in weights.values())
                    )
            self._reads[choice, stage] = frozenset(registers - {OVER, REPEAT})
        return self._reads[choice, stage]

    def chances(
        self,
        machine: Machine,
        choice: Choice,
        options: tuple[Option, ...],
        now: Registers,
        place: Place | None,
    ) -> list[Fraction]:
        """Return the probability of each open option; `place` is None before play."""
        for stage, when, weights in self._habits.get(choice.name, ()):
            here = stage is None or (place is not None and stage == place.stage)
            if here and when.value(now):
                expressions = (weights.get(option) for option in options)
                values = [0 if weight is None else weight.value(now) for weight in expressions]
                return chances_of_weights(options, values)
        return machine.chances(choice, options, now)


def _text(weight: object) -> str:
    if isinstance(weight, Fraction):
        return f"{weight.numerator} / {weight.denominator}"
    return str(weight)
