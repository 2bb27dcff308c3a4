"""Which parameters of a protocol change its picture, worked out by trying them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from nip_core.errors import NipError
from nip_core.parameters import HyperParameters, parameter_group
from nip_core.registry import protocol_class, protocol_spec
from nip_core.spec import Payoff, ProtocolSpec

__all__ = ["Knob", "knobs"]


@dataclass(frozen=True, slots=True)
class Knob:
    """A parameter that a person may turn.

    Parameters
    ----------
    group, name : str
        Where it is in the parameters.
    value : bool, int or str
        What it is now.
    help : str
        Its explanation.
    low, high : int, optional
        Its limits, if it is a number.
    choices : tuple, optional
        All its values, if there are only a few.
    """

    group: str
    name: str
    value: Any
    help: str
    low: int | None
    high: int | None
    choices: tuple[Any, ...] | None

    @property
    def label(self) -> str:
        """Its name for people."""
        return self.name.replace("_", " ").capitalize()

    def turned(self, parameters: HyperParameters, value: Any) -> HyperParameters:
        """The parameters with another value of this one."""
        return parameters.replace(**{self.group: {self.name: value}})


def knobs(parameters: HyperParameters) -> list[Knob]:
    """The parameters that change the picture of the chosen protocol, as things are.

    So ``prover0_first`` is among them only while provers take turns, and nothing is that the
    protocol does not read.
    """
    now = _picture(parameters)
    found: list[Knob] = []
    for knob in _all_knobs(parameters):
        for value in _other_values(knob):
            if _picture(knob.turned(parameters, value)) not in (None, now):
                found.append(knob)
                break
    return found


def _all_knobs(parameters: HyperParameters) -> Iterator[Knob]:
    own = protocol_class(parameters.interaction_protocol, parameters.scenario).parameter_group
    for group in ("protocol_common", own) if own else ("protocol_common",):
        for field in dataclasses.fields(parameter_group(group)):
            value = getattr(getattr(parameters, group), field.name)
            if not isinstance(value, float):
                yield Knob(group, field.name, value, **field.metadata)


def _other_values(knob: Knob) -> list[Any]:
    if knob.choices is not None:
        return [choice for choice in knob.choices if choice != knob.value]
    if isinstance(knob.value, bool):
        return [not knob.value]
    return [
        value
        for value in (knob.value + 1, knob.value - 1)
        if (knob.low is None or value >= knob.low) and (knob.high is None or value <= knob.high)
    ]


def _picture(parameters: HyperParameters) -> ProtocolSpec | None:
    """All that is drawn of a protocol; None for parameters that it does not take."""
    try:
        return protocol_spec(parameters).replace(payoff=Payoff())
    except NipError:
        return None
