"""Facts about protocols as tables: the grid, agents, and two protocols compared.

pandas is loaded on use, since it takes longer than drawing, and tables are rarely needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from explorer.pictures.lanes import Lane, Seeds, compare_lanes, lanes, others
from explorer.pictures.stage_walk import StageStory
from explorer.pictures.stages import StageGrid
from explorer.pictures.tokens import agent_styles
from nip_core.handler import ProtocolHandler
from nip_core.language import Specification
from nip_core.spec import ProtocolSpec, shown_round

if TYPE_CHECKING:
    import pandas as pd


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table, as plain dictionaries."""
    return cast("list[dict[str, Any]]", frame.to_dict("records"))


def column(frame: pd.DataFrame, name: str) -> list[Any]:
    """Return a column of a table, as plain values."""
    return cast("list[Any]", frame[name].tolist())


def rows_where(frame: pd.DataFrame, name: str, value: object) -> pd.DataFrame:
    """Return the rows of a table with a value in a column."""
    return cast("pd.DataFrame", frame.loc[frame[name] == value])


VERDICTS = {0: "0 (reject)", 1: "1 (accept)", None: "neither"}


def facts_data(handler: ProtocolHandler) -> pd.DataFrame:
    """Return facts about the whole protocol: ``fact`` and ``value``, both text for people."""
    spec = handler.spec
    counts_from = spec.first_counting_round
    facts = {
        "Rounds, at most": str(spec.max_message_rounds),
        "Rounds before a decision counts": str(max(0, spec.min_message_rounds - 1)),
        "First round in which a decision counts": (
            "none" if counts_from is None else str(shown_round(counts_from))
        ),
        "Verifier's turns, at most": str(handler.max_verifier_questions),
        "Does the verifier open?": "yes" if handler.verifier_first else "no",
        "Schedules that a seed may pick": str(spec.num_variants),
        "Agents": str(len(spec.agents)),
        "Channels": str(len(spec.channels)),
        "Stackelberg order": " → ".join(
            ", ".join(map(spec.seat_name, group)) for group in handler.stackelberg_sequence if group
        ),
        "May provers' side be drawn for each task?": (
            "yes" if spec.prover_stance_can_be_randomized else "no"
        ),
    }
    import pandas as pd

    return pd.DataFrame({"fact": list(facts), "value": list(facts.values())})


def agents_data(handler: ProtocolHandler) -> pd.DataFrame:
    """Return one row for each seat, for people.

    ``in Python`` is the agent's name; ``first active round`` counts from 1 and is missing if it
    never is active; ``reads`` are its channels; ``mid-point`` is the quick estimate of its reward
    under random play; ``commits`` is its place in the Stackelberg order, from 1.
    """
    import pandas as pd

    spec, styles = handler.spec, agent_styles(handler.spec)
    commits = {
        name: place
        for place, group in enumerate(handler.stackelberg_sequence, start=1)
        for name in group
    }
    first = spec.first_active_rounds
    return pd.DataFrame(
        {
            "seat": [styles[name].name for name in spec.agent_names],
            "badge": [styles[name].label for name in spec.agent_names],
            "in Python": spec.agent_names,
            "argues for": [
                VERDICTS[agent.stance] if agent.role == "prover" else "" for agent in spec.agents
            ],
            "first active round": pd.array(
                [shown_round(first[name]) if name in first else None for name in spec.agent_names],
                dtype="Int64",
            ),
            "reads": [
                ", ".join(map(spec.channel_title, spec.visible_channels(name)))
                for name in spec.agent_names
            ],
            "mid-point": [handler.reward_mid_point_estimate(name) for name in spec.agent_names],
            "commits": pd.array([commits.get(name) for name in spec.agent_names], dtype="Int64"),
        }
    )


