"""A rollout laid over the schedule: what was decided and paid, below the grid of its protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from explorer.pictures.drawing import Drawing, Line, Shape, Text
from explorer.pictures.picture import Picture, drawing, on_paper
from explorer.pictures.tokens import Theme, agent_styles
from nip_core.errors import UnsupportedError
from nip_core.registry import AnyProtocol, protocol_spec
from nip_core.spec import ProtocolSpec, shown_round
from nip_core.transcript import Rollout

__all__ = ["draw_rollout", "rollout_picture"]

# Pixels; and the rounds and the least width of a column that numbers fit into.
LANE, GAP, SIZE = 18, 10, 10
MOST_ROUNDS, COLUMN = 40, 44
VERDICTS = {0: "reject", 1: "accept"}


def rollout_picture(
    rollout: Rollout, spec: AnyProtocol, *, selected: int | None = None, theme: Theme = "light"
) -> Picture:
    """The picture on paper.

    Parameters
    ----------
    rollout : Rollout
    spec : ProtocolSpec, or anything else that :func:`nip_core.protocol` takes
        What was played.
    selected : int, optional
        A round that is framed.
    theme : {"light", "dark"}

    Raises
    ------
    UnsupportedError
        For a protocol with more rounds than a picture holds.
    """
    spec = protocol_spec(spec)
    last = rollout.steps[-1]
    verdict = VERDICTS.get(rollout.decision, "no verdict")
    totals = ", ".join(f"{spec.seat_name(a)} {paid:+g}" for a, paid in rollout.totals.items())
    words = (
        f"Episode {rollout.name} of a rollout, y = {rollout.y}: {verdict} in round "
        f"{shown_round(last.round)}. Rewards: {totals or 'not known'}."
    )
    drawn = draw_rollout(rollout, spec)
    return on_paper(drawn, f"Episode {rollout.name}", words, selected, theme)


def draw_rollout(rollout: Rollout, spec: ProtocolSpec) -> Drawing:
    """The grid of the schedule, and lanes below it: each agent's decisions and rewards."""
    if spec.max_message_rounds > MOST_ROUNDS:
        raise UnsupportedError(
            f"{spec.name!r} has {spec.max_message_rounds:,} rounds; a rollout is drawn over the "
            f"grid of up to {MOST_ROUNDS}. Its table() has all of them."
        )
    grid = drawing(spec, "grid", rollout.seed)
    shapes: list[Shape] = [*grid.shapes]
    top, styles = grid.height + GAP, agent_styles(spec)
    verifiers = {agent.name for agent in spec.agents if "verifier" in agent.role}
    lanes: list[tuple[str, Mapping[int, str]]] = []
    for agent in spec.agent_names:
        label = styles[agent].label
        if agent in verifiers:
            said = {s.round: VERDICTS.get(s.decisions.get(agent, 2), "") for s in rollout.steps}
            lanes.append((f"{label} decides", said))
        paid = {s.round: _signed(s.rewards[agent]) for s in rollout.steps if agent in s.rewards}
        lanes.append((f"{label} is paid", paid))
    for label, cells in lanes:
        shapes.append(Text(0, top + LANE - 5, label, "text", SIZE + 1))
        for round_id, words in cells.items():
            if words:
                at = round_id + 0.5
                shapes.append(
                    Text(0, top + LANE - 5, words, "text", SIZE, anchor="middle", column=at)
                )
        top += LANE
        shapes.append(Line(0, top, 0, top, "lane", column=0, to_column=spec.max_message_rounds))
    # The end of the episode, through all lanes; dashed where the rollout was cut off.
    end, cut = rollout.steps[-1].round + 1, not rollout.over
    shapes.append(Line(0, 0, 0, top, "accent", 2, dashed=cut, column=end, to_column=end))
    wide = max(grid.least, COLUMN), max(grid.most, COLUMN)
    return replace(grid, shapes=tuple(shapes), height=top, least=wide[0], most=wide[1])


def _signed(paid: float) -> str:
    return f"{paid:+.3g}" if paid else "0"
