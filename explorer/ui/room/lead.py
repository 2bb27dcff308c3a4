"""The facilitator's page while a room is played."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import streamlit as st

from explorer.players import LLMError, LLMSettings
from explorer.rooms import (
    ACTIONS,
    FINAL,
    Access,
    Guidance,
    LeadPage,
    board_screen,
    close,
    end,
    extend,
    files,
    hand_back,
    lend_models,
    next_task,
    pause,
    recover_link,
    replace_by_bot,
    resume,
    reveal,
    sign_of,
    start,
)
from explorer.ui.acting import act_button, show_refusal
from explorer.ui.fronts import show_board
from explorer.ui.layout import header, link, page_address, show_links
from explorer.ui.play.models_at_work import ask_keys, typed_keys
from explorer.ui.play.seats import choose_caps, chosen_caps
from explorer.ui.room.about import (
    access_to,
    act_in_room,
    link_address,
    sheet_of,
    show_invitation,
    show_reach,
)
from explorer.ui.room.agenda import show_clock, show_papers
from explorer.ui.room.debrief import show_debrief
from explorer.ui.room.lesson_lead import show_lesson_lead
from explorer.ui.room.new import KEY, offer_end
from explorer.ui.room.people import show_people
from explorer.ui.room.projector import show_spectators
from explorer.ui.text import alert, escaped, in_html, offer_file, small
from explorer.ui.widgets import sure_button
from explorer.usage import USUAL_BUDGET


def _models(room: LeadPage) -> None:
    """Let the room's language models be asked, also after a restart or with another key."""
    if not room.plan.models:
        return
    st.markdown("**Language models**")
    try:
        models = {a: LLMSettings.from_record(record) for a, record in room.plan.models.items()}
    except LLMError as error:
        alert("warning", str(error))
        return
    for model in dict.fromkeys((settings.model, settings.host) for settings in models.values()):
        st.markdown(escaped(f"{model[0]} at {model[1]}"))
    small(
        "They are asked on your behalf. Give another key, or let them use more:"
        if room.has_keys
        else "The server has no keys for them: it forgets them when it is started again."
    )
    ask_keys(models, known=room.has_keys)
    caps = f"lead-{room.code}"
    choose_caps(caps, USUAL_BUDGET)

    def allow() -> None:
        lend_models(
            access_to(room.code), typed_keys(models, known=room.has_keys), chosen_caps(caps)
        )

    act_button("Allow these requests", allow, key="lead-models")


SELECTED = "lead-table"
ACTS: dict[str, Callable[..., None]] = {
    "start": start,
    "resume": resume,
    "reveal": reveal,
    "next": next_task,
    "pause": pause,
    "extend": extend,
    "end": end,
    "close": close,
}
SURE = {
    "end": "Every table stops where it is. What was played is kept; tables that had not finished "
    "are left out of the result.",
    "close": "Nobody can join or play any more. You keep the result until it is deleted.",
}


def show_lead(room: LeadPage) -> None:
    """Show the room to its facilitator."""
    if room.guidance is None:
        show_lesson_lead(room, partial(_papers, room))
        return
    actions = header(_title(room))
    with actions:
        _offer(room, room.guidance)
        offer_end(room)
        if room.phase == "gathering":
            _link_to_projector(room, button=True)
        show_people(room)
        _more(room)
    st.html(f'<p class="nip-now" role="status">{in_html(room.guidance.sentence)}</p>')
    show_refusal()
    _warn_of_own_seat(room)
    show_clock(room)
    if room.phase == "gathering":
        _gathering(room)
        return
    _details(room)
    screen = board_screen(room.plan.conditions, room.rows, selected=st.session_state.get(SELECTED))
    if room.phase in ("revealed", "closed"):
        show_debrief(room.code)
        with st.expander("The tables"):
            show_board(screen, key="lead-board", on_table=_choose)
        return
    show_board(screen, key="lead-board", on_table=_choose)


# -- actions ---------------------------------------------------------------------------------------


