"""Which of several texts a question is nearest to, by the rare words that they share."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

_COMMON_TEXT = """
    about after all also and any are because been before but can could did does each else
    every for from get give had has have her him his how into isn its just let like more
    most much not now off one only other our out over same say says see she should show some
    tell than that the their them then there these they this those too use was way were what
    when where which who why will with would you your quote quoted exact exactly passage sentence
    text story cite please anywhere really actually mean means word words
"""
_COMMON = frozenset(_COMMON_TEXT.split())
_IRREGULAR_TEXT = """
    saw see seen see got get left leave went go gone go came come said say told tell took take
    taken take gave give given give found find knew know known know wrote write written write held
    hold slept sleep thought think brought bring bought buy heard hear kept keep lost lose meant
    mean met meet paid pay ran run sat sit sent send spoke speak stood stand wore wear won win
    drank drink ate eat drove drive fell fall felt feel hid hide led lead rode ride sold sell stole
    steal threw throw woke wake broke break broken break caught catch chose choose drew draw built
    build women lady woman lady ladies lady men man children child
"""
_PAIRS = iter(_IRREGULAR_TEXT.split())
_IRREGULAR: Mapping[str, str] = dict(zip(_PAIRS, _PAIRS, strict=True))
# From which weight of shared words, and how many, a sentence is near a question.
NEAR_WEIGHT, NEAR_WORDS = 3.0, 2


@lru_cache(4096)
def stems(text: str) -> frozenset[str]:
    """Return the beginnings of the words of a text that say something."""
    found = re.findall(r"[a-z]{3,}", text.lower().replace("'s", ""))
    found = [_IRREGULAR.get(word, word) for word in map(str, found)]
    return frozenset(
        re.sub(r"(?:ing|ed|es|s|ly|e)$", "", word)[:5] for word in found if word not in _COMMON
    )


def ranked(question: str, parts: Sequence[str]) -> list[tuple[float, str]]:
    """Return texts with the weight of the words that they share with a question, best first."""
    known = [stems(part) for part in parts]
    count = Counter(word for each in known for word in each)
    asked = stems(question)
    weight = {word: math.log(1 + len(parts) / count[word]) for word in asked if word in count}
    shared = [sum(weight[word] for word in each & asked) for each in known]
    return sorted(zip(shared, parts, strict=True), key=lambda pair: -pair[0])


def nearest_sentence(question: str, text: str) -> str:
    """Return the sentence of a text that a question is about; empty if none is near."""
    parts = [" ".join(part.split()) for part in re.split(r"(?<=[.!?])\s+", text)]
    best = ranked(question, parts)[:1]
    for weight, sentence in best:
        if weight >= NEAR_WEIGHT and len(stems(sentence) & stems(question)) >= NEAR_WORDS:
            return sentence
    return ""
