"""Fronts at addresses of their own, for hosts that would send a script with every answer.

An address says what is there and begins anew with every change of it, so that browsers may keep it
for good, and every process of one version answers to the same.
"""

from __future__ import annotations

import functools
import json
import re
from hashlib import sha256

from explorer.front.bundle import HERE, module, style

__all__ = ["FOLDER", "address", "text_at"]

FOLDER = "/fronts/"
_NAME = re.compile(r"[a-z_]+(?:\.[a-z_]+){0,8}")


def address(front: str, *styles: str) -> str:
    """Where a front's module is, which exports ``mount`` and, as a text, its ``style``.

    Parameters
    ----------
    front : str
        The name of its file, without ``.js``.
    *styles : str
        The names of its style sheets, without ``.css``.
    """
    name = ".".join((front, *styles))
    return f"{FOLDER}{name}-{_mark(_text(name))}.js"


def text_at(name: str) -> str | None:
    """The module that is there; None if there is none of this name and with this content.

    Parameters
    ----------
    name : str
        The last part of an address; it may be anything.
    """
    module, _, mark = name.removesuffix(".js").rpartition("-")
    front, *styles = module.split(".")
    there = _NAME.fullmatch(module) is not None and (HERE / f"{front}.js").is_file()
    if not there or not all((HERE / f"{each}.css").is_file() for each in styles):
        return None
    text = _text(module)
    return text if name == f"{module}-{_mark(text)}.js" and mark else None


@functools.lru_cache(32)
def _text(name: str) -> str:
    front, *styles = name.split(".")
    return f"{module(front)}\nexport const style = {json.dumps(style(*styles))};\n"


def _mark(text: str) -> str:
    return sha256(text.encode("utf-8")).hexdigest()[:16]
