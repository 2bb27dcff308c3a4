"""Seats of protocols about a claim that rests on parts: some split it, estimate it, or judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from explorer.players.scripted.judges import DEFAULT_JUDGE
from explorer.players.scripted.seats.seat import Option, Seat, case_about, nearest

# A part that needs no splitting is given with this beside it, so that its estimate is the same.
NOTHING_ELSE = "Nothing else is needed."
TRUST = {"gullible": 1.0, "careful": 0.8, "quote-checker": 0.5}


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim, how likely it looks in percent, whether it holds, and what it rests on."""

    text: str
    seems: int
    holds: bool
    parts: tuple[Claim, ...] = ()

    @classmethod
    def read(cls, case: Mapping[str, Any], text: str = "") -> Claim:
        """Return the claim of a case."""
        parts = tuple(cls.read(part) for part in case.get("parts", ()))
        holds = all(part.holds for part in parts) if parts else not case.get("fails", False)
        seems = case.get("seems", round(100 * prod(part.seems / 100 for part in parts)))
        return cls(text or case["claim"], seems, holds, parts)

    def everything(self) -> Iterator[Claim]:
        """Yield the claim and all parts of it, at any depth."""
        yield self
        for part in self.parts:
            yield from part.everything()

    def split(self, number: int) -> tuple[Claim, ...]:
        """Return so many claims that it rests on."""
        nothing = Claim(NOTHING_ELSE, 100, True)
        parts = self.parts or (Claim(self.text, self.seems, self.holds),)
        *alone, last = (*parts[: number - 1], parts[number - 1 :])
        first = tuple(each for each in alone if isinstance(each, Claim))
        rest = tuple(last) if isinstance(last, tuple) else ()
        if len(rest) > 1:
            seems = round(100 * prod(part.seems / 100 for part in rest))
            words = " And: ".join(part.text for part in rest)
            rest = (Claim(words, seems, all(part.holds for part in rest), rest),)
        return (*first, *rest, *(nothing,) * (number - len(first) - len(rest)))


