"""Who sees what since when, as documents write it: in full, or in a short form.

A document writes ``"everyone"``, a list of seats, a time for everybody, or times by seat, where
``everyone`` stands for all seats that are not named. The data always holds pairs of a seat and a
time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from nip_core.budget import DECLARATIONS, spend
from nip_core.errors import SpecError, nearest, show
from nip_core.language.collecting import report
from nip_core.language.data import END, LATE, START, Seen
from nip_core.mistakes import Fix, Path

__all__ = ["EVERYONE", "Readers"]

EVERYONE = "everyone"
# What people write instead.
_NOBODY = ("never", "nobody", "none", "noone", "no one", "hidden", "secret", "private")
_SAME = {
    **dict.fromkeys(("all", "everybody", "anyone", "anybody", "public", "always"), EVERYONE),
    **dict.fromkeys(("beginning", "begin", "first", "immediately"), START),
    **dict.fromkeys(("finish", "last", "after", "afterwards", "over", "game over"), END),
}
FORMS = "'everyone', a time for everybody, a list of seats, or an object with a time for each seat"


@dataclass(frozen=True, slots=True)
class Readers:
    """The seats and stages of a document, which its short forms mean."""

    seats: Sequence[str]
    stages: Collection[str]
    # Most things of a document are seen by the same seats; documents are untrusted and may be long.
    _known: dict[tuple[str, str], Seen] = field(default_factory=dict[tuple[str, str], Seen])

    def read(self, value: object, at: Path, maker: str = "") -> Seen:
        """Return a document's field as pairs.

        Parameters
        ----------
        value : object
        at : tuple
            The place of the field.
        maker : str
            The seat that makes the choice. It sees it anyway, so no short form means it.
        """
        if value == EVERYONE:
            return self._all(START, "")
        if isinstance(value, str):
            return self._all(self._time(value, at), maker)
        if isinstance(value, list | tuple):
            names = cast("Sequence[object]", value)
            return tuple((_text(seat, (*at, n)), START) for n, seat in enumerate(names))
        if not isinstance(value, Mapping):
            report(at, f"it is {show(value)}, which says nothing of seats.", f"Write {FORMS}.")
            return ()
        fields = cast("Mapping[str, object]", value)
        spend(5 * len(fields), DECLARATIONS, "{}", ".".join(map(str, at)))
        times = {seat: _text(since, (*at, seat)) for seat, since in fields.items()}
        if EVERYONE in times and EVERYONE not in self.seats:
            usual = self._time(times.pop(EVERYONE), (*at, EVERYONE))
            times = dict(self._all(usual, maker)) | times
        return tuple(times.items())

    def _all(self, since: str, maker: str) -> Seen:
        seen = self._known.get((since, maker))
        if seen is None:
            spend(len(self.seats), DECLARATIONS, "seats")
            seen = tuple((seat, since) for seat in self.seats if seat != maker)
            self._known[since, maker] = seen
        return seen

    def _time(self, value: str, at: Path) -> str:
        times = (START, *self.stages, *LATE, END)
        if value in times:
            return value
        if value in self.seats:
            report(
                at,
                f"it is {show(value)}, which is a seat.",
                f"Write a list: [{show(value)}].",
                fix=Fix(f'Write ["{value}"]', f'["{value}"]'),
            )
            return START
        message = f"it is {show(value)}, which is no time."
        if value.casefold() in _NOBODY:
            report(at, message, "Write [] for nobody.", fix=Fix("Write []", "[]"))
            return START
        near = _SAME.get(value.casefold()) or nearest(value, (EVERYONE, *times))
        known = ", ".join(map(show, (START, *[*self.stages][:4], *LATE, END)))
        remedy = f"Write {FORMS}. The times here are {known}."
        fix = Fix(f"Write {near}", near, of="span") if near else None
        remedy = f"Did you mean {near!r}? {remedy}" if near else remedy
        report(at, message, remedy, name=value, fix=fix)
        return START

    def written(self, seen: Seen, maker: str = "") -> Any:
        """Return the shortest field that is read as these pairs."""
        if seen == self._all(START, ""):
            return EVERYONE
        if all(since == START for _, since in seen):
            return [seat for seat, _ in seen]
        if len({since for _, since in seen}) == 1 and seen == self._all(seen[0][1], maker):
            return seen[0][1] if seen[0][1] != EVERYONE else dict(seen)
        ((usual, many),) = Counter(since for _, since in seen).most_common(1)
        short = {EVERYONE: usual, **{seat: since for seat, since in seen if since != usual}}
        if many > 1 and EVERYONE not in self.seats:
            try:
                if self.read(short, (), maker) == seen:
                    return short
            except SpecError:
                pass
        return dict(seen)


def _text(value: object, at: Path) -> str:
    if not isinstance(value, str):
        report(at, f"it is {show(value)}, not a text.", "Write a name in quotes.")
        return ""
    return value
