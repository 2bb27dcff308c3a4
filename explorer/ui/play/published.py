"""Choosing a game of a published protocol: seat, task, other players and settings."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.choice import OWN, ProtocolChoice
from explorer.pictures import plain_styles
from explorer.play import KINDS, TurnStart, materials, reads_passages, seats_of_turns
from explorer.ui.fronts import show_choices
from explorer.ui.layout import address, link, page_address, show_links
from explorer.ui.play.link import CHOICES, PLAY
from explorer.ui.play.seats import MOST_SEED, begin, choose_models, choose_seed
from explorer.ui.protocol_families import OWN_TASK, needs_a_task, write_tasks
from explorer.ui.text import alert, dropdown, escaped, keep_choice, small
from explorer.ui.uploads import read_once
from nip_core.displays import join_names
from nip_core.errors import NipError
from nip_core.language import Specification, Wording
from nip_core.play import Material
from nip_core.tasks import Passage, load_quality

FROM_FILE = "file"  # the choice of a passage from a file
QUALITY = "passages from QuALITY"
MOST_MEGABYTES = 32
MOST_SHOWN = 120  # characters
JUDGE = "careful"  # the scripted judge by which other players are measured
OTHERS = {
    "scripted": ("Scripted players", "They know the task, quote it, and weigh the others' quotes."),
    "random": ("Random players", "They choose by chance, and what they say means nothing."),
    "llm": ("Language models", "Your own models play every other seat."),
}


def show_about(choice: ProtocolChoice) -> None:
    """Show in a sentence what a protocol is for, with a link to its Schedule page."""
    spec = choice.rules
    if choice.in_short:
        st.markdown(escaped(choice.in_short))
    if spec.source:
        small(f"After {spec.source}.")
    words = "What was found with it, and what is simplified"
    if choice.name == OWN:
        words = "Its schedule, and what the checker says"
    show_links(link(page_address("schedule", choice.to_query()), words))


def show_published(
    choice: ProtocolChoice,
    spec: Specification,
    places: tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator, DeltaGenerator],
) -> None:
    """Let a person choose how a version 2 protocol is played, and begin.

    `places` are the containers of the cards, the models' forms, the button, and the rest.
    """
    cards, forms, button, more = places
    name = choice.name
    # Where no task was prepared, the person has to write or open one.
    writes = needs_a_task(spec) or address().get("task") in (OWN_TASK, FROM_FILE)
    with more.expander("More: task, players, settings", expanded=writes):
        left, right = st.columns(2, gap="large")
        with left:
            PLAY.show_controls()
            task, given, about = _task(choice, spec)
            seed = choose_seed(name)
        with right:
            seats = _seats(spec, name)
    with cards:
        _show_cards(spec, name, seats)
    complete = task not in (OWN_TASK, FROM_FILE) or given is not None
    usual = seats_of_turns(spec)
    query = PLAY.entries_of(choice) | about
    query |= {f"sits.{seat}": kind for seat, kind in seats.items() if kind != usual[seat]}
    CHOICES.to_address(query | ({} if seed is None else {"seed": str(seed)}))
    models = {seat: spec.seat_phrase(seat) for seat, kind in seats.items() if kind == "llm"}
    with forms:
        chosen = choose_models(models)
    ready = len(chosen.seats) == len(models) and complete
    begun = button.button("Begin", type="primary", key="play-begin", disabled=not ready)
    if not complete:
        with button:
            small("To begin, write or choose the task below, under More.")
    if not begun:
        return
    described = {seat: settings.describe() for seat, settings in chosen.seats.items()}
    drawn = secrets.randbelow(MOST_SEED) if seed is None else seed
    start = TurnStart(spec, "" if given else task, seats, drawn, models=described)
    # The seed draws two answers of several.
    begin(start, chosen, None if given is None else Material.of(spec, given, drawn))


def _task(
    choice: ProtocolChoice, spec: Specification
) -> tuple[str, Material | Passage | None, dict[str, str]]:
    """Let a person choose a task, or write one.

    Return its name (empty if the seed draws one, or none is needed), the task that the person has
    written, once it is complete, or chosen from a file, and its entries in the address.
    """
    prepared = materials(spec)
    if not prepared and not needs_a_task(spec):
        return "", None, {}
    known = {**({"": "Draw one for me"} if prepared else {}), **prepared, OWN_TASK: "One of my own"}
    if reads_passages(spec):
        known[FROM_FILE] = "One from a file in QuALITY's format"
    key = f"play-task-{choice.name}"
    if st.session_state.get(key) not in known:
        st.session_state.pop(key, None)  # of another protocol of one's own
    keep_choice(key, CHOICES.asked("task", list(known), next(iter(known))))
    chosen = dropdown("About", known, key=key)
    if chosen == FROM_FILE:
        return chosen, _from_file(spec), {"task": FROM_FILE}
    if chosen != OWN_TASK:
        return chosen, None, {"task": chosen} if chosen else {}
    # A specification in the address leaves less room for the task.
    now = {**address(), **choice.to_query()}
    written, packed = write_tasks(spec, now, f"play-{choice.name}")
    return chosen, written[0] if written else None, {"task": OWN_TASK, **packed}


def _from_file(spec: Specification) -> Passage | None:
    """Let a person choose a question from a file of passages."""
    file = st.file_uploader(
        "A file with one JSON object a line, each with an article and questions",
        max_upload_size=MOST_MEGABYTES,
        key=QUALITY,
    )
    try:
        report = read_once(QUALITY, file, load_quality)
        if report is None:
            small("Choose your file, and then a question. A link does not contain them.")
            return None
        if report.problems:
            usable = f"{len(report.passages):,} of {report.questions:,} questions can be used."
            kind = "info" if report.passages else "error"
            alert(kind, f"{usable} The first that cannot: {report.problems[0]}")
        if not report.passages:
            return None
        questions = dict(enumerate(map(_in_short, report.passages)))
        number = dropdown("Question", questions, key=f"{QUALITY}, question")
        Material.of(spec, report.passages[number])
    except NipError as error:
        alert("error", str(error))
        return None
    return report.passages[number]


def _in_short(passage: Passage) -> str:
    words = f"{passage.title}: {passage.question}" if passage.title else passage.question
    return words if len(words) <= MOST_SHOWN else f"{words[: MOST_SHOWN - 3]}..."


def _seats(spec: Specification, name: str) -> dict[str, str]:
    asked = address().get("seat")
    usual = seats_of_turns(spec, asked if asked in spec.seat_names else None)
    seats: dict[str, str] = {}
    for seat in spec.seat_names:
        key = _key(name, seat)
        keep_choice(key, CHOICES.asked(f"sits.{seat}", list(KINDS), usual[seat]))
        seats[seat] = dropdown(escaped(spec.seat_name(seat)), KINDS, key=key)
    return seats


def _key(name: str, seat: str) -> str:
    return f"play-seat-{name}-{seat}"


def _show_cards(spec: Specification, name: str, seats: Mapping[str, str]) -> None:
    looks = plain_styles(spec)
    cards = [
        {
            "key": seat,
            "badges": [looks[seat]],
            "title": f"Be {spec.seat_phrase(seat)}",
            "about": _does(spec, seat),
        }
        for seat in spec.seat_names
    ]
    mine = [seat for seat, kind in seats.items() if kind == "me"]
    people = [seat for seat, kind in seats.items() if kind in ("me", "friend")]

    def sit(seat: str) -> None:
        for each in spec.seat_names:
            if each == seat:
                st.session_state[_key(name, each)] = "me"
            elif seats[each] in ("me", "friend"):
                st.session_state[_key(name, each)] = "scripted"

    show_choices(
        "Your seat",
        cards,
        mine[0] if len(people) == 1 and mine else None,
        key=f"play-seats-{name}",
        on_choice=sit,
    )
    others = [seat for seat in spec.seat_names if seat not in people]
    kinds = {seats[seat] for seat in others}

    def play_as(kind: str) -> None:
        for each in others:
            st.session_state[_key(name, each)] = kind

    show_choices(
        "The others",
        [
            {"key": kind, "badges": [], "title": title, "about": about}
            for kind, (title, about) in OTHERS.items()
        ],
        kinds.pop() if len(kinds) == 1 else None,
        key=f"play-others-{name}",
        on_choice=play_as,
    )
    if name != OWN:
        small(_strength(name))


def _strength(name: str) -> str:
    """Say how strong the scripted players of a protocol are, as far as the baseline has them."""
    # Imported here, since protocols of version 1 do not need it.
    from explorer.studies import baseline_figures, shown_estimate

    at = name, JUDGE
    found = next((e.accuracy for e in baseline_figures() if (e.protocol, e.verifier) == at), None)
    if found is None or found.value is None:
        return "How strong these scripted players are has not been measured."
    return (
        f"On our tasks, a {JUDGE} scripted judge was right in {shown_estimate('accuracy', found)} "
        f"of {found.count} games against these players."
    )


def _does(spec: Specification, seat: str) -> str:
    """Return a sentence about what a seat does, derived from the rules."""
    acts = [act for _, _, act in spec.acts() if act.seat == seat]
    made = list(dict.fromkeys(choice for act in acts for choice, _ in act.choose))
    writes = ["write messages"] if any(act.say for act in acts) else []
    words = Wording(spec, seat)
    does = join_names([*writes, *words.makes(made)] or ["do nothing"])
    sees = [part.name for part in spec.parts if dict(part.seen).get(seat, "end") == "end"]
    hidden = f" You cannot read the {words.term(sees[0])}." if sees else ""
    return f"You {does}.{hidden}"
