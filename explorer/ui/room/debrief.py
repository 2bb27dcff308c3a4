"""The debriefing: predictions, outcomes and figures."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from explorer.languages import tr
from explorer.play import courses, gallery, reviewed
from explorer.rooms import (
    SAME,
    Difference,
    Own,
    Prediction,
    Reference,
    Room,
    RoomTable,
    TableOutcome,
    answer,
    counts,
    difference,
    expected_right,
    fewest_each,
    is_counted,
    least_error,
    outcomes,
    prediction_question,
    predictions,
    references,
    revealed_tables,
    right_counts,
    right_interval,
    room_of,
    seats_of_bots,
    sign_of,
    with_bots,
)
from explorer.ui.room.about import access_to
from explorer.ui.table_front import show_table
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, dropdown, escaped, in_html, small
from explorer.ui.visitor import visitor
from nip_core.displays import with_minus
from nip_core.play import Episode


def show_prediction(own: Own, turn: int, prediction: Prediction | None) -> None:
    """Ask a person to predict the result, if it is the time for that."""
    if prediction is None:
        return
    with st.container(border=True, key="predict"):
        st.markdown(f"**{escaped(tr('What do you expect?'))}** {escaped(prediction.question)}")
        with st.container(horizontal=True):
            for value in prediction.choices:
                shown = tr(value) if value == SAME else value
                st.button(
                    escaped(f"✓ {shown}" if prediction.mine == value else shown),
                    key=f"predict-{value}",
                    on_click=_predict,
                    args=(own, turn, value),
                )
        if prediction.mine is not None:
            small(tr("Kept. You can change it until the truth is revealed."))


def _predict(own: Own, turn: int, value: str) -> None:
    answer(access_to(own.code), own.person, "", 0, str(turn), "prediction", value)


MOST_KEPT = 32
_reviewed: dict[str, dict[str, object]] = {}

WHAT_IT_IS = (
    "This is the false-acceptance rate against these provers: of the false statements that were "
    "played to their end, the share that verifiers accepted. It is not the protocol's soundness "
    "error, which is the maximum over all provers, including cleverer ones: what was measured "
    "here is only a lower bound. There is no upper bound, because a conversation between people "
    "is not a finite game whose value could be computed."
)
LEAST = (
    "Exactly what these tables prove: with 95% confidence, the soundness error with such verifiers "
    "is at least this, however few the tables and whatever goes on at one of them"
)

EVIDENCE = (
    "How often messages for what is true (shows) and for what is false (fakes) contained a quote "
    "that was found, or good and bad acts were not flagged; and how often verdicts without "
    "arguments were right (own). From this follows how often a judge should be right who makes the "
    "best of the evidence, if all experts show what they have."
)

OF_TABLES = (
    "The table has a 95% interval for each condition. It holds however few the tables are; each "
    "table counts once, with the share of its verdicts that were right."
)


def show_debrief(code: str) -> None:
    """Show the room's result of the tasks that are revealed."""
    room = room_of(access_to(code))
    ended = outcomes(room)
    # People have not judged what bots said or decided.
    played = [outcome for outcome in ended if outcome.counted]
    _say_what_counts(room, ended)
    if not played:
        if ended:
            _transcript(room)
        return
    names = [condition.name for condition in room.plan.conditions]
    expected = predictions(room)
    if expected.total():
        st.subheader("What you expected", anchor=False)
        small(f"{prediction_question(room)} {expected.total()} people answered.")
        st.html(_bars([(name, n, expected.total(), ()) for name, n in expected.items()]))
    if not room.plan.on_statements:
        _show_right(played, names)
        _show_evidence(room, ended)
        _transcript(room)
        return
    counted = counts(played, names)
    false = [count for count in counted if count.played]
    if false:
        st.subheader("How often a false statement was accepted", anchor=False)
        marks: dict[str, list[Reference]] = {}
        for condition in room.plan.conditions:
            least = least_error(played, condition.name)
            proven = [] if least is None else [Reference("least", least, LEAST)]
            marks[condition.name] = [*references(condition), *proven]
        rates = [(count.condition, count.accepted, count.played) for count in false]
        st.html(_bars([(*rate, marks[rate[0]]) for rate in rates]))
        _say_what_marks_are([mark for count in false for mark in marks[count.condition]])
        if len(names) == 2:
            _difference(difference(played, *names))
        small(WHAT_IT_IS)
        with st.expander("The same as a table"):
            wide_table(
                [
                    {
                        "condition": count.condition,
                        "false statements": count.played,
                        "accepted": count.accepted,
                        "rejected": count.rejected,
                        "no verdict": count.undecided,
                        "tables": count.tables,
                        "tasks": count.tasks,
                    }
                    for count in counted
                ],
                "How often a false statement was accepted",
            )
    true = [outcome for outcome in played if outcome.y == 1]
    if true:
        accepted = sum(outcome.decision == 1 for outcome in true)
        statements = "1 true statement" if len(true) == 1 else f"{len(true)} true statements"
        small(f"Of {statements}, {accepted} {'was' if accepted == 1 else 'were'} accepted.")
    _show_evidence(room, ended)
    _transcript(room)


