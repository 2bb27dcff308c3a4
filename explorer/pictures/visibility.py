"""Who sees which channel, as shapes."""

from __future__ import annotations

from explorer.figures.palette import Theme, agent_styles
from explorer.figures.style import PAGE
from explorer.pictures import typeface
from explorer.pictures.shapes import Box, Shape, Text
from nip_core.spec import ProtocolSpec

__all__ = ["draw_visibility"]

ROW, HEAD, NAME, GAP = 32, 28, 12, 6


def draw_visibility(spec: ProtocolSpec, theme: Theme) -> tuple[list[Shape], float, float]:
    """A row for each agent, a column for each channel: its letter where it sees the channel."""
    page, looks = PAGE[theme], agent_styles(spec)
    left = 16 + max(typeface.width(look.name, NAME) for look in looks.values())
    titles = [spec.channel_title(name) for name in spec.channel_names]
    names = (typeface.width(title, NAME, bold=True) for title in titles)
    wide = max(64.0, 16 + max(names, default=0.0))
    shapes: list[Shape] = []
    for x, title in enumerate(titles):
        middle = left + (x + 0.5) * wide
        shapes.append(Text(middle, 18, title, page.text, NAME, bold=True, anchor="middle"))
    for y, look in enumerate(looks.values()):
        top = HEAD + y * ROW
        line = top + ROW / 2 + typeface.CAP * NAME
        shapes.append(Text(left - 10, line, look.name, page.text, NAME, anchor="end"))
        for x, channel in enumerate(spec.channel_names):
            sees = spec.can_see(look.agent, channel)
            fill = look.fill(theme) if sees else page.lane
            place = (left + x * wide + GAP / 2, top + GAP / 2, wide - GAP, ROW - GAP)
            shapes.append(Box(*place, fill=fill, radius=4))
            ink = look.ink(theme) if sees else page.quiet
            text = look.label if sees else "–"
            middle = left + (x + 0.5) * wide
            shapes.append(Text(middle, line, text, ink, NAME, bold=sees, anchor="middle"))
    return shapes, left + wide * len(spec.channels), HEAD + ROW * len(looks)
