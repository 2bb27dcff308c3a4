"""The schedule as a sequence diagram: who writes to whom, round after round."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pandas as pd

from explorer.figures.palette import Theme, agent_styles
from explorer.figures.style import PAGE, Page, lay_out, plain
from explorer.figures.turns import decision_shares, others, speaking_shares
from nip_core.spec import ProtocolSpec, shown_round

if TYPE_CHECKING:
    from plotly.graph_objects import Figure, Scatter

__all__ = ["read_so_far", "sequence_data", "sequence_figure", "sequence_mermaid"]

LINE = 26  # pixels from one message to the next


class Event(NamedTuple):
    """A message, or a decision, that may happen; see :func:`sequence_data`."""

    round: int
    kind: Literal["message", "decision"]
    agent: str
    channel: str
    readers: tuple[str, ...]
    probability: float
    private: bool
    counts: bool

    @property
    def chance(self) -> str:
        """The probability in brackets, where chance plays a part."""
        return "" if self.probability == 1 else f" ({self.probability:.0%})"

    @property
    def decision(self) -> str:
        """What a decision is, in words."""
        early = "" if self.counts else ", too early to count"
        return f"may decide{early}{self.chance}"


def events_of(
    spec: ProtocolSpec, seed: int | None = None, rounds: range | None = None
) -> Iterator[Event]:
    """What may happen in some rounds, or in all, in order."""
    shares, decisions = speaking_shares(spec, seed), decision_shares(spec, seed)
    for round_id in rounds or range(spec.max_message_rounds):
        for channel in spec.channel_names:
            for agent in spec.agent_names:
                if chance := shares[round_id].get((agent, channel)):
                    readers = others(spec, agent, channel)
                    private = len(readers) < len(spec.agents) - 1
                    yield Event(
                        round_id, "message", agent, channel, readers, chance, private, False
                    )
        if chance := decisions[round_id]:
            counts = round_id >= spec.min_message_rounds - 1
            yield Event(round_id, "decision", spec.verifier, "", (), chance, False, counts)


def sequence_data(spec: ProtocolSpec, seed: int | None = None) -> pd.DataFrame:
    """One row for each message and each decision that may happen, in the order of rounds.

    Parameters
    ----------
    spec : ProtocolSpec
    seed : int, optional
        Of the episode; without one, all seeds are equally likely.

    Returns
    -------
    events : DataFrame
        ``round``; ``kind``, ``"message"`` or ``"decision"``; ``agent``, who acts; ``channel``;
        ``readers``, a tuple of those who read the message; ``probability``; ``private``: does
        somebody not read it?; ``counts``: would the decision end the episode?
    """
    return pd.DataFrame(list(events_of(spec, seed)), columns=list(Event._fields))


def read_so_far(spec: ProtocolSpec, round_id: int, seed: int | None = None) -> pd.DataFrame:
    """What each seat has read before a round, in words for people.

    Returns
    -------
    read : DataFrame
        ``seat``, ``speaker``, ``channel``, and ``rounds``, the rounds of the messages as text,
        from 1; those that only chance brings have a question mark.
    """
    rounds: dict[tuple[str, str, str], list[str]] = {}
    for event in events_of(spec, seed):
        if event.kind == "message" and event.round < round_id:
            shown = f"{shown_round(event.round)}" + ("" if event.probability == 1 else "?")
            for seat in event.readers:
                rounds.setdefault((seat, event.agent, event.channel), []).append(shown)
    keys = sorted(rounds, key=lambda key: spec.agent_index(key[0]))
    rows = [
        (
            spec.seat_name(seat),
            spec.seat_name(speaker),
            spec.channel_title(channel),
            ", ".join(rounds[seat, speaker, channel]),
        )
        for seat, speaker, channel in keys
    ]
    return pd.DataFrame(rows, columns=["seat", "speaker", "channel", "rounds"])


def sequence_mermaid(spec: ProtocolSpec, seed: int | None = None) -> str:
    """The sequence diagram as Mermaid text; what not everybody reads is dotted."""
    ids = {name: f"a{place}" for place, name in enumerate(spec.agent_names)}
    everybody = ",".join(dict.fromkeys((ids[spec.agent_names[0]], ids[spec.agent_names[-1]])))
    lines = ["sequenceDiagram"]
    lines += [
        f"participant {ids[name]} as {_mermaid(spec.seat_name(name))}" for name in spec.agent_names
    ]
    for round_id, group in groupby(events_of(spec, seed), key=lambda event: event.round):
        events = list(group)
        messages = [event for event in events if event.kind == "message"]
        how = ""
        if any(message.probability < 1 for message in messages):
            how = ", chance decides who speaks"
        elif len({message.agent for message in messages}) > 1:
            how = ", all at once"
        lines.append(f"Note over {everybody}: round {shown_round(round_id)}{how}")
        for event in events:
            writer = ids[event.agent]
            if event.kind == "decision":
                lines.append(f"Note over {writer}: {event.decision}")
                continue
            arrow = "-->>" if event.private else "->>"
            for reader in event.readers or (event.agent,):
                text = _mermaid(spec.channel_title(event.channel)) + event.chance
                lines.append(f"{writer}{arrow}{ids[reader]}: {text}")
    return "\n    ".join(lines) + "\n"


def _mermaid(text: str) -> str:
    """Text that Mermaid will not read as its own signs."""
    return "".join(c if c.isalnum() or c in " _-." else f"#{ord(c)};" for c in text)


def sequence_figure(
    spec: ProtocolSpec,
    *,
    seed: int | None = None,
    theme: Theme = "light",
    selected: int | None = None,
    rounds: range | None = None,
) -> Figure:
    """The sequence diagram, time running down.

    Parameters
    ----------
    spec : ProtocolSpec
    seed : int, optional
    theme : {"light", "dark"}
    selected : int, optional
        The round to frame.
    rounds : range, optional
        The rounds to draw; all without it.
    """
    import plotly.graph_objects as go

    rounds = range(spec.max_message_rounds) if rounds is None else rounds
    events = list(events_of(spec, seed, rounds))
    # A line for each event, and one to close each round.
    sizes = [sum(event.round == round_id for event in events) + 1 for round_id in rounds]
    starts = dict(zip(rounds, accumulate(sizes[:-1], initial=0), strict=True))
    placed = [
        (event, float(starts[round_id] + place))
        for round_id, own in groupby(events, key=lambda event: event.round)
        for place, event in enumerate(own, start=1)
    ]
    height, page = sum(sizes), PAGE[theme]
    places = {name: x for x, name in enumerate(spec.agent_names)}
    shapes: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    for place, (round_id, size) in enumerate(zip(rounds, sizes, strict=True)):
        start = starts[round_id]
        band = {"x0": -0.9, "x1": len(places) - 0.4, "y0": start, "y1": start + size}
        if round_id == selected:
            shapes.append({**band, "type": "rect", "line": {"color": page.accent, "width": 2}})
        if place % 2 == 0:
            ground = {"layer": "below", "fillcolor": page.lane, "line": {"width": 0}}
            shapes.append({**band, **ground, "type": "rect"})
        note = {"x": -0.85, "y": start + 0.5, "xanchor": "left", "showarrow": False}
        notes.append({**note, "text": f"<b>{round_id}</b>", "font": {"color": page.quiet}})
    figure = go.Figure()
    for name, look in agent_styles(spec).items():
        line = {"x0": places[name], "x1": places[name], "y0": 0, "y1": height, "type": "line"}
        shapes.append({**line, "layer": "below", "line": {"color": page.line, "width": 1}})
        note = {"x": places[name], "y": 0, "yanchor": "bottom", "showarrow": False, "borderpad": 4}
        text = {"text": f"<b>{look.label}</b> {plain(name)}", "bgcolor": look.fill(theme)}
        notes.append({**note, **text, "font": {"color": look.ink(theme), "size": 12}})
        own = [(event, y) for event, y in placed if event.agent == name]
        for private, dash in ((False, "solid"), (True, "dash")):
            messages = [(e, y) for e, y in own if e.kind == "message" and e.private == private]
            stroke = {"color": look.fill(theme), "width": 2, "dash": dash}
            figure.add_traces(_messages(messages, places, stroke, page))
        decisions = [(event, y) for event, y in own if event.kind == "decision"]
        figure.add_trace(_decisions(decisions, places[name], look.fill(theme), page))
    lay_out(
        figure,
        theme,
        shapes=shapes,
        annotations=notes,
        height=LINE * height + 70,
        margin={"l": 10, "r": 10, "t": 50, "b": 10},
        xaxis={"range": [-0.95, len(places) - 0.35], "visible": False},
        yaxis={"range": [height, -0.1], "visible": False},
    )
    return figure


Placed = list[tuple[Event, float]]


def _messages(
    messages: Placed, places: dict[str, int], stroke: dict[str, Any], page: Page
) -> list[Scatter]:
    """A line from the speaker to its furthest readers, with a head at each, and the channel."""
    import plotly.graph_objects as go

    xs: list[float | None] = []
    ys: list[float | None] = []
    heads: list[tuple[float, float, str]] = []
    names: list[tuple[float, float, str]] = []
    for message, y in messages:
        x = places[message.agent]
        ends = [places[reader] for reader in message.readers]
        xs += [min([x, *ends]), max([x, *ends]), None]
        ys += [y, y, None]
        heads += [(end, y, "triangle-right" if end > x else "triangle-left") for end in ends]
        # Above the first stretch of the line, where it crosses nobody's.
        nearest = min(ends, key=lambda end: abs(end - x), default=x)
        middle = x + (nearest > x) / 2 - (nearest < x) / 2
        names.append((middle, y - 0.1, plain(message.channel) + message.chance))
    return [
        go.Scatter(x=xs, y=ys, mode="lines", line=stroke, hoverinfo="skip"),
        go.Scatter(
            x=[x for x, _, _ in heads],
            y=[y for _, y, _ in heads],
            mode="markers",
            marker={"symbol": [sign for *_, sign in heads], "size": 11, "color": stroke["color"]},
            hoverinfo="skip",
        ),
        go.Scatter(
            x=[x for x, _, _ in names],
            y=[y for _, y, _ in names],
            text=[text for *_, text in names],
            mode="text",
            textposition="top center",
            textfont={"size": 11, "color": page.text},
            hoverinfo="skip",
        ),
    ]


def _decisions(decisions: Placed, x: int, colour: str, page: Page) -> Scatter:
    import plotly.graph_objects as go

    symbols = ["diamond" if event.counts else "diamond-open" for event, _ in decisions]
    return go.Scatter(
        x=[x] * len(decisions),
        y=[y for _, y in decisions],
        text=[f"{event.decision}  " for event, _ in decisions],
        mode="markers+text",
        marker={
            "symbol": symbols,
            "size": 13,
            "color": colour,
            "line": {"width": 2, "color": colour},
        },
        textposition="middle left",
        textfont={"size": 11, "color": page.quiet},
        hoverinfo="skip",
    )
