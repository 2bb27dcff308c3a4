"""How objects are shown at the end of a cell: as a line, and as a table if they have one.

A line is short plain text, also for objects from untrusted files. A table is available as a data
frame and as HTML in which every text is escaped. Fields that must not be shown by accident (a
label, an explanation) are marked ``field(repr=False)``.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar, cast

from nip_core.errors import show

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Framed",
    "Table",
    "Tabular",
    "between",
    "brief",
    "capitalized",
    "displayed",
    "in_sentence",
    "join_names",
    "line",
    "name_in_words",
    "picture_html",
    "text_html",
    "with_article",
    "without_article",
]

# The most characters of a line, of a value in it, and of a cell; the most rows shown of a table.
MOST_OF_LINE = 120
MOST_OF_VALUE = 48
MOST_OF_CELL = 2_000
MOST_ROWS = 40
# The most items that are named in a list.
MOST_NAMED = 4
# Notebooks typeset formulas in all text, except in elements of these classes.
PLAIN = "mathjax_ignore tex2jax_ignore"

# A picture adapts to a dark background: that of the browser or of the notebook, which JupyterLab,
# VS Code, Colab and marimo mark in different ways.
PICTURE = "nip-picture"
_DARK = ("[data-jp-theme-light=false]", ".vscode-dark", "html[theme=dark]", ".dark")
_LIGHT = ("[data-jp-theme-light=true]", ".vscode-light", "html[theme=light]", ".light")
_FOLLOWS = "".join(
    (
        "<style>",
        *(
            f"{','.join(f'{host} .{PICTURE}' for host in hosts)}{{color-scheme:{scheme}}}"
            for scheme, hosts in (("dark", _DARK), ("light", _LIGHT))
        ),
        "</style>",
    )
)

_T = TypeVar("_T")


def brief(value: object, limit: int = MOST_OF_VALUE) -> str:
    """Return a short text for a value."""
    shape = getattr(value, "shape", None)
    if shape is not None:
        text = f"array{tuple(shape)}" if shape else f"{value}"
    elif isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        text = _listed(
            "{}", [f"{brief(key, 20)}: {brief(item, 24)}" for key, item in _first(items)]
        )
    elif isinstance(value, tuple | list | Set):
        items = cast("Sequence[object]", value)
        text = _listed("()", [brief(item, 24) for item in _first(items)])
        if len(items) > MOST_NAMED:
            text = f"{len(items):,} items"
    elif isinstance(value, str | bytes | int):
        return show(value, limit)
    elif isinstance(value, float):
        text = min(repr(value), f"{value:.4g}", key=len)
    else:
        text = repr(value)
    return _cut(text, limit)


def _first(items: Any) -> list[Any]:
    return [item for _, item in zip(range(MOST_NAMED), items, strict=False)]


def _listed(brackets: str, parts: list[str]) -> str:
    return f"{brackets[0]}{', '.join(parts)}{brackets[1]}"


def _cut(text: str, limit: int) -> str:
    """Return a text as one line of limited length."""
    text = "".join(c if c.isprintable() else " " for c in text[: 2 * limit])
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def line(thing: object, *facts: str) -> str:
    """Return a line about an object: its class, and some facts in words."""
    return _cut(f"{type(thing).__name__}({', '.join(facts)}", MOST_OF_LINE - 1) + ")"


def between(low: Fraction | None, high: Fraction | None) -> str:
    """Return two bounds in words; empty if there are none."""
    if low is None or high is None:
        return ""
    return f"{float(low):.4g}" if low == high else f"{float(low):.4g} to {float(high):.4g}"


def displayed(cls: type[_T]) -> type[_T]:
    """Give a data class a line of the fields that differ from defaults, and a table of all."""

    def said(self: Any) -> str:
        facts = _facts(self)
        return line(
            self,
            *(
                f"{field.name}={brief(value)}"
                for field, value in facts
                if not _is_default(field, value)
            ),
        )

    def shown(self: Any) -> str:
        rows = [
            (field.name, value if isinstance(value, str) else brief(value, MOST_OF_CELL))
            for field, value in _facts(self)
        ]
        return Table(("field", "value"), rows).html(type(self).__name__)

    cls.__repr__ = said
    if not (hasattr(cls, "_repr_html_") or hasattr(cls, "_repr_mimebundle_")):
        cast("Any", cls)._repr_html_ = shown
    return cls


def _facts(thing: Any) -> list[tuple[dataclasses.Field[Any], Any]]:
    """Return a data class's fields to show, also of an object that was not fully initialised."""
    return [
        (field, value)
        for field in dataclasses.fields(thing)
        if field.repr
        and (value := getattr(thing, field.name, dataclasses.MISSING)) is not dataclasses.MISSING
    ]


