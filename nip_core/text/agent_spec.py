"""The text layer's options for an agent."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from nip_core.displays import displayed

__all__ = ["DECISION_WORDS", "CodeValidationAgentSpec", "stance_word"]

# The word for a verdict or a stance, by its number.
DECISION_WORDS: tuple[Literal["reject"], Literal["accept"]] = ("reject", "accept")


def stance_word(stance: object) -> Literal["reject", "accept"]:
    """Return ``"accept"`` for stance 1, ``"reject"`` for anything else."""
    return DECISION_WORDS[int(stance == 1)]


@displayed
@dataclass
class CodeValidationAgentSpec:
    """An agent's names and options in a conversation.

    Parameters
    ----------
    human_name : str
        Its name for the others.
    response_channel_headers : dict, optional
        For an agent that writes on several channels at once, the header line of the part for each
        channel. None if it writes on one channel at a time.
    channel_order : list of str or set of str, optional
        The order in which it reads the channels. The members of a set are shuffled in every round
        by the episode's seed. None for the protocol's order.
    anonymous : bool
        Whether its messages have no name.
    last_round_system_message : str, optional
        A reminder before its last turn.
    use_raw_message_for_self_prompt : bool
        Whether it sees its own answers unchanged, instead of split into channels.
    default_stance : {0, 1}
        The verdict that it argues for if none is drawn.
    """

    human_name: str
    response_channel_headers: dict[str, str] | None = None
    channel_order: list[str | AbstractSet[str]] | None = None
    anonymous: bool = False
    last_round_system_message: str | None = None
    use_raw_message_for_self_prompt: bool = True
    default_stance: Literal[0, 1] = 1
