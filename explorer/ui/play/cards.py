"""The cards from which a seat and an opponent are chosen, as plain data."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from explorer.choice import ProtocolChoice
from explorer.pictures import plain_styles
from explorer.play import takes_statements, watched
from explorer.players import DEFAULT_STRATEGY, STRATEGIES, scripts_for
from explorer.studies import baseline_figures, shown_estimate, strengths
from nip_core.displays import capitalized, join_names, listed
from nip_core.language import Specification, Wording
from nip_core.registry import published_names
from nip_core.values import wilson

PERSONS = ("me", "friend")
MODEL = "llm"
SCRIPTED = "scripted"
# How often measured players are right, by kind of task.
ABOUT = {"code": ("programs", "correct"), "graphs": ("claims about graphs", "true")}


# Liars by what they do, from easier to harder.
LIARS = {
    "easy": "Lets the truth slip",
    "medium": "Mostly keeps to its story",
    "hard": "Chooses what to lie about",
}


@dataclass(frozen=True, slots=True)
class Strength:
    """How often a liar got a false claim accepted."""

    accepted: int
    games: int

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain data for the browser, with its 95% interval."""
        low, high = wilson(self.accepted, self.games)
        words = f"got away with {self.accepted} of {self.games}"
        return {"at": self.accepted / self.games, "from": low, "to": high, "text": words}


@dataclass(frozen=True, slots=True)
class Card:
    """A way to sit at the table, or a choice of opponents.

    Parameters
    ----------
    key : str
        Of opponents ``"llm"``, a level or a strategy of scripted players, or ``"scripted"`` where
        these have neither.
    people : mapping of str to str
        The seats that people take, and each one's person: ``"me"`` or ``"friend"``.
    lies : bool
        Whether a claim is drawn for which the person has to lie.
    strength : Strength, optional
        As measured, of liars.
    """

    key: str
    title: str
    about: str
    people: Mapping[str, str] = field(default_factory=dict[str, str])
    lies: bool = False
    strength: Strength | None = None

    def to_plain(self, looks: Mapping[str, Any]) -> dict[str, Any]:
        """Return the card as plain data for the browser, with the badges of people's seats."""
        badges = [looks[seat] for seat in self.people]
        card = {"key": self.key, "title": self.title, "about": self.about, "badges": badges}
        return card | ({} if self.strength is None else {"strength": self.strength.to_plain()})


def shown_cards(rules: Specification, cards: Collection[Card]) -> list[dict[str, Any]]:
    """Return cards as plain data for the browser."""
    looks = plain_styles(rules)
    return [card.to_plain(looks) for card in cards]


def seat_cards(rules: Specification, seats: Mapping[str, str], *, lies: bool) -> list[Card]:
    """Return the seats to offer.

    The seat that a person has taken is always offered, even if an equivalent one would otherwise
    stand for it. With `lies`, the person has chosen to have to lie.
    """
    decider, others = watched(rules), rules.provers
    if is_proof(rules):
        cards = [_verifier_card(rules)]
        argues = len({rules.roles.fixed_sides.get(prover) for prover in others}) > 1
        kinds: set[tuple[object, int]] = set()
        for prover in others:
            kind = rules.roles.fixed_sides.get(prover), len(rules.visible_channels(prover))
            sits = seats.get(prover) == "me"
            if kind not in kinds or sits:
                cards.append(_prover_card(rules, prover, argues=argues, sits=sits, lies=lies))
            kinds.add(kind)
    else:
        cards = [
            Card(seat, f"Be {rules.seat_phrase(seat)}", what_seat_does(rules, seat), {seat: "me"})
            for seat in rules.seat_names
        ]
    if other := next((seat for seat in rules.seat_names if seat != decider), None):
        about = f"A friend is {rules.seat_phrase(other)}. Nobody sees the other's seat."
        people = {decider: "me", other: "friend"}
        cards.append(Card("two", "Two of us at this screen", about, people))
    return cards


def is_proof(rules: Specification) -> bool:
    """Return whether one seat judges a statement, which the others argue about."""
    return takes_statements(rules) and len(rules.roles.deciders) == 1


