"""What the text layer knows of an agent."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from nip_core.displays import displayed

__all__ = ["DECISION_WORDS", "CodeValidationAgentSpec", "stance_word"]

# A verdict as a word, by its number; also what a prover with this stance argues for.
DECISION_WORDS: tuple[Literal["reject"], Literal["accept"]] = ("reject", "accept")


def stance_word(stance: object) -> Literal["reject", "accept"]:
    """``"accept"`` for stance 1, ``"reject"`` for anything else."""
    return DECISION_WORDS[int(stance == 1)]


@displayed
@dataclass
class CodeValidationAgentSpec:
    """How an agent appears in, and takes part in, a conversation.

    Parameters
    ----------
    human_name : str
        What the others call it.
    response_channel_headers : dict, optional
        For an agent that writes on several channels at once: the line that opens the part for
        each channel. None if it writes on one channel at a time.
    channel_order : list of str or set of str, optional
        In which order it reads the channels. The members of a set are shuffled anew in every
        round, by the episode's seed. None for the protocol's order.
    anonymous : bool
        Do its messages come without a name?
    last_round_system_message : str, optional
        What its prompt says before its last turn.
    use_raw_message_for_self_prompt : bool
        Does it read its own answers as it wrote them, rather than split into channels?
    default_stance : {0, 1}
        The verdict it argues for where none is drawn.
    """

    human_name: str
    response_channel_headers: dict[str, str] | None = None
    channel_order: list[str | AbstractSet[str]] | None = None
    anonymous: bool = False
    last_round_system_message: str | None = None
    use_raw_message_for_self_prompt: bool = True
    default_stance: Literal[0, 1] = 1
