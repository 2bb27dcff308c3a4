"""What seats may do in each round of an episode, computed once per round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nip_core.play.moves import Legal
from nip_core.spec import ProtocolSpec

__all__ = ["Round", "Rounds"]


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """The protocol's facts about a round; rounds with the same facts share an object.

    The outcome of a round depends only on this and on the moves.

    Parameters
    ----------
    legal : mapping of str to Legal
        What each speaking agent may do, in the agents' order.
    may_decide : bool
        Whether the verifier is one of them. Its decision may still be too early.
    """

    legal: Mapping[str, Legal]
    may_decide: bool


class Rounds:
    """The rounds of one episode.

    Parameters
    ----------
    spec : ProtocolSpec
    seed : int
        Picks the schedule.
    """

    def __init__(self, spec: ProtocolSpec, seed: int) -> None:
        self._spec, self._seed = spec, seed
        self._known: dict[int, Round] = {}
        # Most rounds of a long episode are the same.
        self._alike: dict[tuple[object, ...], Round] = {}

    def __getitem__(self, number: int) -> Round:
        found = self._known.get(number)
        if found is None:
            found = self._known[number] = self._worked_out(number)
        return found

    def _worked_out(self, number: int) -> Round:
        spec = self._spec
        turn = spec.turn(number, self._seed)
        counts = spec.decision_counts(number, self._seed)
        last = tuple(agent for agent, at in spec.last_active_rounds.items() if at == number)
        ends = number >= spec.max_message_rounds - 1
        what_matters = turn, counts, last, ends
        if what_matters not in self._alike:
            self._alike[what_matters] = Round(
                legal={
                    agent: Legal(
                        channels=tuple(c for c in spec.channel_names if c in channels),
                        may_decide=agent in spec.verifiers and counts,
                        last_turn=agent in last,
                    )
                    for agent in spec.agent_names
                    if (channels := turn.channels_of(agent))
                },
                may_decide=spec.may_decide(number, self._seed),
            )
        return self._alike[what_matters]