def grid_data(spec: ProtocolSpec, seed: int | None = None) -> pd.DataFrame:
    """Return one row for each cell of the grid, lane by lane.

    ``channel``, ``agent`` and ``round`` (from 0) say which cell; the lane of decisions has no
    channel. ``label`` is the agent's badge. ``state`` is ``"speaks"``, ``"may speak"`` (chance
    decides), ``"reads"`` (it only sees the channel) or ``"blind"``; in the lane of decisions
    ``"counts"``, ``"may decide"`` (too early to count) or ``"none"``. ``probability`` is how likely
    the agent speaks there, or may decide. ``seen`` is how many messages of others it has read
    before this round at most, and ``readers`` are the agents that read what it writes there.
    Without a seed, all seeds of an episode are equally likely.
    """
    import pandas as pd

    own, rounds = lanes(spec, seed), range(spec.max_message_rounds)
    labels = {name: style.label for name, style in agent_styles(spec).items()}
    readers = [", ".join(others(spec, e.agent, e.channel)) if e.channel else "" for e in own]
    return pd.DataFrame(
        {
            "channel": [lane.channel for lane in own for _ in rounds],
            "agent": [lane.agent for lane in own for _ in rounds],
            "round": [*rounds] * len(own),
            "label": [labels[lane.agent] for lane in own for _ in rounds],
            "state": [state for lane in own for state in lane.states],
            "probability": [chance for lane in own for chance in lane.chances],
            "seen": [seen for lane in own for seen in lane.seen],
            "readers": [read for read in readers for _ in rounds],
        }
    )


def grid_table(spec: ProtocolSpec, seed: int | None = None) -> pd.DataFrame:
    """Return the grid as a table for reading: a row for each lane, a column for each round, from 1.

    Cells contain a seat's badge where it speaks, with the probability if it is random; ``hidden``
    where it does not see the channel; ``decides`` or ``too early`` in the lane of decisions.
    """
    import pandas as pd

    labels = {name: style.label for name, style in agent_styles(spec).items()}
    words = {"reads": "", "none": "", "blind": "hidden", "may decide": "too early"}

    def text(label: str, state: str, chance: float) -> str:
        word = words.get(state, "decides" if state == "counts" else label)
        return f"{word} {chance:.0%}" if 0 < chance < 1 else word

    own = lanes(spec, seed)
    return pd.DataFrame(
        [
            [
                text(labels[lane.agent], state, chance)
                for state, chance in zip(lane.states, lane.chances, strict=True)
            ]
            for lane in own
        ],
        index=pd.MultiIndex.from_arrays(
            [
                [spec.channel_title(a.channel) if a.channel else "(decisions)" for a in own],
                [spec.seat_name(lane.agent) for lane in own],
            ],
            names=["channel", "seat"],
        ),
        columns=pd.RangeIndex(shown_round(0), shown_round(spec.max_message_rounds), name="round"),
        dtype=object,
    )


def stage_table(spec: Specification) -> pd.DataFrame:
    """Return the grid of a protocol of version 2 as a table for reading, each stage once.

    It has a row for each part, each seat on a channel and each choice, and a column for each turn,
    for draws before play, and for the end.
    """
    import pandas as pd

    grid = StageGrid(spec)
    story = StageStory(grid)
    kinds = {"part": "part of the task", "channel": "channel", "choice": "choice"}
    return pd.DataFrame(
        [[cell.words for cell in row.cells] for row in grid.rows],
        index=pd.MultiIndex.from_arrays(
            [
                [kinds[row.kind] for row in grid.rows],
                [grid.spec.title_of(row.of) for row in grid.rows],
                [grid.looks[row.who].name if row.who else "" for row in grid.rows],
            ],
            names=["kind", "name", "who"],
        ),
        columns=pd.Index([story.heading(at) for at in range(len(grid.columns))], name="turn"),
        dtype=object,
    )


def turns_data(spec: Specification) -> pd.DataFrame:
    """Return each turn of a protocol of version 2 in words, with its exits."""
    import pandas as pd

    lines = StageStory(StageGrid(spec)).lines
    return pd.DataFrame(lines, columns=["turn", "played", "what happens", "may lead elsewhere"])


def differences(
    left: ProtocolSpec, right: ProtocolSpec, *, seeds: Seeds = (None, None)
) -> pd.DataFrame:
    """Return the differences in words for people: ``what``, ``left`` and ``right``, all text.

    The table is empty if there are none. Rounds count from 1.
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
    """Return the names of an agent in the protocols that have it, which may differ."""
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
    """Return the rounds in which something happens in a lane, with probabilities."""
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
