"""The present language, and texts in it.

A window has a language. Whoever makes its content does so within :func:`speaking`; everything that
makes a text for it asks :func:`tr`. Without that, as in files, logs and notebooks, it is English.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from explorer.languages.catalogue import PLACE, Catalogue, read_catalogue

P = ParamSpec("P")
T = TypeVar("T")
PO = Path(__file__).parent / "po"
ENGLISH = "en"
# A language for tests: every text of a catalogue is in brackets, all others are hard-coded.
PSEUDO = "en-XA"
# The cookie in which a browser keeps the language that its person has chosen.
COOKIE = "nip-language"

_language: ContextVar[str] = ContextVar("the language of the present window", default=ENGLISH)


class _Bracketed(Catalogue):
    """Every text in brackets."""

    __slots__ = ()

    def forms_of(self, text: str, many: str = "") -> tuple[str, ...]:
        """Return both texts in brackets."""
        return tuple(f"\u27e6{each}\u27e7" for each in (text, many) if each)


def _of_english(number: int) -> int:
    return int(number != 1)


_NONE = Catalogue("English", {}, _of_english, "n != 1")
_PSEUDO = _Bracketed("Pseudo", {}, _of_english, "n != 1")


@cache
def languages() -> dict[str, str]:
    """Return the languages that people can choose by their codes, each with its own name."""
    others = {path.stem: catalogue_of(path.stem).name for path in sorted(PO.glob("*.po"))}
    return {ENGLISH: _NONE.name, **others}


def known_language(code: object) -> str | None:
    """Return a language's code, which may be anything, if there is such a language."""
    return code if isinstance(code, str) and code in {*languages(), PSEUDO} else None


def best_of(wanted: Iterable[str]) -> str:
    """Return the first language that we have, of codes such as ``"de-AT"``; else English."""
    mains = (code.replace("_", "-").partition("-")[0].lower() for code in wanted)
    return next((code for code in mains if code in languages()), ENGLISH)


@cache
def catalogue_of(code: str) -> Catalogue:
    """Return the texts of the interface in a language."""
    if code == PSEUDO:
        return _PSEUDO
    return _NONE if code == ENGLISH else read_catalogue(PO / f"{code}.po")


def language() -> str:
    """Return the code of the present language."""
    return _language.get()


@contextmanager
def speaking(code: str) -> Generator[None]:
    """Make all texts in a language."""
    token = _language.set(code)
    try:
        yield
    finally:
        _language.reset(token)


def in_english(make: Callable[P, T]) -> Callable[P, T]:
    """Return a function whose texts are in English, whoever asks: files are the same for all."""

    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> T:
        with speaking(ENGLISH):
            return make(*args, **kwargs)

    return made


def tr(text: str, **values: object) -> str:
    """Return a text in the present language, with values in the places that it names: ``{who}``.

    `text` is a literal, or one that was :func:`marked`, so that it is found for catalogues.
    """
    return _filled(catalogue_of(language()).one(text), values)


def trn(one: str, many: str, number: int, **values: object) -> str:
    """Return the text for one thing or another number of them, which is its place ``{n}``."""
    text = catalogue_of(language()).many(one, many, number)
    return _filled(text, {"n": number, **values})


def marked(text: str) -> str:
    """Return a text as it is, which is translated only where it is shown: of a constant."""
    return text


def _filled(text: str, values: dict[str, object]) -> str:
    # Not `str.format`, by which a translation could read attributes of values.
    return PLACE.sub(lambda found: str(values.get(found[1], found[0])), text) if values else text


# -- numbers -----------------------------------------------------------------------------------

MARK = marked(".")  # between whole numbers and decimals


def decimal(number: str) -> str:
    """Return an English number with the decimal mark of the present language: "0,5"."""
    mark = catalogue_of(language()).forms.get(MARK, (MARK,))[0]
    return number if mark == MARK else number.translate(str.maketrans(".,", ",."))


def percent_of(share: float, places: int = 0) -> str:
    """Return a share in percent."""
    return number_with_unit(decimal(f"{100 * share:.{places}f}"), "%")


def number_with_unit(number: str, unit: str) -> str:
    """Return a number with its unit: "3 darts", "50%"."""
    return tr("{number}%", number=number) if unit == "%" else f"{number} {unit}".strip()
