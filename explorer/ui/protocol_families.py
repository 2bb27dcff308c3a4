"""Choosing a protocol: families, search, tasks, own protocols."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

import streamlit as st

from explorer.choice import (
    MOST_WRITTEN,
    OWN,
    WRITTEN,
    ProtocolChoice,
    read_own,
    tasks_from_query,
    tasks_to_query,
)
from explorer.choice import YOURS as YOURS_FAMILY
from explorer.gallery import FAMILIES, text_about
from explorer.pictures import miniature
from explorer.play import materials
from explorer.ui.choosing import Choosing
from explorer.ui.fronts import show_protocols
from explorer.ui.layout import link, page_address, show_links
from explorer.ui.mistakes import show_refusal
from explorer.ui.text import alert, dropdown, escaped, keep_choice, segments, small
from explorer.ui.uploads import read_once
from nip_core.displays import capitalized
from nip_core.documents import MAX_TEXT
from nip_core.errors import NipError
from nip_core.language import Specification
from nip_core.play import Material
from nip_core.registry import (
    protocol_infos,
    protocol_title,
    published_names,
)

YOURS = "Your own"
ABOUT_YOURS = "Open a specification of your own, in JSON or TOML."
TURNS = 8  # turns in a card's small grid
MOST_SEARCHED = 80  # characters
FAMILY, SEARCH, FOLLOWED = "family", "find protocols", "family of"


def _card(choice: ProtocolChoice) -> dict[str, Any] | None:
    """Return the card of a protocol, as plain data; None if it is invalid."""
    try:
        drawing = miniature(choice.spec, turns=TURNS)
    except NipError:
        return None
    about = ABOUT_YOURS if choice.name == OWN else choice.line
    return {
        "name": choice.name,
        "title": choice.title,
        "about": about,
        "drawing": drawing.to_plain(),
    }


@lru_cache(64)
def _named_card(name: str) -> dict[str, Any] | None:
    return _card(ProtocolChoice.of(name))


def _cards(names: Iterable[str]) -> list[dict[str, Any]]:
    """Return a card for each protocol with its defaults; leave out those that are invalid."""
    return [card for name in names if (card := _named_card(name))]


def _own_card(own: ProtocolChoice) -> dict[str, Any]:
    return _card(own.base) or {
        "name": OWN,
        "title": YOURS,
        "about": ABOUT_YOURS,
        "drawing": None,
    }


def family_of(name: str) -> str:
    """Return the family that a protocol belongs to."""
    return YOURS_FAMILY if name == OWN else ProtocolChoice.of(name).family


def show_cards(
    choosing: Choosing,
    *,
    on_choice: Callable[[Any], None] | None = None,
    keep: Iterable[str] = (),
    opens: bool = True,
) -> None:
    """Let a person choose a page's protocol from a family or by a search, or open their own.

    If a person opens their own, only the entries of the address in `keep` stay. If `opens` is
    false, their own is opened elsewhere on the page.
    """
    chosen = OWN if choosing.opens else choosing.choice()[0].name
    # From simple to rich; those for developers only if a link has chosen them.
    infos = [info for info in protocol_infos() if info.name == chosen or not info.for_developers]
    named = [*(info.name for info in infos), *published_names()]
    names = [*named, OWN] if opens or choosing.own() else named
    shown = _find(names, chosen, chosen, _place(choosing))
    if shown == [OWN]:
        own = open_own(choosing, keep) if opens else choosing.own()
        cards = [] if own is None else [_own_card(own)]
    else:
        cards = _cards(shown)
    # A family without protocols, as "Yours" is at first, takes no place.
    if cards:
        key, on_choice = f"{choosing.page} protocol cards", on_choice or choosing.switch
        show_protocols(cards, chosen, key=key, on_choice=on_choice)


def _place(choosing: Choosing) -> str:
    """Return what tells the keys of two choices on a page apart."""
    return " 2" if choosing.second else ""


def choose_protocols(
    names: Sequence[str], first: Sequence[str], *, key: str, several: bool
) -> list[str]:
    """Let a person choose one or several of these protocols; return their names."""
    chosen: list[str] = st.session_state.setdefault(key, [*first])

    def take(choice: object) -> None:
        taken = cast("list[object]", choice) if isinstance(choice, list) else [choice]
        if (several or len(taken) == 1) and all(name in names for name in taken):
            st.session_state[key] = list(dict.fromkeys(cast("list[str]", taken)))

    label = "Protocols" if several else "Protocol"
    with st.container(gap="xsmall"):
        cards = _cards(_find(names, key, chosen[0] if chosen else names[0], label=label))
        if cards:
            selected = chosen if several else chosen[0]
            show_protocols(cards, selected, key=f"{key} protocol cards", on_choice=take)
    if several:
        # Some of them may be in another family.
        with st.container(horizontal=True, key="nip-chips-chosen"):
            for name in chosen:
                st.button(
                    escaped(protocol_title(name)),
                    key=f"{key} without {name}",
                    icon=":material/close:",
                    icon_position="right",
                    on_click=take,
                    args=([other for other in chosen if other != name],),
                )
    return chosen


def _find(
    names: Sequence[str], followed: str, chosen: str, place: str = "", label: str = ""
) -> list[str]:
    """Let a person pick a family or search all protocols; return the names of those to show.

    If `followed` is another one than before, the family is that of the protocol `chosen`: a link, a
    card or the browser's Back may have changed it. `place` tells two on a page apart. A `label` is
    shown in a form.
    """
    families = [*dict.fromkeys(map(family_of, names))]
    key = f"{FAMILY}{place}"
    if st.session_state.get(f"{FOLLOWED}{place}") != followed:
        st.session_state[f"{FOLLOWED}{place}"] = followed
        st.session_state[key] = family_of(chosen)
    keep_choice(key, family_of(chosen))
    with st.container(
        horizontal=True,
        vertical_alignment="bottom" if label else "center",
        key=f"nip-families{place.strip()}",
    ):
        family = segments(
            escaped(label or "Family"),
            [family for family in (*FAMILIES, YOURS_FAMILY) if family in families],
            key=key,
            label_visibility="visible" if label else "collapsed",
        )
        searched = st.text_input(
            "Search protocols",
            placeholder="Search all protocols",
            max_chars=MOST_SEARCHED,
            key=f"{SEARCH}{place}",
            label_visibility="collapsed",
            width=220,
        )
    words = searched[:MOST_SEARCHED].lower().split()
    if not words:
        return [name for name in names if family_of(name) == family]
    searched_names = [name for name in names if name != OWN]
    matching = [n for n in searched_names if all(word in _text_about(n) for word in words)]
    if not matching:
        small("No protocol matches this search. Try fewer words, such as “judge” or “Khan”.")
    return matching


@lru_cache(64)
def _text_about(name: str) -> str:
    """Return what a search for a protocol looks at."""
    return text_about(ProtocolChoice.of(name))


# -- tasks that a person writes --------------------------------------------------------------------

# The choice of a task that a person writes.
OWN_TASK = "written"
MANY_PARTS = 3
TASKS_TOO_LONG = (
    "What you wrote is too long for an address, so links and a reload of this page do not bring it "
    "back: keep the text elsewhere."
)


def facts_of(spec: Specification) -> list[str]:
    """Return the choices that a protocol leaves to its task, such as the truth."""
    return [choice.name for choice in spec.drawn if choice.by == "task"]


def needs_a_task(spec: Specification) -> bool:
    """Return whether a protocol needs a task that somebody has to write or open."""
    return bool(spec.parts or facts_of(spec)) and not materials(spec)


def write_tasks(
    spec: Specification, query: Mapping[str, str], prefix: str, count: int = 1
) -> tuple[tuple[Material, ...], dict[str, str]]:
    """Let a person write tasks for a protocol, at first those of the address.

    Return the tasks, or none until all are complete, and their entries in the address, complete or
    not. `prefix` begins the keys of the inputs.
    """
    try:
        tasks = tasks_from_query(query)
    except NipError as error:
        alert("info", str(error))
        tasks = []
    tasks += [{}] * (count - len(tasks))
    titles = [escaped(f"Task {number}") for number in range(1, count + 1)]
    places = [st.container()] if count == 1 else st.tabs(titles)
    written: list[dict[str, str | int]] = []
    made: list[Material] = []
    for number, place in enumerate(places):
        with place:
            named = _write_task(spec, tasks[number], f"{prefix}{number or ''}")
            empty = [name for name, text in named.items() if not str(text).strip()]
            written.append({name: text for name, text in named.items() if name not in empty})
            if empty:
                missing = " and ".join(map(spec.title_of, empty[:MANY_PARTS]))
                small(f"Write {missing} to begin.")
                continue
            try:
                made.append(Material.of(spec, named))
            except NipError as error:
                alert("warning", str(error))
    link = tasks_to_query(written, query)
    if any(written) and not link:
        small(TASKS_TOO_LONG)
    elif link:
        small("The link of this page contains what you write here, also what seats must not see.")
    return tuple(made) if len(made) == count else (), link


def _write_task(
    spec: Specification, written: Mapping[str, str | int], prefix: str
) -> dict[str, str | int]:
    """Return the parts and facts of a task by name, as far as they have been written."""
    named: dict[str, str | int] = {}
    for part in spec.parts:
        readers = [spec.seat_phrase(seat) for seat, since in part.seen if since != "end"]
        key = f"{prefix}-part-{part.name}"
        st.session_state.setdefault(key, str(written.get(part.name, "")))
        named[part.name] = st.text_area(
            escaped(capitalized(spec.title_of(part.name))),
            max_chars=MAX_TEXT,
            help=escaped(f"Read by {', '.join(readers) or 'nobody'} during play."),
            key=key,
        )
    for name in facts_of(spec):
        options, key = spec.options[name], f"{prefix}-fact-{name}"
        if key not in st.session_state and written.get(name) in options:
            st.session_state[key] = written[name]
        label = escaped(f"{capitalized(spec.title_of(name))} (a fact)")
        named[name] = dropdown(label, options, key=key)
    return named


# -- a specification of one's own ------------------------------------------------------------------

OWN_TEXT, OWN_FILE = "own text", "own file"
KINDS_OF_FILE = ["toml", "json"]
TOO_LONG_FOR_A_LINK = (
    "This specification is too long for an address, so links and a reload of this page do not "
    "bring it back: keep the file."
)


def open_own(choosing: Choosing, keep: Iterable[str] = ()) -> ProtocolChoice | None:
    """Let a person open a specification from a file or a text; return the one that is open.

    It is put into the address, if it is short enough, so that links and other pages show it. Of
    the address's other entries, only those in `keep` stay.
    """
    own, place = choosing.own(), _place(choosing)
    title = "Open another one" if own is not None else "Draw or open a specification"
    # The key differs then, so that it closes once something was read.
    with st.expander(title, expanded=own is None, key=f"open own {own is None}{place}"):
        if own is None:
            show_links(link(page_address("draw", {}), "Draw your own", button=True))
        small("Or upload or paste a protocol in JSON or TOML. It is checked before it is used.")
        file = st.file_uploader(
            "File (.toml or .json)", type=KINDS_OF_FILE, max_upload_size=1, key=OWN_FILE + place
        )
        pasted = st.text_area(
            "Or its text",
            max_chars=MOST_WRITTEN,
            height=180,
            key=OWN_TEXT + place,
            disabled=bool(file),
        )
        pressed = st.button("Read it", key=f"read own{place}", type="primary", disabled=bool(file))
        asked = f"asked to read{place}"
        if pressed:
            st.session_state[asked] = pasted
        try:
            text = read_once(OWN_FILE + place, file, _text_of)
            if text is None and st.session_state.get(asked) == pasted:
                read_own(pasted)
                del st.session_state[asked]
                choosing.open(pasted, keep)
                st.rerun()
            if text is not None and text != st.session_state.get(choosing.own_key):
                choosing.open(text, keep)
                st.rerun()
        except NipError as error:

            def correct(new: str) -> None:
                st.session_state[OWN_TEXT + place] = st.session_state[asked] = new

            show_refusal(error, None if file else pasted, correct)
    if own is not None and WRITTEN not in own.to_query():
        small(TOO_LONG_FOR_A_LINK)
    return own


def _text_of(content: bytes, _: str) -> str:
    if len(content) > 4 * MOST_WRITTEN:
        raise NipError(
            f"The file has {len(content):,} bytes; a specification here can have at most "
            f"{MOST_WRITTEN:,} characters."
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NipError(
            "The file is not UTF-8 text: save it as UTF-8, then open it again."
        ) from None
    # Kept from here, so that a mistake in it is reported only once.
    read_own(text)
    return text
