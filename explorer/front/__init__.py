"""Fronts: the code that runs in a browser, as ES modules independent of Streamlit and Jupyter.

A front is a file ``NAME.js`` that exports ``mount(root, send)``, which returns an object with
``show(data)`` and ``destroy()``. It puts its elements into ``root``, draws plain data made in
Python, and reports the person's actions by ``send(event, value)``. A file ``NAME.css`` may belong
to it.

Texts are in English. At an address for another language, a bundle has the translations of its own
texts, which `words.js` looks up.

:func:`script` bundles a front with its imports as one text, from which ``explorer/notebook/`` makes
an anywidget. ``explorer/ui/fronts.py`` makes a Streamlit component; Streamlit would send a script
with every answer, so there a front has an :func:`address`. The bundler reads only the module syntax
that our files use: ``import { a, b as c } from "./other.js";`` and ``export`` before a function, a
class or a constant. Anything else is refused.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from explorer.languages import ENGLISH, catalogue_of, known_language, language

__all__ = [
    "AROUND",
    "FOLDER",
    "LETTERS",
    "TEXT",
    "BundleError",
    "address",
    "module",
    "script",
    "style",
    "text_at",
]

HERE = Path(__file__).parent
# The fonts: family, weight and file.
LETTERS = (
    ("Inter", "100 900", "inter"),
    ("Newsreader", "200 800", "newsreader"),
    ("Plex Mono", "400", "plex-mono"),
    ("Plex Mono", "600", "plex-mono-bold"),
)
# For hosts without Streamlit: variables that fronts expect under Streamlit's names, and a table's
# height.
AROUND = """
--st-text-color: var(--nip-text); --st-secondary-background-color: var(--nip-lane);
--st-border-color: var(--nip-border); --st-font: var(--nip-ui); --st-heading-font: var(--nip-book);
--st-code-font: var(--nip-code); --nip-table-height: 620px;
"""
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.js";[ \t]*$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
# Types for `make lint`.
JSDOC = re.compile(r"^[ \t]*/\*\*.*?\*/[ \t]*\n", re.MULTILINE | re.DOTALL)
# A text that is translated: a literal, and perhaps the one for another number than one.
_LITERAL = r'"(?:[^"\\\n]|\\.)*"'
TEXT = re.compile(rf"\b(?:tr\(\s*({_LITERAL})|trn\(\s*({_LITERAL}),\s*({_LITERAL}))")
_SPOKEN = re.compile(r"^const SPOKEN = .*;$", re.MULTILINE)
LEFT_OVER = re.compile(r"^\s*(import\b(?!\()|export\b).*$", re.MULTILINE)


class BundleError(Exception):
    """A module uses syntax that cannot be bundled."""


@functools.cache
def script(front: str, folder: Path = HERE) -> str:
    """Return a front and its imports as one text, in which ``mount`` is defined."""
    return "\n".join((*_parts(front, folder, {}, ()), f"const {{ mount }} = {_named(front)};"))


@functools.cache
def module(front: str, folder: Path = HERE) -> str:
    """Return a front and its imports as an ES module that exports ``mount``."""
    return f"{script(front, folder)}\nexport {{ mount }};"


def style(*fronts: str, folder: Path = HERE) -> str:
    """Return the style sheets of fronts, one after the other."""
    return "\n".join((folder / f"{front}.css").read_text("utf-8") for front in fronts)


def _parts(name: str, folder: Path, done: dict[str, None], above: tuple[str, ...]) -> Iterator[str]:
    """Return a module and all that it needs, each once, after the modules that it needs itself."""
    if name in above:
        raise BundleError(f"Modules import each other in a circle: {' -> '.join((*above, name))}.")
    if name in done:
        return
    text = (folder / f"{name}.js").read_text("utf-8")
    for match in IMPORT.finditer(text):
        yield from _parts(match[2], folder, done, (*above, name))
    done[name] = None
    exported = [match[1] for match in EXPORT.finditer(text)]
    body = EXPORT.sub("", IMPORT.sub(_taken, JSDOC.sub("", text)))
    if left := LEFT_OVER.search(body):
        raise BundleError(f"{name}.js: {left[0].strip()!r} is not a form that can be bundled.")
    # Shortened, since in a notebook it is sent with every view.
    lines = (line.strip() for line in body.splitlines())
    kept = "\n".join(line for line in lines if line and not line.startswith("//"))
    yield f"const {_named(name)} = (() => {{\n{kept}\nreturn {{ {', '.join(exported)} }};\n}})();"


def _taken(match: re.Match[str]) -> str:
    names = ", ".join(
        part.strip().replace(" as ", ": ") for part in match[1].split(",") if part.strip()
    )
    return f"const {{ {names} }} = {_named(match[2])};"


def _named(module_name: str) -> str:
    return f"front_{module_name.replace('-', '_')}"


# -- addresses -----------------------------------------------------------------------------------

FOLDER = "/fronts/"
_NAME = re.compile(r"[a-z_]+(?:\.[a-z_]+){0,15}")
_IN = "--"  # before a language


def address(front: str, *styles: str) -> str:
    """Return the address of a front's module, which exports ``mount`` and its ``style`` as text.

    Fronts and style sheets are named like their files. The address changes with the content and
    the present language, so browsers may cache it for ever. It is the same in all processes of one
    version.
    """
    name = ".".join((front, *styles))
    if _NAME.fullmatch(name) is None:
        raise BundleError(f"{name} is not a name that is served: see `text_at`.")
    spoken = language()
    marked = f"{name}-{_mark(_text(name, spoken))}"
    return f"{FOLDER}{marked if spoken == ENGLISH else marked.replace('-', f'{_IN}{spoken}-')}.js"


def text_at(name: str) -> str | None:
    """Return the module at an address, of which `name` is the last part.

    It may be anything: the result is None if the name or the content does not exist here.
    """
    module, _, mark = name.removesuffix(".js").rpartition("-")
    module, _, code = module.partition(_IN)
    front, *styles = module.split(".")
    spoken = known_language(code) if code else ENGLISH
    there = _NAME.fullmatch(module) is not None and (HERE / f"{front}.js").is_file()
    there = there and all((HERE / f"{style}.css").is_file() for style in styles)
    if not there or spoken is None:
        return None
    text = _text(module, spoken)
    ends = f"{module}{f'{_IN}{code}' if code else ''}-{_mark(text)}.js"
    return text if name == ends and mark else None


@functools.lru_cache(96)
def _text(name: str, spoken: str) -> str:
    front, *styles = name.split(".")
    text = _in_language(module(front), spoken)
    return f"{text}\nexport const style = {json.dumps(style(*styles))};\n"


def _in_language(code: str, spoken: str) -> str:
    """Return a bundle with the translations of its texts; without one, a text stays English."""
    if spoken == ENGLISH:
        return code
    catalogue = catalogue_of(spoken)
    words: dict[str, tuple[str, ...]] = {}
    for found in TEXT.finditer(code):
        text, *many = (json.loads(each) for each in found.groups() if each)
        if forms := catalogue.forms_of(text, *many):
            words[text] = forms
    made = f"words: {json.dumps(words)}, plural: (n) => Number({catalogue.rule})"
    line = f"const SPOKEN = {{ language: {json.dumps(spoken)}, {made} }};"
    return _SPOKEN.sub(lambda _: line, code)


def _mark(text: str) -> str:
    return sha256(text.encode("utf-8")).hexdigest()[:16]
