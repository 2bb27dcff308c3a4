"""A review on a page of its own: the part of the table that stands in its dock after the end."""

from __future__ import annotations

from typing import Any

from explorer.ui.components.front import front_component

__all__ = ["show_review"]

_component = front_component("review_panel", "review", "review_panel")


def show_review(
    *,
    agents: dict[str, Any],
    review: dict[str, Any] | None = None,
    calibration: dict[str, Any] | None = None,
    key: str,
) -> None:
    """Show what can be learned of an episode, or of many.

    Parameters
    ----------
    agents : dict
        The seats' names, badges and colours, as :func:`~explorer.game_table.screen.screen` has
        them.
    review : dict, optional
        From :func:`explorer.review.shown`.
    calibration : dict, optional
        From :func:`explorer.review.calibrated`.
    key : str
    """
    data = {"agents": agents, "review": review, "calibration": calibration, "you": None}
    _component(data=data, key=key)
