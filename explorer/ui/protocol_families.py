"""Choosing a protocol of either version: families, search, settings, tasks, own protocols."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import streamlit as st

from explorer.address import (
    MOST_WRITTEN,
    OWN,
    SETTING,
    own_from_query,
    own_to_query,
    settings_from_query,
    settings_to_query,
    tasks_from_query,
    tasks_to_query,
)
from explorer.pictures import StageGrid, miniature, stage_miniature
from explorer.play import materials
from explorer.ui.kept_results import KeptResults
from explorer.ui.text import alert, dropdown, escaped, quoted, segments, small
from explorer.ui.uploads import read_once
from nip_core.budget import for_document
from nip_core.displays import capitalized
from nip_core.documents import MAX_TEXT
from nip_core.errors import NipError
from nip_core.language import Specification, load_specification
from nip_core.parameters import HyperParameters
from nip_core.play.turns import Material
from nip_core.registry import (
    ProtocolInfo,
    protocol_infos,
    protocol_names,
    protocol_spec,
    protocol_title,
    published_name,
    published_names,
    specification,
)
from nip_core.spec import Remark

PROOFS = "Proofs"  # all protocols of version 1
FAMILIES = (PROOFS, "Debates", "Consultancy", "Critique", "Oversight")
YOURS_FAMILY = "Yours"  # short, so that the row of families fits a phone
YOURS = "Your own"
# Games with more seats are not offered on pages; the command `nip-explorer picture` draws them.
MOST_TURNS = 400
ROUNDS = 8  # rounds in a card's small grid
MOST_SEARCHED = 80  # characters
MOST_SETTING = 10**6
FAMILY, SEARCH, FOLLOWED = "family", "find protocols", "family of"


def offered(chosen: str = "", *, developers: bool = False) -> list[ProtocolInfo]:
    """Return protocols from simple to rich; those for developers only if chosen or asked for."""
    return [
        info
        for info in protocol_infos()
        if developers or info.name == chosen or not info.for_developers
    ]


def protocol_cards(infos: Iterable[ProtocolInfo]) -> list[dict[str, Any]]:
    """Return a card for each protocol as plain data; leave out those whose defaults are invalid."""
    return [card for info in infos if (card := _card(info))]


@lru_cache(64)
def _card(info: ProtocolInfo) -> dict[str, Any] | None:
    try:
        spec = protocol_spec(HyperParameters(interaction_protocol=info.name))
    except NipError:
        return None
    drawing = miniature(spec, rounds=ROUNDS).to_plain()
    return {"name": info.name, "title": info.full_name, "about": info.sentence, "drawing": drawing}


@lru_cache(64)
def published_card(name: str) -> dict[str, Any]:
    """Return the card of a published protocol, as plain data."""
    spec = specification(name)
    drawing = stage_miniature(StageGrid(spec), turns=ROUNDS).to_plain()
    return {"name": name, "title": protocol_title(name), "about": spec.source, "drawing": drawing}


def own_card(spec: Specification | None) -> dict[str, Any]:
    """Return the card of a protocol of one's own, as plain data; without it, the place for one."""
    drawing = None if spec is None else stage_miniature(StageGrid(spec), turns=ROUNDS).to_plain()
    title = YOURS if spec is None else protocol_title(spec)
    about = "Open a specification of your own, in JSON or TOML."
    return {"name": OWN, "title": title, "about": about, "drawing": drawing}


def family_of(name: str) -> str:
    """Return the family that a protocol belongs to."""
    if name == OWN:
        return YOURS_FAMILY
    return PROOFS if name in protocol_names() else specification(name).family


def shown_cards(chosen: str) -> list[dict[str, Any]]:
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
        own = open_own()
        return [] if own is None else [own_card(own)]
    if not words and family == PROOFS:
        return protocol_cards(infos)
    if not words:
        return [published_card(name) for name in published_names() if family_of(name) == family]
    found = protocol_cards(i for i in infos if _holds(words, i.name, i.full_name, i.sentence))
    for name in published_names():
        spec = specification(name)
        seats = map(spec.seat_name, spec.seat_names)
        texts = (spec.source, spec.family, spec.about, spec.simplified, *seats)
        if _holds(words, name, protocol_title(name), *texts):
            found.append(published_card(name))
    if not found:
        small("No protocol matches this search. Try fewer words, such as “judge” or “Khan”.")
    return found


