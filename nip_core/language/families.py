"""Families: seats, channels, parts, choices and values of which there are several alike.

A document says how many of something there are (``count``), or that there is one for each member
of a family of seats (``each``; of choices, those ``by`` such a family). :func:`written_out` returns
the document with every member by itself, which is what all rules are about. The short form is kept,
so that the number can still be changed, and pictures can draw a family as one.

In what belongs to one member (its acts, its pay, its values), names of families mean its own, and
``me`` is its number. Elsewhere, an expression says which one (``vote[2]``) or is about all
(``majority(vote)``, ``count(vote[j] = A for j in juror)``).
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, cast

from nip_core.budget import DECLARATIONS, EXPRESSIONS, TURNS, spend
from nip_core.displays import displayed, join_names, name_in_words
from nip_core.errors import SpecError, show
from nip_core.language.collecting import refused, report
from nip_core.language.data import START
from nip_core.language.seeing import EVERYONE
from nip_core.language.syntax import SyntaxNode, as_text, parse
from nip_core.language.translating import parse_or_explain
from nip_core.mistakes import Mistake, Path
from nip_core.spec import Remark

__all__ = ["Family", "WrittenOut", "written_out"]

MOST_MEMBERS = 64
# The sections whose entries may be families; seats come first, since others are one for each.
SECTIONS = ("seats", "parts", "channels", "choices", "values")
# Functions about all that is listed, and those with something else before it.
_ABOUT_ALL = ("majority", "unanimous", "mean", "median", "min", "max", "sum")
_ABOUT_THE_REST = ("at", "find")
_FIXED: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "mod": operator.mod,
    "div": operator.floordiv,
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_Fields = dict[str, Any]
_AGAIN = re.compile(r"('\w+'|\b\w+\b)(?:(?:,| and) \1(?!\w))+")
_WORD = re.compile(r"[A-Za-z_]\w*")


@displayed
@dataclass(frozen=True, slots=True)
class Family:
    """Several things alike.

    Parameters
    ----------
    name : str
    section : {"seats", "parts", "channels", "choices", "values"}
    members : tuple of str
        The names of all, in order.
    each : str
        The family of seats each of which has one; empty for a family that is only counted.
    """

    name: str
    section: str
    members: tuple[str, ...]
    each: str = ""


@dataclass(slots=True)
class WrittenOut:
    """A document with all members of families, and where each of its entries comes from.

    Parameters
    ----------
    document : dict
    families : tuple of Family
    """

    document: _Fields
    families: tuple[Family, ...] = ()
    # The names of members with those of their families.
    names: dict[str, str] = field(default_factory=dict[str, str])
    # The numbers of pay, limits and of the turns of each stage in the document as it was written.
    numbers: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    turns: list[list[int]] = field(default_factory=list[list[int]])
    # The places of expressions with another text than in the document.
    changed: set[Path] = field(default_factory=set[Path])

    def original(self, mistake: Mistake) -> Mistake:
        """Return a mistake with its place in the document as it was written."""
        path = self.place(mistake.path)
        mistake = replace(
            mistake,
            path=path,
            name=self.names.get(mistake.name, mistake.name),
            message=self.said(mistake.message),
            remedy=self.said(mistake.remedy),
        )
        if path in self.changed:
            return replace(mistake, span=None, fix=None)
        return mistake

    def said(self, text: str) -> str:
        """Return a text about members in which only their families are named."""
        named = _WORD.sub(lambda match: self.names.get(match[0], match[0]), text)
        return named if named == text else _AGAIN.sub(r"\1", named)

    def remark(self, remark: Remark, stages: Sequence[str]) -> Remark:
        """Return a remark with its place in the document as it was written."""

        def turn(match: re.Match[str]) -> str:
            stage = next((n for n, name in enumerate(stages) if repr(name) == match[1]), -1)
            place = self.place(("stages", stage, "turns", int(match[2]) - 1))
            return f"stage {match[1]}, turn {int(place[3]) + 1}"

        def pay(match: re.Match[str]) -> str:
            return f"pay {int(self.place(('pay', int(match[1]) - 1))[1]) + 1}"

        place = re.sub(r"stage ('.*?'|\".*?\"), turn (\d+)", turn, remark.place)
        place = re.sub(r"\bpay (\d+)", pay, place)
        return replace(
            remark,
            message=self.said(remark.message),
            remedy=self.said(remark.remedy or ""),
            place=self.said(place),
            choice=self.names.get(remark.choice or "", remark.choice),
        )

    def place(self, path: Path) -> Path:
        """Return a place in the document as it was written."""
        if not path:
            return path
        first, *rest = path
        parts: list[str | int] = [*rest]
        if first in self.numbers and parts and isinstance(parts[0], int):
            parts[0] = _item(self.numbers[str(first)], parts[0])
        if first == "stages" and len(parts) > 2 and parts[1] == "turns":
            stage, turn = int(parts[0]), int(parts[2])
            parts[2] = _item(_item(self.turns, stage, []), turn)
        return (first, *(self.names.get(p, p) if isinstance(p, str) else p for p in parts))


def _item(items: Sequence[Any], number: int, other: Any = None) -> Any:
    return items[number] if number < len(items) else number if other is None else other


@dataclass(frozen=True, slots=True)
class _Member:
    """Whose expression it is: a member's number, and the family of seats that it belongs to."""

    family: str
    number: int


