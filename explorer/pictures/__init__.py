"""Pictures of protocols: for the browser, and for papers and slides as SVG, TikZ, PDF and PNG.

A picture is a list of shapes (a :class:`Drawing`), made from the specification. The browser and all
formats draw that list, so that screen and paper agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.lazy import exported
from explorer.pictures.chart_style import figure_html, lay_out, plain
from explorer.pictures.difference import difference_sentence
from explorer.pictures.drawing import Drawing, flat
from explorer.pictures.grid import GridPart, Meaning, draw_grids, miniature
from explorer.pictures.lanes import Lane, compare_lanes, lanes, read_so_far, sequence_mermaid
from explorer.pictures.narration import caption, in_words, readable
from explorer.pictures.picture import (
    VIEWS,
    Picture,
    PictureError,
    View,
    can_convert,
    check_seed,
    check_view,
    compare_picture,
    draw_rollout,
    drawing,
    end_of_cell,
    picture,
    rollout_picture,
    signed,
)
from explorer.pictures.plot import Chart, Dot, intervals_picture, two_decimals
from explorer.pictures.schedule import Shown, schedule_payload, stage_payload
from explorer.pictures.side_by_side import side_by_side, side_by_side_rows
from explorer.pictures.small import small_bars, small_dots, small_graph, small_schedule
from explorer.pictures.stage_grid import stage_miniature
from explorer.pictures.stage_walk import stage_caption
from explorer.pictures.stages import StageGrid
from explorer.pictures.tables import (
    agents_data,
    column,
    differences,
    facts_data,
    grid_data,
    grid_table,
    records,
    rows_where,
    stage_table,
    turns_data,
)
from explorer.pictures.tokens import (
    PAGE,
    PROVERS,
    SEATS,
    AgentStyle,
    Theme,
    agent_styles,
    css_variables,
    on,
    plain_styles,
    root_style,
    seat_styles,
)
from explorer.pictures.value_charts import (
    draw_curves,
    draw_exploitability,
    draw_frontier,
    draw_series,
    draw_three,
)
from explorer.pictures.worth import draw_worth, worth_picture

# Loaded on first use, since they load pandas, which pages without charts do not need.
if TYPE_CHECKING:
    from explorer.pictures.reward_charts import (
        distribution_data,
        distribution_figure,
        draw_endings,
        draw_sample,
        draw_sweep,
        endings_data,
    )
    from explorer.pictures.study_charts import (
        MOST_SERIES,
        calibration_figure,
        cost_figure,
        dots_figure,
        rounds_figure,
    )

__all__, __getattr__, __dir__ = exported(__name__)
