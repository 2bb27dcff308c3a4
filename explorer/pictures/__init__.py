"""Pictures of protocols: for the browser, and for papers and slides as SVG, TikZ, PDF and PNG.

A picture is one list of shapes (a :class:`Drawing`), made from the specification. The browser and
all formats draw that list, so that screen and paper cannot differ.
"""

from explorer.pictures.drawing import Drawing, flat
from explorer.pictures.grid import GridPart, Meaning, draw_grids
from explorer.pictures.intervals import Dot, intervals_picture
from explorer.pictures.picture import (
    VIEWS,
    Picture,
    PictureError,
    View,
    can_convert,
    check_seed,
    check_view,
    compare_picture,
    drawing,
    end_of_cell,
    picture,
)
from explorer.pictures.rollout import draw_rollout, rollout_picture
from explorer.pictures.small import miniature
from explorer.pictures.worth import draw_worth, worth_picture

__all__ = [
    "VIEWS",
    "Dot",
    "Drawing",
    "GridPart",
    "Meaning",
    "Picture",
    "PictureError",
    "View",
    "can_convert",
    "check_seed",
    "check_view",
    "compare_picture",
    "draw_grids",
    "draw_rollout",
    "draw_worth",
    "drawing",
    "end_of_cell",
    "flat",
    "intervals_picture",
    "miniature",
    "picture",
    "rollout_picture",
    "worth_picture",
]


def __dir__() -> list[str]:
    return __all__