def _holds(words: Iterable[str], *texts: str) -> bool:
    searched = " ".join(texts).lower()
    return all(word in searched for word in words)


# -- settings --------------------------------------------------------------------------------------


def choose_numbers(
    base: Specification,
    query: Mapping[str, str],
    prefix: str,
    problems: list[str],
    *,
    follow: bool = False,
) -> Specification:
    """Let a person change the settings of a version 2 protocol, at first those of the address.

    If the protocol changes, even to one of the same name, they start from the address again. With
    `follow`, settings of the address that were not chosen here, such as those of the browser's
    Back, replace the chosen ones. A sentence is added to `problems` for each value that cannot be
    used. `prefix` begins the keys of the inputs.
    """
    asked = {key: text for key, text in query.items() if key.startswith(SETTING)}
    keys = {setting: f"{prefix}{setting}" for setting, _ in base.settings}
    mark = f"{prefix}settings"
    before: tuple[Specification, dict[str, str]] | None = st.session_state.get(mark)
    is_new = before is None or before[0] != base or (follow and before[1] != asked)
    if is_new or not all(key in st.session_state for key in keys.values()):
        spec, refused = settings_from_query(asked, base)
        problems += [
            f"The link's {quoted(key)} was left out: {reason}." for key, reason in refused.items()
        ]
        for setting, value in spec.settings:
            st.session_state[keys[setting]] = _shown(value, whole=_is_whole(base, setting))
    chosen = {f"{SETTING}{each}": _number(base, each, keys[each]) for each, _ in base.settings}
    spec, refused = settings_from_query(chosen, base)
    problems += [
        f"{quoted(chosen[key])} cannot be used here: {reason}" for key, reason in refused.items()
    ]
    try:
        need_drawable(spec)
    except NipError as error:
        problems.append(str(error))
        spec = base
    changed = settings_to_query(base, spec).items()
    st.session_state[mark] = base, {k: text for k, text in changed if k.startswith(SETTING)}
    return spec


def of_protocol(query: Mapping[str, str], name: str) -> Mapping[str, str]:
    """Return the address if it is about this protocol; else nothing: settings are not shared."""
    asked = query.get("protocol", "")
    return query if (published_name(asked) or asked) == name else {}


def _number(base: Specification, setting: str, key: str) -> str:
    whole = _is_whole(base, setting)
    value = st.number_input(
        escaped(capitalized(base.title_of(setting))),
        min_value=0 if whole else 0.0,
        max_value=MOST_SETTING if whole else float(MOST_SETTING),
        step=1 if whole else 0.01,
        format="%d" if whole else "%g",
        key=key,
        width=150,
    )
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def _shown(value: Fraction, *, whole: bool) -> int | float:
    """Return a setting's value as an input shows it."""
    return max(0, min(MOST_SETTING, int(value) if whole else float(value)))


def _is_whole(base: Specification, setting: str) -> bool:
    return dict(base.settings)[setting].denominator == 1


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
    """Let a person write tasks for a version 2 protocol, at first those of the address.

    Return the tasks, or none until all are complete, and their entries in the address, complete or
    not. `prefix` begins the keys of the inputs.
    """
    try:
        asked = tasks_from_query(query)
    except NipError as error:
        alert("info", str(error))
        asked = []
    asked += [{}] * (count - len(asked))
    titles = [escaped(f"Task {number}") for number in range(1, count + 1)]
    places = [st.container()] if count == 1 else st.tabs(titles)
    written: list[dict[str, str | int]] = []
    made: list[Material] = []
    for number, place in enumerate(places):
        with place:
            named = _write_task(spec, asked[number], f"{prefix}{number or ''}")
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
    spec: Specification, asked: Mapping[str, str | int], prefix: str
) -> dict[str, str | int]:
    """Return the parts and facts of a task by name, as far as they have been written."""
    named: dict[str, str | int] = {}
    for part in spec.parts:
        readers = [spec.seat_phrase(seat) for seat, since in part.seen if since != "end"]
        key = f"{prefix}-part-{part.name}"
        st.session_state.setdefault(key, str(asked.get(part.name, "")))
        named[part.name] = st.text_area(
            escaped(capitalized(spec.title_of(part.name))),
            max_chars=MAX_TEXT,
            help=escaped(f"Read by {', '.join(readers) or 'nobody'} during play."),
            key=key,
        )
    for name in facts_of(spec):
        options, key = spec.options[name], f"{prefix}-fact-{name}"
        if key not in st.session_state and asked.get(name) in options:
            st.session_state[key] = asked[name]
        label = escaped(f"{capitalized(spec.title_of(name))} (a fact)")
        named[name] = dropdown(label, options, key=key)
    return named


