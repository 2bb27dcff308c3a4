"""Fronts of `explorer.front` as Streamlit components, with a function for each.

Streamlit sends a component's script and styles again with every rerun. So our scripts and styles
have addresses of their own, which a browser loads once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import streamlit as st
from streamlit.components.v2 import component

from explorer.front import address
from explorer.languages import ENGLISH, language

if TYPE_CHECKING:
    from explorer.pictures import Chart
    from explorer.rooms import StatusBanner

# Streamlit calls this function whenever the data changes. It calls the returned clean-up function
# when the element is removed, but also at other times: if new data arrives while the script is
# loading, the clean-up of the first call may run before or after the second call. So a front ends
# only once its element is gone; ending it sooner left the board of a room without styles. Streamlit
# may also insert the component's HTML again, in which nothing is mounted. `first_paint.js` reads
# `shown`.
ADAPTER = """
const fronts = new WeakMap();
export default function ({ parentElement, data, setTriggerValue }) {
const root = parentElement.querySelector(".nip-front");
let front = fronts.get(parentElement);
if (front && front.root !== root) {
front.destroy();
front = null;
}
if (!front) {
front = mount(root, (name, value) => front.send(name, value));
front.root = root;
fronts.set(parentElement, front);
}
front.send = setTriggerValue;
const drawn = () => root.dataset.shown = "";
Promise.resolve(front.show(data[0])).then(drawn, drawn);
const call = front.call = {};
const end = () => {
if (front.call !== call) return;
if (parentElement.isConnected) return void setTimeout(end, 1000);
fronts.delete(parentElement);
front.destroy();
};
return () => void setTimeout(end);
}
"""
# The script is a blob, in which relative addresses do not work. Styles are loaded first, so that
# nothing appears unstyled.
FROM_AFAR = """
const there = await import(new URL("%s", location.origin).href);
const mount = (root, send) => {
const style = document.createElement("style");
style.textContent = there.style;
root.before(style);
const front = there.mount(root, send);
return { show: (data) => front.show(data), destroy: () => { front.destroy(); style.remove(); } };
};
"""


def front_component(front: str, *styles: str) -> Any:
    """Return a Streamlit component that mounts a front, which is a file in ``explorer/front/``.

    The component takes ``data``, ``key``, and a function by the name of each event of the front
    that the page uses. It is called before the page runs, with what the browser has sent, which
    may be anything. `styles` are the front's style sheets, by default the one with its own name.
    """
    html, name = '<div class="nip-front"></div>', f"nip_{front}"
    sheets = ("paper", *(styles or (front,)))

    # A front has its texts in itself, so there is a component for each language.
    @cache
    def mounted_in(spoken: str) -> Any:
        named = name if spoken == ENGLISH else f"{name}_{spoken}".replace("-", "_")
        return component(named, html=html, js=FROM_AFAR % address(front, *sheets) + ADAPTER)

    mounted_in(language())

    def show(*, data: Any, key: str, **events: Callable[[Any], None]) -> Any:
        def on(event: str, act: Callable[[Any], None]) -> Callable[[], None]:
            def sent() -> None:
                value = st.session_state.get(key, {}).get(event)
                if value is not None:
                    act(value)

            return sent

        changes: Any = {f"on_{event}_change": on(event, act) for event, act in events.items()}
        # Sent as JSON, since Streamlit searches a dictionary for tables, which loads pandas.
        return mounted_in(language())(data=[data], key=key, **changes)

    return show


_board = front_component("board")


def show_board(
    data: dict[str, Any], *, key: str, on_table: Callable[[int], None] | None = None
) -> None:
    """Show the board that :func:`explorer.rooms.board_screen` makes.

    `on_table` is called with the number of a chosen table of the board.
    """
    numbers = {table["number"] for table in data["tables"]}

    def chosen(number: object) -> None:
        if on_table is not None and type(number) is int and number in numbers:
            on_table(number)

    _board(data=data, key=key, table=chosen)


_calibration = front_component("calibration")


def show_calibration(calibration: Mapping[str, object], *, key: str) -> None:
    """Show the diagram of what :func:`explorer.play.calibrated` returns."""
    _calibration(data={"calibration": calibration}, key=key)


# It shows nothing, so it needs no styles.
_forgotten = front_component("forgotten", "connection")


def clear_typed(places: Sequence[str], *, key: str) -> None:
    """Have the browser forget what was typed at :func:`~explorer.rooms.places_in_browser`."""
    _forgotten(data={"places": list(places)}, key=key)


# It shows nothing, either.
_noting = front_component("noting", "connection")


def show_noting(names: Sequence[str], *, key: str, on_noted: Callable[[object], None]) -> None:
    """Count in the browser how often a person does what the names say; see ``noting.js``.

    `on_noted` is called with the counts since the last call, which may be anything.
    """
    _noting(data={"names": list(names)}, key=key, noted=on_noted)


_now = front_component("now")


def show_now(banner: StatusBanner, *, key: str, live: str | None = None) -> None:
    """Show the status banner that :func:`~explorer.rooms.guidance` makes.

    `live` is its name in messages of the window's connection, if that keeps it up to date.
    """
    # Imported here, since the first page does not need rooms.
    from explorer.rooms import with_clock

    _now(data={"clock": None, **with_clock(banner), "live": live}, key=key)


_firsts = front_component("firsts")


def show_first_games(games: Sequence[Mapping[str, Any]], *, key: str) -> object:
    """Show the cards of first games; return the name of the one that was chosen in this run.

    The browser may send anything.
    """
    return _firsts(data={"games": list(games)}, key=key, begin=_run_again).get("begin")


_positions = front_component("positions")


def show_positions(positions: Sequence[Mapping[str, Any]], *, key: str) -> None:
    """Show positions with one question left; the browser remembers which were solved."""
    _positions(data={"positions": list(positions)}, key=key)


_remember = front_component("remember")


def remember_study(name: str, title: str) -> None:
    """Let the browser remember the study that was opened last."""
    what = {"name": name, "title": title}
    _remember(data={"key": "nip-study", "what": what}, key="remember-study")


_protocols = front_component("protocols", "protocols", "miniature")


def show_protocols(
    cards: Sequence[Mapping[str, object]],
    selected: str | Sequence[str],
    *,
    key: str,
    on_choice: Callable[[Any], None],
) -> None:
    """Show a card for each protocol, of which one is selected, or several of a list.

    `on_choice` is called with the choice, which may be anything that a browser sends.
    """
    data = {"cards": cards, "selected": selected}
    _protocols(data=data, key=key, protocol=on_choice)


def _run_again(_: object) -> None:
    """Do nothing: the page runs again, and reads its address."""


_gallery = front_component("gallery", "gallery", "miniature")


def show_gallery(
    families: Sequence[Mapping[str, object]], *, base: str, family: str, search: str, key: str
) -> None:
    """Show what :func:`explorer.gallery.gallery` returns, with links that begin with `base`.

    A click changes the browser's address, which the next run of the page reads. The browser writes
    the chosen `family` and the `search` into it, too.
    """
    data = {"families": families, "base": base, "writes": True}
    data |= {"family": family, "search": search}
    _gallery(data=data, key=key, open=_run_again)


_choices = front_component("choices")


def show_choices(
    label: str,
    cards: Sequence[Mapping[str, Any]],
    selected: str | None,
    *,
    key: str,
    on_choice: Callable[[str], None],
    note: str = "",
) -> None:
    """Show cards of which one is chosen, each with ``key``, ``badges``, ``title`` and ``about``.

    A card may also have a ``strength``, on which the `note` below the cards comments. `on_choice`
    is called with the key of the chosen card, which is checked.
    """
    keys = {card["key"] for card in cards}

    def chosen(choice: object) -> None:
        if isinstance(choice, str) and choice in keys:
            on_choice(choice)

    shown = [dict(card) for card in cards]
    data = {"label": label, "cards": shown, "selected": selected, "note": note}
    _choices(data=data, key=key, choice=chosen)


_questions = front_component("questions")


def show_questions(
    questions: Sequence[Mapping[str, str]],
    selected: str,
    *,
    key: str,
    on_question: Callable[[str], None],
) -> None:
    """Show questions of which one is selected, each with the number that answers it.

    Each has ``key``, ``title``, ``about``, ``number`` and ``unit``. `on_question` is called with
    the key of the chosen one, which is checked.
    """
    keys = {question["key"] for question in questions}

    def chosen(question: object) -> None:
        if isinstance(question, str) and question in keys:
            on_question(question)

    data = {"questions": [dict(question) for question in questions], "selected": selected}
    _questions(data=data, key=key, question=chosen)


# The key of the selected round in the page's address. The browser writes it: if the server did, the
# browser's Back would go through all rounds.
ROUND = "round"

_wall = front_component("wall")


def show_wall(seats: Sequence[Mapping[str, Any]], *, stands: bool, href: str, key: str) -> None:
    """Show the wall between two seats as a handle, which leads to a drawing with the wall moved.

    Parameters
    ----------
    seats : sequence of two looks
        From :func:`~explorer.pictures.plain_styles`.
    stands : bool
        Whether neither reads what the other writes.
    href : str
        The address of the drawing.
    """
    _wall(data={"seats": [*seats], "stands": stands, "href": href}, key=key)


_schedule = front_component("schedule", "schedule", "miniature")


def show_schedule(
    payload: str,
    *,
    selected: int,
    pick: str | None,
    key: str,
    on_pick: Callable[[Any], None],
    follows: bool,
    query: str = "",
) -> None:
    """Show a schedule. Rounds are selected in the browser, which writes them into its address.

    Parameters
    ----------
    payload : str
        From :func:`~explorer.pictures.schedule_payload`.
    pick : str, optional
        The mark of the last choice that the page has handled.
    on_pick : callable
        Called with the choice: ``round``, and its mark ``pick``. A browser may send anything.
    follows : bool
        Whether something on the page depends on the round, so that it is notified of each choice.
    query : str
        The query of the address, of which each change is a step for the browser's Back.
    """
    data = {
        "picture": payload,
        "selected": selected,
        "pick": pick,
        "address": ROUND,
        "follows": follows,
        "query": query,
    }
    _schedule(data=data, key=key, pick=on_pick)


_chart = front_component("chart")
MOST_TURNED = 64  # characters of a turn's name


@dataclass(frozen=True, slots=True)
class ChartKnob:
    """A number between two limits, shown in percent."""

    name: str
    label: str
    value: float
    low: float = 0.0
    high: float = 1.0
    step: float = 0.01


def show_chart(
    chart: Chart,
    key: str,
    *,
    knobs: Sequence[ChartKnob] = (),
    live: bool = True,
    on_turn: Callable[[Mapping[str, float]], None] | None = None,
) -> None:
    """Show a chart, with controls that change it.

    With `live`, a knob acts while it is dragged, not only once it is let go. `on_turn` is called
    with the changed controls, each value within its limits.
    """
    turns = f"{key}-turn"
    limits = {knob.name: (knob.low, knob.high) for knob in knobs}

    def turned(knob: object) -> None:
        sent = _as_mapping(knob)
        st.session_state[turns] = str(sent.get("turn"))[:MOST_TURNED]
        if on_turn is not None:
            on_turn(within(_as_mapping(sent.get("knobs")), limits))

    data = {
        **chart.to_plain(),
        "knobs": [asdict(knob) for knob in knobs],
        "live": live,
        "turn": st.session_state.get(turns),
        "says": chart.words if knobs else "",
    }
    _chart(data=data, key=key, knob=turned)


def _as_mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def within(
    sent_values: Mapping[str, object], limits: Mapping[str, tuple[float, float]]
) -> dict[str, float]:
    """Return the valid values of controls among what a browser has sent."""
    values: dict[str, float] = {}
    for name, (low, high) in limits.items():
        value = sent_values.get(name)
        if isinstance(value, int | float) and low <= value <= high:
            values[name] = float(value)
    return values
