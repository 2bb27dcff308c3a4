"""The outcome of each decision in each phase, arranged for the computation of values.

The rules are not repeated here: the outcomes are those of :mod:`nip_core.language.rounds` or, of a
handler that replaces a rule or has two verifiers, those of its own step on every case
(:func:`nip_core.handler.cases.step_cases`). If it replaces a rule, its steps are in single
precision; a reward that is one of the payoff's numbers is replaced by that number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.displays import Table, Tabular, line
from nip_core.errors import UnsupportedError
from nip_core.handler import ProtocolHandler
from nip_core.handler.cases import step_cases
from nip_core.language.rounds import UNDECIDED
from nip_core.values.judged import Judged

__all__ = ["AdversaryOutcomes", "Outcomes", "outcomes_of"]

Floats = npt.NDArray[np.floating[Any]]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class AdversaryOutcomes:
    """The outcomes for the adversarial verifier of a zero-knowledge variant.

    Parameters
    ----------
    stops : array, ``[phase, decision, label]``
        Whether it has decided after this.
    fine : array, ``[phase]``
        Its fine if the rounds run out and only it has not decided.
    """

    stops: Bools
    fine: Floats


@dataclass(frozen=True, eq=False)
class Outcomes(Tabular):
    """The outcomes of the verifier's decisions. Stances have one entry if they are not drawn.

    Parameters
    ----------
    phases : array, ``[variant, round]``
        The phase of each round, the first index of all other tables.
    stops : array, ``[phase, decision, label, stance]``
        Whether the verifier's part is over after this: it has decided, or the rounds have run out.
    verdicts : array, ``[phase, decision, label, stance]``
        The decision that counted (which may have been forced), or 2 for none.
    pays : array, ``[phase, decision, label, stance, agent]``
        The step's pay for each agent, without similarity rewards.
    may : array, ``[phase, decision]``
        Which decisions are open. The outcomes of others mean nothing.
    adversary : AdversaryOutcomes, optional
    """

    phases: Ints
    stops: Bools
    verdicts: Ints
    pays: Floats
    may: Bools
    adversary: AdversaryOutcomes | None = None

    def __repr__(self) -> str:
        phases, _, _, _, agents = self.pays.shape
        return line(self, f"{phases} kinds of rounds", f"{agents} agents")

    def table(self) -> Table:
        """Return each decision's outcome and pay; agents are numbered from 0."""
        *cases, agents = self.pays.shape
        rows = [
            (*case, bool(self.stops[case]), int(self.verdicts[case]), *map(float, self.pays[case]))
            for case in np.ndindex(*cases)
        ]
        paid = (f"pays {agent}" for agent in range(agents))
        return Table(("phase", "decision", "label", "stance", "stops", "verdict", *paid), rows)


def outcomes_of(game: Judged) -> Outcomes:
    """Return the outcomes of a protocol."""
    if game.stepped is not None:
        return _by_steps(game.stepped)
    rounds = game.rounds
    cases = [case for phase in rounds.phases for case in phase.cases]
    shape = len(rounds.phases), 3, 2, 1 + rounds.draws_side
    return Outcomes(
        phases=game.of_turns(kind.phase for kind in rounds.kinds),
        stops=np.array([case.over for case in cases]).reshape(shape),
        verdicts=np.array([case.verdict for case in cases]).reshape(shape),
        pays=np.array([case.paid for case in cases]).reshape(*shape, -1),
        may=np.array([phase.may for phase in rounds.phases]),
    )


