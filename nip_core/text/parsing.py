"""Reading a completion as a decision or a message for each channel, in linear time.

A decision is a match of :data:`DECISION` anywhere in the text. A message for several channels is
cut at the channels' headers; see :func:`split_at_headers`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from nip_core.errors import InvalidDecisionError, NotAllActiveChannelsInResponseError
from nip_core.text.agent_spec import DECISION_WORDS

__all__ = ["DECISION", "Decision", "fold", "parse_decision", "split_at_headers"]

Decision = Literal[0, 1, 2]

# The two runs of [\s*_] can neither overlap nor contain what ends them, so a failed attempt costs
# at most their length once, and the search is linear for every text.
_ANNOUNCEMENT = r"(?ai)(?<![a-z0-9])decision[\s*_]*:"
DECISION = re.compile(_ANNOUNCEMENT + r"[\s*_]*(accept(?:ed)?|reject(?:ed)?)(?![a-z0-9])")
ANNOUNCEMENT = re.compile(_ANNOUNCEMENT)


def parse_decision(text: str) -> Decision:
    """Return the decision in a text: 0 reject, 1 accept, 2 none.

    Raises
    ------
    InvalidDecisionError
        If it contains both, or announces one ("decision:") without giving it.
    """
    words = {match[1][:6].lower() for match in DECISION.finditer(text)}
    if len(words) > 1:
        raise InvalidDecisionError(
            text,
            "The answer gives two decisions that disagree. Write exactly one of "
            '"Decision: accept" and "Decision: reject".',
        )
    if words:
        return 1 if words == {DECISION_WORDS[1]} else 0
    if ANNOUNCEMENT.search(text):
        raise InvalidDecisionError(
            text,
            'The answer says "decision:", but neither "accept" nor "reject" follows. To decide, '
            'write "Decision: accept" or "Decision: reject"; to go on without a decision, leave '
            'out "decision:".',
        )
    return 2


def fold(text: str) -> str:
    """Return the text in lower case, character by character, so that positions are unchanged.

    ``str.lower`` turns ``İ`` into two characters (the only such one, which is tested), and its form
    of a sigma depends on its neighbours.
    """
    return "İ".join(part.lower() for part in text.split("İ")).replace("ς", "σ")


def split_at_headers(text: str, headers: Mapping[str, str]) -> dict[str, str]:
    """Cut a text into the parts that begin with each channel's header.

    Case is ignored, the first occurrence of a header counts, and text before the first header is
    dropped. A part includes its header, without blanks around it.

    Parameters
    ----------
    text : str
    headers : mapping of str to str
        The header of each channel that the text must have a part for.

    Raises
    ------
    NotAllActiveChannelsInResponseError
        If a header is missing.
    """
    folded = fold(text)
    starts = {channel: folded.find(fold(header)) for channel, header in headers.items()}
    missing = [headers[channel] for channel, start in starts.items() if start < 0]
    if missing:
        raise NotAllActiveChannelsInResponseError(
            text,
            "The answer must have a part for every channel, each beginning with its header. "
            f"Missing: {', '.join(map(repr, missing))}.",
        )
    order = sorted(starts, key=starts.__getitem__)
    ends = [*(starts[channel] for channel in order[1:]), len(text)]
    return {
        channel: text[starts[channel] : end].strip()
        for channel, end in zip(order, ends, strict=True)
    }
