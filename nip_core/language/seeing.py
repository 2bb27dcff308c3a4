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
from nip_core.documents import as_list
from nip_core.errors import SpecError, did_you_mean, show
from nip_core.language.data import END, START, Seen

__all__ = ["EVERYONE", "Readers"]

EVERYONE = "everyone"


@dataclass(frozen=True, slots=True)
class Readers:
    """The seats and stages of a document, which its short forms mean."""

    seats: Sequence[str]
    stages: Collection[str]
    # Most things of a document are seen by the same seats; documents are untrusted and may be long.
    _known: dict[tuple[str, str], Seen] = field(default_factory=dict[tuple[str, str], Seen])

    def read(self, value: object, at: str, maker: str = "") -> Seen:
        """Return a document's field as pairs.

        Parameters
        ----------
        value : object
        at : str
            The place of the field.
        maker : str
            The seat that makes the choice. It sees it anyway, so no short form means it.
        """
        if value == EVERYONE:
            return self._all(START, "")
        if isinstance(value, str):
            return self._all(self._time(value, at), maker)
        if not isinstance(value, Mapping):
            names = as_list(value, at, error=SpecError)
            return tuple((_text(seat, at), START) for seat in names)
        fields = cast("Mapping[str, object]", value)
        spend(5 * len(fields), DECLARATIONS, "{}", at)
        times = {seat: _text(since, f"{at}.{seat}") for seat, since in fields.items()}
        if EVERYONE in times and EVERYONE not in self.seats:
            usual = self._time(times.pop(EVERYONE), f"{at}.{EVERYONE}")
            times = dict(self._all(usual, maker)) | times
        return tuple(times.items())

    def _all(self, since: str, maker: str) -> Seen:
        seen = self._known.get((since, maker))
        if seen is None:
            spend(len(self.seats), DECLARATIONS, "seats")
            seen = tuple((seat, since) for seat in self.seats if seat != maker)
            self._known[since, maker] = seen
        return seen

    def _time(self, value: str, at: str) -> str:
        times = (START, *self.stages, END)
        if value in times:
            return value
        if value in self.seats:
            raise SpecError(
                f"{at} is {show(value)}, which is a seat. Write a list: [{show(value)}]."
            )
        hint = did_you_mean(value, (EVERYONE, *times))
        known = ", ".join(map(show, [*times][:8]))
        raise SpecError(
            f"{at} is {show(value)}; it must be {EVERYONE!r}, a time for everybody ({known}), a "
            f"list of seats, or an object with a time for each seat.{hint}"
        )

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
                if self.read(short, "", maker) == seen:
                    return short
            except SpecError:
                pass
        return dict(seen)


def _text(value: object, at: str) -> str:
    if not isinstance(value, str):
        raise SpecError(f"{at} is {show(value)}; it must be a text.")
    return value