def _is_default(field: dataclasses.Field[Any], value: object) -> bool:
    if field.default_factory is not dataclasses.MISSING:
        return value == field.default_factory()
    default = field.default
    return type(value) is type(default) and bool(value == default)


def with_minus(text: str) -> str:
    """Return a number's text with a minus sign as it is printed, in place of the hyphen."""
    return text.replace("-", "−")


def join_names(names: Iterable[str], word: str = "and") -> str:
    """Return names joined for a sentence: ``a``, ``a and b``, ``a, b and c``."""
    *most, last = names
    return f"{', '.join(most)} {word} {last}" if most else last


# Of more names with successive numbers, only the first and the last are listed.
MOST_LISTED = 3


def listed(names: Iterable[str], word: str = "and") -> str:
    """Return names joined for a sentence, long runs as one: ``the judge and jurors 1 to 5``."""
    runs: list[list[str]] = []
    for name in names:
        if runs and _is_next(runs[-1][-1], name):
            runs[-1].append(name)
        else:
            runs.append([name])
    shown = ([_run(run)] if len(run) > MOST_LISTED else run for run in runs)
    return join_names((name for run in shown for name in run), word)


def _is_next(one: str, other: str) -> bool:
    """Return whether two names differ in their numbers only, which are successive."""
    (stem, _, first), (same, _, second) = one.rpartition(" "), other.rpartition(" ")
    numbers = first.isdecimal() and second.isdecimal() and len(second) < 5
    return stem == same and numbers and int(second) == int(first) + 1


def _run(names: Sequence[str]) -> str:
    (stem, _, first), (_, _, last) = names[0].rpartition(" "), names[-1].rpartition(" ")
    return f"{plural(stem)} {first} to {last}".strip()


def plural(noun: str) -> str:
    """Return the plural of a noun, or of a few words that end in one: ``"weak copies"``."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}{'es' if noun.endswith(('s', 'x', 'ch', 'sh')) else 's'}" if noun else ""


def name_in_words(name: str) -> str:
    """Return a name from a program or a file in words: ``"weak score"``, ``"vote 1"``."""
    words = re.sub(r"(?<=[a-z]{2})(?=[0-9]+(?:_|$))", " ", name).replace("_", " ").split()
    return " ".join(words) or name


def capitalized(text: str) -> str:
    """Return a text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


# Names of people that protocols are explained with: "Alice argues", not "the alice argues".
PEOPLE = (
    *("alice", "ann", "anna", "arthur", "ben", "bob", "carol", "charlie", "dave", "eve"),
    *("mallory", "merlin", "peggy", "trent", "victor", "walter"),
)


def in_sentence(title: str) -> str:
    """Return a title with a small letter, unless it is a name or an acronym: ``"AI judge"``."""
    first = title.partition(" ")[0]
    named = first.lower() in PEOPLE
    return title[:1].lower() + title[1:] if first[1:].islower() and not named else title