def _show_right(played: Sequence[TableOutcome], names: Sequence[str]) -> None:
    """Show how often verdicts were right."""
    counted = right_counts(played, names)
    some = [count for count in counted if count.played]
    judged = any(count.right or count.wrong for count in some)
    intervals = {
        condition: right_interval(played, condition) if judged else None for condition in names
    }
    if judged:
        st.subheader("How often the verdict was right", anchor=False)
        st.html(_bars([(count.condition, count.right, count.played, ()) for count in some]))
        small("A table without a verdict is not right.")
        if len(names) == 2:
            _difference(difference(played, *names))
        if any(intervals.values()):
            small(OF_TABLES)
        else:
            small(
                f"With fewer than {2 * fewest_each()} tables, or fewer than {fewest_each()} in a "
                "condition, the share itself has no interval."
            )
    else:
        small("No task of this room holds a truth, so no verdict is right or wrong.")
    wide_table(
        [
            {
                "condition": count.condition,
                "tables": count.tables,
                "right": count.right,
                "right, 95% interval": _percent(intervals[count.condition]),
                "wrong": count.wrong,
                "no verdict, or no truth": count.undecided,
                "paid to the deciding seat, on average": None
                if count.paid is None
                else round(count.paid, 3),
            }
            for count in counted
        ],
        "Verdicts by condition",
    )


def _show_evidence(room: Room, ended: Sequence[TableOutcome]) -> None:
    """Show the facilitator what the evidence in messages predicts, beside what was measured."""
    if not room.leads(visitor()):
        return
    folded = st.expander("What the evidence predicts", on_change="rerun", key="debrief-evidence")
    if not folded.open:
        return
    with folded:
        wide_table(
            [expected.row() for expected in expected_right(room, ended)],
            "What the evidence in messages predicts, and what was measured",
        )
        small(EVIDENCE)


