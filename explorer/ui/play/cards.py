"""The cards from which a seat and an opponent are chosen, as plain data."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from explorer.players import DEFAULT_LEVEL, DEFAULT_STRATEGY, LEVELS, STRATEGIES
from explorer.studies import strengths
from nip_core.spec import ProtocolSpec

PERSONS = ("me", "friend")
MODEL = "llm"
# How often measured players are right, by kind of task.
ABOUT = {"code": ("programs", "correct"), "graphs": ("claims about graphs", "true")}


@dataclass(frozen=True, slots=True)
class Card:
    """A way to sit at the table, or a choice of opponents.

    Parameters
    ----------
    key : str
        Of opponents ``"llm"``, the level of scripted provers, or the strategy of a verifier.
    badges : tuple of str
        The badges of the seats that people take.
    people : mapping of str to str
        The seats that people take, and each one's person: ``"me"`` or ``"friend"``.
    lies : bool
        Whether a claim is drawn for which the person has to lie.
    """

    key: str
    title: str
    about: str
    badges: tuple[str, ...] = ()
    people: Mapping[str, str] = field(default_factory=dict[str, str])
    lies: bool = False

    def to_plain(self) -> dict[str, Any]:
        """Return the card as plain data for the browser."""
        said = {name: getattr(self, name) for name in ("key", "title", "about")}
        return {**said, "badges": list(self.badges)}


def seat_cards(spec: ProtocolSpec, seats: Mapping[str, str], *, lies: bool) -> list[Card]:
    """Return the seats to offer.

    The seat that a person has taken is always offered, even if an equivalent one would otherwise
    stand for it. With `lies`, the person has chosen to have to lie.
    """
    verifier, provers = spec.verifier, spec.provers
    cards = [_verifier_card(spec)]
    stances = {spec.agent(prover).stance for prover in provers}
    kinds: set[tuple[int | None, int]] = set()
    for prover in provers:
        kind = (spec.agent(prover).stance, len(spec.visible_channels(prover)))
        sits = seats.get(prover) == "me"
        if kind not in kinds or sits:
            cards.append(_prover_card(spec, prover, argues=len(stances) > 1, sits=sits, lies=lies))
        kinds.add(kind)
    if provers:
        badges = (spec.seat_badge(verifier), spec.seat_badge(provers[0]))
        about = f"A friend is {spec.seat_phrase(provers[0])}. Nobody sees the other's seat."
        people = {verifier: "me", provers[0]: "friend"}
        cards.append(Card("two", "Two of us at this screen", about, badges, people))
    return cards


def _verifier_card(spec: ProtocolSpec) -> Card:
    number, verifier = len(spec.provers), spec.verifier
    if not number:
        title, about = "Judge alone", "Nobody helps you: read the claim and decide."
    elif _asks(spec):
        title = (
            "Question a prover"
            if number == 1
            else f"Question {_NUMBERS.get(number, number)} provers"
        )
        about = "Find out whether the claim is true, then accept or reject."
    else:
        title = "Judge what a prover says"
        about = "You cannot ask anything: read the message, then accept or reject."
    return Card("ask", title, about, (spec.seat_badge(verifier),), {verifier: "me"})


_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five"}


def _asks(spec: ProtocolSpec) -> bool:
    """Return whether the verifier speaks before any prover."""
    speaks = [
        [spec.turn(round_id, seed).agents for round_id in range(min(spec.max_message_rounds, 12))]
        for seed in range(spec.num_variants)
    ]
    return any(
        spec.verifier in agents and any({*later} & {*spec.provers} for later in turns[place + 1 :])
        for turns in speaks
        for place, agents in enumerate(turns)
    )


def _prover_card(spec: ProtocolSpec, prover: str, *, argues: bool, sits: bool, lies: bool) -> Card:
    stance = spec.agent(prover).stance
    card = Card(f"be-{prover}", "", "", (spec.seat_badge(prover),), {prover: "me"})
    if argues or stance is None:
        side = {0: "Argue for reject", 1: "Argue for accept"}.get(stance or 0)
        title = f"Be {spec.seat_phrase(prover)}" if stance is None else str(side)
        about = "You know whether the claim is true. Convince the verifier, right or wrong."
        return replace(card, title=title, about=about)
    if sits and not lies:
        about = "You know whether the claim is true, and convince the verifier that it is."
        return replace(card, title="Be the prover", about=about)
    about = "You know that the claim is false. Convince the verifier that it is true."
    return replace(card, title="Be the liar", about=about, lies=True)


def selected_seat(cards: Collection[Card], seats: Mapping[str, str]) -> str | None:
    """Return the key of the card that matches the present players, if there is one."""
    people = {agent: kind for agent, kind in seats.items() if kind in PERSONS}
    return next((card.key for card in cards if dict(card.people) == people), None)


# -- opponents ----------------------------------------------------------------------------------


def opponents(spec: ProtocolSpec, seats: Mapping[str, str]) -> tuple[str, ...]:
    """Return the opponents' seats: the verifier's if no person has it, else all provers'."""
    people = [agent for agent, kind in seats.items() if kind in PERSONS]
    if not people:
        return ()
    others = [agent for agent in spec.agent_names if agent not in people]
    verifiers = [agent for agent in others if agent in spec.verifiers]
    return tuple(verifiers or others)