def _offer(room: LeadPage, now: Guidance) -> None:
    """Offer what can be done for all tables; the recommended one stands out."""
    for name in now.actions:
        if name in FINAL:
            continue
        st.button(
            ACTIONS[name],
            type="primary" if name == now.main else "secondary",
            key=f"lead-{name}",
            on_click=partial(act_in_room, ACTS[name], room.code, since=room.position),
        )
    for name in (action for action in now.actions if action in FINAL):
        sure_button(
            ACTIONS[name],
            SURE[name],
            f"{ACTIONS[name]} now",
            key=f"lead-{name}",
            act=partial(act_in_room, ACTS[name], room.code, since=room.position),
        )


def _choose(number: int) -> None:
    chosen = st.session_state.get(SELECTED)
    st.session_state[SELECTED] = None if chosen == number else number


# -- before it starts -----------------------------------------------------------------------------


def _gathering(room: LeadPage) -> None:
    left, right = st.columns([3, 2], gap="large")
    with left:
        show_reach(room)
        show_invitation(room)
        show_papers(room.plan, room)
    with right:
        bots = f", and {room.bots} bots" if room.bots else ""
        st.markdown(f"**{escaped(f'Here: {len(room.here)}{bots}')}**")
        names = [person.shown for person in room.here]
        st.html(f'<ul class="nip-people">{"".join(f"<li>{in_html(n)}</li>" for n in names)}</ul>')
        small(_what_is_played(room))
        if room.plan.rehearsal and not any(person.visitor for person in room.here):
            address = page_address("room", {"code": room.code})
            show_links(link(address, "Take a seat yourself", beside=True))


def _what_is_played(room: LeadPage) -> str:
    plan = room.plan
    ways = " or ".join(condition.name for condition in plan.conditions)
    tables = "as many tables as people need" if plan.tables is None else f"{plan.tables} tables"
    limit = "no time limit"
    if plan.round_seconds is not None:
        limit = f"{plan.round_seconds} seconds a round"
    tasks = "1 task" if len(plan.tasks) == 1 else f"{len(plan.tasks)} tasks"
    return f"{ways}; {tables}; {tasks}; {limit}."


def _title(room: LeadPage) -> str:
    name = f"{room.plan.title} ({room.code})" if room.plan.title else f"Room {room.code}"
    return f"{name}, a rehearsal" if room.plan.rehearsal else name


def _warn_of_own_seat(room: LeadPage) -> None:
    """Warn a facilitator who also plays, in a rehearsal, that they know more than they may."""
    if not room.plan.rehearsal:
        return
    for person in (person for person in room.here if person.visitor):
        address = page_address("room", {"code": room.code, "person": person.number})
        warning = in_html(
            f"You lead and also play, as {person.shown}: you know more than your seat may."
        )
        show_links(warning, link(address, "To your seat", beside=True))


# -- one table ------------------------------------------------------------------------------------


def _details(room: LeadPage) -> None:
    """Show the selected table: who sits there, and what can be done about each seat."""
    chosen = st.session_state.get(SELECTED)
    row = next((row for row in room.rows if row["number"] == chosen), None)
    if row is None or row["phase"] not in ("waiting", "running", "paused"):
        return
    number, acts = row["number"], _acts_of(room, row)
    with st.container(border=True, key="lead-details"):
        with st.container(horizontal=True, vertical_alignment="center"):
            sign = escaped(f"{sign_of(number)}")
            st.markdown(f"**Table {sign}**, {escaped(row['condition'])}")
            for name in acts:
                act = partial(act_in_room, ACTS[name], room.code, number, since=room.position)
                st.button(ACTIONS[name], key=f"lead-{name}-{number}", on_click=act)
            st.button(
                "Close this", key="lead-unselect", type="tertiary", on_click=_choose, args=(number,)
            )
        for seat in row["seats"]:
            _seat(room, row, seat)
        if room.phase in ("running", "paused") and row["phase"] != "waiting":
            sure_button(
                "End this table",
                "The table stops where it is, for everybody at it. What was played stays, and is "
                "left out of the result.",
                "End this table now",
                key=f"lead-end-{number}",
                act=partial(act_in_room, end, room.code, number, since=room.position),
            )


def _acts_of(room: LeadPage, row: Mapping[str, Any]) -> list[str]:
    """Return what can be done for a table besides ending it."""
    if room.phase not in ("running", "paused"):
        return []
    limited = row["deadline"] is not None or row["left"] is not None
    if row["phase"] == "running":
        return ["pause", "extend"] if limited else ["pause"]
    return ["resume"] if row["phase"] == "paused" else []


