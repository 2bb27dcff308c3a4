"""Protocols in words: a schedule in one sentence, and each round in another."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from explorer.pictures.lanes import Pair, decision_shares, speaking_shares, variants
from nip_core.displays import join_names
from nip_core.spec import ProtocolSpec, Turn, shown_round

MOST = 3  # the most clauses about provers; further ones are only counted
COUNTS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


def caption(spec: ProtocolSpec, seed: int | None = None) -> str:
    """Return a sentence on who speaks when, who reads whom, and when the verifier may decide.

    Without a seed, all seeds of an episode are equally likely.
    """
    shares = speaking_shares(spec, seed)
    clauses = [*_speaking(spec, shares), *_reading_phrase(spec, shares), _deciding(spec, seed)]
    text = "; ".join([*clauses, *_phrase_doubles(spec, shares)])
    if seed is not None and spec.num_variants > 1:
        text = f"with seed {seed}, {text}"
    return text[0].upper() + text[1:] + "."


def rounds_phrase(rounds: Sequence[int], total: int) -> str:
    """Return rounds for people: ``"1, 3"``, ``"every round"``, ``"every 2nd round from 1 to 99"``.

    The argument counts rounds from 0, the result from 1.
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


def _in(rounds: Sequence[int], total: int) -> str:
    """Return a phrase for rounds with its preposition."""
    phrase = rounds_phrase(rounds, total)
    if not phrase[0].isdigit() or "rounds" in phrase:
        return f"in {phrase}"
    return f"in round {phrase}" if len(rounds) == 1 else f"in rounds {phrase}"


Shares = list[dict[Pair, float]]


def _rounds(shares: Shares, agent: str, *, sure: bool) -> tuple[int, ...]:
    """Return the rounds in which an agent certainly speaks, or speaks by chance."""

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
        yield f"the provers {verb} one after the other, {join_names(parts)}"
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
    """Return whether several provers speak in separate rounds."""
    spoken = [r for rounds in when.values() for r in rounds]
    return 2 <= len(when) <= MOST and all(when.values()) and len(set(spoken)) == len(spoken)


def _chances(spec: ProtocolSpec, maybe: dict[str, tuple[int, ...]], total: int) -> Iterator[str]:
    rounds = sorted({r for own in maybe.values() for r in own})
    names = [spec.seat_phrase(name) for name, own in maybe.items() if own]
    if len(names) == 1:
        yield f"chance decides whether {names[0]} speaks {_in(rounds, total)}"
    elif names:
        listed = join_names(names, "or") if len(names) <= MOST else f"{len(names)} provers"
        yield f"chance decides who speaks {_in(rounds, total)}: {listed}"


def provers_phrase(spec: ProtocolSpec, names: Sequence[str]) -> str:
    """Return some provers within a sentence: ``"both provers"``, ``"provers 1 and 3"``."""
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
    return f"provers {join_names([spec.seat_name(name).rpartition(' ')[2] for name in names])}"


def _reading_phrase(spec: ProtocolSpec, shares: Shares) -> Iterator[str]:
    """Yield phrases for provers that read what another writes."""
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
            f"{spec.seat_phrase(name)} reads {join_names([spec.seat_phrase(one) for one in heard])}"
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


def _phrase_doubles(spec: ProtocolSpec, shares: Shares) -> Iterator[str]:
    """Yield phrases for the agents of the zero-knowledge variant."""
    doubles = spec.named("adversarial_verifier", "simulator")
    if not doubles:
        return
    own = _rounds(shares, spec.verifier, sure=True)
    if all(_rounds(shares, name, sure=True) == own for name in doubles):
        yield "the adversarial verifier and the simulator act when the verifier does"
    else:
        yield "an adversarial verifier and a simulator act in rounds of their own"


Names = frozenset[str]


class Narrator:
    """Describes the rounds of a protocol, each in a sentence or two."""

    def __init__(self, spec: ProtocolSpec, seed: int | None = None) -> None:
        self.spec, self.seed = spec, seed
        self._known: dict[tuple[tuple[Turn, ...], bool, Names, Names], str] = {}
        self._last: dict[str, int] = {}
        self._asked: dict[str, int] = {}
        for round_id in range(spec.max_message_rounds):
            for turn in self._turns(round_id):
                self._last |= dict.fromkeys(turn.agents, round_id)
                written = turn.channels_of(spec.verifier)
                viewers = {v for channel in written for v in spec.channel(channel).viewers}
                self._asked = dict.fromkeys(viewers, round_id) | self._asked

    def _turns(self, round_id: int) -> list[Turn]:
        chosen = variants(self.spec, self.seed)
        return list(dict.fromkeys(self.spec.turn(round_id, each) for each in chosen))

    def round(self, round_id: int) -> str:
        """Return what happens in a round, counted from 0."""
        # Equal rounds of a cycle are described once.
        key = (
            tuple(self._turns(round_id)),
            round_id >= self.spec.min_message_rounds - 1,
            frozenset(name for name, last in self._last.items() if last > round_id),
            frozenset(name for name, first in self._asked.items() if first < round_id),
        )
        if key not in self._known:
            self._known[key] = _narrated(self.spec, *key)
        return self._known[key]


