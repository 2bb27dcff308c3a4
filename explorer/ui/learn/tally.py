"""A class's tally: thirty solo phones make one experiment."""

from __future__ import annotations

from fractions import Fraction
from html import escape

import streamlit as st

from explorer.lessons.lesson import Block, Lesson
from explorer.lessons.library import game
from explorer.storage import StorageError, room_code
from explorer.ui.database import storage
from explorer.ui.header import header
from explorer.ui.learn.join import class_link, show_how_to_join
from explorer.ui.learn.links import all_lessons, class_code, learn_address
from explorer.ui.links import link, show_links
from explorer.ui.text import escaped, small, toast
from nip_core.values import wilson

__all__ = ["count", "show_tally"]

MOST_COUNTED = 300  # by one browser's visit
# A bar for what was found, a paler one for what the true rate may be, a line for the theory.
STYLE = """<style>
.nip-tally { display: grid; gap: 0.5rem; font-size: 1.25rem; margin-bottom: 1rem; }
.nip-tally > div {
  display: grid; grid-template-columns: minmax(8rem, 1fr) 2fr minmax(9rem, 0.6fr); gap: 0.2rem 1rem;
  align-items: center;
}
.nip-tally .track { position: relative; height: 2.2rem; }
.nip-tally i { position: absolute; background: currentColor; border-radius: 4px; }
.nip-tally .found { inset-block: 0.4rem; left: 0; min-width: 2px; opacity: 0.5; }
.nip-tally .interval { inset-block: 0; opacity: 0.18; }
.nip-tally .theory {
  inset-block: -0.1rem; width: 4px; margin-left: -2px; border-radius: 0;
  background: var(--nip-text); box-shadow: 0 0 0 2px var(--nip-paper);
}
.nip-tally small { display: block; font-size: 1rem; }
@media (max-width: 640px) {
  .nip-tally { font-size: 1.1rem; }
  .nip-tally > div { grid-template-columns: 1fr; }
}
</style>"""


def count(lesson: Lesson, place: int, outcome: str) -> None:
    """Add an outcome to the class's tally, if the address names a class."""
    code = class_code()
    counted = st.session_state.get("lesson-counted", 0)
    if code is None or counted >= MOST_COUNTED:
        return
    st.session_state["lesson-counted"] = counted + 1
    try:
        storage().tallies.add(code, lesson.slug, place, outcome[:60])
    except StorageError as error:
        toast(f"The class's count could not be updated: {error}")


def show_tally(lessons: list[Lesson]) -> None:
    """The class's counts, live."""
    code = class_code()
    wanted = st.query_params.get("lesson")
    shown = [lesson for lesson in lessons if wanted in (None, lesson.slug)]
    if code is None:
        with header("Class", "Type the code of your class, or start a new one."):
            show_links(class_link())
        typed = st.text_input("Code of the class", max_chars=12, width=240)
        if room_code(typed):
            st.query_params["class"] = typed.upper()
            st.rerun()
        return
    of = shown[0] if wanted and shown else None
    header(
        f"Class {code}",
        "Everybody's outcomes, counted together and without names.",
        back=link(learn_address(lesson=of.slug), of.title) if of else all_lessons(),
    )
    show_how_to_join(of)
    _live(code, shown)


@st.fragment(run_every="2s")
def _live(code: str, lessons: list[Lesson]) -> None:
    """Counts are asked for again every two seconds."""
    counts = storage().tallies.of(code)
    empty = True
    for lesson in lessons:
        for place, block in enumerate(lesson.blocks, start=1):
            found = counts.get((lesson.slug, place))
            if found:
                empty = False
                _show_counts(lesson, block, found)
    if empty:
        st.write(
            "Nothing has been counted yet. Results appear here as soon as somebody finishes a game."
        )


def _show_counts(lesson: Lesson, block: Block, found: dict[str, int]) -> None:
    title = game(block.name).title if block.kind == "game" else block.question
    st.subheader(escaped(f"{lesson.title}: {title}"), anchor=False)
    if block.kind == "game":
        _show_cases(block, found)
    else:
        order = list(block.choices) or sorted(found, key=_as_number)
        _show_bars({name: (name, None) for name in order}, found)


def _show_cases(block: Block, found: dict[str, int]) -> None:
    """Each case of a game by itself, for only then there is one chance to compare with."""
    names = game(block.name).outcomes
    expected = False
    for name, case in game(block.name).cases(block.settings or {}).items():
        rows = {f"{name}: {each}": (names[each], c) for each, c in case.chances.items()}
        if any(found.get(key) for key in rows):
            st.markdown(f"{escaped(case.label)}:")
            _show_bars(rows, found)
            expected |= any(chance is not None for chance in case.chances.values())
    if expected:
        small("Line: what theory predicts. Pale band: 95% interval for the true rate.")


def _show_bars(rows: dict[str, tuple[str, Fraction | None]], found: dict[str, int]) -> None:
    """Counts by outcome: each with its name and, if it is known, its chance."""
    total = sum(found.get(key, 0) for key in rows)
    bars = "".join(_bar(name, found.get(k, 0), total, chance) for k, (name, chance) in rows.items())
    st.html(f'{STYLE}<div class="nip-tally">{bars}</div>')


def _bar(name: str, number: int, total: int, chance: Fraction | None) -> str:
    def part(kind: str, style: str) -> str:
        return f'<i class="{kind}" style="{style}"></i>'

    low, high = wilson(number, total)
    rate = number / max(1, total)
    track, expected = part("found", f"width: {rate:.1%}"), ""
    if chance is not None:
        track += part("interval", f"left: {low:.1%}; width: {high - low:.1%}")
        track += part("theory", f"left: {float(chance):.1%}")
        expected = f"<small>theory: {float(chance):.1%}</small>"
    return (
        f'<div><span>{escape(name)}</span><span class="track">{track}</span>'
        f"<span>{number} of {total} ({rate:.0%}){expected}</span></div>"
    )


def _as_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
