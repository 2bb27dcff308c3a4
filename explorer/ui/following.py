"""Choices besides the protocol that a page keeps in its address.

They are read from the address when it was opened or changed by the browser's Back, and written into
it when something was chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from re import Pattern

import streamlit as st

from explorer.ui.choosing import Choosing
from explorer.ui.layout import address, write_address
from explorer.ui.page_link import from_link


@dataclass(frozen=True, slots=True)
class _Held:
    """What a page showed when it had run for the last time."""

    address: dict[str, str]  # the entries that are not about the protocol
    controls: dict[str, object]
    chosen: Mapping[str, str] | None  # all choices, as entries of an address


@dataclass(frozen=True, slots=True)
class Following:
    """The choices of a page that its address has.

    Parameters
    ----------
    choosing : Choosing
        The choice of the protocol, with entries of its own.
    controls : pattern
        Matches the keys of the controls whose choices are in the address. Each is shown with
        :func:`~explorer.ui.text.keep_choice`.
    """

    choosing: Choosing
    controls: Pattern[str]

    def follow(self) -> None:
        """Let the controls start from the address, if it is not the one that the page has left.

        It is a link then, or the browser's Back. A quick person's next choice comes with the
        address from before the last one, too; then a control has changed, and the choices stay.
        """
        held: _Held | None = st.session_state.get(self._key)
        if held is not None:
            state = st.session_state
            acted = any(state.get(key, value) != value for key, value in held.controls.items())
            if acted or self._mine() == held.address:
                return
            for key in self._controls():
                del st.session_state[key]
        st.session_state[self._key] = _Held(self._mine(), {}, None)

    def to_address(self, chosen: Mapping[str, str]) -> None:
        """Write all choices into the address, so that a link shows the same.

        All of it is written at once; otherwise two quick choices could undo each other's change. A
        wrong link stays as it is until something is chosen, so that its problems stay, too.
        """
        held: _Held = st.session_state[self._key]
        if held.chosen is not None and held.chosen != chosen:
            write_address(chosen)
        controls = {key: st.session_state[key] for key in self._controls()}
        st.session_state[self._key] = _Held(self._mine(), controls, chosen)

    def _mine(self) -> dict[str, str]:
        """Return the address's entries that are not about the protocol."""
        protocol_query = self.choosing.asked()
        return {key: text for key, text in address().items() if key not in protocol_query}

    def _controls(self) -> list[str]:
        keys = [str(key) for key in st.session_state]
        return [key for key in keys if self.controls.fullmatch(key)]

    @property
    def _key(self) -> str:
        return f"{self.choosing.page} held"

    def asked(self, name: str, options: Sequence[str], default: str) -> str:
        """Return the address's value if it is one of the options, else the default."""
        wanted = from_link(name, options, default)
        return default if wanted is None else wanted
