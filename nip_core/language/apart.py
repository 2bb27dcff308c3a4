"""Acts with ``apart``: the questions in which a model is asked for what they hold, one by one.

For rules, values and people, such an act is like any other. Only who asks a model reads this.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from nip_core.language.data import Act
from nip_core.language.families import Family

__all__ = ["questions_of"]


def questions_of(act: Act, families: Iterable[Family]) -> tuple[Act, ...]:
    """Return the parts of an act that are asked for by themselves; the act, if it is not apart.

    The items of one number go together, such as the second draft and the second score. What belongs
    to no family is a question of its own, and so is what a seat of a family has for itself.
    """
    if not act.apart:
        return (act,)
    families = [*families]
    seats = {family.name: family.members for family in families if family.section == "seats"}
    numbers: dict[str, int] = {}
    for family in families:
        if family.section in ("channels", "choices") and act.seat not in seats.get(family.each, ()):
            numbers |= {name: number for number, name in enumerate(family.members)}
    groups: dict[str | int, set[str]] = {}
    for name in (*act.say, *(name for name, _ in act.choose)):
        groups.setdefault(numbers.get(name, name), set()).add(name)
    return tuple(
        replace(
            act,
            say=tuple(name for name in act.say if name in group),
            choose=tuple(chosen for chosen in act.choose if chosen[0] in group),
            optional=act.optional and not group.isdisjoint(act.say),
        )
        for group in groups.values()
    )
