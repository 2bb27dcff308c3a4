"""Shared code of plotly figures: colours, layout, bars that do not overlap, files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isclose
from typing import TYPE_CHECKING, Any

from explorer.pictures.tokens import FONTS, PAGE, Theme

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from nip_core.values import Distribution, ExactValues, MidPoint, Sample


def lay_out(figure: Figure, theme: Theme, **layout: Any) -> None:
    """Give a figure the colours, fonts and frame of all our figures."""
    page = PAGE[theme]
    axis = {"showgrid": False, "zeroline": False, "showline": False, "fixedrange": True}
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    figure.update_layout(
        template="none",
        paper_bgcolor=page.paper,
        plot_bgcolor=page.paper,
        font={"family": FONTS["ui"], "size": 13, "color": page.text},
        hoverlabel={"bgcolor": page.paper, "font": {"color": page.text}, "align": "left"},
        showlegend=False,
        dragmode=False,
    )
    figure.update_layout(**layout)


def mixed(colour: str, ground: str, share: float) -> str:
    """Return a mixture of a colour and its background; a share of 1 is the colour itself."""
    channels = (
        round(share * int(colour[i : i + 2], 16) + (1 - share) * int(ground[i : i + 2], 16))
        for i in (1, 3, 5)
    )
    return "#" + "".join(f"{value:02X}" for value in channels)


def plain(text: str) -> str:
    """Escape a text for plotly, which interprets some tags and entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def box(x: float, y: float) -> dict[str, Any]:
    """Return the shape of a cell of a matrix."""
    corners = {"x0": x - 0.47, "x1": x + 0.47, "y0": y - 0.42, "y1": y + 0.42}
    return {"type": "rect", "layer": "below", "line": {"width": 0}, **corners}


def figure_html(figure: Figure) -> bytes:
    """Return a figure as an HTML page that works without a network."""
    return figure.to_html(include_plotlyjs=True, full_html=True).encode("utf-8")


# Shares of the axis: the narrowest and the widest bar of single values, and the margin at each end.
NARROWEST, WIDEST, ROOM = 1 / 300, 0.05, 0.06
# The share of the space between two single values for bars, and of the space beside neighbours.
FILLED, TOUCHING = 0.6, 0.9
# If a common scale leaves a seat a smaller share than this, each seat has its own scale.
LEAST_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar."""

    # The least and the largest reward that it stands for.
    low: float
    high: float
    # Its edges in the figure.
    left: float
    right: float
    chance: float  # the probability of all its rewards

    @property
    def middle(self) -> float:
        """Its middle in the figure."""
        return (self.left + self.right) / 2


def axis_around(places: Iterable[float]) -> tuple[float, float]:
    """Return the ends of an axis for some values, with a margin at each end."""
    found = [*places]
    low, high = min(found), max(found)
    room = room_around(low, high, ROOM)
    return low - room, high + room


def room_around(low: float, high: float, share: float) -> float:
    """Return the margin of a scale: a share of it, or of the value if there is only one.

    Sums of the same value in another order differ in their last digits.
    """
    spread = 0.0 if isclose(low, high, rel_tol=1e-9) else high - low
    return share * spread or abs(low) / 2 or 1.0


MID_POINT, MEAN = "mid-point", "exact mean"


def marks_of(values: ExactValues, points: Mapping[str, MidPoint], seat: str) -> dict[str, float]:
    """Return the places of a seat's mid-point estimate, if it has one, and of its mean."""
    estimate = {MID_POINT: points[seat].estimate} if seat in points else {}
    return {**estimate, MEAN: values.mean(seat)}


def common_axes(
    laws: Mapping[str, Distribution],
    marks: Mapping[str, Mapping[str, float]],
    sample: Sample | None,
    recorded: Mapping[str, Sequence[float]],
) -> dict[str, tuple[float, float]]:
    """Return one scale for all that is drawn of seats, unless one would then be too small."""
    found: dict[str, list[float]] = {}
    for seat, law in laws.items():
        places = *law.values.tolist(), *law.edges.tolist()
        found[seat] = [*places, *marks[seat].values(), *recorded[seat]]
        if sample is not None:
            counted = sample.histogram(seat)
            found[seat] += counted.values[counted.counts > 0].tolist()
    axes = {seat: axis_around(own) for seat, own in found.items()}
    low, high = axis_around(place for own in found.values() for place in own)
    if all(LEAST_SHARE * (high - low) <= end - start for start, end in axes.values()):
        return dict.fromkeys(found, (low, high))
    return axes


