"""Controls for parameters: which there are, and how each is shown."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import streamlit as st

from explorer.ui.text import alert, escaped
from nip_core.errors import NipError
from nip_core.parameters import HyperParameters, parameter_group
from nip_core.registry import protocol_class, protocol_spec
from nip_core.spec import Payoff, ProtocolSpec

__all__ = [
    "ParameterControl",
    "choose_payoff",
    "choose_schedule",
    "offer_controls",
    "parameter_controls",
    "tell_link",
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
        Of a number.
    choices : tuple, optional
        All its values, if there are only a few.
    phrase : str
        Its name where there is little room.
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
        """Its name with a value: ``"8 rounds"``; a switch has the same name on and off."""
        return self.phrase.format(value) if self.phrase else self.label

    def applied_to(self, parameters: HyperParameters, value: Any) -> HyperParameters:
        """The parameters with another value of this one."""
        return parameters.replace(**{self.group: {self.name: value}})


def parameter_controls(parameters: HyperParameters) -> list[ParameterControl]:
    """The parameters that change the picture of the chosen protocol, as things are.

    So ``prover0_first`` is among them only while provers take turns, and nothing is that the
    protocol does not read.
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
    """Offer each control once, and return the parameters that `offer` returns last.

    A choice may bring up further controls; the parameters named in `without` are not offered.
    """
    offered = set(without)
    while fresh := [each for each in parameter_controls(parameters) if each.name not in offered]:
        offered.add(fresh[0].name)
        parameters = offer(parameters, fresh[0])
    return parameters


def _all_controls(parameters: HyperParameters) -> Iterator[ParameterControl]:
    own = protocol_class(parameters.interaction_protocol, parameters.scenario).parameter_group
    for group in ("protocol_common", own) if own else ("protocol_common",):
        for field in dataclasses.fields(parameter_group(group)):
            value = getattr(getattr(parameters, group), field.name)
            if not isinstance(value, float):
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
    """All that is drawn of a protocol; None for parameters that it does not take."""
    try:
        return protocol_spec(parameters).replace(payoff=Payoff())
    except NipError:
        return None


MOST_ROUNDS = 100


def choose_schedule(
    parameters: HyperParameters,
    prefix: str,
    *,
    without: Iterable[str] = (),
    most_rounds: int = MOST_ROUNDS,
) -> HyperParameters:
    """Let a person choose the parameters that change who speaks when.

    The keys of the controls begin with `prefix`; :func:`tell_link` is for links that ask for more
    rounds than can be chosen here.
    """

    def offer(parameters: HyperParameters, control: ParameterControl) -> HyperParameters:
        key = f"{prefix}-{parameters.interaction_protocol}-{control.name}"
        label, text = escaped(control.label), escaped(control.help)
        if isinstance(control.value, bool):
            value = st.toggle(label, control.value, help=text, key=key)
        elif isinstance(control.value, int):
            high = min(most_rounds, control.high or most_rounds)
            now = min(control.value, high)
            value = int(
                st.number_input(label, control.low, high, now, help=text, key=key, width=240)
            )
        else:
            return parameters
        try:
            changed = control.applied_to(parameters, value)
            protocol_spec(changed)
        except NipError as error:
            alert("warning", str(error))
            return parameters
        return changed

    return offer_controls(parameters, offer, without=without)


def tell_link(
    asked: HyperParameters, refused: Iterable[str], most_rounds: int = MOST_ROUNDS
) -> HyperParameters:
    """Say what of a link is left out or cut, and return the parameters that are left.

    Parameters
    ----------
    asked : HyperParameters
        What the link asks for.
    refused : iterable of str
        The keys of the link that could not be used.
    most_rounds : int
        A link may ask for more, and gets these.
    """
    said: list[str] = []
    if left_out := ", ".join(refused):
        said.append(f"Part of the link could not be used and was left out: {left_out}.")
    for group in asked.to_dict():
        for name in ("max_message_rounds", "min_message_rounds"):
            value: object = getattr(getattr(asked, group), name, None)
            if isinstance(value, int) and value > most_rounds:
                asked = asked.replace(**{group: {name: most_rounds}})
                said.append(
                    f"{group}.{name} was cut from {value:,} to {most_rounds:,}, the most that this "
                    "page takes."
                )
    if said:
        alert("info", " ".join(said))
    return asked


def choose_payoff(parameters: HyperParameters, prefix: str) -> HyperParameters:
    """Let a person choose all parameters of the payoff."""
    groups = ["protocol_common"]
    if parameters.protocol_common.zero_knowledge:
        groups.append("zk_protocol")
    for group in groups:
        now = getattr(parameters, group)
        changes: dict[str, object] = {}
        for field in dataclasses.fields(now):
            value, text = getattr(now, field.name), escaped(field.metadata["help"])
            label = escaped(field.name.replace("_", " ").capitalize())
            key = f"{prefix}-{field.name}"
            if isinstance(value, float):
                changes[field.name] = st.number_input(
                    label, value=value, step=0.25, format="%.4g", help=text, key=key, width=240
                )
            elif field.name == "shared_reward":
                changes[field.name] = st.toggle(label, value, help=text, key=key)
            elif field.name == "force_guess":
                choices = field.metadata["choices"]
                changes[field.name] = st.selectbox(
                    label,
                    choices,
                    index=choices.index(value),
                    format_func=lambda choice: choice or "no",
                    help=text,
                    key=key,
                    width=240,
                )
        try:
            parameters = parameters.replace(**{group: changes})
        except NipError as error:
            alert("warning", str(error))
    return parameters
