"""Catalogues of translations, read from text files in the format of gettext (``.po``).

They are read as they are written, without a compiled copy (``.mo``) that could disagree with them.
A translation that could do more than say something else than the English text is left out, and the
English text is shown: see :func:`fault_of`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from gettext import c2py
from pathlib import Path

from nip_core.displays import displayed
from nip_core.documents import WRITTEN, read_file
from nip_core.errors import NipError

PLACE = re.compile(r"\{(\w+)\}")
# Signs of HTML, of Markdown's links, code and formulas, and addresses: as many as in English.
MARKUP = re.compile(r"[<>\[\]`$|\\]|\]\(|://|javascript:|www\.", re.IGNORECASE)
NUMBER = frozenset({"n"})
_LINE = re.compile(r'(?:(msgid|msgid_plural|msgstr(?:\[[0-5]\])?)\s+)?(".*")')
_PLURAL = re.compile(r"plural=([n0-9 ()!=<>&|?:%]+);?$")


class CatalogueError(NipError, ValueError):
    """A file of translations cannot be read; the message names the line."""


@displayed
@dataclass(frozen=True, slots=True)
class Message:
    """A text of the interface or of a lesson, with its translation."""

    text: str  # in English
    many: str = ""  # the English text for another number than one, if there are two
    forms: tuple[str, ...] = ()  # the translation; of a text with a number, one for each form
    fuzzy: bool = False  # whether somebody still has to look at it

    @property
    def is_translated(self) -> bool:
        """Whether it has a translation that is shown."""
        return all(self.forms) and bool(self.forms) and not self.fuzzy


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The texts of one language."""

    name: str  # the language, in the language itself
    forms: Mapping[str, tuple[str, ...]]  # by the English text
    plural: Callable[[int], int]  # the number of the form for a number of things
    rule: str  # the same as an expression, which is also JavaScript
    faults: tuple[str, ...] = ()  # why translations were left out

    def forms_of(self, text: str, many: str = "") -> tuple[str, ...]:
        """Return the translation of a text, or of both texts for a number; empty without one."""
        del many
        return self.forms.get(text, ())

    def one(self, text: str) -> str:
        """Return a text in this language, or as it is."""
        return (self.forms_of(text) or (text,))[0]

    def many(self, one: str, many: str, number: int) -> str:
        """Return the text for a number of things."""
        forms, place = self.forms_of(one, many), self.plural(number)
        return forms[place] if place < len(forms) else one if number == 1 else many

    def __repr__(self) -> str:
        return f"Catalogue({self.name}, {len(self.forms)} texts)"


def read_messages(path: Path) -> tuple[dict[str, str], list[Message]]:
    """Return the head of a file of translations, and its messages."""
    text = read_file(path, WRITTEN, CatalogueError, path.name).decode("utf-8", "replace")
    messages = list(_messages(text, path.name))
    head = messages.pop(0).forms[0] if messages and not messages[0].text else ""
    pairs = (line.partition(":") for line in head.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}, messages


def _messages(text: str, name: str) -> Iterator[Message]:
    entry: dict[str, str] = {}
    fuzzy, key = False, ""
    for number, line in enumerate([*text.splitlines(), 'msgid ""'], start=1):
        shown = line.strip()
        if shown.startswith("#") or not shown:
            if entry and "msgstr" in key:
                yield _message(entry, fuzzy=fuzzy)
                entry, fuzzy, key = {}, False, ""
            fuzzy |= shown.startswith("#,") and "fuzzy" in shown
            continue
        found = _LINE.fullmatch(shown)
        if found is None:
            raise CatalogueError(f"{name}: line {number} is no text in quotation marks.")
        if found[1] == "msgid" and entry:
            yield _message(entry, fuzzy=fuzzy)
            entry, fuzzy = {}, False
        key = found[1] or key
        try:
            part = json.loads(found[2])
        except ValueError:
            raise CatalogueError(f"{name}: line {number} is no text in quotation marks.") from None
        entry[key] = entry.get(key, "") + part


def _message(entry: Mapping[str, str], *, fuzzy: bool) -> Message:
    forms = tuple(text for key, text in entry.items() if key.startswith("msgstr"))
    return Message(entry.get("msgid", ""), entry.get("msgid_plural", ""), forms, fuzzy)


def fault_of(message: Message) -> str:
    """Return what is wrong with a translation; empty if nothing is.

    It has the placeholders of the English text, and no other ones (if there is a text for one thing
    and one for more, the number itself may be missing). It has as many signs of markup, so that no
    translation becomes a link, a picture or HTML.
    """
    several = NUMBER if message.many else frozenset[str]()
    english = (message.text, message.many or message.text)
    wanted = [{*PLACE.findall(text)} - several for text in english]
    for form in message.forms:
        names = {*PLACE.findall(form)} - several
        if names not in wanted:
            given = ", ".join(sorted(names)) or "none"
            return f"{message.text!r}: the placeholders of the translation are {given}."
        if _signs(form) not in map(_signs, english):
            return f"{message.text!r}: the translation has other signs of markup."
    return ""


def _signs(text: str) -> Counter[str]:
    return Counter(sign.lower() for sign in MARKUP.findall(text))


def read_catalogue(path: Path) -> Catalogue:
    """Return the catalogue in a file, without translations that have a fault."""
    head, messages = read_messages(path)
    rule = _PLURAL.search(head.get("Plural-Forms", "")) or _PLURAL.search("plural=n != 1;")
    assert rule is not None
    forms: dict[str, tuple[str, ...]] = {}
    faults: list[str] = []
    for message in messages:
        fault = fault_of(message)
        if fault:
            faults.append(f"{path.name}: {fault}")
        elif message.is_translated:
            forms[message.text] = message.forms
    expression = rule[1].strip()
    try:
        plural = c2py(expression)
    except ValueError:
        raise CatalogueError(f"{path.name}: {expression!r} is no rule for plurals.") from None
    return Catalogue(head.get("X-Name", path.stem), forms, plural, expression, tuple(faults))