def _narrated(
    spec: ProtocolSpec,
    turns: Sequence[Turn],
    verdict_counts: bool,
    speak_later: Names,
    were_asked: Names,
) -> str:
    verdict = ""
    if any(spec.verifier in turn.agents for turn in turns):
        verdict = "counts" if verdict_counts else "early"
    reads, unread = _who_reads(spec, turns)
    first = turns[0]
    if len(turns) > 1:
        clauses = [_chance(spec, turns, verdict), *_reading(spec, turns, reads, unread, "message")]
    else:
        answers = were_asked.issuperset(_provers(spec, first))
        verb, noun = ("answer", "answer") if answers else ("write", "message")
        clauses = [
            *([_verifier(spec, first, speak_later, verdict)] if verdict else []),
            *_writing(spec, first, verb),
            *_reading(spec, turns, reads, unread, noun),
            *_doubles(spec, first),
        ] or ["nobody acts"]
    text = "; ".join(clauses)
    return text[0].upper() + text[1:] + "."


Pairs = frozenset[tuple[str, str]]


def _who_reads(spec: ProtocolSpec, turns: Sequence[Turn]) -> tuple[Pairs, Pairs]:
    """Return the pairs of provers whose first reads all, or nothing, of what the second writes."""
    wrote = {pair for turn in turns for pair in turn.speakers if pair[0] in spec.provers}
    read: set[tuple[str, str]] = set()
    unread: set[tuple[str, str]] = set()
    for writer in {name for name, _ in wrote}:
        channels = [channel for name, channel in wrote if name == writer]
        for reader in spec.provers:
            sees = [spec.can_see(reader, channel) for channel in channels]
            if reader != writer and all(sees):
                read.add((reader, writer))
            elif reader != writer and not any(sees):
                unread.add((reader, writer))
    return frozenset(read), frozenset(unread)


def _provers(spec: ProtocolSpec, turn: Turn) -> list[str]:
    return [name for name in spec.provers if turn.has(name)]


def _writing(spec: ProtocolSpec, turn: Turn, verb: str) -> Iterator[str]:
    names = _provers(spec, turn)
    if names:
        yield f"{provers_phrase(spec, names)} {verb}{' at once' if len(names) > 1 else 's'}"


def _doubles(spec: ProtocolSpec, turn: Turn) -> Iterator[str]:
    """Yield phrases for the agents of the zero-knowledge variant."""
    names = [name for name in spec.named("adversarial_verifier", "simulator") if turn.has(name)]
    if names:
        own = "each on a copy of its own" if len(names) > 1 else "on a copy of its own"
        verb = "act" if len(names) > 1 else "acts"
        too = " too" if turn.has(spec.verifier) else ""
        yield f"{join_names([spec.seat_phrase(name) for name in names])} {verb}{too}, {own}"


def _verifier(spec: ProtocolSpec, turn: Turn, speak_later: Names, verdict: str) -> str:
    reached = {
        name
        for channel in turn.channels_of(spec.verifier)
        for name in spec.provers
        if spec.can_see(name, channel)
    }
    asked = [name for name in spec.provers if name in reached & speak_later]
    if asked:
        text = f"the verifier asks {provers_phrase(spec, asked)}"
        return f"{text}, or decides" if verdict == "counts" else f"{text}, and cannot decide yet"
    if verdict == "counts":
        return "the verifier decides"
    return "the verifier writes, and cannot decide yet"


def _chance(spec: ProtocolSpec, turns: Sequence[Turn], verdict: str) -> str:
    """Return a sentence about the possible turns of a round."""

    def said(turn: Turn) -> str:
        return join_names(map(spec.seat_phrase, turn.agents)) if turn.agents else "nobody"

    text = f"chance picks who acts: {join_names(dict.fromkeys(map(said, turns)), 'or')}"
    if not verdict:
        return text
    can = "can decide" if verdict == "counts" else "cannot decide yet"
    return (
        f"{text}; the verifier {can}"
        if all(t.has(spec.verifier) for t in turns)
        else (f"{text}; if it acts, the verifier {can}")
    )


def _reading(
    spec: ProtocolSpec, turns: Sequence[Turn], reads: Pairs, unread: Pairs, noun: str
) -> Iterator[str]:
    """Yield sentences about what provers read of each other in this round."""
    writers = [name for name in spec.provers if any(turn.has(name) for turn in turns)]
    others = len(spec.provers) - 1
    if not writers or not others:
        return
    pairs = len(writers) * others
    if len(writers) == 1:
        writer = writers[0]
        for pairs_of, verb in ((reads, "read"), (unread, "do not read")):
            names = [name for name in spec.provers if (name, writer) in pairs_of]
            if names:
                alone = verb.replace("do not", "does not") if "not" in verb else f"{verb}s"
                yield f"{provers_phrase(spec, names)} {alone if len(names) == 1 else verb} it"
    elif len(unread) == pairs:
        yield (
            f"neither prover reads the other's {noun}"
            if others == 1
            else f"none of the provers reads another's {noun}"
        )
    elif len(reads) == pairs:
        yield "each will read the other's" if others == 1 else "each will read the others'"
    else:
        for writer in writers:
            names = [name for name in spec.provers if (name, writer) in reads]
            if names:
                verb = "reads" if len(names) == 1 else "read"
                whom = spec.seat_phrase(writer)
                yield f"{provers_phrase(spec, names)} {verb} what {whom} writes"
