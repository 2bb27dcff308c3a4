"""The grid drawn small, without a word: for cards, the head of a table, and long schedules."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from explorer.figures.lanes import Lane, lanes
from explorer.figures.palette import agent_styles
from explorer.pictures.drawing import Drawing, page_colours
from explorer.pictures.seats import seat_colours
from explorer.pictures.shapes import Box, Row, Shape
from nip_core.registry import AnyProtocol, protocol_spec

__all__ = ["miniature"]

TOP, BAR, STEP, GAP = 3.0, 5, 7, 4


def miniature(
    spec: AnyProtocol,
    seed: int | None = None,
    *,
    rounds: int | None = None,
    own: Sequence[Lane] | None = None,
) -> Drawing:
    """A grid as bars: one lane below the other, channels a little apart.

    Parameters
    ----------
    spec : ProtocolSpec, or anything else that :func:`nip_core.protocol` takes
    seed : int, optional
        Of the episode; without one, all seeds are equally likely.
    rounds : int, optional
        How many rounds are drawn, from the first; all without it.
    own : sequence of Lane, optional
        The lanes, if they are known already.
    """
    spec = protocol_spec(spec)
    looks = agent_styles(spec)
    count = min(spec.max_message_rounds, rounds or spec.max_message_rounds)
    shapes: list[Shape] = []
    codes: dict[tuple[str, bool], str] = {}
    symbols: dict[str, tuple[Shape, ...]] = {}

    def code_of(fill: str, sure: bool) -> str:
        if (fill, sure) not in codes:
            codes[fill, sure] = chr(ord("a") + len(codes))
            colour = fill if sure else f"thin {fill}"
            # A bar that only chance brings has an edge, and looks like one when it is tiny, too.
            symbols[codes[fill, sure]] = (
                Box(0.75, 0, -1.5, BAR, colour, None if sure else fill, 2, 1, span=1),
            )
        return codes[fill, sure]

    y = TOP
    for channel, group in groupby(own or lanes(spec, seed), key=lambda lane: lane.channel):
        seen = [lane for lane in group if channel and not lane.is_blind]
        for lane in seen:
            look = looks[lane.agent].label
            chances = lane.chances[:count]
            row = (code_of(look if chance else "lane", chance in (0, 1)) for chance in chances)
            shapes.append(Row(y, STEP, "".join(row)))
            y += STEP
        y += GAP if seen else 0
    bottom = y - GAP
    return Drawing(
        shapes=tuple(shapes),
        left=0,
        slim=0,
        columns=count,
        least=0.5,
        most=40,
        height=bottom,
        colours=page_colours() | seat_colours(looks.values()),
        symbols=symbols,
        bands=((TOP, bottom - TOP - (STEP - BAR)),),
    )
