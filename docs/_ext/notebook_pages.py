"""The notebooks of `notebooks/` as pages, with the outputs that are saved in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["notebook_page"]


def text_of(value: str | list[str]) -> str:
    """Return a text, which notebooks may keep as a list of lines."""
    return value if isinstance(value, str) else "".join(value)


def notebook_page(path: Path, *, pictures: bool = True) -> str:
    """Return a notebook as Markdown; without `pictures`, outputs are plain text only."""
    lines: list[str] = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = text_of(cell["source"])
        if cell["cell_type"] == "markdown":
            lines += [source, ""]
            continue
        lines += ["```python", source, "```", ""]
        for output in cell.get("outputs", ()):
            lines += shown(output, pictures)
    return "\n".join(lines).rstrip("\n") + "\n"


def shown(output: dict[str, Any], pictures: bool) -> Iterator[str]:
    """Yield the lines of an output."""
    if output["output_type"] == "stream":
        yield from ("```text", text_of(output["text"]).rstrip("\n"), "```", "")
        return
    data = output["data"]
    if pictures and "text/html" in data:
        html = text_of(data["text/html"])
        yield from ("``````{raw} html", f'<div class="nip-output">{html}</div>', "``````", "")
    elif "text/plain" in data:
        yield from ("```text", text_of(data["text/plain"]).rstrip("\n"), "```", "")