STATES = {
    "asked": "is to move",
    "moved": "has moved",
    "lost": "connection lost",
    "waits": "waits",
    "bot": "a bot plays",
    "empty": "nobody sits here",
}


def _seat(room: LeadPage, row: Mapping[str, Any], seat: Mapping[str, Any]) -> None:
    number, agent = row["number"], seat["agent"]
    who = f", {seat['who']}" if seat["who"] else ""
    note = f" {seat['note']}" if seat["note"] else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(escaped(f"{seat['name']}{who}: {STATES[seat['state']]}.{note}"))
        if row["phase"] == "waiting":
            return
        number_of = seat["person"]
        if seat["bot"] and number_of in {person.number for person in room.here}:
            label, act = f"Hand the seat back to {seat['who']}", hand_back
        elif seat["bot"] == "llm":
            label, act = "Let a scripted player take over", replace_by_bot
        elif seat["bot"] and room.plan.seat_kind(agent) == "llm":
            label, act = f"Hand the seat back to {room.plan.models[agent]['model']}", hand_back
        elif not seat["bot"] and room.plan.bots:
            label, act = "Let a bot play", replace_by_bot
        else:
            return
        put = partial(act_in_room, act, room.code, number, agent, since=room.position)
        st.button(escaped(label), key=f"lead-seat-{number}-{agent}", on_click=put)


# -- rarely used --------------------------------------------------------------------------


def _more(room: LeadPage) -> None:
    with st.popover("More"):
        # During play it was opened long ago; the header has room for four actions.
        if room.phase != "gathering":
            _link_to_projector(room, button=False)
        _papers(room)
        show_spectators(room)
        _models(room)


def _link_to_projector(room: LeadPage, *, button: bool) -> None:
    address = page_address("room", {"code": room.code, "as": "projector"})
    show_links(link(address, "Projector", button=button, beside=True))


def _papers(room: LeadPage) -> None:
    """Offer the downloads and links that only the facilitator gets, in any kind of room."""
    name, look = f"room-{room.code}", {"type": "tertiary"}
    offer_file(
        "Invitation sheet (HTML)", partial(sheet_of, room), f"{name}.html", key="lead-sheet", **look
    )
    everything = partial(_files, access_to(room.code))
    offer_file(
        "Everything (CSV files in a ZIP)", everything, f"{name}.zip", key="lead-files", **look
    )
    _link_to_lead(room)
    small(f"All of it is deleted on {room.deleted_on}.")


def _files(access: Access) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, content in files(access).items():
            archive.writestr(name, content)
    return packed.getvalue()


def _link_to_lead(room: LeadPage) -> None:
    """Show how to lead from another device, and how to recover the link."""
    st.markdown("**Lead from another device**")
    key = st.session_state.get(f"{KEY}{room.code}")
    if key:
        st.code(link_address("lead", room.code, key), language=None, wrap_lines=True)
        small(
            "For a projector at another computer, too. Keep the link: it is shown in this window "
            "only, and anyone who has it can lead."
        )
    else:
        sure_button(
            "Make a new link",
            "The old link stops working at once, for everybody who has it. Browsers that lead "
            "already go on leading.",
            "Make a new link now",
            key="lead-link",
            act=partial(_new_link, room.code, alone=False),
        )
    if others := room.other_leaders:
        lead = "1 other browser leads" if others == 1 else f"{others} other browsers lead"
        small(f"{lead} this room, too.")
        sure_button(
            "Make a new link, and lead alone",
            "The old link stops working, and all other browsers stop leading at once: a projector "
            "at another computer, too.",
            "Lead alone now",
            key="lead-alone",
            act=partial(_new_link, room.code, alone=True),
        )
    small("This browser leads the room as long as it keeps its cookies. If none leads any more:")
    st.code(f"nip-explorer rooms link {room.code}", language=None)
    small("makes a new link on the machine that runs the server.")


def _new_link(code: str, *, alone: bool) -> None:
    def renew(access: Access) -> None:
        only = access.visitor if alone else None
        st.session_state[f"{KEY}{code}"] = recover_link(access, only=only)

    act_in_room(renew, code)
