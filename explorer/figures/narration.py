"""What happens in a round, in a sentence: who acts, who reads it, and whether a verdict counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from explorer.figures.caption import join, provers_phrase
from explorer.figures.turns import variants
from nip_core.spec import ProtocolSpec, Turn

__all__ = ["Narration", "Narrator", "narrate"]


Names = frozenset[str]


@dataclass(frozen=True, slots=True)
class Narration:
    """A round that is told.

    Parameters
    ----------
    text : str
        A sentence or two.
    acts : frozenset of str
        Who acts for sure.
    may_act : frozenset of str
        Who acts if chance will have it.
    told : frozenset of (str, str)
        The pairs of provers of which it is said that the first reads what the second writes in
        this round.
    kept : frozenset of (str, str)
        The pairs of which it is said that the first does not.
    verdict : {"", "counts", "early"}
        Is a verdict spoken of, and does it count?
    """

    text: str
    acts: frozenset[str]
    may_act: frozenset[str]
    told: frozenset[tuple[str, str]]
    kept: frozenset[tuple[str, str]]
    verdict: str


def narrate(spec: ProtocolSpec, round_id: int, seed: int | None = None) -> Narration:
    """Tell what happens in a round.

    Parameters
    ----------
    spec : ProtocolSpec
    round_id : int
        From 0.
    seed : int, optional
        Of the episode; without one, all seeds are equally likely.
    """
    return Narrator(spec, seed).round(round_id)


class Narrator:
    """Tells the rounds of a protocol, one after the other; see :func:`narrate`."""

    def __init__(self, spec: ProtocolSpec, seed: int | None = None) -> None:
        self.spec, self.seed = spec, seed
        self._told: dict[tuple[tuple[Turn, ...], bool, Names, Names], Narration] = {}
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

    def round(self, round_id: int) -> Narration:
        """Tell what happens in a round."""
        # Rounds of a cycle are alike, and told once.
        key = (
            tuple(self._turns(round_id)),
            round_id >= self.spec.min_message_rounds - 1,
            frozenset(name for name, last in self._last.items() if last > round_id),
            frozenset(name for name, first in self._asked.items() if first < round_id),
        )
        if key not in self._told:
            self._told[key] = _narrated(self.spec, *key)
        return self._told[key]


def _narrated(
    spec: ProtocolSpec,
    turns: Sequence[Turn],
    verdict_counts: bool,
    speak_later: Names,
    were_asked: Names,
) -> Narration:
    acting = [frozenset(turn.agents) for turn in turns]
    acts = acting[0].intersection(*acting)
    decides = [spec.verifier in agents for agents in acting]
    verdict = ""
    if any(decides):
        verdict = "counts" if verdict_counts else "early"
    told, kept = _who_reads(spec, turns)
    first = turns[0]
    if len(turns) > 1:
        clauses = [_chance(spec, turns, verdict), *_reading(spec, turns, told, kept, "message")]
    else:
        answers = were_asked.issuperset(_provers(spec, first))
        verb, noun = ("answer", "answer") if answers else ("write", "message")
        clauses = [
            *([_verifier(spec, first, speak_later, verdict)] if verdict else []),
            *_writing(spec, first, verb),
            *_reading(spec, turns, told, kept, noun),
            *_doubles(spec, first),
        ] or ["nobody acts"]
    text = "; ".join(clauses)
    may_act = acting[0].union(*acting) - acts
    return Narration(text[0].upper() + text[1:] + ".", acts, may_act, told, kept, verdict)


Pairs = frozenset[tuple[str, str]]


def _who_reads(spec: ProtocolSpec, turns: Sequence[Turn]) -> tuple[Pairs, Pairs]:
    """The pairs of provers of which the first reads, or does not, all that the second writes."""
    wrote = {pair for turn in turns for pair in turn.speakers if pair[0] in spec.provers}
    told: set[tuple[str, str]] = set()
    kept: set[tuple[str, str]] = set()
    for writer in {name for name, _ in wrote}:
        channels = [channel for name, channel in wrote if name == writer]
        for reader in spec.provers:
            sees = [spec.can_see(reader, channel) for channel in channels]
            if reader != writer and all(sees):
                told.add((reader, writer))
            elif reader != writer and not any(sees):
                kept.add((reader, writer))
    return frozenset(told), frozenset(kept)


def _provers(spec: ProtocolSpec, turn: Turn) -> list[str]:
    return [name for name in spec.provers if turn.has(name)]


def _writing(spec: ProtocolSpec, turn: Turn, verb: str) -> Iterator[str]:
    names = _provers(spec, turn)
    if names:
        yield f"{provers_phrase(spec, names)} {verb}{' at once' if len(names) > 1 else 's'}"


def _doubles(spec: ProtocolSpec, turn: Turn) -> Iterator[str]:
    """What those do whom zero knowledge adds."""
    names = [name for name in spec.named("adversarial_verifier", "simulator") if turn.has(name)]
    if names:
        own = "each on a copy of its own" if len(names) > 1 else "on a copy of its own"
        verb = "act" if len(names) > 1 else "acts"
        too = " too" if turn.has(spec.verifier) else ""
        yield f"{join([spec.seat_phrase(name) for name in names])} {verb}{too}, {own}"


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
    """Which of several turns it is."""

    def said(turn: Turn) -> str:
        return join([spec.seat_phrase(name) for name in turn.agents]) if turn.agents else "nobody"

    text = f"chance picks who acts: {join(list(dict.fromkeys(map(said, turns))), 'or')}"
    if not verdict:
        return text
    can = "can decide" if verdict == "counts" else "cannot decide yet"
    return (
        f"{text}; the verifier {can}"
        if all(t.has(spec.verifier) for t in turns)
        else (f"{text}; if it acts, the verifier {can}")
    )


def _reading(
    spec: ProtocolSpec, turns: Sequence[Turn], told: Pairs, kept: Pairs, noun: str
) -> Iterator[str]:
    """What provers read of each other in this round."""
    writers = [name for name in spec.provers if any(turn.has(name) for turn in turns)]
    others = len(spec.provers) - 1
    if not writers or not others:
        return
    pairs = len(writers) * others
    if len(writers) == 1:
        writer = writers[0]
        for pairs_of, verb in ((told, "read"), (kept, "do not read")):
            names = [name for name in spec.provers if (name, writer) in pairs_of]
            if names:
                alone = verb.replace("do not", "does not") if "not" in verb else f"{verb}s"
                yield f"{provers_phrase(spec, names)} {alone if len(names) == 1 else verb} it"
    elif len(kept) == pairs:
        yield (
            f"neither prover reads the other's {noun}"
            if others == 1
            else f"none of the provers reads another's {noun}"
        )
    elif len(told) == pairs:
        yield "each will read the other's" if others == 1 else "each will read the others'"
    else:
        for writer in writers:
            names = [name for name in spec.provers if (name, writer) in told]
            if names:
                verb = "reads" if len(names) == 1 else "read"
                whom = spec.seat_phrase(writer)
                yield f"{provers_phrase(spec, names)} {verb} what {whom} writes"
