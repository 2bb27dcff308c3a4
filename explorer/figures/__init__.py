"""What protocols are, as tables for people and programs; and the looks of seats.

Nothing here knows of a browser. Pictures of schedules are in :mod:`explorer.pictures`; plotly and
pandas are loaded by what needs them.
"""

from explorer.figures.caption import caption
from explorer.figures.compare import compare_data, differences
from explorer.figures.facts import agents_data, facts_data
from explorer.figures.grid import grid_data, grid_table
from explorer.figures.lanes import Lane, compare_lanes, lanes
from explorer.figures.palette import AgentStyle, Theme, agent_styles, plain_styles
from explorer.figures.sequence import read_so_far, sequence_data, sequence_mermaid
from explorer.figures.visibility import visibility_data

__all__ = [
    "AgentStyle",
    "Lane",
    "Theme",
    "agent_styles",
    "agents_data",
    "caption",
    "compare_data",
    "compare_lanes",
    "differences",
    "facts_data",
    "grid_data",
    "grid_table",
    "lanes",
    "plain_styles",
    "read_so_far",
    "sequence_data",
    "sequence_mermaid",
    "visibility_data",
]


def __dir__() -> list[str]:
    return __all__
