"""To whom the keys of this machine would go, before a study starts."""

from __future__ import annotations

import streamlit as st

from explorer.evals import Pair, allowed_by
from explorer.studies import Study, key_uses
from explorer.ui.text import alert, escaped, small

__all__ = ["ask_about_keys"]


def ask_about_keys(study: Study, key: str) -> frozenset[Pair] | None:
    """Name the addresses and the keys' variables, and have the user allow what is unusual.

    Parameters
    ----------
    study : Study
    key : str
        Of the widgets.

    Returns
    -------
    frozenset of (str, str), optional
        What was allowed; None while something is not.
    """
    uses = key_uses(study.conditions)
    for use in uses:
        small(use.says)
    asked = sorted({pair for use in uses if use.set for pair in use.pairs} - allowed_by())
    if not asked:
        return frozenset()
    alert(
        "warning",
        "A model of this study is asked at an address that is not its provider's own. Whoever "
        "runs that address can read and use the key.",
    )
    ticked = [
        st.checkbox(escaped(f"Send the key in {name} to {address}"), key=f"{key}-{name}-{address}")
        for name, address in asked
    ]
    return frozenset(asked) if all(ticked) else None
