"""The probabilities that seats state because they are paid by a proper score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nip_core.displays import displayed
from nip_core.language.data import Option
from nip_core.language.structure import Structure
from nip_core.language.syntax import Node, parse

__all__ = ["Stated", "first_option", "stated"]

# The proper scores.
_SCORES = ("quadratic", "log", "spherical")


@displayed
@dataclass(frozen=True, slots=True)
class Stated:
    """The event of a stated probability: that a choice has an option as its value.

    Parameters
    ----------
    about : str
        The choice.
    option : option or number
    """

    about: str
    option: Option


def stated(spec: Structure) -> dict[str, Stated]:
    """Return the choices that are probabilities, in percent, and what each is about.

    A choice is such a probability if its seat is paid by a proper score of it.
    """
    found: dict[str, Stated] = {}
    for pay in spec.pay:
        paid = {seat for seat, _ in pay.to}
        for node in _calls(parse(pay.amount)):
            name, event = node.args[0], node.args[1]
            if name.op != "name" or name.name not in spec.options:
                continue
            if spec.choice(name.name).by in paid and event.op == "=":
                about = _event(event, spec.options)
                if about is not None:
                    found.setdefault(name.name, about)
    return found


def first_option(spec: Structure) -> Option | None:
    """Return the option of the truth that counts as 1: accept if there is one, else the first."""
    options = spec.options.get("truth")
    if options is None:
        return None
    return "accept" if set(options) == {"reject", "accept"} else options[0]


def _calls(node: Node) -> Iterator[Node]:
    if node.op == "call" and node.name in _SCORES and len(node.args) >= 2:
        yield node
    for each in node.args:
        yield from _calls(each)


def _event(node: Node, options: Mapping[str, tuple[Option, ...]]) -> Stated | None:
    for left, right in (node.args, node.args[::-1]):
        if left.op == "name" and left.name in options:
            known = options[left.name]
            option = right.name if right.op == "name" else int(right.number)
            if option in known:
                return Stated(left.name, option)
    return None
