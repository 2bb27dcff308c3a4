"""A protocol's schedule in one plain sentence."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from explorer.figures.turns import Pair, decision_shares, speaking_shares
from nip_core.spec import ProtocolSpec, shown_round

__all__ = ["caption", "join", "provers_phrase", "rounds_phrase"]

MOST = 3  # clauses about provers, before the rest is counted
COUNTS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


def caption(spec: ProtocolSpec, seed: int | None = None) -> str:
    """Say who speaks when, who reads whom, and when the verifier may decide.

    Parameters
    ----------
    spec : ProtocolSpec
    seed : int, optional
        Of the episode; without one, all seeds are equally likely.
    """
    shares = speaking_shares(spec, seed)
    clauses = [*_speaking(spec, shares), *_reading(spec, shares), _deciding(spec, seed)]
    text = "; ".join([*clauses, *_doubles(spec, shares)])
    if seed is not None and spec.num_variants > 1:
        text = f"with seed {seed}, {text}"
    return text[0].upper() + text[1:] + "."


def rounds_phrase(rounds: Sequence[int], total: int) -> str:
    """Rounds for people, from 1: ``"1, 3"``, ``"every round"``, ``"every 2nd round from 1 to 99"``.

    The rounds are given as everywhere in Python, from 0.
    """
    if not rounds:
        return "no round"
    shown = [shown_round(round_id) for round_id in rounds]
    steps = {after - before for before, after in itertools.pairwise(rounds)}
    if len(rounds) == total > 1:
        return "every round"
    if len(rounds) <= 4 or (len(rounds) <= 8 and steps != {1}):
        return ", ".join(map(str, shown))
    if steps == {1}:
        return f"{shown[0]} to {shown[-1]}"
    if len(steps) == 1:
        (step,) = steps
        nth = {2: "2nd", 3: "3rd"}.get(step, f"{step}th")
        return f"every {nth} round from {shown[0]} to {shown[-1]}"
    return f"{len(rounds)} rounds between {shown[0]} and {shown[-1]}"


def join(names: Sequence[str], word: str = "and") -> str:
    """Names as one phrase."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


def _in(rounds: Sequence[int], total: int) -> str:
    """With the word that the phrase needs."""
    phrase = rounds_phrase(rounds, total)
    if not phrase[0].isdigit() or "rounds" in phrase:
        return f"in {phrase}"
    return f"in round {phrase}" if len(rounds) == 1 else f"in rounds {phrase}"


Shares = list[dict[Pair, float]]


def _rounds(shares: Shares, agent: str, *, sure: bool) -> tuple[int, ...]:
    """When an agent speaks for sure, or by chance."""

    def speaks(share: dict[Pair, float]) -> bool:
        chances = [chance for (name, _), chance in share.items() if name == agent]
        certain = any(chance == 1 for chance in chances)
        return certain if sure else bool(chances) and not certain

    return tuple(r for r, share in enumerate(shares) if speaks(share))


def _speaking(spec: ProtocolSpec, shares: Shares) -> Iterator[str]:
    total = spec.max_message_rounds
    when = {name: _rounds(shares, name, sure=True) for name in spec.provers}
    maybe = {name: _rounds(shares, name, sure=False) for name in spec.provers}
    asked = min(_rounds(shares, spec.verifier, sure=True), default=total)
    verb = (
        "answer" if asked < min((r for rs in when.values() for r in rs), default=total) else "speak"
    )
    if not spec.provers:
        yield "there is no prover"
        return
    if _take_turns(when) and not any(maybe.values()):
        order = sorted(when, key=when.__getitem__)
        parts = [f"{spec.seat_phrase(name)} {_in(when[name], total)}" for name in order]
        yield f"the provers {verb} one after the other, {join(parts)}"
        return
    groups: dict[tuple[int, ...], list[str]] = {}
    for name, rounds in when.items():
        groups.setdefault(rounds, []).append(name)
    groups = {rounds: names for rounds, names in groups.items() if rounds}
    for rounds, names in list(groups.items())[:MOST]:
        together = f"{verb} at once" if len(names) > 1 else f"{verb}s"
        yield f"{provers_phrase(spec, names)} {together} {_in(rounds, total)}"
    if len(groups) > MOST:
        rest = sum(len(names) for names in list(groups.values())[MOST:])
        yield f"{rest} more {'prover speaks' if rest == 1 else 'provers speak'} in other rounds"
    yield from _chances(spec, maybe, total)
    silent = [name for name in spec.provers if not when[name] and not maybe[name]]
    if silent:
        yield f"{provers_phrase(spec, silent)} never {'speaks' if len(silent) == 1 else 'speak'}"


