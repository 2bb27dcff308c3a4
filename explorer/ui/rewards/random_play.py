"""The page of a protocol without one verdict: what is missing, random play, and code for more."""

from __future__ import annotations

import streamlit as st

from explorer.choice import ProtocolChoice
from explorer.files import csv_bytes
from explorer.pictures import two_decimals
from explorer.rewards import at_random, habits_python, random_in_short, random_rows
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, escaped, offer_file, small
from nip_core.errors import NipError


def show_random_play(choice: ProtocolChoice, reason: str) -> None:
    """Show what each seat earns at random, and how to compute other play."""
    alert(
        "info",
        "Most of this page is about protocols in which one seat decides between two answers, and "
        f"nothing else that seats choose has an effect. This is none of them: {reason}. What "
        "follows works for any protocol.",
    )
    # Imported here, so that other protocols' numbers appear sooner.
    import pandas as pd

    st.markdown("##### If everybody chooses at random")
    try:
        values = at_random(choice)
    except NipError as error:
        alert("info", str(error))
        return
    st.markdown(f"**{escaped(random_in_short(values))}**")
    rows, named = random_rows(values), values.spec.seat_name
    shown = [
        {
            name: named(str(cell)) if name == "seat" else two_decimals(float(cell))
            for name, cell in row.items()
        }
        for row in rows
    ]
    wide_table(shown, "What each seat earns at random")
    name = f"{choice.spec.name}-at-random.csv"
    offer_file("Table (CSV)", csv_bytes(pd.DataFrame(rows)), name, type="tertiary")
    st.markdown("##### If seats have habits")
    small("Say in Python how seats choose; this computes what each of them then earns.")
    st.code(habits_python(choice), language="python")