# -- a specification of one's own ------------------------------------------------------------------

OWN_TEXT, OWN_FILE, OWN_READ = "own text", "own file", "own protocol"
KINDS_OF_FILE = ["toml", "json"]
TOO_LONG_FOR_A_LINK = (
    "This specification is too long for an address, so links and a reload of this page do not "
    "bring it back: keep the file."
)


def own_specification(query: Mapping[str, str]) -> Specification | None:
    """Return the specification that a person has opened or an address contains, if there is one.

    Raises
    ------
    NipError
        If the address contains one that cannot be used.
    """
    text = own_from_query(query)
    if text is None:
        text = st.session_state.get(OWN_READ)
    return None if text is None else _read(text)


def link_of(base: Specification, name: str) -> dict[str, str]:
    """Return the address's entries for a protocol, without its settings."""
    if name != OWN:
        return {"protocol": base.name}
    text = own_from_query(st.query_params.to_dict()) or st.session_state.get(OWN_READ, "")
    return own_to_query(text)


def _read(text: str) -> Specification:
    found = _read_once(text)
    if isinstance(found, NipError):
        raise found.with_traceback(None)
    return found


# Own specifications by their text, and remarks on specifications. A link of 4 kB takes 3 MB.
_kept = KeptResults(16 << 20)


def _read_once(text: str) -> Specification | NipError:
    """Return the specification, or why it is refused, so that neither is worked out twice."""
    return _kept.get(text, lambda: _read_now(text))


def _read_now(text: str) -> Specification | NipError:
    try:
        with for_document():
            spec = _checked(text)
            need_drawable(spec)
            return spec
    except NipError as error:
        # Without the places in the program where it was raised, which keep the whole document.
        error.__context__ = error.__cause__ = None
        return error.with_traceback(None)


def need_drawable(spec: Specification) -> None:
    """Raise a TooLargeError if a protocol is too large for the work of this page."""
    remarks_on(spec)


def remarks_on(spec: Specification) -> list[Remark]:
    """Return the remarks on a protocol that can be drawn; a TooLargeError says that it cannot."""
    return _kept.get(spec, lambda: _remarks_now(spec))


def _remarks_now(spec: Specification) -> list[Remark]:
    with for_document(spec.steps):
        found = spec.lint()
        _ = StageGrid(spec).rows
    return found


def _checked(text: str) -> Specification:
    if len(text) > MOST_WRITTEN:
        raise NipError(
            f"The specification has {len(text):,} characters; here it can have at most "
            f"{MOST_WRITTEN:,}. Give a stage `times` where turns are repeated."
        )
    spec = load_specification(text)
    if (turns := len(StageGrid(spec).columns)) > MOST_TURNS:
        raise NipError(
            f"The specification has {turns:,} different turns; here it can have at most "
            f"{MOST_TURNS:,}. Give a stage `times` where turns are repeated, or draw it with "
            "`nip-explorer picture FILE`."
        )
    return spec


def open_own(keep: Iterable[str] = ()) -> Specification | None:
    """Let a person open a specification from a file or a text; return it once it can be used.

    It is put into the address, if it is short enough, so that links and other pages show it. Of
    the address's other entries, only those in `keep` stay.
    """
    try:
        own = own_specification(st.query_params.to_dict())
    except NipError as error:
        alert("error", str(error))
        own = None
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
        asked = st.button("Read it", key="read own", type="primary", disabled=bool(file))
        try:
            text = read_once(OWN_FILE, file, _text_of)
            if text is None and asked:
                _read(pasted)
            if asked or (text is not None and text != st.session_state.get(OWN_READ)):
                text = pasted if text is None else text
                st.session_state[OWN_READ] = text
                kept = {key: st.query_params[key] for key in keep if key in st.query_params}
                st.query_params.from_dict(kept | own_to_query(text))
                st.rerun()
        except NipError as error:
            alert("error", str(error))
    if own is not None and "spec" not in st.query_params:
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
    _read(text)
    return text