def opponent_cards(
    spec: ProtocolSpec, agents: Collection[str], about: str, level: str = DEFAULT_LEVEL
) -> list[Card]:
    """Return the opponents to offer for some seats, with how strong each was measured to be.

    `about` is the kind of task, by its name in addresses, and `level` that of scripted verifiers.
    """
    if spec.verifier in agents:
        cards = [
            Card(name, strategy.title, _of_verifier(spec, name, about, level))
            for name, strategy in STRATEGIES.items()
        ]
    else:
        title = "{} provers" if len(agents) > 1 else "{} prover"
        cards = [
            Card(
                name,
                title.format(name.capitalize()),
                _of_prover(spec, name, about) or f"{level.about[:1].upper()}{level.about[1:]}.",
            )
            for name, level in LEVELS.items()
        ]
    words = "Your own language model plays. Its strength has not been measured here."
    return [*cards, Card(MODEL, "A language model", words)]


def selected_opponent(
    spec: ProtocolSpec,
    agents: Collection[str],
    seats: Mapping[str, str],
    levels: Mapping[str, str],
    strategies: Mapping[str, str],
) -> str | None:
    """Return the key of the card that matches the present opponents, if there is one."""
    of_seat: set[str | None] = set()
    for agent in agents:
        kind = seats.get(agent)
        if kind == "scripted":
            of_seat.add(strategies.get(agent) if agent in spec.verifiers else levels.get(agent))
        else:
            of_seat.add(MODEL if kind == MODEL else None)
    return of_seat.pop() if len(of_seat) == 1 else None


def _of_verifier(spec: ProtocolSpec, strategy: str, about: str, level: str) -> str:
    level = level if STRATEGIES[strategy].has_levels else DEFAULT_LEVEL
    caught = _right(spec, strategy, level, about, 0)
    accepted = _right(spec, strategy, level, about, 1)
    if not caught or not accepted:
        return STRATEGIES[strategy].plays
    things, true = ABOUT[about]
    return (
        f"Catches {_share(caught)} of false {things} and accepts {_share(accepted)} of {true} ones."
    )


def _of_prover(spec: ProtocolSpec, level: str, about: str) -> str:
    caught = _right(spec, DEFAULT_STRATEGY, DEFAULT_LEVEL, about, 0, level)
    if not caught:
        return ""
    things, _ = ABOUT[about]
    whose = STRATEGIES[DEFAULT_STRATEGY].title.lower()
    # Few games, so the numbers stand there: 15 and 17 of 18 are much the same.
    return (
        f"{LEVELS[level].about[:1].upper()}{LEVELS[level].about[1:]}. A scripted {whose}, which "
        f"checks claims itself, caught {caught.count('1')} of its {len(caught)} false {things}."
    )


def _right(
    spec: ProtocolSpec, strategy: str, level: str, about: str, y: int, against: str | None = None
) -> str:
    """Return the measured games about true or false statements: ``1`` for each right verdict."""
    return "".join(
        cell.of_label(y)
        for cell in strengths().cells
        if (cell.match.protocol, cell.match.strategy, cell.match.level, cell.match.about)
        == (spec.name, strategy, level, about)
        and (against is None or cell.match.against == against)
    )


def _share(right: str) -> str:
    return f"{right.count('1') / len(right):.0%}"