def _take_turns(when: dict[str, tuple[int, ...]]) -> bool:
    """Do several provers share out the rounds, none speaking together with another?"""
    spoken = [r for rounds in when.values() for r in rounds]
    return 2 <= len(when) <= MOST and all(when.values()) and len(set(spoken)) == len(spoken)


def _chances(spec: ProtocolSpec, maybe: dict[str, tuple[int, ...]], total: int) -> Iterator[str]:
    rounds = sorted({r for own in maybe.values() for r in own})
    names = [spec.seat_phrase(name) for name, own in maybe.items() if own]
    if len(names) == 1:
        yield f"chance decides whether {names[0]} speaks {_in(rounds, total)}"
    elif names:
        listed = join(names, "or") if len(names) <= MOST else f"{len(names)} provers"
        yield f"chance decides who speaks {_in(rounds, total)}: {listed}"


def provers_phrase(spec: ProtocolSpec, names: Sequence[str]) -> str:
    """Some of the provers within a sentence: ``"both provers"``, ``"provers 1 and 3"``."""
    if len(names) == 1:
        return spec.seat_phrase(names[0])
    if len(names) == len(spec.provers):
        return (
            "both provers"
            if len(names) == 2
            else f"all {COUNTS.get(len(names), len(names))} provers"
        )
    if len(names) > MOST:
        return f"{len(names)} of the {len(spec.provers)} provers"
    return f"provers {join([spec.seat_name(name).rpartition(' ')[2] for name in names])}"


def _reading(spec: ProtocolSpec, shares: Shares) -> Iterator[str]:
    """Which provers read something that another writes."""
    if len(spec.provers) < 2:
        return
    writes = {pair for share in shares for pair in share}
    reads = {
        name: [
            other
            for other in spec.provers
            if other != name
            and any(who == other and spec.can_see(name, channel) for who, channel in writes)
        ]
        for name in spec.provers
    }
    pair = len(spec.provers) == 2
    if not any(reads.values()):
        yield "neither reads the other" if pair else "none reads another"
    elif all(len(heard) == len(spec.provers) - 1 for heard in reads.values()):
        yield "each reads the other" if pair else "each reads all others"
    elif sum(map(bool, reads.values())) <= MOST:
        yield ", ".join(
            f"{spec.seat_phrase(name)} reads {join([spec.seat_phrase(one) for one in heard])}"
            for name, heard in reads.items()
            if heard
        )
    else:
        yield "some read what others write"


def _deciding(spec: ProtocolSpec, seed: int | None) -> str:
    total = spec.max_message_rounds
    chances = decision_shares(spec, seed)
    rounds = [r for r, chance in enumerate(chances) if chance]
    if not rounds:
        return "the verifier never acts, so nobody can decide"
    may = "may decide" if all(chances[r] == 1 for r in rounds) else "may, if chance lets it, decide"
    text = f"the verifier {may} {_in(rounds, total)}"
    counting = [r for r in rounds if r >= spec.min_message_rounds - 1]
    if not counting:
        return f"{text}, but no decision counts"
    return (
        text
        if counting == rounds
        else f"{text}, and a decision counts from round {shown_round(counting[0])} on"
    )


def _doubles(spec: ProtocolSpec, shares: Shares) -> Iterator[str]:
    """What the agents do that zero knowledge adds."""
    doubles = spec.named("adversarial_verifier", "simulator")
    if not doubles:
        return
    own = _rounds(shares, spec.verifier, sure=True)
    if all(_rounds(shares, name, sure=True) == own for name in doubles):
        yield "the adversarial verifier and the simulator act when the verifier does"
    else:
        yield "an adversarial verifier and a simulator act in rounds of their own"
