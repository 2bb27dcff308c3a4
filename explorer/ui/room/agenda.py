"""The plan of a workshop on screen and on paper: each minute, and what is due now."""

from __future__ import annotations

from functools import partial

import streamlit as st

from explorer.lessons import handout_html, table_handout_html
from explorer.rooms import (
    AgendaStep,
    LeadPage,
    RoomPlan,
    about_of,
    agenda,
    agenda_minute,
    class_steps,
    lesson_called,
    minutes_behind,
    present_step,
    start_clock,
    step_at,
)
from explorer.ui.layout import part
from explorer.ui.room.about import act_in_room, sheet_of
from explorer.ui.text import in_html, offer_file

PAPER = """
body { font: 11pt/1.45 system-ui, sans-serif; max-width: 46rem; }
body { margin: 2rem auto; padding: 0 1rem; }
h1 { font: 500 22pt/1.2 Georgia, serif; }
ol { list-style: none; padding: 0; }
li { border-top: 1px solid #999; padding: 0.6rem 0; break-inside: avoid; }
li > b { margin-right: 0.8rem; font-variant-numeric: tabular-nums; }
dl { margin: 0.2rem 0 0; display: grid; grid-template-columns: 6.5rem 1fr; }
dt { color: #444; }
dd { margin: 0; }
dd p { margin: 0; }
@page { margin: 1.5cm; }
"""
# Seconds after which the page looks at the clock again.
EVERY = 15.0
CURRENT = ' aria-current="step"'
CLOCK = "<i>the clock is here</i>"
COLUMNS = (("do", "Do"), ("say", "Say"), ("sees", "The class sees"))


def show_agenda(
    steps: tuple[AgendaStep, ...], here: int | None = None, clock: int | None = None
) -> None:
    """Show all steps; the one at index `here`, where the class is, is highlighted."""
    st.html(_listed(steps, here, clock))


def _listed(
    steps: tuple[AgendaStep, ...], here: int | None = None, clock: int | None = None
) -> str:
    rows = "".join(
        f"<li{CURRENT if place == here else ''}><b>{step.start}–{step.end} min</b>"
        f"<strong>{in_html(step.what)} {CLOCK if place == clock != here else ''}</strong>"
        f"{_facts(step)}</li>"
        for place, step in enumerate(steps)
    )
    return f'<ol class="nip-agenda" aria-label="The plan, minute by minute">{rows}</ol>'


def _facts(step: AgendaStep) -> str:
    facts: list[str] = []
    for name, label in COLUMNS:
        if lines := getattr(step, name):
            text = "".join(f"<p>{in_html(line)}</p>" for line in lines)
            facts.append(f"<dt>{label}</dt><dd>{text}</dd>")
    return f"<dl>{''.join(facts)}</dl>" if facts else ""


# -- the clock -------------------------------------------------------------------------------------


def show_clock(page: LeadPage) -> None:
    """Show the minute of the workshop and the step at that minute, if the room has a length."""
    minutes = page.plan.minutes
    if minutes is not None and page.phase != "closed":
        part(_clock, every=None if page.began is None else EVERY)(page, minutes)


def _clock(page: LeadPage, minutes: int) -> None:
    steps, minute = agenda(page.plan, minutes), agenda_minute(page.began)
    places, here = class_steps(page.doing, steps), present_step(page.doing, steps, minute)
    clock = None if minute is None else step_at(steps, minute)
    start = partial(act_in_room, start_clock, page.code)
    with st.container(key="lead-clock"):
        compared = _compared(steps, places, minute) if places and minute is not None else ""
        st.html(_now(steps[here], minute, minutes, compared))
        if minute is None:
            st.button("Start the clock", key="lead-start-clock", on_click=start)
        with st.expander("The whole plan"):
            show_agenda(steps, here, clock)
            if minute is not None:
                st.button("Start the clock again", key="lead-start-clock", on_click=start)


def _compared(steps: tuple[AgendaStep, ...], places: tuple[int, ...], minute: float) -> str:
    """Say whether the class is on schedule, and if not, which step it has reached."""
    late = minutes_behind(steps, places, minute)
    if not late:
        return "The class is on time."
    many = f"{abs(late)} minute{'' if abs(late) == 1 else 's'}"
    if late > 0:
        return f"{many} behind the plan: the class is still at “{steps[places[-1]].what}”."
    return f"{many} ahead of the plan: the class is already at “{steps[places[0]].what}”."


def _now(step: AgendaStep, minute: float | None, minutes: int, compared: str) -> str:
    """Return the step at which the class is, with the time if the clock runs."""
    past = minute is not None and minute >= minutes
    if minute is None:
        when = f"The plan: {minutes} minutes."
        compared = "The clock is not started."
    elif past:
        when = f"Minute {int(minute) + 1}: the {minutes} minutes are over."
    else:
        when = f"Minute {int(minute) + 1} of {minutes}."
    until = "" if past else f" <span>planned until minute {step.end}</span>"
    return (
        f'<section class="nip-clock" aria-label="The plan now"><p><b>{when}</b> '
        f"<strong>{in_html(step.what)}</strong>{until}</p>"
        f'<p class="nip-compared">{in_html(compared)}</p>{_facts(step)}</section>'
    )


# -- paper -----------------------------------------------------------------------------------------


def show_papers(plan: RoomPlan, room: LeadPage | None = None) -> None:
    """Offer what is printed: the plan, the handout, and the invitation of a room that is open."""
    named = plan.lesson or "tables"
    with st.container(horizontal=True, key="workshop-papers"):
        if room is not None:
            _paper("Invitation sheet", sheet_of(room), f"room-{room.code}.html")
        _paper("Handout", handout_of(plan), f"{named}-handout.html")
        if plan.kind == "lesson":
            _paper("Answers", handout_of(plan, answers=True), f"{named}-answers.html")
        if plan.minutes is not None:
            _paper("Plan", agenda_html(plan, plan.minutes), f"{named}-{plan.minutes}-minutes.html")


def _paper(label: str, page: str, name: str) -> None:
    about = "An HTML page: open it in your browser and print it."
    offer_file(label, page, name, help=about, icon=":material/print:", key=f"paper-{label}")


def handout_of(plan: RoomPlan, *, answers: bool = False) -> str:
    """Return the handout as an HTML page."""
    if plan.kind == "lesson":
        return handout_html(lesson_called(plan.lesson), answers=answers)
    return table_handout_html(*about_of(plan))


def agenda_html(plan: RoomPlan, minutes: int) -> str:
    """Return the plan as an HTML page to print; everything in it is text."""
    title = in_html(f"{about_of(plan)[0]}: {minutes} minutes")
    steps = _listed(agenda(plan, minutes))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f"<style>{PAPER}</style><body><h1>{title}</h1>{steps}</body></html>"
    )
