"""What the rules pay a seat for one round of play, if others answer well or badly for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nip_core.language import CHANCE, END, OVER, Act, Specification

# What it is worth that play goes on.
AHEAD = 1.0


@dataclass(frozen=True)
class Stakes:
    """The first repetition of a protocol's first stage, in which some choices are known.

    What others choose is best or worst for the seat: best for those who are paid when it is paid,
    and for its rivals as `caught` says. A seat chooses what is best for itself.
    """

    rules: Specification
    seat: str
    known: Mapping[str, Any]
    caught: bool = False

    def worth(self) -> float:
        """Return what the seat is paid."""
        machine = self.rules.machine
        return self._from(machine.first, machine.blank())

    def _from(self, place: Any, registers: Mapping[str, Any]) -> float:
        acts = self.rules.machine.acts(place, registers)
        return self._chosen(place, registers, acts, {})

    def _chosen(
        self,
        place: Any,
        registers: Mapping[str, Any],
        acts: tuple[Act, ...],
        made: dict[str, Any],
    ) -> float:
        machine = self.rules.machine
        open_ = [(act, name) for act in acts for name, _ in act.choose if name not in made]
        if not open_:
            after = machine.after(place, registers, acts, made)
            paid = float(after.paid.get(self.seat) or 0)
            if after.place is None:
                return paid
            if after.place.stage or after.place.repeat:
                end = {**machine.here(place, after.registers), OVER: True}
                return paid + AHEAD + float(machine.paid([END], end).get(self.seat) or 0)
            return paid + self._from(after.place, after.registers)
        act, name = open_[0]
        options = machine.open_options(act, name, registers, made)
        if self.known.get(name) in options:
            options = (self.known[name],)
        elif act.seat != CHANCE and all(isinstance(each, int) for each in options):
            options = (options[0], options[-1])  # the others are between these
        worth = {o: self._chosen(place, registers, acts, {**made, name: o}) for o in options}
        if act.seat == CHANCE:
            choice, now = self.rules.choice(name), machine.here(place, {**registers, **made})
            chances = machine.chances(choice, options, now)
            return sum(
                float(chance) * each for chance, each in zip(chances, worth.values(), strict=True)
            )
        if not self.caught or not self._rivals(act.seat):
            return max(worth.values())
        # Nobody can be caught more often than a limit allows.
        scarce = {o: most for choice, o, most in self.rules.option_limits if choice == name}
        usual = min((each for o, each in worth.items() if o not in scarce), default=AHEAD)
        share = min(1.0, sum(scarce.values()) / dict(self.rules.settings).get("steps", 1))
        return share * min(worth.values()) + (1 - share) * usual

    def _rivals(self, other: str) -> bool:
        """Return whether some pay of the seat is at the cost of another one."""
        pays = (dict(pay.to) for pay in self.rules.pay)
        return any(pay.get(self.seat, 0) * pay.get(other, 0) < 0 for pay in pays)