def written_out(document: Mapping[str, Any], settings: Mapping[str, Fraction]) -> WrittenOut:
    """Return a document with all members of its families.

    Parameters
    ----------
    document : mapping
        A plain document, which may be wrong in every way; what is not understood is left as it is.
    settings : mapping of str to number
        The values of its settings.
    """
    return _Writer(document, settings).whole()


class _Writer:
    def __init__(self, document: Mapping[str, Any], settings: Mapping[str, Fraction]) -> None:
        self.document, self.settings = document, settings
        self.made = WrittenOut(dict(document))
        self.families: dict[str, Family] = {}
        self.named = {str(name) for key in SECTIONS for name in _entries(document, key)}

    def whole(self) -> WrittenOut:
        self._declare()
        if not self.families and not self._speaks_of_several():
            return self.made
        made, document = self.made, self.made.document
        made.families = tuple(self.families.values())
        for section in SECTIONS:
            if section in document and isinstance(document[section], Mapping):
                document[section] = self._section(section)
        self._stages()
        if "verdict" in document:
            document["verdict"] = self._expression(document["verdict"], ("verdict",), None)
        self._list("pay", self._pay)
        self._list("limits", self._limit)
        self._roles()
        if "experts" in document:
            document["experts"] = self._who(document["experts"])
        self._titles()
        return made

    def _speaks_of_several(self) -> bool:
        """Return whether an expression has an item, or a number that goes through several."""
        waiting: list[object] = [self.document]
        while waiting:
            value = waiting.pop()
            if isinstance(value, Mapping):
                waiting += cast("Mapping[str, object]", value).values()
            elif isinstance(value, list | tuple):
                waiting += cast("list[object]", value)
            elif isinstance(value, str) and ("[" in value or " for " in value):
                try:
                    nodes = [*parse(value).nodes()]
                except SpecError:
                    continue
                if any(node.op in ("item", "for") for node in nodes):
                    return True
        return False

    # -- declarations ------------------------------------------------------------------------------

    def _declare(self) -> None:
        """Find the families, with the names of their members."""
        for section in SECTIONS:
            for name, value in _entries(self.document, section).items():
                fields = _fields(value)
                each, count = fields.get("each"), fields.get("count")
                if section == "values":
                    # A way to collect it.
                    count = None
                if section == "choices" and each is None:
                    each = self._family(fields.get("by"), "seats") and fields["by"]
                if count is None and each is None:
                    continue
                at: Path = (section, name)
                if each is not None and count is not None:
                    message = "there is one for each seat of a family already."
                    report((*at, "count"), message, "Leave `count` or the family out.")
                if name in self.families:
                    message = f"{name!r} is the name of another family, too."
                    report(at, message, "Rename one.", of="key")
                    continue
                number = self._number(count, (*at, "count"))
                if each is not None:
                    number = self._of_each(each, (*at, "each"))
                if number is None:
                    continue
                spend(5 * number, DECLARATIONS, "{}", name)
                members = self._members(name, number)
                family = Family(name, section, members, each if isinstance(each, str) else "")
                self.families[name] = family
                self.made.names.update(dict.fromkeys(members, name))

    def _family(self, name: object, section: str = "") -> Family | None:
        """Return the family of a name, if it is one, of this section."""
        family = self.families.get(name) if isinstance(name, str) else None
        return family if family is not None and section in ("", family.section) else None

    def _number(self, count: object, at: Path) -> int | None:
        if count is None:
            return None
        value = self.settings.get(count) if isinstance(count, str) else count
        if isinstance(value, Fraction) and value.denominator == 1:
            value = int(value)
        if type(value) is int and 1 <= value <= MOST_MEMBERS:
            return value
        report(
            at,
            f"it is {show(count)}.",
            f"Write a whole number from 1 to {MOST_MEMBERS}, or the name of a setting that is one.",
        )
        return None

    def _of_each(self, each: object, at: Path) -> int | None:
        family = self._family(each, "seats")
        if family is not None:
            return len(family.members)
        seats = [f.name for f in self.families.values() if f.section == "seats"]
        known = ", ".join(seats) or "none; give a seat a `count`"
        report(at, f"{show(each)} is no family of seats.", f"There is {known}.")
        return None

    def _members(self, name: str, number: int) -> tuple[str, ...]:
        mark = "_" if name[-1:].isdigit() else ""
        members = [f"{name}{mark}{k}" for k in range(1, number + 1)]
        while not self.named.isdisjoint(members):
            members = [f"{member}_" for member in members]
        self.named.update(members)
        return tuple(members)

    # -- sections ----------------------------------------------------------------------------------

    def _section(self, section: str) -> _Fields:
        made: _Fields = {}
        for name, value in _entries(self.document, section).items():
            family = self.families.get(name)
            if family is None or family.section != section:
                made[name] = self._entry(section, name, value, None, None)
                continue
            for number, member in enumerate(family.members, start=1):
                who = _Member(family.each or (name if section == "seats" else ""), number)
                made[member] = self._entry(section, name, value, who, family)
        return made

    def _entry(
        self, section: str, name: str, value: Any, who: _Member | None, family: Family | None
    ) -> Any:
        """Return one seat, part, channel, choice or value, of one member."""
        at: Path = (section, name)
        if section == "seats":
            return self._seat(value, at, who)
        if section == "values" and not isinstance(value, Mapping):
            return self._expression(value, at, who)
        whole = isinstance(value, Mapping) and (section in ("choices", "values") or "seen" in value)
        if not whole and family is None:
            return self._seen(value, who)
        fields = dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else {}
        fields.pop("each", None)
        if section != "values":
            fields.pop("count", None)
        if "seen" in fields:
            fields["seen"] = self._seen(fields["seen"], who if section != "choices" else None)
        elif section in ("parts", "channels", "values") and who is not None and who.family:
            fields["seen"] = [self._seat_of(who)]
        if section == "choices":
            by = self._family(fields.get("by"), "seats")
            if by is not None and who is not None:
                fields["by"] = by.members[who.number - 1]
            if isinstance(fields.get("weights"), list):
                fields["weights"] = [
                    self._expression(weight, (*at, "weights", number), who)
                    for number, weight in enumerate(cast("list[Any]", fields["weights"]))
                ]
        if section == "values":
            for way in fields.keys() - {"at", "seen"}:
                text = fields[way]
                if "at" not in fields and way != "is" and self._own(text, who) != [text]:
                    fields["at"] = self._own(text, who)
                fields[way] = self._expression(text, (*at, way), who)
            if "at" in fields:
                fields["at"] = self._names(fields["at"], who)
        return fields

    def _seat(self, value: Any, at: Path, who: _Member | None) -> Any:
        if not isinstance(value, Mapping):
            return value
        fields = dict(cast("Mapping[str, Any]", value))
        fields.pop("count", None)
        if "argues" in fields:
            fields["argues"] = self._expression(fields["argues"], (*at, "argues"), who)
        return fields

    def _seat_of(self, who: _Member) -> str:
        return self.families[who.family].members[who.number - 1]

    def _seen(self, value: Any, who: _Member | None) -> Any:
        """Return who sees something: all members of families, and whom it belongs to."""
        own = self._seat_of(who) if who is not None and who.family else None
        if isinstance(value, Mapping):
            given = cast("Mapping[str, Any]", value)
            times = {one: since for seat, since in given.items() for one in self._seats(seat)}
            return times | ({own: START} if own and own not in times else {})
        if isinstance(value, list | tuple):
            seats = [one for seat in cast("list[Any]", value) for one in self._seats(seat)]
            return seats + ([own] if own and own not in seats else [])
        if isinstance(value, str) and own and value not in (EVERYONE, START):
            return {EVERYONE: value, own: START}
        return value

    def _seats(self, seat: Any) -> list[Any]:
        family = self._family(seat, "seats")
        return [seat] if family is None else [*family.members]

    def _who(self, seats: Any) -> Any:
        """Return the names of seats, with all members of families."""
        listed = [seats] if isinstance(seats, str) else seats
        if not isinstance(listed, list | tuple):
            return seats
        return [one for seat in cast("list[Any]", listed) for one in self._seats(seat)]

    # -- turns, pay and limits ---------------------------------------------------------------------

    def _stages(self) -> None:
        stages = self.document.get("stages")
        if not isinstance(stages, list):
            return
        made: list[Any] = []
        for number, stage in enumerate(cast("list[Any]", stages)):
            self.made.turns.append([])
            turns = _fields(stage).get("turns")
            if not isinstance(turns, list):
                made.append(stage)
                continue
            written: list[Any] = []
            for place, turn in enumerate(cast("list[Any]", turns)):
                several = [*self._turns(turn, ("stages", number, "turns", place))]
                self.made.turns[-1] += [place] * len(several)
                written += several
            made.append({**stage, "turns": written})
        self.made.document["stages"] = made

    def _turns(self, turn: Any, at: Path) -> Iterator[Any]:
        """Yield a turn with the acts of all members, or one for each if they act one by one."""
        if not isinstance(turn, Mapping):
            yield turn
            return
        given = cast("Mapping[str, Any]", turn)
        made: _Fields = {}
        apart: list[_Fields] = []
        for seat, acts in given.items():
            family = self._family(seat, "seats")
            if seat == "then" and isinstance(acts, Mapping):
                ways = cast("Mapping[str, Any]", acts)
                made[seat] = {
                    to: self._expression(text, (*at, "then", to), None) for to, text in ways.items()
                }
            elif seat == "copy" and seat not in self.named and isinstance(acts, Mapping):
                made[seat] = self._copies(cast("Mapping[str, Any]", acts), (*at, seat))
            elif family is None:
                made[seat] = self._acts(acts, (*at, seat), None)
            else:
                one_by_one = _fields(acts).get("one_by_one") is True
                steps = 20 * len(family.members)
                spend(steps, TURNS, "stage {}, turn {}", int(at[1]) + 1, int(at[3]) + 1)
                for number, member in enumerate(family.members, start=1):
                    own = self._acts(acts, (*at, seat), _Member(seat, number))
                    if one_by_one:
                        apart.append({member: own})
                    else:
                        made[member] = own
        if not apart:
            yield made
            return
        others = made.keys() - {"then"}
        if others:
            message = f"{join_names(sorted(others))} would act in a turn of one by one."
            report(at, message, "Give those who act one by one a turn of their own.")
        yield from apart[:-1]
        yield {**apart[-1], **made}

    def _copies(self, copies: Mapping[str, Any], at: Path) -> _Fields:
        """Return what is copied to which channel; to each of a family, what belongs to its seat."""
        made: _Fields = {}
        for target, source in copies.items():
            family = self._family(target, "channels")
            for number, one in enumerate(self._own(target, None), start=1):
                who = None if family is None else _Member(family.each, number)
                made[one] = self._expression(source, (*at, target), who)
        return made

    def _acts(self, acts: Any, at: Path, who: _Member | None) -> Any:
        if isinstance(acts, str):
            return self._names(acts, who)
        if isinstance(acts, Mapping):
            return self._act(cast("Mapping[str, Any]", acts), at, who)
        if not isinstance(acts, list):
            return acts
        listed = cast("list[Any]", acts)
        if not any(isinstance(act, Mapping) for act in listed):
            return self._names(listed, who)
        return [
            self._act(cast("Mapping[str, Any]", act), (*at, number), who)
            if isinstance(act, Mapping)
            else self._names(act, who)
            for number, act in enumerate(listed)
        ]

    def _act(self, act: Mapping[str, Any], at: Path, who: _Member | None) -> _Fields:
        family = who is not None
        made = {key: value for key, value in act.items() if key != "one_by_one" or not family}
        for key in ("say", "may_say"):
            if key in made:
                made[key] = self._names(made[key], who)
        chosen = made.get("choose")
        if isinstance(chosen, Mapping):
            named = cast("Mapping[str, Any]", chosen)
            made["choose"] = {
                one: options for name, options in named.items() for one in self._own(name, who)
            }
        elif chosen is not None:
            made["choose"] = self._names(chosen, who)
        for key in ("when", "silent"):
            if key in made:
                made[key] = self._expression(made[key], (*at, key), who)
        return made

    def _list(self, key: str, written: Callable[[Any, Path], list[Any]]) -> None:
        items = self.document.get(key)
        if not isinstance(items, list):
            return
        made: list[Any] = []
        numbers = self.made.numbers[key] = []
        for number, item in enumerate(cast("list[Any]", items)):
            several = written(item, (key, number))
            made += several
            numbers += [number] * len(several)
        self.made.document[key] = made

    def _pay(self, pay: Any, at: Path) -> list[Any]:
        if not isinstance(pay, Mapping):
            return [pay]
        rule = dict(cast("Mapping[str, Any]", pay))
        to = rule.get("to")
        if not isinstance(to, str | Mapping | list | tuple):
            return [rule]
        names = [to] if isinstance(to, str) else [*cast("Sequence[object]", to)]
        paid = [family for name in names if (family := self._family(name, "seats")) is not None]
        at_own = self._family(rule.get("at"))
        # Of what it speaks: of each that is paid, or else of whoever acts or chooses.
        family = paid[0] if paid else at_own
        if family is None:
            return [self._rule(rule, at, None)]
        each = [
            self._rule(rule, at, _Member(family.each or family.name, number))
            for number in range(1, len(family.members) + 1)
        ]
        if all(one == each[0] for one in each):
            return [{**each[0], "to": self._to(to, None, 0)}]
        return [{**one, "to": self._to(to, family, number)} for number, one in enumerate(each)]

    def _rule(self, rule: _Fields, at: Path, who: _Member | None) -> _Fields:
        made = dict(rule)
        for key in ("amount", "when"):
            if key in made:
                made[key] = self._expression(made[key], (*at, key), who)
        family = self._family(made.get("at"))
        if family is not None and who is not None and who.family in (family.name, family.each):
            made["at"] = family.members[who.number - 1]
        return made

    def _to(self, to: Any, family: Family | None, number: int) -> Any:
        """Return who is paid: all members, or of one family only one of them."""
        names = [to] if isinstance(to, str) else [*cast("Sequence[object]", to)]
        equal = dict.fromkeys(map(str, names), 1)
        factors = cast("Mapping[str, Any]", to) if isinstance(to, Mapping) else equal
        return {
            one: factor
            for name, factor in factors.items()
            for one in (
                [family.members[number]]
                if family is not None and name == family.name
                else self._seats(name)
            )
        }

    def _limit(self, limit: Any, at: Path) -> list[Any]:
        fields = _fields(limit)
        seats = fields.get("seat")
        listed = [seats] if isinstance(seats, str) else seats
        if not isinstance(listed, list):
            return [limit]
        made: list[Any] = []
        for seat in cast("list[Any]", listed):
            for number, one in enumerate(self._seats(seat), start=1):
                who = _Member(seat, number) if self._family(seat, "seats") else None
                (of, *_) = self._own(fields.get("of"), who)
                made.append({**fields, "seat": one, **({"of": of} if "of" in fields else {})})
        # One limit for several seats that are no family stays one.
        several = any(self._family(seat, "seats") for seat in cast("list[Any]", listed))
        return made if several else [limit]

    # -- roles and titles --------------------------------------------------------------------------

    def _roles(self) -> None:
        roles = self.document.get("roles")
        if not isinstance(roles, Mapping):
            return
        made = dict(cast("Mapping[str, Any]", roles))
        if "verdict" in made:
            made["verdict"] = self._names(made["verdict"], None)
        for key in ("go_on", "estimates"):
            named = made.get(key)
            if not isinstance(named, Mapping):
                continue
            made[key] = {}
            for name, value in cast("Mapping[str, Any]", named).items():
                for number, one in enumerate(self._own(name, None), start=1):
                    family = self._family(name)
                    who = None if family is None else _Member(family.each, number)
                    at: Path = ("roles", key, name)
                    event = self._expression(value, at, who) if key == "estimates" else value
                    made[key][one] = event
        self.made.document["roles"] = made

    def _titles(self) -> None:
        """Give members the titles of their families, with numbers where a seat cannot tell."""
        titles = self.document.get("titles", {})
        if not isinstance(titles, Mapping):
            return
        known = cast("Mapping[str, Any]", titles)
        made: _Fields = {}
        for family in self.families.values():
            if family.section == "seats":
                continue
            title = known.get(family.name, name_in_words(family.name))
            own = family.section == "choices" and family.each
            if family.name in known:
                made[family.name] = title
            for number, member in enumerate(family.members, start=1):
                made[member] = title if own or not isinstance(title, str) else f"{title} {number}"
        # A single member may have a title of its own.
        made |= {name: title for name, title in known.items() if name not in self.families}
        if made:
            self.made.document["titles"] = made

    # -- names and expressions ---------------------------------------------------------------------

    def _own(self, name: Any, who: _Member | None) -> list[Any]:
        """Return a member's own one of a family, or all of them; or the name as it is."""
        family = self._family(name)
        if family is None:
            return [name]
        if who is not None and who.family and who.family == family.each:
            return [family.members[who.number - 1]]
        return [*family.members]

    def _names(self, names: Any, who: _Member | None) -> Any:
        listed = [names] if isinstance(names, str) else names
        if not isinstance(listed, list | tuple):
            return names
        found = [one for name in cast("list[Any]", listed) for one in self._own(name, who)]
        return found[0] if isinstance(names, str) and len(found) == 1 else found

    def _expression(self, text: Any, at: Path, who: _Member | None) -> Any:
        """Return an expression about members; what is wrong is left to whoever reads it."""
        if not isinstance(text, str):
            return text
        spend(10, EXPRESSIONS, "the expression {!r:.60}", text)
        try:
            tree = parse_or_explain(text)
        except SpecError:
            return text
        try:
            written = _Expression(self, who, text).whole(tree)
        except SpecError as error:
            for mistake in error.mistakes or (Mistake((), str(error)),):
                report(at, mistake.message, mistake.remedy, name=mistake.name)
            return "none"
        if written == tree:
            return text
        self.made.changed.add(at)
        return as_text(written)

    def fixed(self, node: SyntaxNode) -> Fraction | bool | None:
        """Return the value of an expression about numbers and settings only."""
        if node.op == "number":
            return node.number
        if node.op == "name":
            return self.settings.get(node.name)
        values = [self.fixed(part) for part in node.args]
        if None in values:
            return None
        if node.op == "negative" and values:
            return -cast(Fraction, values[0])
        if node.op in ("and", "or"):
            return all(values) if node.op == "and" else any(values)
        if node.op == "not":
            return not values[0]
        try:
            return _FIXED[node.op](*values) if node.op in _FIXED else None
        except ZeroDivisionError:
            return None


