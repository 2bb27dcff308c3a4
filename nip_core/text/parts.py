"""The parts of an answer for several channels, each under its header."""

from __future__ import annotations

import re
from collections.abc import Mapping

from nip_core.text.parsing import split_at_headers
from nip_core.text.plain import Place, stripped

__all__ = ["has_part", "placed_parts", "split_parts"]


def split_parts(text: str, headers: Mapping[str, str]) -> dict[str, str]:
    """Cut an answer for several channels at their headers, whatever their markup.

    A header at the beginning of a line may have emphasis or heading marks around it, blanks for
    underscores, and any case. Without such lines the text is cut as by
    :func:`~nip_core.text.parsing.split_at_headers`. Parts are returned without their headers.

    Raises
    ------
    NotAllActiveChannelsInResponseError
        If a header is missing.
    """
    parts = placed_parts(text, headers)
    if parts is None:
        cut = split_at_headers(text, headers)
        return {channel: part[len(headers[channel]) :].strip() for channel, part in cut.items()}
    return {channel: text[slice(*body)] for channel, (_, body) in parts.items()}


def placed_parts(text: str, headers: Mapping[str, str]) -> dict[str, tuple[int, Place]] | None:
    """Return by channel where its header begins and its part is; None if one is missing."""
    starts: dict[str, re.Match[str]] = {}
    for channel, header in headers.items():
        match = _header(header).search(text)
        if match is None:
            return None
        starts[channel] = match
    if not starts:
        return {}
    order = sorted(starts, key=lambda channel: starts[channel].start())
    ends = [*(starts[channel].start() for channel in order[1:]), len(text)]
    return {
        channel: (starts[channel].start(), _body(text, starts[channel].end(), end))
        for channel, end in zip(order, ends, strict=True)
    }


def has_part(text: str, headers: Mapping[str, str]) -> bool:
    """Return whether an answer has a part for any channel."""
    return any(_header(header).search(text) for header in headers.values())


def _header(header: str) -> re.Pattern[str]:
    words = map(re.escape, re.split(r"[\s_]+", header.rstrip(": ")))
    body = r"[ \t_\\]{1,4}".join(words)
    marks = r"[#*_ \t]*"
    return re.compile(
        rf"(?im)^{marks}(?:(?:[-+]|\d{{1,3}}[.)]){marks})?{body}[*_ \t]*[:\uff1a][*_ \t]*"
    )


def _body(text: str, start: int, end: int) -> Place:
    start, end = stripped(text, start, end)
    body = text[start:end].removesuffix("---").rstrip()
    return start, start + len(body)
