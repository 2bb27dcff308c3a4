"""The Rewards page: what each seat is worth, exactly."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import notebook
from explorer.pictures import two_decimals
from explorer.rewards import MID_POINT, Valuation, in_short, seats
from explorer.ui.layout import header
from explorer.ui.page_link import SWITCH, from_link, page_link
from explorer.ui.rewards import theory
from explorer.ui.rewards.choose import asked_episodes, choose
from explorer.ui.rewards.parts import for_people
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, escaped, offer_file, segments, small
from explorer.ui.widgets import copy_link, offer_notebook
from nip_core.errors import NipError
from nip_core.registry import AnyProtocol
from nip_core.values import ExactValues, exact_values, mid_points

VIEWS = (
    *("Distribution", "When it ends", "Rounds", "Prior", "Exploitability"),
    *("Sweep", "Sample", "Clever play"),
)


def show_page() -> None:
    """Show the controls and the values."""
    actions = header("Rewards", "What each seat is worth: its expected reward, computed exactly.")
    with actions:
        copy_link()
    # Placed above the controls, and filled once the protocol is chosen.
    top = st.container()
    with page_link("rewards") as problems:
        valuation = choose(problems)
        if valuation is not None:
            _show_valuation(valuation, actions, top)


def _show_valuation(valuation: Valuation, actions: DeltaGenerator, top: DeltaGenerator) -> None:
    try:
        protocol = valuation.protocol()
        values = exact_values(protocol, valuation.model(protocol))
    except NipError as error:
        alert("warning", str(error))
        return
    with actions:
        _offer_export(valuation, values)
    with top:
        theory.show_opening(protocol)
    # Shown before the rest of the page has arrived (`explorer/ui/first_paint.js`).
    with st.container(key="nip-first-part"):
        st.markdown(f"**{escaped(in_short(values))}**")
        _show_seats(protocol, values)
    st.markdown("##### How complete and how sound it can be")
    theory.show_frontier(valuation, protocol, values)
    theory.show_frontier_files()
    from_link("show", VIEWS)
    look = {"key": "show", "bind": "query-params", "label_visibility": "collapsed"}
    view = segments("View", VIEWS, VIEWS[0], **look)
    try:
        _show(view, valuation, protocol, values)
    except NipError as error:
        alert("info", str(error))
    with st.expander("What the means consist of", on_change="rerun", key="parts") as parts:
        if parts.open:
            from explorer.rewards import components_table

            table = components_table(values)
            wide_table(for_people(table, values.spec), "Components of the means")


def _show_seats(protocol: AnyProtocol, values: ExactValues) -> None:
    """Show what each seat is worth: two decimals, and all digits on request."""
    place = st.container()
    from_link("digits", SWITCH)
    all_digits = st.toggle("All digits", key="digits", bind="query-params")
    named = values.spec.seat_name
    rows = [
        {
            name: named(cell) if name == "seat" else _written(cell, all_digits)
            for name, cell in row.items()
        }
        for row in seats(protocol, values, digits="+" if all_digits else "+.2g")
    ]
    with place:
        wide_table(rows, "What each seat is worth")
        small(MID_POINT)


def _written(cell: object, all_digits: bool) -> object:
    if not isinstance(cell, float):
        return "–" if cell is None else cell
    return repr(cell) if all_digits else two_decimals(cell)


def _show(view: str, valuation: Valuation, protocol: AnyProtocol, values: ExactValues) -> None:
    """Show one of the views, whose drawing modules are imported after the numbers are shown."""
    from explorer.ui.rewards import clever, views

    if view == "When it ends":
        views.show_endings(values)
    elif view == "Rounds":
        theory.show_rounds(valuation, protocol)
    elif view == "Prior":
        theory.show_prior(valuation, protocol)
    elif view == "Exploitability":
        theory.show_exploitability(valuation, protocol)
    elif view == "Sweep":
        views.show_sweep(valuation, protocol)
    elif view == "Sample":
        views.show_sample(valuation, protocol, values)
    elif view == "Clever play":
        clever.show_clever(valuation, protocol)
    else:
        views.show_distribution(protocol, values, asked_episodes(values.spec.name))


# -- downloads -------------------------------------------------------------------------------------


def _offer_export(valuation: Valuation, values: ExactValues) -> None:
    """Show the Export menu."""
    menu = st.popover("Export", key="rewards-export", on_change="rerun")
    if not menu.open:
        return
    # Imported here, so that the page's first numbers appear sooner.
    from explorer.rewards import model_csv, rewards_csv, rewards_json, rewards_python
    from explorer.ui.rewards.views import asked_sample

    stem = f"{valuation.choice.spec.name}-rewards"
    with menu:
        for label, make, ending in (
            ("Distribution (CSV)", partial(rewards_csv, values), "csv"),
            ("Table of play (CSV)", partial(model_csv, valuation), "play.csv"),
            ("Everything (JSON)", partial(rewards_json, valuation, values), "json"),
            ("Picture (HTML)", partial(_picture, valuation, values), "html"),
        ):
            look = {"key": f"rewards-{ending}", "type": "tertiary"}
            offer_file(label, make, f"{stem}.{ending}", **look)
        sample, look = asked_sample(valuation), {"key": "rewards-ipynb", "type": "tertiary"}
        offer_notebook(lambda: notebook.rewards_notebook(valuation, **sample), stem, **look)
        small("Show the Python")
        st.code(rewards_python(valuation), language="python")


def _picture(valuation: Valuation, values: ExactValues) -> bytes:
    from explorer.pictures import distribution_figure, figure_html
    from explorer.ui.layout import theme

    points = mid_points(valuation.protocol(), values)
    return figure_html(distribution_figure(values, points, theme=theme()))
