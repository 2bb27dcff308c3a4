"""The protocol that is chosen on a page: read from its address, changed by controls, written back.

The address is the state, so that links, reloading, Back and Forward show the same everywhere. A
wrong link stays as it is, with its problems on the page, until something is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from explorer.choice import (
    OWN,
    WRITTEN,
    Control,
    ProtocolChoice,
    as_second,
    is_second,
    second_query,
    source_named,
)
from explorer.server import is_shown_by_browser
from explorer.ui.layout import address, change_address
from explorer.ui.text import dropdown, escaped
from nip_core.errors import NipError

MOST_ROUNDS = 100
# The key in the session's state for the text of a protocol of one's own that was opened last.
OWN_READ = "own protocol"


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a page shows, as long as the address stays the same."""

    asked: dict[str, str]
    own: str | None
    choice: ProtocolChoice
    problems: list[str]
    reading: int  # how often another address was read


@dataclass(frozen=True, slots=True)
class Choosing:
    """The choice of a protocol on a page.

    Parameters
    ----------
    page : str
        The page's name, with which the keys of the controls begin.
    default : str
        The protocol, if the address names none.
    entries : tuple of str
        The other entries of the page's address; those that end with a point are prefixes.
    most_rounds : int
        The most rounds that the page takes.
    without : tuple of str
        The settings that are not offered.
    more : callable
        Returns further entries for the address, such as those that only the browser has written.
    compares : bool
        Whether the address has a second protocol, too, with which the first one is compared.
    second : bool
        Whether this is the second one.
    """

    page: str
    default: str
    entries: tuple[str, ...] = ()
    most_rounds: int = MOST_ROUNDS
    without: tuple[str, ...] = ()
    more: Callable[[], Mapping[str, str]] = dict
    compares: bool = False
    second: bool = False

    def choice(self) -> tuple[ProtocolChoice, list[str]]:
        """Return the chosen protocol, and sentences about what was wrong with the link."""
        kept = self._kept()
        return kept.choice, kept.problems

    def choose(self, choice: ProtocolChoice, problems: Iterable[str] = ()) -> None:
        """Choose a protocol with its settings, and write it into the address."""
        choose_all({self: choice}, problems)

    def switch(self, name: object) -> None:
        """Choose the protocol of this name, if there is one; a browser may send anything.

        If a protocol of one's own is chosen, and none is open, the page lets a person open one.
        """
        before = self._last().choice
        if name == OWN:
            if own := self.own():
                self.choose(own)
            else:
                change_address({"protocol": OWN}, self.asked())
        elif isinstance(name, str) and (source := source_named(name)) not in (None, before.source):
            self.choose(before.switched_to(source))

    @property
    def opens(self) -> bool:
        """Whether a protocol of one's own is asked for, and there is none yet."""
        return self.asked().get("protocol") == OWN and self._kept().choice.name != OWN

    # -- a protocol of one's own -----------------------------------------------------------------

    @property
    def own_key(self) -> str:
        """The key in the session's state for the text that was opened last."""
        return f"{OWN_READ} 2" if self.second else OWN_READ

    def open(self, text: str, keep: Iterable[str] = ()) -> None:
        """Choose a text of one's own; of the page's other entries, only those in `keep` stay."""
        st.session_state[self.own_key] = text
        own = ProtocolChoice.own(text)
        if self.second:
            self.choose(own)
        else:
            kept = {key: entry for key, entry in address().items() if key in keep}
            st.query_params.from_dict(kept | own.to_query())

    def own(self) -> ProtocolChoice | None:
        """Return the protocol of a person's own that is in the address or was opened, if any."""
        query = {"protocol": OWN}
        if text := self.asked().get(WRITTEN) or address().get(WRITTEN):
            query[WRITTEN] = text
        choice, _ = ProtocolChoice.read(query, self.default, own=self._own_text())
        return choice if choice.name == OWN else None

    def _own_text(self) -> str | None:
        return st.session_state.get(self.own_key, st.session_state.get(OWN_READ))

    # -- controls ----------------------------------------------------------------------------------

    def controls(self) -> list[Control]:
        """Return the controls for what changes the picture."""
        return [c for c in self._kept().choice.controls if c.name not in self.without]

    def show_controls(self) -> None:
        """Show all controls for what changes the picture."""
        for control in self.controls():
            self.show(control)

    def show_payoffs(self) -> None:
        """Show all controls for what seats are paid."""
        for control in self._kept().choice.payoffs:
            self.show(control)

    def show(self, control: Control, *, short: bool = False) -> None:
        """Show the control of a setting: a switch, a list, or a field for a number.

        With `short`, its short name is shown.
        """
        label = escaped(control.with_value(control.value) if short else control.label)
        key = self._key_of(control)
        # The address may have changed it. What is written is set in the browser too. In an update
        # of the page, that would undo a click on its way.
        if not is_shown_by_browser(key) or st.session_state.get(key) != control.value:
            st.session_state[key] = control.value
        look: dict[str, Any] = {"help": escaped(control.help) or None, "key": key}
        look |= {"on_change": self._take, "args": (control,)}
        if isinstance(control.value, bool):
            st.toggle(label, **look)
        elif control.choices is not None:
            named = {choice: "no" if choice is None else choice for choice in control.choices}
            dropdown(label, named, width=240, **look)
        elif isinstance(control.value, float):
            limits = (control.low, control.high)
            low, high = (None if limit is None else float(limit) for limit in limits)
            step = 0.25 if low is None else 0.01
            st.number_input(label, low, high, step=step, format="%.4g", width=240, **look)
        else:
            high = control.high if control.high is None else self._most(control)
            st.number_input(label, control.low, high, step=1, width=240, **look)

    def _take(self, control: Control) -> None:
        """Take over what a control has."""
        choice = self._last().choice
        value = st.session_state.get(self._key_of(control), control.value)
        if value == control.value:
            return
        try:
            self.choose(choice.with_setting(control.name, value))
        except NipError as error:
            self.choose(choice, [str(error)])

    def _most(self, control: Control) -> int:
        assert control.high is not None
        rounds = control.name.endswith("message_rounds")
        return min(control.high, self.most_rounds) if rounds else control.high

    def _key_of(self, control: Control) -> str:
        kept = self._last()
        # Browsers keep the value of a control in a closed popover, whatever the page says, and send
        # it later. So the address has controls of its own, if it was changed from outside.
        again = f" {kept.reading}" if kept.reading else ""
        return f"{self.page}-{kept.choice.name}-{control.name}{again}"

    # -- the address -------------------------------------------------------------------------------

    def entries_of(self, choice: ProtocolChoice) -> dict[str, str]:
        """Return the address's entries for a choice; the default protocol's name needs none."""
        query = choice.to_query()
        if choice.name == self.default and "protocol" not in self.asked():
            del query["protocol"]
        return query

    def _kept(self) -> _Kept:
        """Return what is shown, after a look at the address."""
        kept: _Kept | None = st.session_state.get(self._key)
        query, own = self.asked(), self._own_text()
        if kept is None or (kept.asked, kept.own) != (query, own):
            read = partial(ProtocolChoice.read, page=self.entries, most_rounds=self.most_rounds)
            choice, problems = read(query, self.default, own=own)
            kept = _Kept(query, own, choice, problems, 0 if kept is None else kept.reading + 1)
            self._keep(kept)
        return kept

    def last(self) -> ProtocolChoice:
        """Return the choice that was shown last."""
        return self._last().choice

    def _last(self) -> _Kept:
        """Return what was shown last, in which a person has chosen something.

        A quick person's choice may come with the address from before the last one.
        """
        return st.session_state.get(self._key) or self._kept()

    @property
    def _key(self) -> str:
        return f"{self.page} protocol, or {self.default}"

    def _keep(self, kept: _Kept) -> None:
        """Keep what belongs to an address."""
        st.session_state[self._key] = kept

    def keep_written(
        self, written: dict[str, str], choice: ProtocolChoice, problems: list[str]
    ) -> None:
        """Keep a choice that was written into the address."""
        self._keep(_Kept(written, self._own_text(), choice, problems, self._last().reading))

    def asked(self) -> dict[str, str]:
        """Return the address's entries about this protocol."""
        query = address()
        if self.second:
            query = second_query(query)
        prefixes = tuple(name for name in self.entries if name.endswith("."))
        return {
            key: text
            for key, text in query.items()
            if key not in self.entries
            and not key.startswith(prefixes)
            and not (self.compares and is_second(key))
        }


def choose_all(chosen: Mapping[Choosing, ProtocolChoice], problems: Iterable[str] = ()) -> None:
    """Choose protocols of one page, and write all of them into the address in one step of Back."""
    entries: dict[str, str] = {}
    gone: list[str] = []
    for choosing, choice in chosen.items():
        written, before = choosing.entries_of(choice), choosing.asked()
        entries |= as_second(written) if choosing.second else written
        entries.update(choosing.more())
        gone += as_second(before) if choosing.second else before
        choosing.keep_written(written, choice, [*problems])
    change_address(entries, gone)
