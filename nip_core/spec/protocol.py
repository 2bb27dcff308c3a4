"""A protocol as frozen, self-validating data, from which everything else is derived."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Self

from nip_core.displays import Framed, Table, brief, line
from nip_core.spec.data import SpecData
from nip_core.spec.display import schedule_table, schedule_text, shown
from nip_core.spec.document import dump_spec, load_spec
from nip_core.spec.remarks import Remark, lint
from nip_core.spec.validation import validate

__all__ = ["ProtocolSpec"]


@dataclass(frozen=True)
class ProtocolSpec(SpecData, Framed):
    """A complete protocol.

    Parameters
    ----------
    name : str
    agents : tuple of Agent
        In the order of the masks. Exactly one is the verifier.
    channels : tuple of Channel
        In the order of the masks.
    schedules : tuple of Schedule
        The variants; an episode with seed `s` follows number ``s % len(schedules)``.
    max_message_rounds, min_message_rounds : int
        An episode ends after the first; a decision counts from round
        ``min_message_rounds - 1`` on.
    payoff : Payoff
    prover_stance_can_be_randomized : bool
        Whether the side that all provers argue for may be drawn for each task.
    """

    def __post_init__(self) -> None:
        validate(self)

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed."""
        return dataclasses.replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Return the specification as a plain document; see :mod:`nip_core.spec.document`."""
        return dump_spec(self)

    @classmethod
    def from_dict(cls, document: object) -> Self:
        """Read a plain document, which may be untrusted."""
        return load_spec(document, cls)

    def lint(self) -> list[Remark]:
        """Return probable mistakes; see :mod:`nip_core.spec.remarks`."""
        return lint(self)

    # -- display -------------------------------------------------------------------------------

    def __repr__(self) -> str:
        rounds = f"{self.max_message_rounds:,} rounds"
        return line(self, brief(self.name), rounds, ", ".join(self.agent_names))

    def table(self) -> Table:
        """Return who writes where in each round, and when a decision counts, with probabilities."""
        return schedule_table(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return shown(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(schedule_text(self))
