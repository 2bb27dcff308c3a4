"""Figures of protocols: for each, a table of what it shows, and a drawing with plotly.

Nothing here knows of a browser; plotly is loaded by what draws.
"""

from explorer.figures.caption import caption
from explorer.figures.compare import compare_data, compare_figure, differences
from explorer.figures.facts import agents_data, facts_data
from explorer.figures.grid import grid_data, grid_figure, grid_table
from explorer.figures.palette import AgentStyle, Theme, agent_styles
from explorer.figures.rounds import round_data, round_figure
from explorer.figures.sequence import (
    read_so_far,
    sequence_data,
    sequence_figure,
    sequence_mermaid,
)
from explorer.figures.visibility import visibility_data, visibility_figure

__all__ = [
    "AgentStyle",
    "Theme",
    "agent_styles",
    "agents_data",
    "caption",
    "compare_data",
    "compare_figure",
    "differences",
    "facts_data",
    "grid_data",
    "grid_figure",
    "grid_table",
    "read_so_far",
    "round_data",
    "round_figure",
    "sequence_data",
    "sequence_figure",
    "sequence_mermaid",
    "visibility_data",
    "visibility_figure",
]