def bars_of(law: Distribution, axis: tuple[float, float]) -> list[Bar]:
    """Return the bars of a distribution, without overlaps and none too narrow to be seen.

    Single values that are closer to each other than the narrowest bar share a bar, and so do
    intervals that are narrower. A bar shows the probability of all its rewards.
    """
    least = NARROWEST * (axis[1] - axis[0])
    single = list(zip(law.values.tolist(), law.probabilities.tolist(), strict=True))
    spread = zip(pairwise(law.edges.tolist()), law.masses.tolist(), strict=True)
    return [
        *_single(single, least, WIDEST * (axis[1] - axis[0])),
        *_spread([(low, high, mass) for (low, high), mass in spread], least),
    ]


def _single(pieces: Sequence[tuple[float, float]], least: float, most: float) -> list[Bar]:
    gap = min((after - before for (before, _), (after, _) in pairwise(pieces)), default=most)
    width = min(FILLED * gap, most)
    if width < least:
        width = TOUCHING * least
    if gap >= least:
        return [Bar(v, v, v - width / 2, v + width / 2, chance) for v, chance in pieces]
    # Each bar stands in the middle of an equal part of the axis, as do its rewards on average.
    start, found = pieces[0][0], dict[int, Bar]()
    for value, chance in pieces:
        place = round((value - start) / least)
        middle, last = start + place * least, found.get(place)
        low, before = (value, 0.0) if last is None else (last.low, last.chance)
        found[place] = Bar(low, value, middle - width / 2, middle + width / 2, before + chance)
    return [*found.values()]


def _spread(pieces: Sequence[tuple[float, float, float]], least: float) -> list[Bar]:
    found: list[Bar] = []
    for low, high, chance in pieces:
        last = found[-1] if found else None
        if last and last.right - last.left < least:
            found[-1] = replace(last, high=high, right=high, chance=last.chance + chance)
        else:
            found.append(Bar(low, high, low, high, chance))
    return found


def shares_of(
    bars: Sequence[Bar], rewards: Iterable[tuple[float, float]]
) -> list[tuple[float, float, float]]:
    """Return rewards with their counts, added up by the bars that contain them.

    The result holds the reward, where it is drawn, and the count. Bars are in order; a reward
    outside all of them is drawn by itself.
    """
    from nip_core.values import ROUNDING

    # Summed rewards may differ from the exact ones by rounding.
    slack = ROUNDING * max((abs(end) for bar in bars for end in (bar.low, bar.high)), default=0)
    found: dict[tuple[float, float], float] = {}
    for reward, count in rewards:
        near = [bar for bar in bars if bar.low - slack <= reward <= bar.high + slack]
        best = min(near, key=lambda bar: max(bar.low - reward, reward - bar.high), default=None)
        place = (reward, reward) if best is None else (best.low, best.middle)
        found[place] = found.get(place, 0) + count
    return [(*place, count) for place, count in found.items()]


@dataclass(frozen=True, slots=True)
class FoundShare:
    """The observed share of a bar's rewards, drawn beside their exact probability."""

    at: float  # the reward where it is drawn
    # The share with its 95% interval; the share itself if there is none.
    share: float
    low: float
    high: float


def sampled_shares(seat: str, sample: Sample, bars: Sequence[Bar]) -> list[FoundShare]:
    """Return a sample's shares, with Wilson's intervals if rewards are single values."""
    from nip_core.values import wilson

    found = sample.histogram(seat)
    if len(found.edges):
        # Per interval of the exact picture, so that heights can be compared.
        import numpy as np

        below = np.append(0, np.cumsum(found.counts)) / sample.episodes
        low, high = (
            np.interp([getattr(bar, end) for bar in bars], found.edges, below)
            for end in ("low", "high")
        )
        shares: list[float] = (high - low).tolist()
        middles = [bar.middle for bar in bars]
        return [FoundShare(x, y, y, y) for x, y in zip(middles, shares, strict=True)]
    counted = shares_of(bars, zip(found.values.tolist(), found.counts.tolist(), strict=True))
    return [
        FoundShare(at, count / sample.episodes, *wilson(int(count), sample.episodes))
        for _, at, count in counted
    ]


def recorded_shares(rewards: Sequence[float], bars: Sequence[Bar]) -> list[FoundShare]:
    """Return the share of each reward in recorded episodes."""
    counts = sorted(shares_of(bars, Counter(rewards).items()))
    shares = [(at, count / len(rewards)) for _, at, count in counts]
    return [FoundShare(at, share, share, share) for at, share in shares]
