"""Which sentences of a text a question is about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from explorer.players.scripted.nearness import ranked

SHARED = 2.0  # weight of shared words from which a sentence is about a question
ALSO = 0.7  # share of the nearest one's weight from which another one is quoted as well
QUOTED_AT_ONCE, FEW = 3, 60  # sentences in one reply; characters of what cannot stand alone
# What a sentence has that answers such a question.
_NUMBERS = r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|half)\b"
_ASKED_FOR = (
    (r"\bwho(?:se|m)?\b", r"(?<=\w )[A-Z][a-z]+"),
    (r"\bwhen\b|what time|how (?:many|much|long|often)|\bcount\b", _NUMBERS),
    (r"\bwhere\b", r"\b(?:at|in|on|to|from|near) (?:the )?[A-Za-z]"),
    (
        r"\bwhy\b|explanation|\breasons?\b",
        r"\b(?:because|since|as (?:he|she|it|they)|so that|for (?:he|she|it|they))\b",
    ),
)
# Questions for what speaks against an answer, and for no part of the text.
ASKS_AGAINST = re.compile(
    r"\b(?:least like|against (?:you|your|this|that|it)|weak\w*|hurts?|objections?|opponent|concede"
    r"|admit|inconvenient|other (?:side|answer|reading|one)|change your mind|prove you wrong"
    r"|otherwise)\b",
    re.IGNORECASE,
)
HOW_SURE = re.compile(
    r"\b(?:how (?:sure|certain|confident|likely)|are you (?:sure|certain)|in percent"
    r"|scale (?:of|from)|would you bet)\b",
    re.IGNORECASE,
)
ASKS_WHY = re.compile(
    r"\b(?:sure|certain|confiden\w*|percent|scale|convince|why|believe|trust|reasons?|argument|decides?"
    r"|prove|proof|evidence|matters?|best|strongest)\b",
    re.IGNORECASE,
)


def nearest_parts(asked: str, parts: Sequence[str]) -> list[str]:
    """Return the parts that share rare words with a question, the nearest first.

    Of those, one that has what is asked for comes first: a name after "who", a number after "when".
    """
    wanted = [pattern for word, pattern in _ASKED_FOR if re.search(word, asked, re.IGNORECASE)]
    near = [
        (weight + sum(re.search(pattern, part) is not None for pattern in wanted), part)
        for weight, part in ranked(asked, parts)
        if weight > 0
    ]
    best = sorted(near, key=lambda pair: -pair[0])
    least = max(SHARED, ALSO * best[0][0]) if best else 0
    return [part for weight, part in best if weight >= least]


def told_of(asked: str, parts: Sequence[str]) -> list[str]:
    """Return up to three sentences of a text that are about a question, in their order.

    What follows a question, or a few words, belongs to it.
    """
    near = nearest_parts(asked, parts)[:2]
    for each in tuple(near):
        after = parts.index(each) + 1
        goes_on = len(each) < FEW or each.rstrip("”").endswith("?")
        near += [parts[after]] if goes_on and after < len(parts) else []
    return sorted({*near[:QUOTED_AT_ONCE]}, key=parts.index)
