"""How well confidence went with the truth, as a diagram in the browser."""

from __future__ import annotations

from typing import Any

from explorer.ui.components.front import front_component

__all__ = ["show_calibration"]

_component = front_component("calibration")


def show_calibration(calibration: dict[str, Any], *, key: str) -> None:
    """Show the diagram.

    Parameters
    ----------
    calibration : dict
        From :func:`explorer.review.calibrated`.
    key : str
    """
    _component(data={"calibration": calibration}, key=key)
