"""A protocol's schedule as a small table, in HTML and in plain text, for notebooks and consoles.

Rounds are numbered from 1, as in every picture. Names are those of the specification.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nip_core.discovery import drawing_of
from nip_core.displays import PLAIN, Table, picture_html
from nip_core.spec.data import SpecData
from nip_core.spec.naming import shown_round

__all__ = ["schedule_html", "schedule_table", "schedule_text", "shown"]

# The most rounds in a table; the last column says how many rounds are left out.
MAX_COLUMNS = 40

SPEAKS, MAY_SPEAK, COUNTS, MAY_DECIDE, BLIND = "●", "◌", "◆", "◇", "–"
LEGEND = (
    f"{SPEAKS} speaks   {MAY_SPEAK} speaks under some seeds   {BLIND} does not see the channel   "
    f"{COUNTS} a decision counts   {MAY_DECIDE} a decision does not count yet   "
    "Rounds are numbered from 1, in Python from 0."
)


@dataclass(frozen=True, slots=True)
class RoundMarks:
    """One row of the table: a channel, an agent, and a mark for each round."""

    channel: str
    agent: str
    marks: tuple[str, ...]


def shown(spec: SpecData) -> dict[str, str]:
    """Return a notebook's display: a picture, if an installed package draws it, and a table."""
    svg, table = drawing_of(spec), schedule_html(spec)
    if svg is not None:
        folded = f"<details><summary>As a table</summary>{table}</details>"
        table = f"{picture_html(svg, _title(spec))}{folded}"
    return {"text/html": table, "text/plain": schedule_text(spec)}


def schedule_table(spec: SpecData) -> Table:
    """Return a row for each agent and round with the probabilities to write and to decide."""
    seeds = range(spec.num_variants)

    def decides(agent: str, round_id: int) -> float:
        if agent != spec.verifier:
            return 0.0
        return sum(spec.decision_counts(round_id, seed) for seed in seeds) / len(seeds)

    places = (
        (round_id, agent, channel, spec.active_probability(agent, round_id, channel))
        for round_id in range(spec.max_message_rounds)
        for agent in spec.agent_names
        for channel in spec.visible_channels(agent)
    )
    return Table(
        ("round", "agent", "channel", "writes", "decides"),
        [(*place, decides(place[1], place[0])) for place in places if place[3]],
        {"round": shown_round},
    )


def schedule_text(spec: SpecData) -> str:
    """Return the table in plain text."""
    head, lanes = _head(spec), list(_lanes(spec))
    names = [f"{lane.channel} / {lane.agent}" if lane.channel else "decide" for lane in lanes]
    left = max(len(name) for name in names)
    wide = max(len(cell) for cell in head)
    rows = [("round", head), *zip(names, (lane.marks for lane in lanes), strict=True)]
    table = [
        " ".join([name.ljust(left), *(mark.rjust(wide) for mark in marks)]).rstrip()
        for name, marks in rows
    ]
    return "\n".join([_title(spec), "", *table, "", LEGEND])


def schedule_html(spec: SpecData, selected: int | None = None) -> str:
    """Return the table as HTML without colours, so that it is legible on any page.

    Parameters
    ----------
    spec : SpecData
    selected : int, optional
        A round to be framed, from 0.
    """
    # Imported here, since most programs show no table.
    from html import escape

    cell = "padding:1px 6px;text-align:center;border:1px solid rgba(128,128,128,.4)"
    name = "padding:1px 8px;text-align:left;border:1px solid rgba(128,128,128,.4)"
    rows = ["<tr>" + f'<th scope="col" colspan="2" style="{name}">round</th>']
    styles = [cell] * len(_head(spec))
    if selected is not None and 0 <= selected < len(styles):
        styles[selected] += ";border-inline:3px solid currentColor;font-weight:bold"
    rows[0] += _cells("head", styles, _head(spec)) + "</tr>"
    for lane in _lanes(spec):
        label = escape(lane.channel) or "decide"
        marks = _cells("body", styles, lane.marks)
        rows.append(
            f'<tr><td style="{name}">{label}</td>'
            f'<th scope="row" style="{name}">{escape(lane.agent)}</th>{marks}</tr>'
        )
    return (
        f'<div class="{PLAIN}" style="overflow-x:auto"><table style="border-collapse:collapse">'
        f'<caption style="text-align:left">{escape(_title(spec))}</caption>{"".join(rows)}</table>'
        f"<small>{LEGEND}</small></div>"
    )


def _cells(kind: str, styles: list[str], marks: tuple[str, ...]) -> str:
    """Return the cells of a row, one for each round."""
    tag, attribute = ("th", ' scope="col"') if kind == "head" else ("td", "")
    return "".join(
        f'<{tag}{attribute} style="{style}">{mark}</{tag}>'
        for style, mark in zip(styles, marks, strict=True)
    )


def _title(spec: SpecData) -> str:
    rounds = spec.max_message_rounds
    return f"{spec.name}: {rounds} round{'s' if rounds != 1 else ''}, agents {_listed(spec)}"


def _listed(spec: SpecData) -> str:
    def described(name: str) -> str:
        stance = spec.agent(name).stance
        return name if stance is None else f"{name} (argues for {stance})"

    return ", ".join(map(described, spec.agent_names))


def _rounds(spec: SpecData) -> range:
    return range(min(spec.max_message_rounds, MAX_COLUMNS))


def _head(spec: SpecData) -> tuple[str, ...]:
    left_out = spec.max_message_rounds - len(_rounds(spec))
    return (*(str(shown_round(r)) for r in _rounds(spec)), *([f"+{left_out}"] if left_out else []))


def _lanes(spec: SpecData) -> Iterator[RoundMarks]:
    more = ("…",) if spec.max_message_rounds > MAX_COLUMNS else ()
    for channel in spec.channel_names:
        for agent in spec.agent_names:
            seen = spec.can_see(agent, channel)
            marks = (_speech(spec, agent, r, channel) if seen else BLIND for r in _rounds(spec))
            yield RoundMarks(channel, agent, (*marks, *more))
    yield RoundMarks("", spec.verifier, (*(_decision(spec, r) for r in _rounds(spec)), *more))


def _speech(spec: SpecData, agent: str, round_id: int, channel: str) -> str:
    chance = spec.active_probability(agent, round_id, channel)
    return SPEAKS if chance == 1 else MAY_SPEAK if chance else ""


def _decision(spec: SpecData, round_id: int) -> str:
    seeds = range(spec.num_variants)
    if any(spec.decision_counts(round_id, seed) for seed in seeds):
        return COUNTS
    return MAY_DECIDE if any(spec.may_decide(round_id, seed) for seed in seeds) else ""
