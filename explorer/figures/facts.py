"""A protocol's facts as tables: its numbers, and its agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.figures.palette import agent_styles
from nip_core.handler import ProtocolHandler
from nip_core.spec import shown_round

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["agents_data", "facts_data"]

VERDICTS = {0: "0 (reject)", 1: "1 (accept)", None: "neither"}


def facts_data(handler: ProtocolHandler) -> pd.DataFrame:
    """What is true of the protocol as a whole: ``fact`` and ``value``, both text for people."""
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
    """One row for each seat, for people.

    Returns
    -------
    agents : DataFrame
        ``seat``, ``badge``, and ``in Python``, the agent's name; ``argues for``; ``first active
        round``, from 1, missing if it never is; ``reads``, its channels; ``mid-point``, the quick
        estimate of its reward under random play; ``commits``, its place in the Stackelberg order,
        from 1.
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
