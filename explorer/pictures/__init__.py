"""Pictures of protocols: for the browser, and for papers and slides as SVG, TikZ, PDF and PNG.

A picture is a list of shapes (a :class:`Drawing`), made from the specification. The browser and all
formats draw that list, so that screen and paper agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nip_core.lazy import exported
from explorer.pictures.aspects import (
    side_by_side as side_by_side,
    side_by_side_rows as side_by_side_rows,
)
from explorer.pictures.bars import miniature as miniature
from explorer.pictures.cells import Meaning as Meaning
from explorer.pictures.chart_style import (
    figure_html as figure_html,
    lay_out as lay_out,
    plain as plain,
)
from explorer.pictures.comparison import (
    Comparison as Comparison,
    differences as differences,
)
from explorer.pictures.drawing import (
    Drawing as Drawing,
    flat as flat,
)
from explorer.pictures.entrance import specified as specified
from explorer.pictures.folding import Folding as Folding
from explorer.pictures.grid import (
    GridPart as GridPart,
    draw_grids as draw_grids,
    part_of as part_of,
)
from explorer.pictures.knowing import Knowledge as Knowledge, who_knows_what as who_knows_what
from explorer.pictures.model import ProtocolGrid as ProtocolGrid, grid_of as grid_of
from explorer.pictures.rows import Cell as Cell, GridRow as GridRow
from explorer.pictures.narration import (
    Narrator as Narrator,
    caption as caption,
)
from explorer.pictures.picture import (
    VIEWS as VIEWS,
    Picture as Picture,
    PictureError as PictureError,
    View as View,
    can_convert as can_convert,
    check_seed as check_seed,
    check_view as check_view,
    compare_picture as compare_picture,
    draw_rollout as draw_rollout,
    drawing as drawing,
    end_of_cell as end_of_cell,
    picture as picture,
    picture_page as picture_page,
    rollout_picture as rollout_picture,
    signed as signed,
)
from explorer.pictures.pay import (
    PayChart as PayChart,
    PayPanel as PayPanel,
    draw_pay as draw_pay,
    pay_data as pay_data,
    pay_figure as pay_figure,
    pay_picture as pay_picture,
)
from explorer.pictures.plot import (
    Chart as Chart,
    Dot as Dot,
    intervals_picture as intervals_picture,
    two_decimals as two_decimals,
)
from explorer.pictures.rounds import variants_of as variants_of
from explorer.pictures.scenarios import (
    Case as Case,
    CaseMark as CaseMark,
    draw_cases as draw_cases,
    draw_sweep as draw_sweep,
)
from explorer.pictures.schedule import (
    Shown as Shown,
    columns_of as columns_of,
    schedule_payload as schedule_payload,
    shown_picture as shown_picture,
)
from explorer.pictures.sequence import sequence_mermaid as sequence_mermaid
from explorer.pictures.small import (
    small_bars as small_bars,
    small_dots as small_dots,
    small_graph as small_graph,
    small_schedule as small_schedule,
)
from explorer.pictures.tables import (
    column as column,
    grid_data as grid_data,
    grid_rows as grid_rows,
    grid_table as grid_table,
    read_so_far as read_so_far,
    records as records,
    rows_where as rows_where,
    seats_data as seats_data,
    turns_data as turns_data,
)
from explorer.pictures.tokens import (
    PAGE as PAGE,
    PROVERS as PROVERS,
    SEATS as SEATS,
    AgentStyle as AgentStyle,
    Theme as Theme,
    css_variables as css_variables,
    on as on,
    plain_styles as plain_styles,
    root_style as root_style,
    seat_styles as seat_styles,
)
from explorer.pictures.value_charts import (
    draw_promise as draw_promise,
    draw_series as draw_series,
)

# Loaded on first use, since they load pandas, which pages without charts do not need.
if TYPE_CHECKING:
    from explorer.pictures.study_charts import (
        MOST_SERIES as MOST_SERIES,
        calibration_figure as calibration_figure,
        cost_figure as cost_figure,
        dots_figure as dots_figure,
        rounds_figure as rounds_figure,
        steps_figure as steps_figure,
    )

__all__, __getattr__, __dir__ = exported(__name__)