def with_article(title: str) -> str:
    """Return somebody's title within a sentence: ``"the judge"``, ``"juror 2"``, ``"Alice"``.

    Numbered titles, names of people and titles in another script need no article.
    """
    title = without_article(title)
    last = title.split()[-1]
    alone = len(last) == 1 or last.isdecimal() or title.partition(" ")[0].lower() in PEOPLE
    latin = unicodedata.name(title[0], "").startswith("LATIN")
    return in_sentence(title) if alone or not latin else f"the {in_sentence(title)}"


def without_article(title: str) -> str:
    """Return a title without the article that it may begin with: ``"host"`` of ``"The host"``."""
    first, _, rest = title.partition(" ")
    return rest if rest and first.lower() in ("the", "a", "an") else title


def text_html(text: str, tag: str = "div") -> str:
    """Return a text as escaped HTML with its line breaks."""
    style = "white-space:pre-wrap;text-align:left;margin:4px 0"
    # Some pages that show notebooks ignore white space in programs.
    style += ";font-family:monospace" if tag == "pre" else ""
    return f'<{tag} class="{PLAIN}" style="{style}">{_escaped(text)}</{tag}>'


def picture_html(svg: str, words: str) -> str:
    """Return a picture as an HTML image with inline data.

    Untrusted notebooks, and pages that only show notebooks, remove inline SVG but keep images.
    `words` is the alternative text.
    """
    from base64 import b64encode

    held = b64encode(svg.encode("utf-8")).decode("ascii")
    style = "max-width:100%;height:auto"
    image = f'<img class="{PICTURE}" alt="{_escaped(words)}" style="{style}"'
    return f'{_FOLLOWS}{image} src="data:image/svg+xml;base64,{held}">'


def _escaped(text: str) -> str:
    # Imported here, since most programs show no pictures.
    from html import escape

    text = text if len(text) <= MOST_OF_CELL else f"{text[: MOST_OF_CELL - 1]}…"
    return escape("".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text))


@dataclass(frozen=True, slots=True)
class Table:
    """A table: rows of cells under column names.

    Parameters
    ----------
    head : tuple of str
    rows : sequence of tuple
    shown : mapping of str to callable, optional
        Functions that format a column for people; a data frame holds the Python values.
    """

    head: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]
    shown: Mapping[str, Callable[[Any], object]] = field(
        default_factory=dict[str, Callable[[Any], object]]
    )

    def html(self, title: str = "") -> str:
        """Return the table as HTML without colours, so that it is legible on any page."""
        cell = "padding:2px 8px;text-align:left;vertical-align:top"
        names = (f'<th scope="col" style="{cell}">{_escaped(name)}</th>' for name in self.head)
        rows = (
            "".join(
                self._cell(cell, name, column) for name, column in zip(self.head, row, strict=True)
            )
            for row in self.rows[:MOST_ROWS]
        )
        head, body = "".join(names), "".join(f"<tr>{row}</tr>" for row in rows)
        left = len(self.rows) - MOST_ROWS
        more = f"<small>and {left:,} more rows: to_frame() has them all</small>" if left > 0 else ""
        style = "text-align:left;white-space:nowrap"
        caption = f'<caption style="{style}">{_escaped(title)}</caption>' if title else ""
        parts = f"{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
        return f'<table class="{PLAIN}">{parts}</table>{more}'

    def _cell(self, style: str, name: str, value: Any) -> str:
        shown = self.shown[name](value) if name in self.shown else value
        text = f"{shown:.6g}" if isinstance(shown, float) else "" if shown is None else str(shown)
        return f'<td style="{style};white-space:pre-wrap">{_escaped(text)}</td>'


class Framed:
    """A mixin for objects with a table."""

    __slots__ = ()

    def table(self) -> Table:
        """Return the table, from which `to_frame` makes a data frame."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a data frame; rounds count from 0, as everywhere in Python."""
        import pandas as pd

        table = self.table()
        return pd.DataFrame(list(table.rows), columns=pd.Index(table.head))


class Tabular(Framed):
    """A mixin for objects that a notebook shows as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return self.table().html(repr(self))
