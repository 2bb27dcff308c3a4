"""The Protocols page: the gallery, one protocol with its picture, or two that are compared."""

from __future__ import annotations

from functools import partial
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.choice import OWN, WRITTEN, NumberRange, ProtocolChoice
from explorer.drawing import WALL, Wall
from explorer.hosts import is_public
from explorer.pictures import Comparison, View, columns_of, plain_styles, schedule_payload
from explorer.ui.fronts import ROUND, show_schedule, show_wall
from explorer.ui.layout import address, header, link, page_address
from explorer.ui.page_link import from_link, page_link
from explorer.ui.protocol_families import open_own
from explorer.ui.protocols.about import lead_and_rest, show_about
from explorer.ui.protocols.choice import (
    FIRST,
    ShownProtocol,
    begin_comparing,
    choose_settings,
    end_comparing,
    is_comparing,
    open_former,
    pick_view,
    selected_column,
    take_up,
)
from explorer.ui.protocols.details import (
    follows_the_column,
    show_details,
    show_remarks,
    show_words,
)
from explorer.ui.protocols.downloads import offer_export
from explorer.ui.text import alert, escaped, small
from nip_core.errors import TooLargeError
from nip_core.spec import shown_round

NEW = "A protocol of your own"
OF_NEW = "From a file or a text. A short one is in the page's link; of a long one, keep the file."
ALL = link(page_address("protocols", {}), "Protocols")


def show_page() -> None:
    """Show the page."""
    if not {"protocol", "compare"} & address().keys():
        # Imported here, since a protocol's page does not need it.
        from explorer.ui.protocols.gallery import show_all

        show_all()
        return
    # The first part, with notes about the link, stands before the rest is made.
    with st.container(key="nip-first-part"):
        top = st.container(key="nip-top")
        notes, drawn = st.container(), st.container()
    with page_link("protocols", place=notes) as problems:
        choice, wrong = FIRST.choice()
        if not FIRST.opens or WRITTEN in address():
            problems += wrong
        if FIRST.opens:
            with top:
                header(NEW, OF_NEW, back=ALL)
                open_own(FIRST)
            return
        open_former(choice, problems)
        protocols, selected, is_drawn = _show_grids(choice, problems, top, drawn)
    if not is_drawn:
        return
    show_words(protocols)
    if len(protocols) == 1:
        _show_wall(protocols[0])
        show_about(protocols[0])
        show_remarks(protocols[0])
    show_details(protocols, selected)


def _show_grids(
    choice: ProtocolChoice, problems: list[str], top: DeltaGenerator, drawn: DeltaGenerator
) -> tuple[list[ShownProtocol], int, bool]:
    """Show the head, the controls and the picture.

    Return what is shown, the selected column, and whether the picture is small enough to be drawn.
    """
    compare = is_comparing()
    with top:
        head = st.container()
        with st.container(horizontal=True, vertical_alignment="center", key="nip-controls"):
            settings = st.container(key="nip-settings")
            views = st.container(key="nip-views", width="content")
    with settings:
        protocols = choose_settings(problems, choice, compare=compare)
    if len({(protocol.spec, protocol.seed) for protocol in protocols}) < len(protocols):
        problems.append("Both are the same protocol. Choose another one, or change a setting.")
        protocols = protocols[:1]
    view: View = "grid"
    if not compare:
        with views:
            view = pick_view()
    columns = columns_of([protocol.shown for protocol in protocols])
    selected = selected_column(columns)
    from_link(ROUND, NumberRange(1, columns), str(shown_round(selected)))
    with head:
        actions = _show_head(protocols, compare=compare)
    with actions:
        offer_export(protocols, view, selected)
    with drawn:
        is_drawn = _show_picture(protocols, view, selected)
    return protocols, selected, is_drawn


def _show_head(protocols: list[ShownProtocol], *, compare: bool) -> DeltaGenerator:
    """Show the title, what can be begun, and what it is in words; return the actions' place."""
    first = protocols[0]
    family = page_address("protocols", {"family": first.choice.family})
    back = f"{ALL} / {link(family, first.choice.family)}"
    title, line = title_and_line(protocols)
    if compare:
        stop = partial(st.button, "End the comparison", key="compare no more")
        return header(title, line, back=back, starts=partial(stop, on_click=end_comparing))
    actions = header(title, back=back, starts=partial(_show_starts, first))
    lead, _ = lead_and_rest(first.choice)
    with st.container(key="nip-lead"):
        if lead:
            st.markdown(escaped(lead))
        if first.choice.line != lead:
            small(first.choice.line)
    if first.choice.name == OWN:
        open_own(FIRST)
    return actions


def title_and_line(protocols: list[ShownProtocol]) -> tuple[str, str]:
    """Return the page's title, and of two protocols in a sentence how they differ."""
    if len(protocols) == 1:
        return protocols[0].name, ""
    left, right = protocols
    name = right.name if right.name != left.name else "the second"
    # Within the sentence; not of abbreviations.
    name = f"{name[:1].lower()}{name[1:]}" if name[1:2].islower() else name
    line = Comparison(left.spec, right.spec).sentence(name)
    return f"{left.name} and {right.name}", line


def _show_starts(protocol: ShownProtocol) -> None:
    """Show what begins with a protocol: a game, a comparison, a study, one of one's own."""
    # Links can open in a new window, and Streamlit's switch of pages could not set `protocol`.
    choice = protocol.choice
    query = choice.to_query()
    if not choice.is_zero_knowledge:
        play = link(page_address("play", query), "Play", button=True, main=True)
        st.html(play, width="content")
    st.button("Compare", key="compare", on_click=begin_comparing)
    if choice.name != OWN and not is_public():
        new = {"view": "new", "protocol": choice.name}
        st.html(link(page_address("studies", new), "Study", button=True), width="content")
    if choice.name != OWN or WRITTEN in query:
        st.html(link(page_address("draw", query), "Change this", button=True), width="content")


def _show_wall(protocol: ShownProtocol) -> None:
    """Show a handle: whoever drags the wall between two seats goes on in a drawing with it."""
    query, spec = protocol.choice.to_query(), protocol.choice.rules
    wall = Wall.of(spec)
    if wall is None or (protocol.choice.name == OWN and WRITTEN not in query):
        return
    looks = plain_styles(spec, {wall.one, wall.other})
    show_wall(
        [looks[wall.one], looks[wall.other]],
        stands=not wall.closed,
        href=page_address("draw", {**query, WALL: wall.entry}),
        key="wall",
    )


def _show_picture(protocols: list[ShownProtocol], view: View, selected: int) -> bool:
    """Show a view of a protocol, or the grids of two; return whether it is small enough."""
    try:
        payload = schedule_payload([protocol.shown for protocol in protocols], view)
    except TooLargeError as error:
        alert("error", str(error))
        return False
    # Not a fragment: the browser reports the column together with the next use of another control,
    # which may rerun the whole page.
    show_schedule(
        payload,
        selected=selected,
        pick=st.session_state.get("pick"),
        key="schedule",
        on_pick=take_up,
        follows=follows_the_column(protocols),
        query=urlencode(address()),
    )
    return True
