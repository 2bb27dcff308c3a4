"""What a seat may do in a turn, including the host's limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from nip_core.displays import displayed
from nip_core.language import Act, Limit, Specification, questions_of
from nip_core.language.data import NEVER, Option
from nip_core.language.expressions import Registers
from nip_core.language.quotes import bare, quotes_in
from nip_core.language.structure import taken
from nip_core.language.totals import open_for_total
from nip_core.play.deal import Release
from nip_core.play.moves import most_characters

__all__ = ["Legal", "legal_of", "measure"]


@displayed
@dataclass(frozen=True, slots=True)
class Legal:
    """What a seat may do now.

    Parameters
    ----------
    channels : tuple of str
        The channels on which it has to write.
    choices : mapping of str to tuple of options
        Its choices, with the open options.
    silent : str
        A condition on these choices. If it holds, no message is written.
    total : int, optional
        The required sum of its chosen numbers.
    left : tuple of (Limit, int)
        The remaining limits, in each message or in all of them together.
    may_decide : bool
        Whether it may decide with the short form of a move, ``Move(seat, decision=1)``.
    last_turn : bool
        Whether this is certainly its last turn.
    reason : str
        Why it can do nothing, if so.
    optional : bool
        Whether it may leave its message out.
    apart : bool
        Whether a model is asked for all this one by one; see :meth:`questions`.
    question : tuple of (int, int), optional
        If it is only what one of these questions is about, its number, from 1, and how many there
        are.
    """

    channels: tuple[str, ...] = ()
    choices: Mapping[str, tuple[Option, ...]] = field(default_factory=dict[str, tuple[Option, ...]])
    silent: str = NEVER
    total: int | None = None
    left: tuple[tuple[Limit, int], ...] = ()
    may_decide: bool = False
    last_turn: bool = False
    reason: str = ""
    optional: bool = False
    apart: bool = False
    question: tuple[int, int] | None = None

    @property
    def may_act(self) -> bool:
        """Whether it is this seat's turn."""
        return bool(self.channels or self.choices)

    @property
    def decision_counts(self) -> bool:
        """Whether a decision would end the episode. Otherwise it is not a legal move."""
        return self.may_decide

    @property
    def must_decide(self) -> bool:
        """Whether this is the last turn in which a verdict can be given."""
        return self.may_decide and self.last_turn

    def as_act(self, seat: str) -> Act:
        """Return the same as an act of a seat."""
        choices = tuple(self.choices.items())
        act = Act(seat, self.channels, choices, silent=self.silent, optional=self.optional)
        return replace(act, apart=self.apart)

    def questions(self, spec: Specification, seat: str) -> tuple[Legal, ...]:
        """Return what each question is about in which a model is asked for the seat's move.

        No question depends on the answers to others, so each has an equal share of what is left of
        limits for a whole play.
        """
        acts = questions_of(self.as_act(seat), spec.families)
        if len(acts) == 1:
            return (self,)
        writing = sum(bool(act.say) for act in acts)
        left = tuple(
            (limit, left // writing if limit.per == "game" else left) for limit, left in self.left
        )
        return tuple(
            replace(
                self,
                channels=act.say,
                choices=dict(act.choose),
                left=left if act.say else (),
                optional=act.optional,
                question=(number, len(acts)),
            )
            for number, act in enumerate(acts, start=1)
        )

    def open_options(self, name: str, made: Mapping[str, Option]) -> tuple[Option, ...]:
        """Return the open options of a choice, given earlier choices of the turn."""
        options = self.choices[name]
        if self.total is None:
            return options
        names = [*self.choices]
        rest = [tuple(map(int, self.choices[n])) for n in names[names.index(name) + 1 :]]
        left = self.total - sum(map(int, made.values()))
        return open_for_total(tuple(map(int, options)), rest, left)

    def fits(self, text: str) -> bool:
        """Return whether a message on each of the channels is within the seat's limits."""
        times = max(1, len(self.channels))
        return all(
            measure(limit, text) * (times if limit.per == "game" else 1) <= left
            for limit, left in self.left
        )

    def is_silent(self, spec: Specification, made: Mapping[str, Option]) -> bool:
        """Return whether no message is written with these choices, on which alone that depends."""
        return self.silent != NEVER and bool(spec.expression(self.silent).value(made))


def legal_of(
    spec: Specification,
    act: Act,
    registers: Registers,
    releases: Iterable[Release],
    max_words: int,
    *,
    decides: bool,
    last_turn: bool,
) -> Legal:
    """Return what a seat may do.

    Parameters
    ----------
    spec : Specification
    act : Act
        What the protocol says of it.
    registers : mapping
        The registers before the turn.
    releases : iterable of Release
        The earlier turns, on which only limits for a whole play depend.
    max_words : int
        The limit of a message's words if the protocol has none.
    decides : bool
        Whether its choices have the short form of a decision.
    last_turn : bool
        Whether this is certainly its last turn.
    """
    spent = {
        (name, option)
        for name, option, most in spec.option_limits
        if registers[taken(name, option)] >= most
    }
    choices = {
        name: tuple(option for option in spec.open_here(name, named) if (name, option) not in spent)
        for name, named in act.choose
    }
    earlier = [*releases]
    left = [
        (limit, spec.count(limit.most) - _used(limit, earlier))
        for limit in spec.limits
        if limit.seat == act.seat and limit.option is None
    ]
    return Legal(
        channels=act.say,
        choices=choices,
        silent=act.silent,
        total=None if act.total is None else spec.count(act.total),
        left=(*left, *(_of_the_host(act.seat, left, max_words) if act.say else ())),
        may_decide=decides and bool(choices),
        last_turn=last_turn,
        optional=act.optional,
        apart=act.apart,
    )


def _of_the_host(
    seat: str, left: Iterable[tuple[Limit, int]], max_words: int
) -> list[tuple[Limit, int]]:
    """Return the limits of a message where the protocol has none."""
    own: dict[str, int] = {}
    for limit, number in left:
        if limit.per == "message":
            own[limit.of] = min(number, own.get(limit.of, number))
    added: list[tuple[Limit, int]] = []
    if not {"words", "characters"} & own.keys():
        own["words"] = max_words
        added.append((Limit(seat, "words", max_words), max_words))
    if "characters" not in own:
        most = most_characters(own["words"])
        added.append((Limit(seat, "characters", most), most))
    return added


def _used(limit: Limit, releases: Iterable[Release]) -> int:
    """Return how much of a limit for a whole play a seat has used."""
    if limit.per == "message":
        return 0
    return sum(
        measure(limit, message.text)
        for release in releases
        for message in release.messages
        if message.seat == limit.seat and not message.source
    )


def measure(limit: Limit, text: str) -> int:
    """Return how much of a limit a message uses, without the marks of quotes."""
    counted = quotes_in(text) if limit.of.startswith("quoted") else (bare(text),)
    if limit.of.endswith("words"):
        return sum(len(each.split()) for each in counted)
    return sum(map(len, counted))