def _by_steps(handler: ProtocolHandler) -> Outcomes:
    """Return the outcomes of a handler's step, which has rules of its own or two verifiers."""
    phases, done, agents_done, terminated, pays = step_cases(handler)
    if handler.overrides_rules:
        pays = _exact(handler, pays)
    spec, adversary = handler.spec, None
    if spec.is_zero_knowledge:
        index, other = (spec.agent_index(name) for name in spec.verifiers)
        alone = _VerifierAlone(index, other)
        adversary = alone.adversary(agents_done, pays)
        done, terminated, pays = alone.verifier(agents_done, terminated, pays)
    # From here on the digits are: decision, label, done, terminated, and perhaps the stance.
    live = (slice(None), slice(None), slice(None), 0, 0)
    done, terminated, pays = done[live], terminated[live], pays[live]
    if not handler.draws_prover_stance:
        done, terminated, pays = done[..., None], terminated[..., None], pays[..., None, :]
    may = np.ones((len(pays), 3), dtype=bool)
    return Outcomes(phases, done | terminated, _verdicts(handler, done), pays, may, adversary)


def _exact(handler: ProtocolHandler, reward: npt.NDArray[Any]) -> Floats:
    """Return a step's rewards in double precision.

    A rounded number of the payoff becomes that number again: 0.1, not 0.10000000149.
    """
    exact = reward.astype(np.float64)
    for amount in handler.rules.amounts:
        exact[reward == np.float32(amount)] = amount
    return exact


def _verdicts(handler: ProtocolHandler, done: Bools) -> Ints:
    decision = np.arange(3)[None, :, None, None]
    forced = {None: decision, "zero": 0, "one": 1, "y": np.arange(2)[None, None, :, None]}
    return np.where(done, forced[handler.payoff.force_guess], UNDECIDED)


@dataclass(frozen=True, slots=True)
class _VerifierAlone:
    """Split a table over two verifiers into one table for each.

    The table of one verifier is the part in which the other one does nothing and is not done. This
    is complete only if the other verifier's actions do not affect the first. That is checked, since
    a subclass may have rules for which it is not true.

    The digits come in as: phase, decision, the adversary's decision, whether the verifier is done,
    whether the adversary is, label, done, terminated, perhaps the stance.

    Parameters
    ----------
    index, other : int
        The indices of the verifier and of the adversarial one among the agents.
    """

    index: int
    other: int

    def verifier(
        self, agents_done: Bools, terminated: Bools, pays: Floats
    ) -> tuple[Bools, Bools, Floats]:
        """Return the table while the verifier is not done; later, its side must get nothing."""
        base = self._base_agents(pays)
        open_pays, own = pays[:, :, :, 0][..., base], agents_done[:, :, :, 0][..., self.index]
        same = _is_constant(open_pays, axes=(2, 3)) and _is_constant(own, axes=(2, 3))
        if not same or pays[:, :, :, 1, :, :, 0, 0][..., base].any():
            raise UnsupportedError(
                "Here what the verifier does or gets depends on what the adversarial verifier "
                "does, so that their values cannot be computed apart."
            )
        mine = (slice(None), slice(None), UNDECIDED, 0, 0)
        shown = pays[mine].copy()
        shown[..., self.other] = 0.0  # a fine, which is treated separately
        return agents_done[mine][..., self.index], terminated[mine], shown

    def adversary(self, agents_done: Bools, pays: Floats) -> AdversaryOutcomes:
        """Return when the adversarial verifier is done, and its fine."""
        stops = agents_done[:, UNDECIDED, :, 0, 0, :, 0, 0, ..., self.other]
        fine = pays[:, UNDECIDED, UNDECIDED, 1, 0, 0, 0, 0, ..., self.other]
        while stops.ndim > 3:
            stops = stops[..., 0]
        return AdversaryOutcomes(stops, fine.reshape(len(fine), -1)[:, 0])

    def _base_agents(self, pays: Floats) -> list[int]:
        return [agent for agent in range(pays.shape[-1]) if agent != self.other]


def _is_constant(table: npt.NDArray[Any], axes: tuple[int, int]) -> bool:
    """Return whether a table of live cases is constant along two axes."""
    first = table.take([0], axis=axes[0]).take([0], axis=axes[1])
    return bool((table == first).all())
