"""The seats' names, badges and colours, the same everywhere.

The colours keep apart for the three kinds of colour-blind eyes, on a light and on a dark page
(``tests/explorer/figures/test_palette.py`` measures it). Colour never stands alone: each agent has
a letter, and the letter is written wherever the colour is used.
"""

from __future__ import annotations

from dataclasses import dataclass

from explorer.tokens import Theme
from nip_core.spec import ProtocolSpec, Role

__all__ = ["INK", "AgentStyle", "Theme", "agent_styles", "luminance"]

# What is written on a colour: the one of the two that stands out more.
INK = {"light": "#FFFFFF", "dark": "#0E1117"}

_PROVERS: tuple[tuple[str, str], ...] = (
    ("#AE5600", "#F59A2B"),
    ("#0F8578", "#8FF5DA"),
    ("#D957DE", "#B06BBD"),
    ("#9A931D", "#F3E650"),
    ("#651305", "#D4583A"),
)
_OTHERS: dict[Role, tuple[str, str, str]] = {
    "verifier": ("V", "#1F4FA8", "#5CB5FF"),
    "adversarial_verifier": ("A", "#1F1F57", "#7C72FF"),
    "simulator": ("S", "#544756", "#A3A0A0"),
}


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
        # Below this luminance white stands out more than the dark ink does.
        return INK["light"] if luminance(self.fill(theme)) < 0.19 else INK["dark"]


def agent_styles(spec: ProtocolSpec) -> dict[str, AgentStyle]:
    """The look of each agent of a protocol, by name, in the agents' order."""
    styles: dict[str, AgentStyle] = {}
    for agent in spec.agents:
        name = spec.seat_name(agent.name)
        if agent.role == "prover":
            place = spec.provers.index(agent.name)
            label = f"P{place + 1}" if len(spec.provers) > 1 else "P"
            colours = _PROVERS[place % len(_PROVERS)]
        else:
            label, *colours = _OTHERS[agent.role]
        styles[agent.name] = AgentStyle(agent.name, name, label, *colours)
    return styles


def luminance(colour: str) -> float:
    """How bright a colour ``#rrggbb`` is, from 0 to 1, as the WCAG defines it."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
