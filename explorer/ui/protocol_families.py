"""Choosing a protocol: families, search, tasks, own protocols."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import streamlit as st

from explorer.choice import (
    MOST_WRITTEN,
    OWN,
    PROOFS,
    WRITTEN,
    ProtocolChoice,
    read_own,
    tasks_from_query,
    tasks_to_query,
)
from explorer.choice import YOURS as YOURS_FAMILY
from explorer.pictures import miniature
from explorer.play import materials
from explorer.ui.choosing import OWN_READ, Choosing, own_choice
from explorer.ui.fronts import show_protocols
from explorer.ui.layout import address
from explorer.ui.text import alert, dropdown, escaped, segments, small
from explorer.ui.uploads import read_once
from nip_core.displays import capitalized
from nip_core.documents import MAX_TEXT
from nip_core.errors import NipError
from nip_core.language import Specification
from nip_core.play import Material
from nip_core.registry import (
    ProtocolInfo,
    protocol_infos,
    protocol_title,
    published_names,
    specification,
)

FAMILIES = (PROOFS, "Debates", "Consultancy", "Critique", "Oversight")
YOURS = "Your own"
ABOUT_YOURS = "Open a specification of your own, in JSON or TOML."
TURNS = 8  # turns in a card's small grid
MOST_SEARCHED = 80  # characters
FAMILY, SEARCH, FOLLOWED = "family", "find protocols", "family of"


def offered(chosen: str = "") -> list[ProtocolInfo]:
    """Return protocols from simple to rich; those for developers only if chosen."""
    return [i for i in protocol_infos() if i.name == chosen or not i.for_developers]


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


def protocol_cards(names: Iterable[str]) -> list[dict[str, Any]]:
    """Return a card for each protocol with its defaults; leave out those that are invalid."""
    return [card for name in names if (card := _named_card(name))]


def own_card() -> dict[str, Any]:
    """Return the card of a protocol of one's own; without it, of the place for one."""
    own = own_choice()
    card = None if own is None else _card(own.base)
    return card or {"name": OWN, "title": YOURS, "about": ABOUT_YOURS, "drawing": None}


def family_of(name: str) -> str:
    """Return the family that a protocol belongs to."""
    return YOURS_FAMILY if name == OWN else ProtocolChoice.of(name).family


def show_cards(
    choosing: Choosing,
    *,
    key: str,
    query: str = "",
    on_choice: Callable[[Any], None] | None = None,
    keep: Iterable[str] = (),
) -> None:
    """Let a person choose a page's protocol from a family or by a search, or open their own.

    Each change of `query`, the query of the address, is a step for the browser's Back. If a person
    opens their own, only the entries of the address in `keep` stay.
    """
    chosen = OWN if choosing.opens else choosing.choice()[0].name
    if cards := shown_cards(chosen, keep):
        show_protocols(cards, chosen, query=query, key=key, on_choice=on_choice or choosing.switch)


def shown_cards(chosen: str, keep: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Let a person pick a family or search all protocols; return the cards to show."""
    # A link, a card or the browser's Back may have changed the family.
    if st.session_state.get(FOLLOWED) != chosen:
        st.session_state[FOLLOWED], st.session_state[FAMILY] = chosen, family_of(chosen)
    with st.container(horizontal=True, vertical_alignment="center", key="nip-families"):
        families = (*FAMILIES, YOURS_FAMILY)
        family = segments("Family", families, key=FAMILY, label_visibility="collapsed")
        searched = st.text_input(
            "Search protocols",
            placeholder="Search all protocols",
            max_chars=MOST_SEARCHED,
            key=SEARCH,
            label_visibility="collapsed",
            width=220,
        )
    words = searched[:MOST_SEARCHED].lower().split()
    infos = offered(chosen)
    if not words and family == YOURS_FAMILY:
        return [] if open_own(keep) is None else [own_card()]
    if not words and family == PROOFS:
        return protocol_cards(info.name for info in infos)
    if not words:
        return protocol_cards(name for name in published_names() if family_of(name) == family)
    names = [i.name for i in infos if _holds(words, i.name, i.full_name, i.sentence)]
    for name in published_names():
        spec = specification(name)
        seats = map(spec.seat_name, spec.seat_names)
        texts = (spec.source, spec.family, spec.about, spec.simplified, *seats)
        if _holds(words, name, protocol_title(name), *texts):
            names.append(name)
    if not names:
        small("No protocol matches this search. Try fewer words, such as “judge” or “Khan”.")
    return protocol_cards(names)


def _holds(words: Iterable[str], *texts: str) -> bool:
    searched = " ".join(texts).lower()
    return all(word in searched for word in words)


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


def open_own(keep: Iterable[str] = ()) -> ProtocolChoice | None:
    """Let a person open a specification from a file or a text; return the one that is open.

    It is put into the address, if it is short enough, so that links and other pages show it. Of
    the address's other entries, only those in `keep` stay.
    """
    own = own_choice()
    title = "Open another one" if own is not None else "Open a specification"
    # The key differs then, so that it closes once something was read.
    with st.expander(title, expanded=own is None, key=f"open own {own is None}"):
        small(
            "Upload or paste a protocol in JSON or TOML. The Export menu of every published "
            "protocol has its file, which you can change. It is checked before it is used."
        )
        file = st.file_uploader(
            "File (.toml or .json)", type=KINDS_OF_FILE, max_upload_size=1, key=OWN_FILE
        )
        pasted = st.text_area(
            "Or its text", max_chars=MOST_WRITTEN, height=180, key=OWN_TEXT, disabled=bool(file)
        )
        pressed = st.button("Read it", key="read own", type="primary", disabled=bool(file))
        try:
            text = read_once(OWN_FILE, file, _text_of)
            if text is None and pressed:
                read_own(pasted)
            if pressed or (text is not None and text != st.session_state.get(OWN_READ)):
                text = pasted if text is None else text
                st.session_state[OWN_READ] = text
                kept = {key: text for key, text in address().items() if key in keep}
                st.query_params.from_dict(kept | ProtocolChoice.own(text).to_query())
                st.rerun()
        except NipError as error:
            alert("error", str(error))
    if own is not None and WRITTEN not in address():
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
