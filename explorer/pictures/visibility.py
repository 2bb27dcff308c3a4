"""Who sees which channel, as a drawing."""

from __future__ import annotations

from typing import Any

from explorer.figures.palette import agent_styles
from explorer.pictures import typeface
from explorer.pictures.drawing import Drawing, page_colours
from explorer.pictures.seats import BADGE, NAME, head, middle, seat_colours
from explorer.pictures.shapes import Box, Shape, Text, Use
from nip_core.spec import ProtocolSpec

__all__ = ["draw_visibility"]

ROW, HEAD, GAP, WIDEST = 32, 28, 6, 200


def draw_visibility(spec: ProtocolSpec) -> Drawing:
    """A row for each seat, a column for each channel: its badge where it sees the channel."""
    looks = agent_styles(spec)
    titles = [spec.channel_title(name) for name in spec.channel_names]
    names = max(typeface.width(look.name, NAME) for look in looks.values())
    symbols: dict[str, tuple[Shape, ...]] = {}
    shapes: list[Shape] = []
    for x, title in enumerate(titles):
        style: dict[str, Any] = {"bold": True, "anchor": "middle", "column": x + 0.5, "room": -8}
        shapes.append(Text(0, 18, title, "text", NAME, **style))
    for y, look in enumerate(looks.values()):
        top = HEAD + y * ROW
        symbols[look.label] = head(look, ROW, name=look.name)
        shapes.append(Use(look.label, top))
        line = middle(top + ROW / 2, NAME)
        for x, channel in enumerate(spec.channel_names):
            sees = spec.can_see(look.agent, channel)
            place = (GAP / 2, top + GAP / 2, -GAP, ROW - GAP)
            fill = look.label if sees else "lane"
            shapes.append(Box(*place, fill, radius=4, column=x, span=1))
            ink = f"on {look.label}" if sees else "quiet"
            text = "reads" if sees else "–"
            style = {"bold": sees, "anchor": "middle", "column": x + 0.5}
            shapes.append(Text(0, line, text, ink, NAME, **style))
    return Drawing(
        shapes=tuple(shapes),
        left=BADGE + 22 + names,
        slim=BADGE + 8,
        columns=len(titles),
        least=max(64.0, *(16 + typeface.width(title, NAME, bold=True) for title in titles)),
        most=WIDEST,
        height=HEAD + ROW * len(looks),
        colours=page_colours() | seat_colours(looks.values()),
        symbols=symbols,
    )
