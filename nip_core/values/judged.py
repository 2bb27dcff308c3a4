"""What values need to know of a protocol with one verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.displays import displayed
from nip_core.handler import ProtocolHandler
from nip_core.language import Specification
from nip_core.language.data import START
from nip_core.language.rounds import Decisions, Rounds
from nip_core.language.version1 import rules_and_rounds
from nip_core.registry import AnyProtocol, protocol, version_2
from nip_core.spec import ProtocolSpec

__all__ = ["Judged", "count_speakers", "judged"]

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.integer[Any]]


@displayed
@dataclass(frozen=True)
class Judged:
    """A protocol in which one seat, the verifier, decides between two answers.

    Parameters
    ----------
    given : Specification, ProtocolSpec or ProtocolHandler
    spec : Specification
        Its rules. If the seed picks one of several schedules that repeat themselves together only
        after very many rounds, those of the first schedule.
    rounds : Rounds
        What each decision in each turn leads to, by the rules.
    num_variants : int
        The number of schedules, also if nothing depends on them.
    added : tuple of str
        The seats that a zero-knowledge variant adds.
    """

    given: Specification | ProtocolSpec | ProtocolHandler
    spec: Specification
    rounds: Rounds
    num_variants: int
    added: tuple[str, ...] = ()

    # Two are the same if their parts are, so that results for one can be remembered.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Judged) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[int, int]:
        return id(self.given), id(self.spec)

    @cached_property
    def handler(self) -> ProtocolHandler | None:
        """The documented handler, if it is a protocol in rounds."""
        return None if self.given is self.spec else protocol(self.given)

    @property
    def replacing(self) -> ProtocolHandler | None:
        """Its handler, if a class of its own replaces a rule."""
        if isinstance(self.given, ProtocolHandler) and self.given.overrides_rules:
            return self.given
        return None

    @property
    def stepped(self) -> ProtocolHandler | None:
        """Its handler, if rewards do not follow from the rules: its own steps are asked then."""
        return self.handler if self.added else self.replacing

    # -- choices -------------------------------------------------------------------------------

    @cached_property
    def _decisions(self) -> Decisions:
        return Decisions(self.spec)

    @property
    def truth(self) -> str:
        """The fact of the task that is decided about."""
        return self._decisions.truth.name

    @property
    def verdict(self) -> str:
        """The verifier's choice."""
        return self._decisions.verdict.name

    # -- seats ---------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The protocol's name."""
        return self.spec.name

    @property
    def agent_names(self) -> tuple[str, ...]:
        """All seats."""
        return self.spec.agent_names

    def agent_index(self, seat: str) -> int:
        """Return the place of a seat among all."""
        return self.spec.agent_index(seat)

    @property
    def verifier(self) -> str:
        """The seat that decides."""
        return self.rounds.deciding[0]

    @cached_property
    def provers(self) -> tuple[str, ...]:
        """All other seats, without those that a zero-knowledge variant adds."""
        others = {self.verifier, *self.added}
        return tuple(seat for seat in self.agent_names if seat not in others)

    @property
    def is_zero_knowledge(self) -> bool:
        """Whether a second verifier decides, and similarity is paid for."""
        return bool(self.added)

    @property
    def draws_side(self) -> bool:
        """Whether a side on which rewards depend is drawn before play."""
        by_class = self.replacing is not None and self.replacing.draws_prover_stance
        return self.rounds.draws_side or by_class

    def side(self, seat: str) -> int | None:
        """Return the answer for which a seat argues if that is fixed: 0 or 1."""
        option = self.spec.roles.fixed_sides.get(seat)
        answers = self.rounds.answers
        return answers.index(option) if option in answers else None

    @cached_property
    def shares_reward(self) -> bool:
        """Whether all provers are paid as the verifier in every case."""
        pay = [case.paid for phase in self.rounds.phases for case in phase.cases]
        seats = [self.agent_index(seat) for seat in (self.verifier, *self.provers)]
        return all(len({paid[seat] for seat in seats}) == 1 for paid in pay)

    # -- turns ---------------------------------------------------------------------------------

    @property
    def num_rounds(self) -> int:
        """The number of turns of the longest play."""
        return self.spec.max_message_rounds

    def of_turns(self, numbers: Iterable[int]) -> Ints:
        """Return a number for each kind of turn as an array ``[variant, round]``.

        A variant that ends earlier is filled up with its last turn, at which all play is over.
        """
        by_kind, shape = np.array([*numbers]), (self.num_variants, self.num_rounds)
        # There is one row for all variants if nothing depends on them.
        return np.broadcast_to(by_kind[self._kinds], shape)

    @cached_property
    def _kinds(self) -> Ints:
        """The number of each turn's kind, by variants that differ."""
        rows = [np.array(turns) for turns in self.rounds.turns]
        return np.stack([np.pad(row, (0, self.num_rounds - len(row)), mode="edge") for row in rows])

    @cached_property
    def turns(self) -> Bools:
        """Where the verifier decides: ``[variant, round]``."""
        if self.replacing is not None:
            # The class may let decisions count in every turn of the verifier.
            return count_speakers(self.replacing.spec, self.verifier) > 0
        return self.of_turns(kind.decides for kind in self.rounds.kinds).astype(bool)

    @cached_property
    def may(self) -> Bools:
        """Which decisions the verifier may make in its turns: ``[variant, round, decision]``."""
        phases = self.of_turns(kind.phase for kind in self.rounds.kinds)
        return np.array([phase.may for phase in self.rounds.phases])[phases]

    @cached_property
    def heard(self) -> Ints:
        """How many messages of provers the verifier has read before: ``[variant, round]``."""
        heard = self.of_turns(len(self._from_provers(kind.heard)) for kind in self.rounds.kinds)
        return np.cumsum(heard, axis=1) - heard

    def messages(self, variant: int, round_id: int) -> list[tuple[str, str]]:
        """Return the provers and channels of messages to the verifier in a turn."""
        rows = self.rounds.turns
        turns = rows[variant if len(rows) > 1 else 0]
        kinds = [self.rounds.kinds[kind] for kind in turns[round_id : round_id + 1]]
        return [message for kind in kinds for message in self._from_provers(kind.heard)]

    def _from_provers(self, heard: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        return [(seat, channel) for seat, channel in heard if seat in self.provers]

    def can_see(self, seat: str, channel: str) -> bool:
        """Return whether a seat reads a channel."""
        return channel in self.spec.sight(seat, len(self.spec.stages) - 1).channels

    @property
    def is_public(self) -> bool:
        """Whether everybody reads every channel from the start."""
        everybody = {(seat, START) for seat in self.agent_names}
        return all({*channel.seen} == everybody for channel in self.spec.channels)


def count_speakers(spec: ProtocolSpec, agent: str) -> npt.NDArray[np.int64]:
    """Return on how many channels an agent speaks: ``[variant, round]``."""
    return spec.count_by_round(lambda pairs: sum(speaker == agent for speaker, _ in pairs))


def judged(given: AnyProtocol) -> Judged:
    """Return what values need to know of a protocol with one verdict.

    Raises
    ------
    UnsupportedError
        For a protocol without just one verdict; says why.
    """
    spec = version_2(given)
    if spec is not None:
        rounds = Rounds.of(spec)
        return Judged(spec, spec, rounds, len(rounds.turns))
    if isinstance(given, ProtocolSpec):
        # Its handler is made when it is needed; the specification of a variant alone has none.
        made, in_rounds, draws_side = given, given, False
    else:
        made = protocol(given)
        in_rounds, draws_side = made.spec, made.draws_prover_stance
    spec, rounds = rules_and_rounds(in_rounds, draws_side)
    added = in_rounds.named("adversarial_verifier", "simulator")
    return Judged(made, spec, rounds, in_rounds.num_variants, added)
