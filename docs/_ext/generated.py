"""Pages that are made from the library: protocols, the Python API, commands, formats, variables.

Each function yields the place of a page below `docs/` and its Markdown.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from docs._ext.references import definition_of
from docs._ext.tables import table
from explorer.choice import ProtocolChoice
from explorer.gallery import gallery_names
from explorer.pictures import Folding, who_knows_what
from explorer.rewards import kept_lines
from explorer.studies import baseline_figures, estimate_parts, judge_title
from nip_core.language import formatted
from nip_core.values import CARD_LINES

__all__ = ["api_pages", "protocol_pages"]

# Where "Play" and the other links of a protocol's page lead: a running app, or, if it ends with
# `.html`, a static site.
APP = os.environ.get("NIP_DOCS_APP", "http://localhost:8501/")
SIGNS = {"during": "during play", "after": "after the end", "never": "never"}
# The boundary between two sentences.
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")


def in_app(page: str, query: Mapping[str, str]) -> str:
    """Return the address of a page of the app."""
    return f"{APP}{'#' if APP.endswith('.html') else ''}{page}?{urlencode(query)}"


# -- protocols -------------------------------------------------------------------------------------


def protocol_pages() -> Iterator[tuple[str, str]]:
    """Yield the gallery, and a page for each of its protocols."""
    names = gallery_names()
    yield (
        "protocols/index.md",
        "\n".join(
            [
                "# Protocols",
                "",
                f"The {len(names)} protocols that come with the library. Each picture shows who "
                "speaks in which turn; each page has the protocol's grid, source, file and what it "
                "is worth.",
                "",
                "```{protocol-gallery}",
                "```",
                "",
                *_contents(names),
            ]
        ),
    )
    for name in names:
        yield f"protocols/{name}.md", "\n".join(protocol_page(name)) + "\n"


def _contents(names: Iterable[str]) -> list[str]:
    """Return the lines that put pages below this one."""
    return ["```{toctree}", ":hidden:", "", *names, "```", ""]


def protocol_page(name: str) -> Iterator[str]:
    """Yield the lines of a protocol's page."""
    choice = ProtocolChoice.of(name)
    spec = choice.rules
    query = choice.to_query()
    yield from (f"# {choice.title}", "", choice.about, "")
    yield from (f"```{{schedule}} {name}", "```", "")
    links = {
        "Play": in_app("play", query),
        "Change": in_app("draw", query),
        "Compare": in_app("protocols", query | {"compare": "true"}),
        "Study": in_app("studies", {"view": "new", "protocol": name}),
        "What a seat is worth": in_app("rewards", query),
    }
    yield " · ".join(f"[{text}]({address})" for text, address in links.items())
    yield from ("", "(These links open a running app: [install it](../start/install.md).)", "")
    seats = [spec.seat_name(seat) for seat in Folding(spec).seats]
    rows = [
        [row.title, *(SIGNS[row.known[seat]] for seat in Folding(spec).seats)]
        for row in who_knows_what(spec)
    ]
    yield from ("## Who knows what", "", *table(["", *seats], rows), "")
    yield from ("## What it is worth", "", *worth(name, spec), "")
    yield from measured(name)
    if spec.source:
        yield from ("## Source", "", f"{spec.source}.", "")
    if spec.simplified:
        yield from ("## What is simplified", "")
        yield from (f"- {text}" for text in SENTENCE.split(spec.simplified))
        yield ""
    text = formatted(json.dumps(spec.to_dict()))
    yield from ("## Its file", "", f"`nip-explorer protocol check {name}.toml` reads it back.", "")
    yield from ("```toml", text.strip(), "```", "")
    yield from ("## In Python", "", "```python", "from nip_core import specification", "")
    yield from (f'spec = specification("{name}")', "spec.lint()", "```")


def worth(name: str, spec: Any) -> Iterator[str]:
    """Yield the card that is kept with the library."""
    lines = kept_lines(spec)
    if lines is None:
        yield (
            "The card of this protocol takes longer than the others and is not kept with the "
            f"library: `nip-explorer protocol worth {name}` computes it."
        )
        return
    rows = []
    for key, (title, sentence) in CARD_LINES.items():
        told = "; ".join(f"{what} **{number}**".strip() for what, number in lines.get(key, ()))
        rows.append([title, told, sentence])
    yield from table(["", "", "what this is"], rows)
    yield from ("", "[What a protocol is worth](../concepts/worth.md) explains the card.")


