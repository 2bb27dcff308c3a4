"""The gallery of protocols as plain data, for the app and the site."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from explorer.choice import OWN, PROOFS, YOURS, ProtocolChoice
from explorer.pictures import miniature
from nip_core.errors import NipError
from nip_core.registry import protocol_infos, published_names, specification

__all__ = ["FAMILIES", "gallery", "gallery_names", "text_about", "year_of"]

# The families in their order, with what each is about.
FAMILIES = {
    PROOFS: "A weak verifier questions strong provers, by exact rules. The theory began here.",
    "Debates": "Experts contradict each other, and a judge who knows less decides.",
    "Consultancy": "One expert argues for an answer that may be wrong: the control for debate.",
    "Critique": "Somebody looks for flaws first, or makes an answer easy to check.",
    "Oversight": "A model that may do harm, or knows more, works under the eyes of weaker ones.",
}
OF_YOURS = "From a file or a link of your own."
TURNS = 8  # the most turns of a miniature
# The year of the first source: "Khan et al. 2024, Debating with ...".
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b(?=[,;:])")
_WORD = re.compile(r"\w[\w-]*")


def gallery_names() -> list[str]:
    """Return the names of all protocols of the gallery: ours from simple to rich, then by year."""
    registered = [info.name for info in protocol_infos() if not info.for_developers]
    published = sorted(published_names(), key=lambda name: year_of(specification(name).source))
    return [*registered, *published]


def year_of(source: str) -> str:
    """Return the year of the work that a source names first; empty if there is none."""
    found = _YEAR.search(source)
    return found[1] if found else ""


def gallery(own: Iterable[ProtocolChoice] = ()) -> list[dict[str, Any]]:
    """Return the families with their protocols as cards; `own` ones of a person come first."""
    cards = [*map(_card, own), *map(_named_card, gallery_names())]
    families = [
        {"name": name, "about": about, "cards": [c for c in cards if c and c["family"] == name]}
        for name, about in ({YOURS: OF_YOURS} | FAMILIES).items()
    ]
    return [family for family in families if family["cards"]]


@lru_cache(64)
def _named_card(name: str) -> dict[str, Any] | None:
    return _card(ProtocolChoice.of(name))


def _card(choice: ProtocolChoice) -> dict[str, Any] | None:
    """Return the card of a protocol; None if it is invalid."""
    try:
        spec = choice.rules
        drawing = miniature(choice.spec, turns=TURNS)
    except NipError:
        return None
    seats = len(spec.seat_names)
    year = year_of(spec.source) if choice.name != OWN else ""
    return {
        "name": choice.name,
        "title": choice.title,
        "family": choice.family,
        "note": ", ".join(filter(None, (year, f"{seats} seat{'s' if seats > 1 else ''}"))),
        # Each word once: a search looks for parts of words.
        "words": " ".join(dict.fromkeys(_WORD.findall(text_about(choice)))),
        "drawing": drawing.to_plain(),
    }


def text_about(choice: ProtocolChoice) -> str:
    """Return what a search for a protocol looks at, in small letters; empty if it is invalid."""
    try:
        spec = choice.rules
    except NipError:
        return ""
    seats = map(spec.seat_name, spec.seat_names)
    of_spec = (spec.about, spec.simplified, spec.source, *seats)
    return " ".join((choice.name, choice.title, choice.line, choice.family, *of_spec)).lower()