class ClaimSeat(Seat):
    """A seat that splits claims, estimates them, gives reasons, or rules on one."""

    @property
    def root(self) -> Claim:
        """The claim of the task."""
        text = self.view.parts["claim"]
        case = case_about("claims", text)
        return Claim(text.strip(), 50, True) if case is None else Claim.read(case, text.strip())

    @property
    def width(self) -> int:
        """The number of parts into which a claim is split."""
        return len(self.view.rules.options.get("picked", (1, 2, 3)))

    @property
    def node(self) -> Claim:
        """The claim that was picked last, found by the words of who split it."""
        node = self.root
        for pick in self.chosen("picked"):
            node = node.split(self.width)[int(pick) - 1]
        return node

    # -- choices -------------------------------------------------------------------------------

    def wish(self, name: str, options: tuple[Option, ...]) -> Option | None:
        """Return what a seat chooses by what it knows and reads."""
        if {*options} == {"fails", "holds"}:
            return "holds" if self.node.holds else "fails"
        if name == "picked":
            self.pick = max(range(self.width), key=lambda n: abs(self._gaps()[n]))
            return self.pick + 1
        if {*options} >= {"too_low", "too_high"}:
            gaps = self._gaps()
            gap = gaps[self.pick] if self.pick is not None else self._gap_of_claim()
            return "too_low" if gap > 0 else "too_high" if gap < 0 else "right"
        if len(options) > 3:
            return nearest(options, self._estimate(name))
        return super().wish(name, options)

    pick: int | None = None

    def _gaps(self) -> list[int]:
        """Return for each part how far it is from what was estimated."""
        last = self._estimates()
        return [
            (100 if part.holds else 0) - int(last.get(f"p{n}", 50))
            for n, part in enumerate(self.node.split(self.width), start=1)
        ]

    def _gap_of_claim(self) -> int:
        """Return how far the claim that was picked last is from its own estimate."""
        picked, last = self.chosen("picked"), self._estimates()
        said = last.get(f"p{picked[-1]}" if picked else "p0", 50)
        return (100 if self.node.holds else 0) - int(said)

    def _estimates(self) -> dict[str, Option]:
        return {
            name: option
            for seen in self.view.rounds
            for name, option in seen.choices.items()
            if name.startswith("p") and name[1:].isdigit()
        }

    def _estimate(self, name: str) -> float:
        if not name[1:].isdigit():
            return self._belief()
        if name == "p0":
            return self.root.seems
        parts = self.node.split(self.width)
        part = parts[int(name[1:]) - 1]
        picked, last = self.chosen("picked"), self._estimates()
        before = last.get(f"p{picked[-1]}" if picked else "p0")
        if before is None:
            return part.seems
        # Estimates of parts have to multiply to that of the whole, or the prover is paid.
        product = prod(max(each.seems, 1) / 100 for each in parts)
        doubtful = sum(each.text != NOTHING_ELSE for each in parts)
        if part.text == NOTHING_ELSE:
            return 100
        shift = (max(int(before), 1) / 100 / product) ** (1 / doubtful)
        return min(100.0, part.seems * shift)

    def _belief(self) -> float:
        """Return how much somebody believes the claim who has heard the reasons so far.

        A market knows what people believe in the end, once all reasons are told.
        """
        told = " ".join(self.texts())
        leaves = [each for each in self.root.everything() if not each.parts]
        against = [each for each in leaves if not each.holds]
        if self.view.agent in self.view.rules.roles.deciders:
            trust = TRUST[self.judge.name]
            against = [each for each in against if f"It fails: {each.text}" in told]
            heard = sum(each.text in told for each in leaves)
        else:
            trust, heard = TRUST[DEFAULT_JUDGE], int(dict(self.view.rules.settings).get("steps", 3))
        if against:
            return 50 - 45 * trust
        return min(90.0, self.root.seems + 15 * heard * trust)

    # -- words ---------------------------------------------------------------------------------

    def say(self, channel: str, made: Mapping[str, Option]) -> str:
        """Return a split, a remark on estimates, or a reason."""
        judges = self.view.rules.roles.judges(self.view.agent)
        if any(name.startswith("p") and name[1:].isdigit() for name in made):
            told = ", ".join(f"{made[n]}%" for n in made if n.startswith("p"))
            return f"I give {told}: that is how likely it looks to me."
        if "errs" in made:
            return self._on_error(made)
        if not judges:
            if self.width == 2 and not self._estimates():
                return f"I hold that this is so: {self.root.text}"
            parts = self.node.split(self.width)
            return " ".join(f"{n}. {part.text}" for n, part in enumerate(parts, start=1))
        return self._reason()

    def _on_error(self, made: Mapping[str, Option]) -> str:
        words = {"too_low": "too low", "too_high": "too high", "right": "right"}
        about = self.node
        if "picked" in made:
            about = about.split(self.width)[int(made["picked"]) - 1]
            return (
                f"The estimate of part {made['picked']} is {words[str(made['errs'])]}: {about.text}"
            )
        parts = " ".join(f"{n}. {p.text}" for n, p in enumerate(about.split(self.width), start=1))
        return f"The last estimate is {words[str(made['errs'])]}. It rests on this: {parts}"

    def _reason(self) -> str:
        """Return the reason that moves a listener most and has not been given yet."""
        told = " ".join(self.texts())
        leaves = [each for each in self.root.everything() if not each.parts]
        new = [each for each in leaves if each.text not in told]
        failing = [each for each in new if not each.holds]
        if failing:
            return f"It fails: {failing[0].text} I looked, and that is not so."
        if not new:
            return "There is nothing that has not been said."
        return f"I looked at this, and it is so: {max(new, key=lambda each: -each.seems).text}"
