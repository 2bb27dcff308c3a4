"""Pictures of protocols for papers and slides: SVG and TikZ, and from the SVG PDF and PNG.

A picture is a list of shapes, made from the specification; all formats are written from it, so
that they cannot differ.
"""

from explorer.pictures.intervals import Dot, intervals_picture
from explorer.pictures.picture import (
    VIEWS,
    Picture,
    PictureError,
    View,
    can_convert,
    compare_picture,
    picture,
)

__all__ = [
    "VIEWS",
    "Dot",
    "Picture",
    "PictureError",
    "View",
    "can_convert",
    "compare_picture",
    "intervals_picture",
    "picture",
]
