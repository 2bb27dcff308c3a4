"""One of the protocols on the page: what was chosen, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from explorer.schedule.screen import Shown
from nip_core.handler import ProtocolHandler
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.registry import build_protocol_handler, protocol_title
from nip_core.spec import ProtocolSpec

__all__ = ["ShownProtocol"]


@dataclass(frozen=True)
class ShownProtocol:
    """A protocol on the page.

    Parameters
    ----------
    parameters : HyperParameters
    seed : int, optional
        Of the episode, where chance plays a part; without one, all are shown at once.
    """

    parameters: HyperParameters
    seed: int | None

    @cached_property
    def handler(self) -> ProtocolHandler:
        """The handler that the parameters ask for."""
        return build_protocol_handler(self.parameters, ExperimentSettings())

    @property
    def spec(self) -> ProtocolSpec:
        """The specification."""
        return self.handler.spec

    @property
    def shown(self) -> Shown:
        """It as pictures take it."""
        return Shown(self.name, self.spec, self.seed)

    @property
    def name(self) -> str:
        """What the protocol is called on the page."""
        title = protocol_title(self.spec.name)
        return f"{title}, zero knowledge" if self.spec.is_zero_knowledge else title