def _percent(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f"{interval[0]:.0%} to {interval[1]:.0%}"


def _say_what_counts(room: Room, ended: Sequence[TableOutcome]) -> None:
    """Say which episodes are left out of the result; or that bots are in it, in a rehearsal."""
    people = sum(not outcome.bots for outcome in ended)
    bots = len(ended) - people
    if not ended:
        small("There is no result: no table whose truth is revealed was played to the end.")
    elif room.plan.rehearsal:
        alert(
            "info",
            f"A rehearsal: this result is of {with_bots(bots, counted=True)}. In a real room such "
            "tables are not counted.",
        )
    elif bots:
        counted = "1 table" if people == 1 else f"{people} tables"
        text = f"{counted} played by people alone" if people else "No table to count"
        alert(
            "info",
            f"{text}; {with_bots(bots)}. A bot has moved there for somebody who was missing or "
            "late.",
        )


# -- numbers --------------------------------------------------------------------------------------

Bar = tuple[str, int, int, Sequence[Reference]]


def _bars(bars: Sequence[Bar]) -> str:
    """Return shares as bars, with marks for the rates to which they are compared."""
    rows: list[str] = []
    for name, number, total, marks in bars:
        share = number / max(1, total)
        lines = "".join(
            f'<b class="{in_html(mark.kind)}" style="left: {mark.rate:.1%}"></b>' for mark in marks
        )
        rows.append(
            f'<div><span>{in_html(name)}</span><span class="track"><i style="width: {share:.1%}">'
            f"</i>{lines}</span><span><strong>{share:.0%}</strong> {number} of {total}</span></div>"
        )
    return f'<div class="nip-bars">{"".join(rows)}</div>'


def _say_what_marks_are(marks: Sequence[Reference]) -> None:
    """Show the legend: each kind of mark once, with its rates."""
    lines: list[str] = []
    for kind in dict.fromkeys(mark.kind for mark in marks):
        alike = [mark for mark in marks if mark.kind == kind]
        rates = " and ".join(dict.fromkeys(f"{mark.rate:.1%}" for mark in alike))
        lines.append(
            f'<li><b class="{in_html(kind)}"></b>{in_html(alike[0].says)} ({in_html(rates)})</li>'
        )
    st.html(f'<ul class="nip-marks">{"".join(lines)}</ul>')


def _difference(difference: Difference) -> None:
    if difference.value is None:
        small(difference.why_not)
    else:
        text = f"{difference.second} minus {difference.first}: {_points(difference.value)} points."
        if difference.low is None or difference.high is None:
            st.markdown(escaped(text))
            small(difference.why_not)
        else:
            low, high = _points(difference.low), _points(difference.high)
            interval = f"95% interval: {low} to {high} points."
            st.markdown(f"**{escaped(text)}** {escaped(interval)}")
            small(
                "From a bootstrap over tables and tasks. Both are clusters: people at one table "
                "are alike, and so are episodes about one task."
            )
    if difference.left_out:
        games = "1 game is" if difference.left_out == 1 else f"{difference.left_out} games are"
        small(
            f"{games} left out of this comparison: no table of the other condition has played the "
            "same task in the same round to its end."
        )


def _points(share: float) -> str:
    """Return a difference of shares in percentage points, with a typographic sign."""
    return with_minus(f"{100 * share:+.0f}")


# -- one transcript -------------------------------------------------------------------------------


def _transcript(room: Room) -> None:
    """Show one episode in full, with its verifier's confidence: at first one that went wrong."""
    revealed = revealed_tables(room, visitor())
    if not revealed:
        return
    st.subheader("One table in full", anchor=False)
    interest = [_interest(room, *table_and_episode) for table_and_episode in revealed]
    order = sorted(range(len(revealed)), key=interest.__getitem__, reverse=True)
    labels = {place: _named(room, *revealed[place]) for place in order}
    table, episode = revealed[dropdown("Table", labels, key="debrief-table", width=720)]
    if not courses(episode):
        small("Nobody noted a confidence, so there is no curve.")
    key = f"debrief-{table.turn}-{table.number}"
    show_table(_in_full(table, episode), episode=key, key=key)


def _in_full(table: RoomTable, episode: Episode) -> dict[str, object]:
    """Return an episode with its review, cached for everybody, since it does not change."""
    key = table.episode_id or ""
    review = _reviewed.get(key)
    if review is None:
        review = _reviewed[key] = {**gallery(episode), "review": reviewed(episode)}
        while len(_reviewed) > MOST_KEPT:
            _reviewed.pop(next(iter(_reviewed)), None)
    return review


def _interest(room: Room, table: RoomTable, episode: Episode) -> tuple[bool, bool, int]:
    """Return a sort key: episodes that count come first, then believed lies, then large swings."""
    result = episode.result()
    truth = result.choices.get(episode.rules.roles.truth or "")
    # Rejecting a true statement is wrong, too, but no lie was believed.
    believed = result.right is False and truth != "accept"
    swings = [course["swing"][1] for course in courses(episode) if course["swing"]]
    return is_counted(room, seats_of_bots(room, table, episode)), believed, max(swings, default=0)


def _named(room: Room, table: RoomTable, episode: Episode) -> str:
    result = episode.result()
    word = {True: ", right", False: ", wrong", None: ""}[result.right]
    made = episode.rules.title_of(result.verdict)
    known = "no verdict" if result.verdict is None else f"verdict {made}{word}"
    what = f"{episode.task.title}, {known}" if episode.task.title else known
    bots = " with bots" if seats_of_bots(room, table, episode) else ""
    where = f"Task {table.turn}, table {sign_of(table.number)}{bots}, {table.condition}"
    return f"{where}: {what}"
