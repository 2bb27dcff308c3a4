"""The parameters that a person may choose for a protocol, as data for any screen's controls."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from nip_core.errors import NipError
from nip_core.parameters import HyperParameters, parameter_group
from nip_core.registry import protocol_class, protocol_spec
from nip_core.spec import Payoff, ProtocolSpec

__all__ = [
    "ParameterControl",
    "cut_rounds",
    "offer_controls",
    "parameter_controls",
    "payoff_controls",
]


@dataclass(frozen=True, slots=True)
class ParameterControl:
    """A parameter that a person may choose.

    Parameters
    ----------
    group, name : str
    value : bool, int or str
    help : str
    low, high : int, optional
        The limits of a number.
    choices : tuple, optional
        All its values, if there are only a few.
    phrase : str
        A short name, for where there is little room.
    """

    group: str
    name: str
    value: Any
    help: str
    low: int | None
    high: int | None
    choices: tuple[Any, ...] | None
    phrase: str = ""

    @property
    def label(self) -> str:
        """Its name for people."""
        return self.name.replace("_", " ").capitalize()

    def with_value(self, value: Any) -> str:
        """Return its name with a value: ``"8 rounds"``; a switch has the same name on and off."""
        return self.phrase.format(value) if self.phrase else self.label

    def applied_to(self, parameters: HyperParameters, value: Any) -> HyperParameters:
        """Return the parameters with another value of this one."""
        return parameters.replace(**{self.group: {self.name: value}})


def parameter_controls(parameters: HyperParameters) -> list[ParameterControl]:
    """Return the parameters that change the picture of the chosen protocol at present.

    For example, ``prover0_first`` is among them only while provers take turns. Parameters that the
    protocol does not use are left out.
    """
    now = _picture(parameters)
    found: list[ParameterControl] = []
    for control in _all_controls(parameters):
        for value in _other_values(control):
            if _picture(control.applied_to(parameters, value)) not in (None, now):
                found.append(control)
                break
    return found


def offer_controls(
    parameters: HyperParameters,
    offer: Callable[[HyperParameters, ParameterControl], HyperParameters],
    *,
    without: Iterable[str] = (),
) -> HyperParameters:
    """Offer each control once; return the parameters that `offer` returned last.

    A choice may lead to further controls; the parameters named in `without` are not offered.
    """
    offered = set(without)
    while fresh := [each for each in parameter_controls(parameters) if each.name not in offered]:
        offered.add(fresh[0].name)
        parameters = offer(parameters, fresh[0])
    return parameters


# The parameters of the payoff that are no numbers.
_OF_PAYOFF = ("shared_reward", "force_guess")


def payoff_controls(parameters: HyperParameters) -> list[ParameterControl]:
    """Return all parameters of the payoff."""
    groups = ["protocol_common"]
    if parameters.protocol_common.zero_knowledge:
        groups.append("zk_protocol")
    every = (control for group in groups for control in _controls_of(parameters, group))
    return [each for each in every if isinstance(each.value, float) or each.name in _OF_PAYOFF]


def _all_controls(parameters: HyperParameters) -> Iterator[ParameterControl]:
    own = protocol_class(parameters.interaction_protocol, parameters.scenario).parameter_group
    for group in filter(None, ("protocol_common", own)):
        for control in _controls_of(parameters, group):
            if not isinstance(control.value, float):
                yield control


def _controls_of(parameters: HyperParameters, group: str) -> Iterator[ParameterControl]:
    for field in dataclasses.fields(parameter_group(group)):
        value = getattr(getattr(parameters, group), field.name)
        yield ParameterControl(group, field.name, value, **field.metadata)


def _other_values(control: ParameterControl) -> list[Any]:
    if control.choices is not None:
        return [choice for choice in control.choices if choice != control.value]
    if isinstance(control.value, bool):
        return [not control.value]
    return [
        value
        for value in (control.value + 1, control.value - 1)
        if (control.low is None or value >= control.low)
        and (control.high is None or value <= control.high)
    ]


def _picture(parameters: HyperParameters) -> ProtocolSpec | None:
    """Return what is drawn of a protocol; None for invalid parameters."""
    try:
        return protocol_spec(parameters).replace(payoff=Payoff())
    except NipError:
        return None


def cut_rounds(parameters: HyperParameters, most: int) -> tuple[HyperParameters, list[str]]:
    """Return parameters with at most `most` rounds, and sentences that say what was cut."""
    said: list[str] = []
    for group in parameters.to_dict():
        for name in ("max_message_rounds", "min_message_rounds"):
            value: object = getattr(getattr(parameters, group), name, None)
            if isinstance(value, int) and value > most:
                parameters = parameters.replace(**{group: {name: most}})
                said.append(
                    f"{group}.{name} was cut from {value:,} to {most:,}, the most that this page "
                    "takes."
                )
    return parameters, said
