"""Two protocols, or one with two settings, next to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.figures.grid import frame_of
from explorer.figures.lanes import Lane, Seeds, compare_lanes
from nip_core.spec import ProtocolSpec, shown_round

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["compare_data", "differences"]


def compare_data(
    left: ProtocolSpec, right: ProtocolSpec, *, seeds: Seeds = (None, None)
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The cells of both grids, with what differs marked.

    Returns
    -------
    left, right : DataFrame
        As :func:`~explorer.figures.grid.grid_data` gives them, and ``differs``: does something
        else happen in the cell than in that of the other protocol? Where there is no such cell,
        nothing happens. ``odd lane``: does the other protocol lack the lane, or does the agent
        see the channel in only one of them?
    """
    one, two = compare_lanes(left, right, seeds=seeds)
    return _marked(left, one), _marked(right, two)


def _marked(spec: ProtocolSpec, own: list[Lane]) -> pd.DataFrame:
    differs = [mark for lane in own for mark in lane.differs]
    odd = [lane.odd for lane in own for _ in lane.states]
    return frame_of(spec, own).assign(**{"differs": differs, "odd lane": odd})


def differences(
    left: ProtocolSpec, right: ProtocolSpec, *, seeds: Seeds = (None, None)
) -> pd.DataFrame:
    """What differs, in words for people; empty if nothing does.

    Returns
    -------
    told : DataFrame
        ``what``, ``left`` and ``right``, all text; rounds count from 1.
    """
    rows: list[tuple[str, str, str]] = []

    def compare(what: str, one: object, two: object) -> None:
        if one != two:
            rows.append((what, str(one), str(two)))

    both = (left, right)
    seats = [", ".join(map(s.seat_name, s.agent_names)) for s in both]
    compare("seats", *seats)
    if len(set(seats)) == 1:
        compare("names in Python", *(", ".join(s.agent_names) for s in both))
    compare("rounds, at most", left.max_message_rounds, right.max_message_rounds)
    compare("a decision counts from round", *(max(1, s.min_message_rounds) for s in both))
    compare("schedules that a seed may pick", left.num_variants, right.num_variants)
    for channel in dict.fromkeys((*left.channel_names, *right.channel_names)):
        compare(f"who reads {_channel(both, channel)}", *(_readers(s, channel) for s in both))
    for agent in dict.fromkeys((*left.agent_names, *right.agent_names)):
        compare(f"{_seat(both, agent)} argues for", *(_side(s, agent) for s in both))
    marked = compare_lanes(left, right, seeds=seeds)
    places = ((lane.channel, lane.agent) for part in marked for lane in part if any(lane.differs))
    for channel, agent in dict.fromkeys(places):
        where = "the verifier may decide in"
        if channel:
            where = f"{_seat(both, agent)} speaks on {_channel(both, channel)} in"
        compare(where, *(_when(part, channel, agent) for part in marked))
    import pandas as pd

    return pd.DataFrame(rows, columns=["what", "left", "right"])


def _readers(spec: ProtocolSpec, channel: str) -> str:
    if channel not in spec.channel_names:
        return "no such channel"
    viewers = sorted(spec.channel(channel).viewers, key=spec.agent_index)
    return ", ".join(map(spec.seat_name, viewers)) or "nobody"


def _seat(specs: tuple[ProtocolSpec, ...], agent: str) -> str:
    """What an agent is called in those that have it, which may differ."""
    return " or ".join(sorted({s.seat_phrase(agent) for s in specs if agent in s.agent_names}))


def _channel(specs: tuple[ProtocolSpec, ...], channel: str) -> str:
    found = {s.channel_title(channel) for s in specs if channel in s.channel_names}
    return " or ".join(sorted(found))


def _side(spec: ProtocolSpec, agent: str) -> str:
    if agent not in spec.agent_names:
        return "no such seat"
    stance = spec.agent(agent).stance
    return "neither" if stance is None else str(stance)


def _when(own: list[Lane], channel: str, agent: str) -> str:
    """The rounds in which something happens in a lane, with chances in brackets."""
    early = {"may decide": " (too early to count)"}
    shown = [
        f"{shown_round(round_id)}"
        + ("" if chance == 1 else f" ({chance:.0%})")
        + early.get(state, "")
        for lane in own
        if (lane.channel, lane.agent) == (channel, agent)
        for round_id, (state, chance) in enumerate(zip(lane.states, lane.chances, strict=True))
        if chance
    ]
    return ", ".join(shown) or "no round"