def _verifier_card(rules: Specification) -> Card:
    number, verifier = len(rules.provers), watched(rules)
    if not number:
        title, about = "Judge alone", "Nobody helps you: read the claim and decide."
    elif _asks(rules):
        title = (
            "Question a prover"
            if number == 1
            else f"Question {_NUMBERS.get(number, number)} provers"
        )
        about = "Find out whether the claim is true, then accept or reject."
    else:
        title = "Judge what a prover says"
        about = "You cannot ask anything: read the message, then accept or reject."
    return Card("ask", title, about, {verifier: "me"})


_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five"}
MOST_LOOKED_AT = 12  # turns


def _asks(rules: Specification) -> bool:
    """Return whether the verifier speaks before any prover."""
    speak = [
        {act.seat for place in rules.places_after(n) for act in rules.turn(place).acts if act.say}
        for n in range(MOST_LOOKED_AT)
    ]
    decides = {watched(rules)}
    return any(
        here & decides and any(later - decides for later in speak[turn + 1 :])
        for turn, here in enumerate(speak)
    )


def _prover_card(
    rules: Specification, prover: str, *, argues: bool, sits: bool, lies: bool
) -> Card:
    side = rules.roles.fixed_sides.get(prover)
    card = Card(f"be-{prover}", "", "", {prover: "me"})
    if argues or side is None:
        title = f"Be {rules.seat_phrase(prover)}" if side is None else f"Argue for {side}"
        about = "You know whether the claim is true. Convince the verifier, right or wrong."
        return replace(card, title=title, about=about)
    if sits and not lies:
        about = "You know whether the claim is true, and convince the verifier that it is."
        return replace(card, title="Be the prover", about=about)
    about = "You know that the claim is false. Convince the verifier that it is true."
    return replace(card, title="Be the liar", about=about, lies=True)


def what_seat_does(rules: Specification, seat: str) -> str:
    """Return a sentence about what a seat does, derived from the rules."""
    acts = [act for _, _, act in rules.acts() if act.seat == seat]
    made = list(dict.fromkeys(choice for act in acts for choice, _ in act.choose))
    writes = ["write messages"] if any(act.say for act in acts) else []
    words = Wording(rules, seat)
    does = join_names([*writes, *words.makes(made)] or ["do nothing"])
    sees = [part.name for part in rules.parts if dict(part.seen).get(seat, "end") == "end"]
    hidden = f" You cannot read the {words.term(sees[0])}." if sees else ""
    return f"You {does}.{hidden}"


def selected_seat(cards: Collection[Card], seats: Mapping[str, str]) -> str | None:
    """Return the key of the card that matches the present players, if there is one."""
    people = {agent: kind for agent, kind in seats.items() if kind in PERSONS}
    return next((card.key for card in cards if dict(card.people) == people), None)


# -- opponents ----------------------------------------------------------------------------------


def opponents(rules: Specification, seats: Mapping[str, str]) -> tuple[str, ...]:
    """Return the opponents' seats: those that decide if no person has one, else all others."""
    others = tuple(seat for seat in rules.seat_names if seats.get(seat) not in PERSONS)
    if len(others) == len(rules.seat_names):
        return ()
    deciders = tuple(seat for seat in others if seat in rules.roles.deciders)
    return deciders if len(deciders) == len(rules.roles.deciders) > 0 else others


def opponents_title(rules: Specification, agents: Collection[str]) -> str:
    """Return the title above the cards of opponents."""
    if is_proof(rules):
        return "Your opponent" if len(agents) == 1 else "Your opponents"
    return capitalized(listed([rules.seat_phrase(agent) for agent in agents]))


def ways_to_play(
    choice: ProtocolChoice, agents: Collection[str]
) -> tuple[Literal["strategy", "level", ""], Mapping[str, Any]]:
    """Return by what scripted players of these seats differ, and the options with their texts."""
    scripts = [scripts_for(choice, agent) for agent in agents]
    # Where nobody argues for anything, nobody can be judged.
    if all(each.strategies for each in scripts) and choice.rules.roles.sides:
        return "strategy", scripts[0].strategies
    levels = next((each.levels for each in scripts if each.levels), None)
    return ("", {}) if levels is None else ("level", levels)


