"""The page's computations: begun in another process, looked at from time to time."""

from __future__ import annotations

from typing import Any

import streamlit as st

from explorer.computations import BusyError, Computation, Lane, computations
from explorer.ui.layout import part
from nip_core.language import Specification

BEGUN, SHOWN = "rewards computations", "rewards results shown"
OFTEN = 0.25  # seconds


def computed(
    place: str,
    function: str,
    spec: Specification,
    *arguments: Any,
    lane: Lane = "slow",
    wait: float = 0.0,
) -> Computation:
    """Return a computation about a document, which is begun if it is another one than before.

    A page has one for each `place`; the earlier one ends. With `wait`, the first result is waited
    for during these seconds.
    """
    begun: dict[str, tuple[object, Computation]] = st.session_state.setdefault(BEGUN, {})
    key = (spec.digest, *arguments)
    known, computation = begun.get(place, (None, None))
    if computation is None or known != (function, key) or computation.is_lost:
        if computation is not None:
            computation.cancel()
        try:
            computation = computations().begin(function, spec, *arguments, key=key, lane=lane)
        except BusyError as error:
            computation = Computation(function, ())
            computation.end(str(error))
        begun[place] = (function, key), computation
    computation.look(wait)
    # What arrives from now on is not on the page yet.
    st.session_state.setdefault(SHOWN, {})[place] = _state(computation)
    return computation


def start() -> None:
    """Begin a run of the page, of which :func:`follow` is the end."""
    st.session_state[SHOWN] = {}


def follow() -> None:
    """Have the page run again as soon as one of its computations has a new result.

    Those that the page has not asked for in this run end.
    """
    shown: dict[str, tuple[int, bool]] = st.session_state.get(SHOWN, {})
    begun: dict[str, tuple[object, Computation]] = st.session_state.get(BEGUN, {})
    for place in [name for name in begun if name not in shown]:
        begun.pop(place)[1].cancel()
    if not all(done for _, done in shown.values()):
        part(_watch, every=OFTEN)()


def _watch() -> None:
    shown: dict[str, tuple[int, bool]] = st.session_state.get(SHOWN, {})
    begun = _begun()
    for computation in begun.values():
        computation.look()
    if any(shown.get(place) != _state(computation) for place, computation in begun.items()):
        st.rerun()


def _begun() -> dict[str, Computation]:
    begun: dict[str, tuple[object, Computation]] = st.session_state.get(BEGUN, {})
    return {place: computation for place, (_, computation) in begun.items()}


def _state(computation: Computation) -> tuple[int, bool]:
    return computation.number, computation.done