class _Expression:
    """Writes out one expression for one member, or for nobody in particular."""

    def __init__(self, writer: _Writer, who: _Member | None, text: str) -> None:
        self.writer, self.who, self.text = writer, who, text

    def whole(self, node: SyntaxNode, known: Mapping[str, int] | None = None) -> SyntaxNode:
        known = known or {}
        spend(2, EXPRESSIONS, "the expression {!r:.60}", self.text)
        match node.op:
            case "number":
                return node
            case "name":
                return self._name(node, known)
            case "item":
                return self._item(node, known)
            case "for":
                raise refused(
                    "`for` stands within a function that is about several.",
                    "Write it as in `count(vote[j] = A for j in juror)`.",
                )
            case "call":
                return self._call(node, known)
            case _:
                args = tuple(self.whole(part, known) for part in node.args)
                return SyntaxNode(node.op, args, node.name, node.number)

    def _name(self, node: SyntaxNode, known: Mapping[str, int]) -> SyntaxNode:
        if node.name in known:
            return SyntaxNode("number", number=Fraction(known[node.name]))
        family = self.writer.families.get(node.name)
        if family is not None and family.section != "seats":
            own = self.writer._own(node.name, self.who)
            if len(own) == 1 and (self.who is not None or len(family.members) == 1):
                return SyntaxNode("name", name=own[0], at=node.at)
            raise refused(
                f"{node.name!r} is a family of {len(family.members)}.",
                f"Say which one, as in `{node.name}[1]`, or what of all, as in "
                f"`count({node.name}[j] = ... for j in 1..{len(family.members)})`.",
                name=node.name,
            )
        if node.name == "me" and self.who is not None and "me" not in self.writer.named:
            return SyntaxNode("number", number=Fraction(self.who.number))
        return node

    def _item(self, node: SyntaxNode, known: Mapping[str, int]) -> SyntaxNode:
        family = self.writer.families.get(node.name)
        if family is None or family.section == "seats":
            families = [f.name for f in self.writer.families.values() if f.section != "seats"]
            raise refused(
                f"{node.name!r} is no family, so it has no items.",
                f"There is {', '.join(families) or 'none'}.",
                name=node.name,
            )
        index = self.whole(node.args[0], known)
        number, members = self.writer.fixed(index), family.members
        if number is None:
            return SyntaxNode("call", (index, *_named(members)), name="at")
        if isinstance(number, bool) or number.denominator != 1 or not 1 <= number <= len(members):
            raise refused(
                f"{node.name}[{as_text(index)}] does not exist.",
                f"There are {node.name}[1] to {node.name}[{len(members)}].",
                name=node.name,
            )
        return SyntaxNode("name", name=members[int(number) - 1], at=node.at)

    def _call(self, node: SyntaxNode, known: Mapping[str, int]) -> SyntaxNode:
        args: list[SyntaxNode] = []
        for place, part in enumerate(node.args):
            family = self.writer.families.get(part.name) if part.op == "name" else None
            several = node.name in _ABOUT_ALL or (node.name in _ABOUT_THE_REST and place > 0)
            if part.op == "for":
                args += self._for(part, known)
            elif several and family is not None and family.section != "seats":
                args += _named(family.members)
            else:
                args.append(self.whole(part, known))
        if not args and node.args:
            # Of nobody, nothing is true, and there is nothing to add.
            return SyntaxNode("number") if node.name in ("count", "sum") else _NONE
        return SyntaxNode("call", tuple(args), node.name, at=node.at)

    def _for(self, node: SyntaxNode, known: Mapping[str, int]) -> Iterator[SyntaxNode]:
        body, among, *conditions = node.args
        if node.name in self.writer.named or node.name in self.writer.settings:
            raise refused(
                f"{node.name!r} is the name of something else.",
                "Call the number after `for` by a letter of its own.",
                name=node.name,
            )
        for number in self._numbers(among, known):
            inner = {**known, node.name: number}
            holds = [self.writer.fixed(self.whole(c, inner)) for c in conditions]
            if None in holds:
                raise refused(
                    "the condition after `for` is about numbers only.",
                    "Put other conditions into what is counted: `count(... and ...)`.",
                )
            if all(holds):
                yield self.whole(body, inner)

    def _numbers(self, among: SyntaxNode, known: Mapping[str, int]) -> list[int]:
        if among.op == "..":
            ends = [self.writer.fixed(self.whole(end, known)) for end in among.args]
            if all(isinstance(end, Fraction) and end.denominator == 1 for end in ends):
                low, high = (int(cast(Fraction, end)) for end in ends)
                if high - low < MOST_MEMBERS:
                    return [*range(low, high + 1)]
            raise refused(
                f"the numbers after `in` are at most {MOST_MEMBERS} whole ones.",
                "Write them as numbers or settings: `1..4`.",
            )
        if among.name == "others" and self.who is not None and self.who.family:
            members = self.writer.families[self.who.family].members
            return [n for n in range(1, len(members) + 1) if n != self.who.number]
        family = self.writer.families.get(among.name)
        if family is None:
            raise refused(
                f"{among.name!r} is no family.",
                "After `in` stands a family, `others` (in what belongs to one seat of a family), "
                "or numbers such as 1..4.",
                name=among.name,
            )
        return [*range(1, len(family.members) + 1)]


_NONE = SyntaxNode("name", name="none")


def _named(members: Sequence[str]) -> list[SyntaxNode]:
    return [SyntaxNode("name", name=member) for member in members]


def _entries(document: Mapping[str, Any], section: str) -> Mapping[str, Any]:
    return _fields(document.get(section))


def _fields(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
