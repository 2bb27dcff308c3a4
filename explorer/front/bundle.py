"""One text of several ES modules, for hosts that take a component's script as a text.

Of the language of modules, this knows what our files are written in: ``import { a, b as c } from
"./other.js";`` and ``export`` before a function, a class or a constant. Anything else is refused.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path

__all__ = ["BundleError", "module", "script", "style"]

HERE = Path(__file__).parent
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.js";[ \t]*$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
LEFT_OVER = re.compile(r"^\s*(import|export)\b.*$", re.MULTILINE)


class BundleError(Exception):
    """A module is written in a way that cannot be bundled."""


@functools.cache
def script(front: str, folder: Path = HERE) -> str:
    """A front and all that it imports as one text, in which ``mount`` is defined."""
    return "\n".join((*_parts(front, folder, {}, ()), f"const {{ mount }} = {_named(front)};"))


@functools.cache
def module(front: str, folder: Path = HERE) -> str:
    """The same as an ES module that exports ``mount``."""
    return f"{script(front, folder)}\nexport {{ mount }};"


def style(*fronts: str, folder: Path = HERE) -> str:
    """The style sheets of fronts, one after the other."""
    return "\n".join((folder / f"{front}.css").read_text("utf-8") for front in fronts)


def _parts(name: str, folder: Path, done: dict[str, None], above: tuple[str, ...]) -> Iterator[str]:
    """The modules that one needs, and it, each once and after those it needs."""
    if name in above:
        raise BundleError(f"Modules import each other in a circle: {' -> '.join((*above, name))}.")
    if name in done:
        return
    text = (folder / f"{name}.js").read_text("utf-8")
    for found in IMPORT.finditer(text):
        yield from _parts(found[2], folder, done, (*above, name))
    done[name] = None
    exported = [found[1] for found in EXPORT.finditer(text)]
    body = EXPORT.sub("", IMPORT.sub(_taken, text))
    if left := LEFT_OVER.search(body):
        raise BundleError(f"{name}.js: {left[0].strip()!r} is no form that can be bundled.")
    # It travels with every answer to a browser.
    lines = (line.strip() for line in body.splitlines())
    kept = "\n".join(line for line in lines if line and not line.startswith("//"))
    yield f"const {_named(name)} = (() => {{\n{kept}\nreturn {{ {', '.join(exported)} }};\n}})();"


def _taken(found: re.Match[str]) -> str:
    names = ", ".join(
        part.strip().replace(" as ", ": ") for part in found[1].split(",") if part.strip()
    )
    return f"const {{ {names} }} = {_named(found[2])};"


def _named(module_name: str) -> str:
    return f"front_{module_name.replace('-', '_')}"
