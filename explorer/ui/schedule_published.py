"""The Schedule page of a published protocol, and protocols of both versions side by side."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.choice import OWN, ProtocolChoice, quoted, remarks_on
from explorer.files import csv_bytes
from explorer.pictures import (
    StageGrid,
    View,
    picture,
    side_by_side,
    side_by_side_rows,
    stage_caption,
    stage_payload,
    stage_table,
    turns_data,
)
from explorer.ui.fronts import show_schedule
from explorer.ui.layout import header, link, note_in_address, page_address, part
from explorer.ui.schedule_choice import (
    check_columns,
    pick_view,
    selected_column,
    show_settings,
    take_up,
)
from explorer.ui.schedule_downloads import TONES, offer_pictures
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, escaped, offer_file, segments, small
from explorer.ui.widgets import copy_link
from nip_core.errors import TooLargeError
from nip_core.language import Specification, Wording
from nip_core.registry import (
    protocol_names,
    protocol_title,
    published_document,
    published_names,
    specification,
)

MOST_BESIDE = 8
BESIDE = "beside"
TURNS, TABLE, SEES = "Turns", "The grid as a table", "Who sees what"


def show_published_schedule(
    choice: ProtocolChoice, problems: list[str], head: DeltaGenerator, controls: DeltaGenerator
) -> None:
    """Show a version 2 protocol: title and controls in the given containers, the rest below."""
    spec = choice.turns
    assert spec is not None
    with controls:
        settings = st.container(horizontal=True, key="nip-settings")
        views = st.container(key="nip-views", width="content")
    with settings:
        show_settings(choice)
    with views:
        view = cast("View", pick_view(problems))
    columns = len(StageGrid(spec).columns)
    selected = selected_column(columns)
    check_columns(problems, columns)
    with head:
        actions = header(choice.title, _source(choice, spec))
    with actions:
        play = link(page_address("play", choice.to_query()), "Play this", button=True, main=True)
        st.html(f'<div class="nip-links">{play}</div>', width="content")
        part(_menu)(choice, spec, view, selected)
    if problems:
        alert("info", " ".join(problems))
    try:
        payload = stage_payload(choice.title, spec, view)
    except TooLargeError as error:
        alert("error", str(error))
    else:
        show_schedule(
            payload,
            selected=selected,
            pick=st.session_state.get("pick"),
            key="schedule",
            on_pick=take_up,
            follows=False,
        )
    st.markdown(escaped(spec.about))
    if spec.simplified:
        small(f"About this version: {spec.simplified}")
    small(f"What was understood: {' '.join(Wording(spec).roles())}")
    found = remarks_on(spec)
    for remark in found:
        small(f"{TONES[remark.tone]}: {remark.place}: {remark.message} {remark.remedy}")
    if choice.name == OWN and not found:
        small("The checker found nothing to remark on.")
    with st.expander("In words"):
        st.markdown(escaped(stage_caption(spec)))
    _show_details(spec)
    show_side_by_side(choice)


def _source(choice: ProtocolChoice, spec: Specification) -> str:
    said = f"After {spec.source}." if spec.source else ""
    return f"From a file of your own. {said}".strip() if choice.name == OWN else said


def _show_details(spec: Specification) -> None:
    folded = st.expander("Details", key="details", on_change="rerun")
    if not folded.open:
        return
    with folded:
        shown = segments(
            "What to show",
            (TURNS, TABLE, SEES),
            TURNS,
            key="detail of published",
            label_visibility="collapsed",
        )
        title = protocol_title(spec)
        if shown == TABLE:
            wide_table(stage_table(spec).reset_index(), f"The grid of {title}")
        elif shown == SEES:
            rows = [
                {"question": row["question"], "what": row["what"], "answer": row[spec.name]}
                for row in side_by_side_rows([spec])
            ]
            wide_table(rows, f"Who sees what in {title}")
        else:
            wide_table(turns_data(spec), f"The turns of {title}")


def _menu(choice: ProtocolChoice, spec: Specification, view: View, selected: int) -> None:
    name, is_own = spec.name, choice.name == OWN
    menu = st.popover("Export", key="export", on_change="rerun")
    if not menu.open:
        return
    with menu:
        copy_link()

        def drawn(framed: int | None, ending: str) -> bytes:
            return picture(spec, view, selected=framed).written(f".{ending}")

        shown = offer_pictures(name, view, selected, "turn", drawn)
        small("What is in it")
        with st.container(horizontal=True):
            if not is_own:
                _file("TOML", partial(published_document, name), f"{name}.toml")
            plain = partial(json.dumps, spec.to_dict(), indent=1, ensure_ascii=False)
            _file("JSON", plain, f"{name}.json")
            _file("CSV", lambda: csv_bytes(stage_table(spec).reset_index()), f"{name}.csv")
        if not is_own:
            small(
                "TOML is the file as it comes with the program; JSON has the settings of this page."
            )
        small("The Python that draws it")
        st.code(_python(choice, view, shown), language="python")


def _file(label: str, make: Callable[[], str | bytes], file_name: str) -> None:
    offer_file(label, make, file_name, key=f"published {file_name}")


def _python(choice: ProtocolChoice, view: View, selected: int | None) -> str:
    name = choice.spec.name
    framed = "" if selected is None else f", selected={selected}"
    if choice.name == OWN:
        read = (
            "from pathlib import Path\n\n"
            "from explorer.pictures import picture\n"
            "from nip_core.language import load_specification\n\n"
            f'spec = load_specification(Path("{name}.json").read_text("utf-8"))\n'
        )
    else:
        changed = [f', {setting}="{value}"' for setting, value in choice.settings]
        read = (
            "from explorer.pictures import picture\n"
            "from nip_core import specification\n\n"
            f'spec = specification("{name}"{"".join(changed)})\n'
        )
    return f'{read}print(spec.lint())\npicture(spec, "{view}"{framed}).save("{name}-{view}.svg")\n'


# -- side by side ----------------------------------------------------------------------------------


def show_side_by_side(choice: ProtocolChoice) -> None:
    """Show several protocols in one table; the chosen one is first and has its settings.

    The others are in the address, so that a link shows the same table.
    """
    asked = [name for name in st.query_params.get(BESIDE, "").split(",")[: 2 * MOST_BESIDE] if name]
    folded = st.expander(
        "Side by side", expanded=bool(asked), key="side by side", on_change="rerun"
    )
    if not folded.open:
        return
    chosen = choice.name
    known = [name for name in (*protocol_names(), *published_names()) if name != chosen]
    with folded:
        small(
            "Compare who sees what, who decides what, who is paid for what, and how long it takes."
        )
        unknown = [name for name in asked if name not in (*known, chosen)]
        if unknown:
            alert("info", f"There is no protocol {quoted(unknown[0])}, so it was left out.")
        key = f"beside {chosen}"
        others = st.multiselect(
            "Compare with",
            known,
            default=[name for name in dict.fromkeys(asked) if name in known][:MOST_BESIDE],
            format_func=protocol_title,
            max_selections=MOST_BESIDE,
            placeholder="Add protocols",
            key=key,
        )
        note_in_address(BESIDE, ",".join(others) or None)
        _show_table([specification(choice.spec), *map(specification, others)])


def _show_table(specs: list[Specification]) -> None:
    rows = side_by_side_rows(specs)
    alone = len(specs) == 1
    only = not alone and st.toggle("Only what differs", key="only what differs")
    shown: list[dict[str, str]] = []
    question = ""
    for row in rows:
        if only and not row["differs"]:
            continue
        cells = {key: str(text) for key, text in row.items()}
        asked, what, differs = (cells.pop(key) for key in ("question", "what", "differs"))
        # A question is shown once, beside the first of its rows.
        head = {"Question": "" if asked == question else asked, "What": what}
        question = asked
        mark = {} if alone else {"": "≠" if differs == "True" else "="}
        shown.append(head | mark | {_titled(key): cell for key, cell in cells.items()})
    wide_table(shown, "Protocols side by side")
    if not alone:
        small("≠ marks the rows in which the protocols differ.")
    name = "side-by-side.csv"
    offer_file(
        "Table (CSV)", lambda: csv_bytes(side_by_side(*specs)), name, key="side by side file"
    )


def _titled(column: str) -> str:
    """Return a column's title for people, from a protocol's name and settings."""
    name, *settings = column.split(" ", 1)
    known = name in (*protocol_names(), *published_names())
    return " ".join([protocol_title(name), *settings]) if known else column