def measured(name: str) -> Iterator[str]:
    """Yield how often scripted judges were right in the baseline."""
    figures = [
        (figure.verifier, figure.accuracy)
        for figure in baseline_figures()
        if figure.protocol == name and figure.accuracy.value is not None
    ]
    if not figures:
        return
    games = figures[0][1].count
    rows = []
    for judge, accuracy in figures:
        number, interval = estimate_parts("accuracy", accuracy)
        rows.append([judge_title(judge), number, " to ".join(interval or ())])
    yield from (
        "## Measured play",
        "",
        f"How often scripted judges were right, in {games:,} games each against the hardest "
        "scripted experts ([the baseline](../design/baseline.md)).",
        "",
        *table(["judge", "right verdicts", "95% interval"], rows),
        "",
    )


# -- the Python API --------------------------------------------------------------------------------

# The modules that have a page; the names and signatures of the first ones are promised.
PROMISED = (
    *("nip_core", "nip_core.language", "nip_core.values", "nip_core.transcript"),
    *("explorer.notebook", "explorer.studies"),
)
OTHERS = (
    *("nip_core.spec", "nip_core.editing", "nip_core.tasks", "nip_core.batches"),
    *("nip_core.play", "nip_core.errors", "explorer.studies.statistics", "explorer.pictures"),
)


def api_pages() -> Iterator[tuple[str, str]]:
    """Yield the list of public modules, and a page for each."""
    yield (
        "reference/api/index.md",
        "\n".join(
            [
                "# Python API",
                "",
                "Names and signatures of these modules are promised: they change only with notice.",
                "",
                *table(["module", "what it has"], [*map(in_index, PROMISED)]),
                "",
                "These are used in the how-tos, too. They may change with any version.",
                "",
                *table(["module", "what it has"], [*map(in_index, OTHERS)]),
                "",
                *_contents([*PROMISED, *OTHERS]),
            ]
        ),
    )
    for module in (*PROMISED, *OTHERS):
        yield f"reference/api/{module}.md", "\n".join(api_page(module)) + "\n"


def in_index(module: str) -> list[str]:
    """Return a module's row in the list."""
    about = inspect.getdoc(importlib.import_module(module)) or ""
    return [f"[{module}]({module}.md)", in_markdown(about.partition("\n\n")[0])]


def in_markdown(text: str) -> str:
    """Return a docstring's text as Markdown: roles, double backticks and tags become code."""
    text = re.sub(r":\w+:`~?([^`]*)`", r"``\1``", " ".join(text.split()))
    return re.sub(r"(?<!`)(</?\w+>)", r"`\1`", text.replace("``", "`"))


@functools.cache
def pages_of_names() -> dict[str, str]:
    """Return the name under which each object is documented, by where it is defined."""
    names: dict[str, str] = {}
    for module in (*PROMISED, *OTHERS):
        for name, _ in names_of(module):
            full = f"{module}.{name}"
            names.setdefault(definition_of(full), full)
    return names


def names_of(module: str) -> list[tuple[str, Any]]:
    """Return the public names of a module, but for other modules."""
    found = importlib.import_module(module)
    named = [(name, getattr(found, name)) for name in sorted(found.__all__, key=str.lower)]
    return [(n, value) for n, value in named if not inspect.ismodule(value) and n[0] != "_"]


def api_page(module: str) -> Iterator[str]:
    """Yield the lines of a module's page. What another page has is only linked."""
    about = inspect.getdoc(importlib.import_module(module)) or ""
    yield from (f"# {module}", "", "```{eval-rst}", f".. py:module:: {module}", "", about, "")
    also: list[str] = []
    for name, value in names_of(module):
        full = f"{module}.{name}"
        page = pages_of_names()[definition_of(full)]
        if page != full:
            also.append(f":py:obj:`{name} <{page}>`")
        elif inspect.isclass(value):
            kind = "exception" if issubclass(value, BaseException) else "class"
            yield from (f".. auto{kind}:: {full}", "   :members:", "   :show-inheritance:", "")
        elif callable(value):
            yield from (f".. autofunction:: {full}", "")
        else:
            yield from (f".. py:data:: {full}", f"   :type: {type(value).__name__}", "")
    if also:
        yield f"Also here, and described elsewhere: {', '.join(also)}."
    yield "```"
