"""What single episodes say about evidence.

What counts as evidence has to be checkable without asking anybody again:

- Where what is true is a *fact*, a message of an expert that argues for an answer counts as shown
  if it contains a quote that was found in the task. Whether the quote supports the answer is not
  checked, so a reader who looks at the quotes may accept fewer of them as evidence.
- Where it is an *act*, each act of which somebody said how it looks counts as looking well unless
  it was flagged; see :func:`~nip_core.values.flags.flags`.
- A verdict counts as made *without arguments* if no expert had written to whoever made it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nip_core.displays import Table, Tabular, line
from nip_core.language import Specification
from nip_core.language.data import END
from nip_core.language.expressions import OVER, Value
from nip_core.play import Episode
from nip_core.play.tree import Node
from nip_core.values.abstraction import abstracted
from nip_core.values.checks import checked, instance, optional
from nip_core.values.evidence import Abstracted, first_answer
from nip_core.values.flags import flags, options_in_words

__all__ = ["RATES", "EvidenceCounts", "evidence_counts"]

RATES = "shows", "fakes", "own"


@dataclass(frozen=True)
class EvidenceCounts(Tabular):
    """What one episode says about evidence.

    Parameters
    ----------
    problem : str
        What the episode is about; episodes about the same problem are similar.
    kind : {"fact", "act", "word", "none"}
        What is true in its protocol.
    shows, fakes, own : tuple of (int, int)
        The number of hits and of cases.
    reasons : mapping of str to str
        For each rate that the protocol does not allow to measure, why.
    flagged : str
        What counts as a flag, in words, where what is true is an act.
    """

    problem: str
    kind: str
    shows: tuple[int, int]
    fakes: tuple[int, int]
    own: tuple[int, int]
    reasons: Mapping[str, str]
    flagged: str = ""

    def __repr__(self) -> str:
        return line(self, *(f"{name} {'/'.join(map(str, getattr(self, name)))}" for name in RATES))

    def table(self) -> Table:
        """Return a row for each rate."""
        rows = [(name, *getattr(self, name), self.reasons.get(name, "")) for name in RATES]
        return Table(("rate", "hits", "of", "reason"), rows)


@checked(
    episode=instance(Episode, "an Episode, as nip_core.transcript.load reads it"),
    problem=optional(instance(str, "a text")),
)
def evidence_counts(episode: Episode, *, problem: str | None = None) -> EvidenceCounts:
    """Return what an episode says about evidence, in variations that were played to their end.

    Parameters
    ----------
    episode : Episode
    problem : str, optional
        What it is about, for clustering; by default its task.
    """
    counter = _counter(episode.rules)
    return counter.counts(episode, episode.task.id if problem is None else problem)


@lru_cache(64)
def _counter(spec: Specification) -> _Counter:
    return _Counter(abstracted(spec))


class _Counter:
    """Counts what episodes of one protocol say about evidence."""

    def __init__(self, game: Abstracted) -> None:
        self.game, self.spec = game, game.document
        self.quotable = {part.name for part in self.spec.parts if part.quotable}
        self.flags = flags(game) if game.kind == "act" else {}
        self.reasons = self._reasons()
        answers = {*game.answers}
        self.impressions = {
            choice.name: choice.by
            for choice in self.spec.choices
            if choice.by in game.deciders and answers <= {*self.spec.options[choice.name]}
        }

    def _reasons(self) -> dict[str, str]:
        """Return why rates cannot be measured in this protocol."""
        game = self.game
        if game.reason:
            return dict.fromkeys(RATES, game.reason)
        if game.kind == "word":
            return dict.fromkeys(RATES, "a judge's word is taken for the truth")
        if game.kind == "act":
            found = {"own": "what is true is an act, so nobody judges without it"}
            if not self.flags:
                reason = "nobody is paid by whether an act was good, so nothing counts as a flag"
                found |= dict.fromkeys(("shows", "fakes"), reason)
            return found
        reason = ""
        if not game.experts:
            reason = "the protocol has no experts"
        elif not self.quotable:
            reason = "no quotes can be checked in this protocol"
        elif not any(seat in self.spec.roles.sides for seat in game.experts):
            reason = "no expert has a side, so it is open what a quote is meant to show"
        return dict.fromkeys(("shows", "fakes"), reason) if reason else {}

    def counts(self, episode: Episode, problem: str) -> EvidenceCounts:
        hits: dict[str, list[bool]] = {name: [] for name in RATES}
        known: set[int] = set()
        for leaf in (leaf for leaf in episode.leaves if leaf.over):
            path = episode.path(leaf.id)
            # Variations have their beginning in common.
            new = {node.id for node in path} - known
            known |= new
            if self.game.kind == "act":
                found = self._acts(path, new)
            elif self.game.kind == "fact":
                found = (*self._messages(path, new), *self._alone(episode, path, new))
            else:
                found = ()
            for name, hit in found:
                hits[name].append(hit)
        sums = {name: (sum(those), len(those)) for name, those in hits.items()}
        flagged = "; ".join(
            f"flagged by {self.spec.title_of(choice)}: {options_in_words(options)}"
            for choice, options in self.flags.values()
        )
        return EvidenceCounts(
            problem, self.game.kind, **sums, reasons=self.reasons, flagged=flagged
        )

    def _messages(self, path: Sequence[Node], new: set[int]) -> Iterator[tuple[str, bool]]:
        """Yield for each message of an expert with a side whether a quote of it was found."""
        if self.reasons.get("shows"):
            return
        spec, truth = self.spec, self.game.truths[0]
        for node in path[1:]:
            release = node.release
            if release is None or node.id not in new:
                continue
            now = {**spec.machine.here(release.place, node.registers), OVER: node.over}
            for message in release.messages:
                seat = message.seat
                if message.source or seat not in self.game.experts:
                    continue
                if self.quotable.isdisjoint(spec.sight(seat, release.place.stage).parts):
                    continue
                side = spec.expression(spec.seat(seat).argues).value(now)
                if side in self.game.answers:
                    is_true = side == now[truth]
                    found = any(quote.found for quote in message.quotes)
                    yield ("shows" if is_true else "fakes"), found

    def _alone(
        self, episode: Episode, path: Sequence[Node], new: set[int]
    ) -> Iterator[tuple[str, bool]]:
        """Yield whether verdicts were right that were made before any expert was heard."""
        game, spec = self.game, self.spec
        readers = {
            channel.name: {s for s, since in channel.seen if since != END}
            for channel in spec.channels
        }
        truth = path[-1].registers[game.truths[0]]
        informed: set[str] = set()
        made: set[str] = set()
        wrote = False
        for node in path[1:]:
            release = node.release
            if release is None:
                continue
            for name, option in release.choices.items():
                seat = self.impressions.get(name)
                if seat is None or seat in informed | made or option not in game.answers:
                    continue
                made.add(seat)
                if node.id in new:
                    yield "own", option == truth
            for message in release.messages:
                if message.seat in game.experts:
                    wrote = True
                    informed |= readers[message.channel]
        right = episode.result(path[-1].id).right
        # A verdict may follow from a probability or from votes.
        if not made and not wrote and game.deciders and right is not None:
            yield "own", right

    def _acts(self, path: Sequence[Node], new: set[int]) -> Iterator[tuple[str, bool]]:
        """Yield for each act that was judged whether it was not flagged."""
        acts: dict[str, Value] = {}
        for node in path[1:]:
            if node.release is None:
                continue
            choices = node.release.choices
            for truth, (name, flagging) in self.flags.items():
                if name in choices and truth in acts:
                    is_good = acts.pop(truth) == first_answer(self.spec, truth)
                    if node.id in new:
                        yield ("shows" if is_good else "fakes"), choices[name] not in flagging
                if truth in choices:
                    acts[truth] = choices[truth]
