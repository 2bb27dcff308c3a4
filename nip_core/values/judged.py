"""What values need to know of a protocol with one verdict, in rounds or in stages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.errors import UnsupportedError
from nip_core.handler import ProtocolHandler
from nip_core.language import Specification
from nip_core.language.rounds import Rounds
from nip_core.registry import AnyProtocol, protocol, version_2
from nip_core.spec import ProtocolSpec

__all__ = ["Judged", "count_speakers", "handler_of", "judged"]

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Judged:
    """A protocol in which one seat, the verifier, decides between two answers.

    Parameters
    ----------
    spec : ProtocolSpec or Specification
    made : ProtocolHandler, optional
        Its handler, if there is one already.
    """

    spec: ProtocolSpec | Specification
    made: ProtocolHandler | None

    # Two are the same if their parts are, so that results for one can be remembered.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Judged) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[int, int]:
        return id(self.spec), id(self.made)

    @cached_property
    def handler(self) -> ProtocolHandler | None:
        """Its handler, if it is a protocol in rounds."""
        in_rounds = isinstance(self.spec, ProtocolSpec)
        return protocol(self.spec) if in_rounds and self.made is None else self.made

    @cached_property
    def rounds(self) -> Rounds:
        """What each decision in each turn leads to, by the specification."""
        if self.handler is not None:
            return self.handler.rounds
        assert isinstance(self.spec, Specification)
        return Rounds.of(self.spec)

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
        if isinstance(self.spec, ProtocolSpec):
            return self.spec.verifier
        return self.rounds.deciding[0]

    @cached_property
    def provers(self) -> tuple[str, ...]:
        """All other seats, without those that a zero-knowledge variant adds."""
        if isinstance(self.spec, ProtocolSpec):
            return self.spec.provers
        return tuple(seat for seat in self.spec.seat_names if seat != self.verifier)

    @property
    def is_zero_knowledge(self) -> bool:
        """Whether a second verifier decides, and similarity is paid for."""
        return isinstance(self.spec, ProtocolSpec) and self.spec.is_zero_knowledge

    @property
    def overrides_rules(self) -> bool:
        """Whether a class replaces a rule of the specification."""
        return self.handler is not None and self.handler.overrides_rules

    @property
    def draws_side(self) -> bool:
        """Whether the provers' side is drawn before play."""
        if self.handler is not None:
            return self.handler.draws_prover_stance
        return self.rounds.draws_side

    def side(self, seat: str) -> int | None:
        """Return the answer for which a seat argues if that is fixed: 0 or 1."""
        if isinstance(self.spec, ProtocolSpec):
            return self.spec.agent(seat).stance
        option = self.spec.roles.fixed_sides.get(seat)
        answers = self.rounds.answers
        return answers.index(option) if option in answers else None

    def side_by_drawn(self, seat: str) -> tuple[int, int] | None:
        """Return the answers for which a seat argues by the side that is drawn, if it does."""
        if isinstance(self.spec, ProtocolSpec):
            return (0, 1) if self.draws_side and seat in self.provers else None
        side = self.spec.roles.sides.get(seat)
        if not self.draws_side or side is None or side.choice != self.spec.roles.dealt:
            return None
        return (1, 0) if side.other else (0, 1)

    @cached_property
    def shares_reward(self) -> bool:
        """Whether all provers are paid as the verifier in every case."""
        if isinstance(self.spec, ProtocolSpec):
            return self.spec.payoff.shared_reward
        pay = [case.paid for phase in self.rounds.phases for case in phase.cases]
        seats = [self.agent_index(seat) for seat in (self.verifier, *self.provers)]
        return all(len({paid[seat] for seat in seats}) == 1 for paid in pay)

    # -- rounds --------------------------------------------------------------------------------

    @property
    def num_rounds(self) -> int:
        """The number of rounds; in stages, of turns of the longest play."""
        return self.spec.max_message_rounds

    @cached_property
    def num_variants(self) -> int:
        """The number of schedules."""
        if isinstance(self.spec, ProtocolSpec):
            return self.spec.num_variants
        return len(self.rounds.turns)

    def of_turns(self, numbers: Iterable[int]) -> Ints:
        """Return a number for each kind of turn as an array ``[variant, round]``.

        A variant that ends earlier is filled up with its last turn, at which all play is over.
        """
        by_kind, shape = np.array([*numbers]), (self.num_variants, self.num_rounds)
        rows = [np.array(turns) for turns in self.rounds.turns]
        padded = [np.pad(row, (0, self.num_rounds - len(row)), mode="edge") for row in rows]
        # There is one row for all variants if nothing depends on them.
        return np.broadcast_to(by_kind[np.stack(padded)], shape)

    @cached_property
    def turns(self) -> Bools:
        """The verifier's turns: ``[variant, round]``. In rounds, its decision may not count yet."""
        if isinstance(self.spec, ProtocolSpec):
            return count_speakers(self.spec, self.spec.verifier) > 0
        return self.of_turns(kind.decides for kind in self.rounds.kinds).astype(bool)

    @cached_property
    def may(self) -> Bools:
        """Which decisions the verifier may make in its turns: ``[variant, round, decision]``."""
        if isinstance(self.spec, ProtocolSpec):
            return np.ones((*self.turns.shape, 3), dtype=bool)
        phases = self.of_turns(kind.phase for kind in self.rounds.kinds)
        return np.array([phase.may for phase in self.rounds.phases])[phases]

    @cached_property
    def heard(self) -> Ints:
        """How many messages of provers the verifier has read before: ``[variant, round]``."""
        if isinstance(self.spec, ProtocolSpec):
            read = set(self.spec.visible_channels(self.spec.verifier))
            provers = set(self.spec.provers)
            said = self.spec.count_by_round(
                lambda pairs: sum(seat in provers and channel in read for seat, channel in pairs)
            )
        else:
            said = self.of_turns(len(kind.heard) for kind in self.rounds.kinds)
        return np.cumsum(said, axis=1) - said

    def messages(self, variant: int, round_id: int) -> list[tuple[str, str]]:
        """Return the provers and channels of messages to the verifier in a round."""
        if isinstance(self.spec, ProtocolSpec):
            spec = self.spec
            return [
                (seat, channel)
                for seat, channel in spec.turn(round_id, variant).speakers
                if seat in spec.provers and spec.can_see(spec.verifier, channel)
            ]
        turns = self.rounds.turns[variant]
        return [*self.rounds.kinds[turns[round_id]].heard] if round_id < len(turns) else []

    def can_see(self, seat: str, channel: str) -> bool:
        """Return whether a seat reads a channel."""
        if isinstance(self.spec, ProtocolSpec):
            return self.spec.can_see(seat, channel)
        return channel in self.spec.sight(seat, len(self.spec.stages) - 1).channels

    @property
    def is_public(self) -> bool:
        """Whether everybody reads every channel from the start."""
        everybody = set(self.agent_names)
        if isinstance(self.spec, ProtocolSpec):
            return all({*channel.viewers} == everybody for channel in self.spec.channels)
        seen = [{seat for seat, _ in channel.seen} for channel in self.spec.channels]
        return all(seats == everybody for seats in seen)


def count_speakers(spec: ProtocolSpec, agent: str) -> npt.NDArray[np.int64]:
    """Return on how many channels an agent speaks: ``[variant, round]``."""
    return spec.count_by_round(lambda pairs: sum(speaker == agent for speaker, _ in pairs))


def judged(given: AnyProtocol) -> Judged:
    """Return what values need to know of a protocol with one verdict."""
    spec = given if isinstance(given, ProtocolSpec) else version_2(given)
    if spec is not None:
        return Judged(spec, None)
    handler = protocol(given)
    return Judged(handler.spec, handler)


def handler_of(given: AnyProtocol, remedy: str) -> ProtocolHandler:
    """Return the handler of a protocol.

    Raises
    ------
    UnsupportedError
        For a protocol in stages that has none, with what to do instead.
    """
    spec = version_2(given)
    try:
        return protocol(given)
    except UnsupportedError as error:
        if spec is None:
            raise
        raise UnsupportedError(
            f"{spec.name!r} is a protocol in stages and has no handler; {remedy}."
        ) from error
