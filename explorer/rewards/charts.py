"""The pictures of what a protocol is worth, from computed results."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from explorer.pictures import Chart, PayChart, PayPanel, draw_promise, seat_styles
from explorer.rewards.chance import ByChance
from explorer.rewards.payoffs import outcome_words
from explorer.rewards.seats import main_seat, seats_in_order
from nip_core.language import Specification
from nip_core.values import verdict_pay

if TYPE_CHECKING:
    from explorer.rewards.commitment import Guarantees

__all__ = ["commitment_chart", "handle_at_first", "pay_chart"]

# More combinations of choices than these are not tried for the words of an axis.
MOST_COMBINED = 2_000
SAFE = 0.9  # the safety that is shown first


def pay_chart(spec: Specification, values: ByChance) -> PayChart:
    """Return the panels of the seats that are paid, the main one first."""
    known = verdict_pay(spec, MOST_COMBINED)
    panels: list[PayPanel] = []
    for seat in seats_in_order(spec):
        own = values.of(seat)
        open_ = {"may_be_open": values.open_chance > 0}
        words = outcome_words(spec, known[seat], **open_) if seat in known else {}
        panels.append(
            PayPanel(
                seat,
                own.values,
                own.chances,
                own.mean,
                None if values.is_exact else (own.low, own.high),
                own.mid_point,
                {float(paid): word for paid, word in words.items()},
            )
        )
    return PayChart(spec, tuple(panels))


def commitment_chart(
    spec: Specification, found: Guarantees, at: float
) -> tuple[Chart, tuple[float, float]]:
    """Return the picture of what can be guaranteed with a point on it, and that point.

    `at` is where the point is: how often the first answer is given although it is false, or how
    safe it is.
    """
    look = seat_styles(spec)[main_seat(spec)]
    who = spec.seat_phrase(main_seat(spec))
    if found.kind == "audits":
        curves = _safe_curves(found)
        now = found.now
        point = _at_height(curves[now], at)
        words = f"{point[1]:.0%} of harm prevented, {point[0]:.0%} of useful work kept."
        title = "How safe, and how useful, against a side that knows the plan"
        axes = ("Useful work that is kept", "Safety: harm that is prevented")
        keys = (f"with {now} audits" if now else "the best plans", "with other budgets of audits")
        return draw_promise(
            title, words, axes, curves, look, now=now, point=point, keys=keys
        ), point
    curve = found.curves[0]
    point = (at, _along(curve.points, at))
    first, other = found.answers[:2]
    if spec.roles.on_statement:
        axes = ("False claims accepted", "True claims accepted")
    else:
        axes = (f"{other} is true: judged {first}", f"{first} is true: judged {first}")
    words = f"{axes[1]}: at least {point[1]:.0%}. {axes[0]}: at most {point[0]:.0%}."
    title = f"What {who} can promise, whatever experts say"
    keys = ("what it can promise" if found.is_exact else "what it can promise at least", "")
    curves = {"": curve.points}
    told: dict[str, Any] = {"now": "", "point": point, "keys": keys, "coin": True}
    return draw_promise(title, words, axes, curves, look, **told), point


def handle_at_first(found: Guarantees) -> float:
    """Return where the point is at first: the safety, or the soundness error of the best rule."""
    if found.kind == "audits":
        return SAFE
    return max(found.curves[0].points, key=lambda point: point[1] - point[0])[0]


def _safe_curves(found: Guarantees) -> dict[str, list[tuple[float, float]]]:
    """Return curves of safety by usefulness, both as shares of the most there is."""
    most = max(useful for curve in found.curves for _, useful in curve.points) or 1.0
    harm = max(harm for curve in found.curves for harm, _ in curve.points) or 1.0
    return {
        curve.name: [
            *((useful / most, 1 - lost / harm) for lost, useful in curve.points),
            # More harm does not make it more useful.
            (max(useful for _, useful in curve.points) / most, 0.0),
        ]
        for curve in sorted(found.curves, key=lambda curve: curve.name)
    }


def _along(points: Sequence[tuple[float, float]], at: float) -> float:
    """Return the height of a curve at a place."""
    for (x, y), (to_x, to_y) in pairwise(points):
        if x <= at <= to_x:
            return to_y if to_x == x else y + (to_y - y) * (at - x) / (to_x - x)
    return points[-1][1]


def _at_height(points: Sequence[tuple[float, float]], height: float) -> tuple[float, float]:
    """Return the point of a falling curve at a height."""
    for (x, y), (to_x, to_y) in pairwise(points):
        if to_y <= height <= y:
            return (x if y == to_y else x + (to_x - x) * (y - height) / (y - to_y), height)
    return points[0]
