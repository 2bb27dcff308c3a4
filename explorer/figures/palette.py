"""The seats' names, badges and colours, the same everywhere.

The colours keep apart for the three kinds of colour-blind eyes, on a light and on a dark page
(``tests/explorer/figures/test_palette.py`` measures it). Colour never stands alone: each agent has
a letter, and the letter is written wherever the colour is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from explorer.tokens import PROVERS, SEATS, Theme, on
from nip_core.displays import displayed
from nip_core.spec import ProtocolSpec

__all__ = ["AgentStyle", "Theme", "agent_styles", "plain_styles"]


@displayed
@dataclass(frozen=True, slots=True)
class AgentStyle:
    """What people see of an agent.

    Parameters
    ----------
    agent : str
        Its name in the specification.
    name : str
        What people call its seat: "Verifier", "Prover 1", ...
    label : str
        Its badge: V, P1, P2, ... (P if it is the only prover), A for the adversarial verifier,
        S for the simulator.
    light, dark : str
        Its colour on a light and on a dark page.
    """

    agent: str
    name: str
    label: str
    light: str
    dark: str

    def fill(self, theme: Theme) -> str:
        """Its colour on a page."""
        return self.light if theme == "light" else self.dark

    def ink(self, theme: Theme) -> str:
        """The colour of what is written on its colour."""
        return on(self.fill(theme))


def agent_styles(spec: ProtocolSpec) -> dict[str, AgentStyle]:
    """The look of each agent of a protocol, by name, in the agents' order."""
    styles: dict[str, AgentStyle] = {}
    for agent in spec.agents:
        name, badge = spec.seat_name(agent.name), spec.seat_badge(agent.name)
        if agent.role == "prover":
            place = spec.provers.index(agent.name)
            colours = PROVERS[place % len(PROVERS)]
        else:
            colours = SEATS[badge[0]]
        styles[agent.name] = AgentStyle(agent.name, name, badge, *colours)
    return styles


def plain_styles(spec: ProtocolSpec) -> dict[str, dict[str, Any]]:
    """The same as plain data for a browser: on a light and a dark page, the colour and its ink."""
    return {
        look.agent: {
            "name": look.name,
            "label": look.label,
            "light": [look.light, look.ink("light")],
            "dark": [look.dark, look.ink("dark")],
        }
        for look in agent_styles(spec).values()
    }