def opponent_cards(choice: ProtocolChoice, agents: Collection[str], about: str) -> list[Card]:
    """Return the opponents to offer for some seats, with how strong each was measured to be.

    `about` is the kind of task, by its name in addresses.
    """
    what, options = ways_to_play(choice, agents)
    scripts = scripts_for(choice, next(iter(agents)))
    player = scripts.title.removeprefix("scripted ") + ("s" if len(agents) > 1 else "")
    if what == "strategy":
        cards = [
            Card(name, way.title, f"{way.plays} {_of_judge(choice, name, about)}".strip())
            for name, way in options.items()
        ]
    elif what == "level":
        # Players are called by what they do; some levels of a seat do the same.
        does = {name: capitalized(words) for name, words in options.items()}
        differ = len({*does.values()}) == len(does)
        cards = [
            Card(name, LIARS[name], f"{words}.", strength=_of_prover(choice, name, about))
            if scripts.family == "rounds"
            else Card(name, words, f"The {name} level.")
            if differ
            else Card(name, f"{name.capitalize()} {player}", f"{words}.")
            for name, words in does.items()
        ]
    else:
        words = "They choose at random: nobody here argues for anything."
        if choice.rules.roles.sides:
            words = "They quote what they may read, and weigh what they hear."
        cards = [Card(SCRIPTED, f"Scripted {player}", words)]
    words = "Your own language model plays. Its strength has not been measured here."
    return [*cards, Card(MODEL, "A language model", words)]


def selected_opponent(
    choice: ProtocolChoice,
    agents: Collection[str],
    seats: Mapping[str, str],
    levels: Mapping[str, str],
    strategies: Mapping[str, str],
) -> str | None:
    """Return the key of the card that matches the present opponents, if there is one."""
    what, _ = ways_to_play(choice, agents)
    chosen = {"strategy": strategies, "level": levels, "": dict.fromkeys(agents, SCRIPTED)}[what]
    of_seat: set[str | None] = set()
    for agent in agents:
        kind = seats.get(agent)
        if kind != SCRIPTED:
            of_seat.add(MODEL if kind == MODEL else None)
        elif agent in chosen:
            of_seat.add(chosen[agent])
    return of_seat.pop() if len(of_seat) == 1 else None


def _of_judge(choice: ProtocolChoice, strategy: str, about: str) -> str:
    # What a coin does is known; its few games would tell of their luck.
    if strategy in STRATEGIES and STRATEGIES[strategy].decides == "chance":
        return ""
    caught, accepted = (_right(choice, strategy, about, y) for y in (0, 1))
    if caught and accepted:
        things, true = ABOUT[about]
        return (
            f"Catches {_share(caught)} of false {things} and accepts {_share(accepted)} of {true} "
            "ones."
        )
    return judged(choice, strategy)


def judged(choice: ProtocolChoice, strategy: str) -> str:
    """Return a sentence on how often a judge was right in a published protocol; empty without."""
    if choice.name not in published_names():
        return ""
    at = choice.name, strategy
    found = next((e.accuracy for e in baseline_figures() if (e.protocol, e.verifier) == at), None)
    if found is None or found.value is None:
        return ""
    share = shown_estimate("accuracy", found)
    return f"Right in {share} of {found.count} games against players who quote well."


def _of_prover(choice: ProtocolChoice, level: str, about: str) -> Strength | None:
    caught = _right(choice, DEFAULT_STRATEGY, about, 0, level)
    return Strength(caught.count("0"), len(caught)) if caught else None


def note_on_opponents(cards: Collection[Card], about: str) -> str:
    """Return what the strengths on the cards of opponents say; empty without any."""
    if not any(card.strength for card in cards):
        return ""
    things, whose = ABOUT[about][0], STRATEGIES[DEFAULT_STRATEGY].title.lower()
    return (
        f"How often each got one of the false {things} accepted by a scripted {whose}, which "
        "checks claims itself. Lines: 95% intervals. Nobody has measured them against people yet."
    )


def _right(
    choice: ProtocolChoice,
    strategy: str,
    about: str,
    y: int,
    against: str | None = None,
) -> str:
    """Return the measured games about true or false statements: ``1`` for each right verdict."""
    return "".join(
        cell.of_label(y)
        for cell in strengths().cells
        if (cell.match.protocol, cell.match.strategy, cell.match.about)
        == (choice.name, strategy, about)
        and (against is None or cell.match.against == against)
    )


def _share(right: str) -> str:
    return f"{right.count('1') / len(right):.0%}"
