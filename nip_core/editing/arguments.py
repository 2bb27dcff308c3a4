"""The arguments of gestures: what they may be, how they are checked, and how they are said.

They come from a browser, so they can be anything. The types of a gesture's parameters say what is
allowed: ``seat: SeatName`` must be a seat of the protocol.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, cast

from nip_core.displays import in_sentence, join_names, name_in_words, with_article
from nip_core.documents import Limits, plain_copy, text_fault
from nip_core.editing.edits import count_at
from nip_core.editing.forms import Document, full, is_list, is_table
from nip_core.editing.naming import MOST_MEMBERS, has_name, names_of_kind
from nip_core.errors import EditError, did_you_mean, known_names, show

__all__ = [
    "Amounts",
    "AnyKind",
    "AnyName",
    "ChannelName",
    "ChoiceName",
    "Condition",
    "Count",
    "Maker",
    "Name",
    "Number",
    "Options",
    "Parameters",
    "PartName",
    "Plain",
    "SeatName",
    "SeatNames",
    "SightKind",
    "Since",
    "StageNumber",
    "StagePlace",
    "Target",
    "Title",
    "TurnNumber",
    "TurnPlace",
    "Words",
    "phrase",
]

# What a person can want; anything larger is no gesture.
WIRE = Limits(size=500_000, values=50_000, depth=20, digits=40)
MOST_COUNT = 1_000_000
MOST_TITLE, MOST_WORDS, MOST_EXPRESSION = 100, 2_000, 1_000
MOST_LISTED = 1_001

Check = Callable[[Any, Document, Mapping[str, Any]], Any]
# Checks of values by themselves get nothing else.
_NOTHING: tuple[Document, Mapping[str, Any]] = ({}, {})


def _a_name(kind: str) -> Check:
    def check(value: Any, document: Document, _: Mapping[str, Any]) -> str:
        known = names_of_kind(document, kind)
        if isinstance(value, str) and value in known:
            return value
        family = _family_of(document, kind, value)
        if family is not None:
            return family
        name = value if isinstance(value, str) else show(value)
        hint = did_you_mean(name, map(str, known))
        raise EditError(f"There is no {kind} {show(value)}.{hint}{known_names(known, most=12)}")

    return check


def _family_of(document: Document, kind: str, member: Any) -> str | None:
    """Return the family of a member, which is what the document has."""
    if not isinstance(member, str) or kind in ("stage", "setting"):
        return None
    base = member.rstrip("0123456789")
    names = [name for name in (base, base.removesuffix("_")) if name != member]
    return next((name for name in names if has_name(document, kind, name)), None)


def _maker(value: Any, document: Document, given: Mapping[str, Any]) -> str:
    return value if value in ("task", "chance") else _a_name("seat")(value, document, given)


def _any_name(value: Any, document: Document, given: Mapping[str, Any]) -> str:
    return _a_name(given["kind"])(value, document, given)


def _any_kind(value: Any, document: Document, given: Mapping[str, Any]) -> str:
    kinds = ("seat", "part", "channel", "choice", "value", "setting", "stage")
    if isinstance(value, str) and value in (*kinds, "option"):
        return value
    raise EditError(f"There is no kind of thing called {show(value)}.{known_names(kinds)}")


def _sight_kind(value: Any, *_: Any) -> str:
    kinds = ("part", "channel", "choice", "value")
    if isinstance(value, str) and value in kinds:
        return value
    raise EditError(f"What seats see is a part, channel, choice or value, not {show(value)}.")


def _seats(value: Any, document: Document, given: Mapping[str, Any]) -> list[str] | None:
    if value is None:
        return None
    if not is_list(value):
        raise EditError(f"{show(value)} is not a list of seats.")
    check = _a_name("seat")
    return [*dict.fromkeys(check(seat, document, given) for seat in value)]


def _number_in(low: int, high: int, what: str) -> Check:
    def check(value: Any, *_: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise EditError(f"{show(value)} is not {what} from {low:,} to {high:,}.")
        return value

    return check


def _stage(more: int) -> Check:
    def check(value: Any, document: Document, _: Mapping[str, Any]) -> int:
        count = count_at(document, "stage")
        return _number_in(0, count - 1 + more, "the number of a stage,")(value, *_NOTHING)

    return check


def _turn(more: int) -> Check:
    """Check the number of a turn in the stage that the parameter before it names."""

    def check(value: Any, document: Document, given: Mapping[str, Any]) -> int:
        stages = [number for name, number in given.items() if name.endswith("stage")]
        if not stages:
            raise EditError("A turn needs the number of its stage, too.")
        count = count_at(document, "turn", stages[-1])
        return _number_in(0, count - 1 + more, "the number of a turn,")(value, *_NOTHING)

    return check


def _text(most: int, what: str) -> Check:
    def check(value: Any, *_: Any) -> str:
        fault = None if value == "" else text_fault(value, most)
        if fault is not None:
            raise EditError(f"{show(value)} is not {what}: it must be {fault}.")
        return value

    return check


def _title(value: Any, *_: Any) -> str:
    title = _text(MOST_TITLE, "a name")(value, *_NOTHING)
    if not title.strip() or not title.isprintable():
        raise EditError(f"{show(value)} is not a name: write one line of words.")
    return " ".join(title.split())


def _expression(value: Any, *_: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    return _text(MOST_EXPRESSION, "a condition or an amount")(value, *_NOTHING)


def _number(value: Any, *_: Any) -> Any:
    try:
        if isinstance(value, str) and len(value) <= 40 and "e" not in value.lower():
            Fraction(value)
            return value
        if not isinstance(value, str | bool) and abs(float(value)) <= 1e30:
            return value
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        pass
    raise EditError(f"{show(value)} is not a number, or too large.")


def _count(value: Any, document: Document, given: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        return _a_name("setting")(value, document, given)
    return _number_in(0, MOST_COUNT, "a whole number")(value, *_NOTHING)


def _since(value: Any, document: Document, _: Mapping[str, Any]) -> str | None:
    times = ["start", *names_of_kind(document, "stage"), "end of repetition", "end of stage", "end"]
    if value is None or value in times:
        return value
    hint = did_you_mean(value, times) if isinstance(value, str) else ""
    raise EditError(f"{show(value)} is no time.{hint}{known_names(times, most=12)}")


def _target(value: Any, document: Document, _: Mapping[str, Any]) -> str:
    names = [*names_of_kind(document, "stage"), "end"]
    if value in names:
        return value
    raise EditError(f"Play cannot go to {show(value)}.{known_names(names, most=12)}")


def _options(value: Any, *_: Any) -> Any:
    if is_table(value):
        grid = value
        whole = all(type(end) is int or isinstance(end, str) for end in grid.values())
        if {"from", "to"} <= {*grid} <= {"from", "to", "step"} and whole:
            return dict(grid)
    listed = value if is_list(value) else []
    if not 1 <= len(listed) <= MOST_LISTED or not all(
        type(option) is int or isinstance(option, str) for option in listed
    ):
        raise EditError(
            f"{show(value)} is no list of options: write names, whole numbers, or from and to."
        )
    numbers = all(isinstance(o, int) or o.lstrip("-").isdecimal() for o in listed)
    return [int(str(option)[:20]) for option in listed] if numbers else listed


def _amounts(value: Any, document: Document, given: Mapping[str, Any]) -> dict[str, Any]:
    if not is_table(value) or not value:
        raise EditError(f"{show(value)} does not say how much which seat gets.")
    check = _a_name("seat")
    amounts = value
    return {check(seat, document, given): _number(factor) for seat, factor in amounts.items()}


def _flag(value: Any, *_: Any) -> bool:
    if type(value) is not bool:
        raise EditError(f"{show(value)} is neither true nor false.")
    return value


def _anything(value: Any, *_: Any) -> Any:
    return value


SeatName = Annotated[str, _a_name("seat"), "seat"]
SeatNames = Annotated[list[str] | None, _seats, "seats"]
PartName = Annotated[str, _a_name("part"), "part"]
ChannelName = Annotated[str, _a_name("channel"), "channel"]
ChoiceName = Annotated[str, _a_name("choice"), "choice"]
Maker = Annotated[str, _maker, "seat"]
AnyKind = Annotated[str, _any_kind, "kind"]
SightKind = Annotated[str, _sight_kind, "kind"]
AnyName = Annotated[str, _any_name, "any"]
StageNumber = Annotated[int, _stage(0), "stage"]
StagePlace = Annotated[int, _stage(1), "stage"]
TurnNumber = Annotated[int, _turn(0), "number"]
TurnPlace = Annotated[int, _turn(1), "number"]
Since = Annotated[str | None, _since, "time"]
Target = Annotated[str, _target, "target"]
Title = Annotated[str, _title, "title"]
Name = Annotated[str, _title, "title"]
Words = Annotated[str, _text(MOST_WORDS, "a text"), "title"]
Condition = Annotated[str, _expression, "expression"]
Number = Annotated[Any, _number, "plain"]
Count = Annotated[Any, _count, "plain"]
Members = Annotated[int, _number_in(1, MOST_MEMBERS, "a whole number"), "plain"]
Options = Annotated[Any, _options, "options"]
Amounts = Annotated[dict[str, Any], _amounts, "plain"]
Plain = Annotated[Any, _anything, "plain"]
Flag = Annotated[bool, _flag, "plain"]


@dataclass(frozen=True)
class Parameters:
    """The parameters of a gesture: how each is checked and said, and which may be left out."""

    checks: Mapping[str, tuple[Check, str]]
    needed: tuple[str, ...]
    usual: Mapping[str, Any]

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Parameters:
        """Read them from a function whose first parameter is the work."""
        _, *parameters = inspect.signature(function, eval_str=True).parameters.values()
        checks = {p.name: cast("tuple[Check, str]", p.annotation.__metadata__) for p in parameters}
        missing = inspect.Parameter.empty
        needed = tuple(p.name for p in parameters if p.default is missing)
        usual = {p.name: p.default for p in parameters if p.default is not missing}
        return cls(checks, needed, usual)

    def checked(self, document: Document, arguments: object) -> dict[str, Any]:
        """Return arguments if the gesture can be made with them.

        Raises
        ------
        EditError
            If they are not as the gesture needs them, with the reason.
        """
        plain = plain_copy(arguments, WIRE, EditError, "What was sent")
        if not is_table(plain):
            raise EditError("The arguments of a gesture are an object.")
        given = plain
        for name in given:
            if name not in self.checks:
                hint = did_you_mean(name, self.checks)
                raise EditError(f"This has no {show(name)}.{hint}{known_names(self.checks)}")
        for name in self.needed:
            if name not in given:
                raise EditError(f"This needs {name!r}, too.")
        found: dict[str, Any] = {}
        for name, (check, _) in self.checks.items():
            if name in given:
                found[name] = check(given[name], document, found)
        return found


def phrase(document: Document, way: str, value: Any, kind: str = "") -> str:
    """Return an argument in words: ``"the judge"``, ``"“debate”"``, ``"turn 3"``."""
    titles = document.get("titles", {})
    match way:
        case "seat":
            return _seat_phrase(document, value)
        case "seats":
            names = [_seat_phrase(document, seat) for seat in value or ()]
            return join_names(names) if names else "nobody"
        case "any" if kind == "seat":
            return _seat_phrase(document, value)
        case "part":
            return f"the {titles.get(value, name_in_words(value))}"
        case "channel" | "choice" | "any":
            return f"“{titles.get(value, name_in_words(str(value)))}”"
        case "stage":
            names = names_of_kind(document, "stage")
            name = names[value] if value < len(names) else f"stage {value + 1}"
            return f"“{titles.get(name, name_in_words(name))}”"
        case "number":
            return str(value + 1)
        case "target":
            known = titles.get(value, name_in_words(value))
            return "the end" if value == "end" else f"“{known}”"
        case "title":
            return f"“{in_words(value)}”"
        case "options":
            return join_names(map(str, value[:6])) if is_list(value) else "numbers"
        case _:
            return in_words(str(value))


def in_words(text: str, most: int = 60) -> str:
    """Return a text in one line of at most some characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _seat_phrase(document: Document, seat: str) -> str:
    if seat in ("chance", "task"):
        return "chance" if seat == "chance" else "the task"
    entry = full("seats", document["seats"].get(seat, ""))
    title = entry.get("title") or name_in_words(seat)
    if "count" in entry:
        return f"each {in_sentence(title)}"
    same = [full("seats", other).get("title") for other in document["seats"].values()]
    if same.count(title) > 1:
        number = [n for n, t in zip(document["seats"], same, strict=True) if t == title].index(seat)
        title = f"{title} {number + 1}"
    return with_article(title)
