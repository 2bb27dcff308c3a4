"""What can be exported: files, Python, a notebook, and a link."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from explorer.rewards import Valuation
from explorer.ui.components.widgets import copy_link
from explorer.ui.text import small
from nip_core.values import ExactValues, mid_point

__all__ = ["offer_export"]


def offer_export(valuation: Valuation, values: ExactValues) -> None:
    """Show the button for the link, and the Export menu."""
    copy_link()
    menu = st.popover("Export", key="rewards-export", on_change="rerun")
    if not menu.open:
        return
    # The page's first numbers should not wait for what makes files.
    from explorer.rewards import model_csv, rewards_csv, rewards_json, rewards_python
    from explorer.ui.rewards.sampling import asked_sample

    stem = f"{valuation.parameters.interaction_protocol}-rewards"
    with menu:
        for label, make, ending, mime in (
            ("Distribution (CSV)", partial(rewards_csv, values), "csv", "text/csv"),
            ("Table of play (CSV)", partial(model_csv, valuation), "play.csv", "text/csv"),
            (
                "Everything (JSON)",
                partial(rewards_json, valuation, values),
                "json",
                "application/json",
            ),
            ("Picture (HTML)", partial(_picture, valuation, values), "html", "text/html"),
            (
                "Open as notebook",
                partial(_notebook, valuation, asked_sample(valuation)),
                "ipynb",
                "application/x-ipynb+json",
            ),
        ):
            st.download_button(
                label,
                make,
                file_name=f"{stem}.{ending}",
                mime=mime,
                on_click="ignore",
                key=f"rewards-{ending}",
                type="tertiary",
            )
        small("Show the Python")
        st.code(rewards_python(valuation), language="python")


def _picture(valuation: Valuation, values: ExactValues) -> bytes:
    from explorer.pictures import figure_html
    from explorer.pictures.reward_charts import distribution_figure
    from explorer.ui.layout import theme

    handler = valuation.handler()
    points = {agent: mid_point(handler, values, agent) for agent in handler.spec.agent_names}
    return figure_html(distribution_figure(values, points, theme=theme()))


def _notebook(valuation: Valuation, sample: Mapping[str, int]) -> bytes:
    from explorer.notebook import notebook_bytes, rewards_notebook

    return notebook_bytes(rewards_notebook(valuation, **sample))
