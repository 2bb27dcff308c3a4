"""The seat whose pay stands for a protocol's worth."""

from __future__ import annotations

from nip_core.language import Specification

__all__ = ["main_seat", "seats_in_order"]


def main_seat(spec: Specification) -> str:
    """Return the seat that decides or, without a verdict, the first that defends against another.

    A seat defends if a rule takes from it what it gives to a seat whose act is the truth, such as
    a harmful step. Seats that are paid nothing have nothing to earn, so others come first.
    """
    paid = {seat for pay in spec.pay for seat, _ in pay.to}
    authors = {choice.by for choice in spec.choices if choice.truth_of}
    defenders = {
        seat
        for pay in spec.pay
        for other, gets in pay.to
        for seat, own in pay.to
        if other in authors and gets * own < 0
    }
    ranked = [
        *spec.roles.deciders,
        *(seat for seat in spec.seat_names if seat in defenders),
        *(seat for seat in spec.seat_names if seat not in authors),
        *spec.seat_names,
    ]
    return next((seat for seat in ranked if seat in paid), ranked[0])


def seats_in_order(spec: Specification) -> list[str]:
    """Return the seats that are paid, the main one first."""
    paid = {seat for pay in spec.pay for seat, _ in pay.to}
    first = main_seat(spec)
    return [first, *(seat for seat in spec.seat_names if seat in paid and seat != first)]
