"""How experts speak: each prover of an episode in its own way, about the same facts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from explorer.players.scripted.provers.matching import sentences
from nip_core.documents import stable_hash
from nip_core.spec import ProtocolSpec


@dataclass(frozen=True, slots=True)
class Said:
    """A part of a message.

    Parameters
    ----------
    text : str
        Before the voice of the expert changes a word of it.
    how : str
        Where it comes from: ``"prepared"``, ``"run"``, ``"line"``, ``"graph"``, ``"evaded"``.
    about : str
        What it is an answer to.
    way : str
        ``"agrees"`` where nothing had to be made up; else what was done: ``"plan"``, ``"invent"``,
        ``"slip"`` or ``"evade"``.
    claimed, found : str
        What is claimed, and what the expert has found to be so, where the two can be compared.
    telling : bool
        Is it a question at which two liars may contradict each other?
    short : str
        What is said of it the next time, if that is not its first sentence.
    choices : int
        Of a telling question: how many values might have passed besides the one that is needed.
    """

    text: str
    how: str
    about: str
    way: str = "agrees"
    claimed: str = ""
    found: str = ""
    telling: bool = False
    short: str = ""
    choices: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the part for the record, without its text and empty fields."""
        kept = {"how": self.how, "about": self.about, "way": self.way}
        kept |= {"claimed": self.claimed, "found": self.found} if self.claimed else {}
        return kept | ({"telling": True, "choices": self.choices} if self.telling else {})


# Code and quoted words are facts.
FACTS = re.compile(r"(`[^`]*`|'[^'\n]{0,40}'(?!\w))")
# An example that can be understood by itself.
EXAMPLE = re.compile(r"(?:For|With|On) [^a-z]{0,3}[\[(\d](?!.*\bwould\b)")
# Beginnings of sentences that continue the previous one.
GOES_ON = re.compile(r"(?:Then|So|But|That|This)\b")


@dataclass(frozen=True)
class Voice:
    """A way of speaking.

    Parameters
    ----------
    example_first : bool
        Does an argument give its example before it explains?
    lead : tuple of str
        What may stand before an argument.
    plain_lead : str
        What stands before prepared words for which there are no others.
    again : str
        What stands before what has been said already.
    evasions : tuple of str
        What is said instead of an answer.
    templates : mapping of str to tuple of str
        By what is said: ``"run.fine"``, ``"line.known"``, ...
    words : tuple of (pattern, str)
        What is said for what was prepared.
    """

    name: str
    example_first: bool
    lead: tuple[str, ...]
    plain_lead: str
    again: str
    nothing_new: tuple[str, ...]
    evasions: tuple[str, ...]
    templates: Mapping[str, tuple[str, ...]]
    words: tuple[tuple[re.Pattern[str], str], ...]

    def say(self, template: str, drawn: int = 0, **facts: object) -> str:
        """Return a sentence of this voice about some facts."""
        options = self.templates[template]
        return options[drawn % len(options)].format(**facts)

    def reword(self, text: str) -> str:
        """Return the same facts in this voice's words, and never in the first voice's."""
        reworded = self.words_for(text)
        return reworded if reworded != text else self.plain_lead + text

    def words_for(self, text: str) -> str:
        """Return the same facts in this voice's words; code and quotations stay as they are."""
        parts = FACTS.split(text)
        for pattern, word in self.words:
            # The even parts are words. Only the first of them begins the text.
            for place in range(0, len(parts), 2):
                if place == 0 or not pattern.pattern.startswith("^"):
                    parts[place] = pattern.sub(word, parts[place])
        return "".join(parts)

    def evasion(self, seed: int, about: str) -> str:
        """Return an evasion; the same question always gets the same one."""
        return self.evasions[drawn("evasion", seed, about) % len(self.evasions)]

    def opening(self, text: str, drawn: int) -> str:
        """Return the same argument in this voice."""
        lead = self.lead[drawn % len(self.lead)] if self.lead else ""
        return lead + self.words_for(_example_first(text) if self.example_first else text)


def _example_first(text: str) -> str:
    """An argument whose last sentence, an example, stands right behind the claim, if it can."""
    claim, *how = sentences(text)
    if len(how) < 2 or GOES_ON.match(how[0]) or not EXAMPLE.match(how[-1]):
        return text
    return " ".join((claim, how[-1], *how[:-1]))


@cache
def voices() -> tuple[Voice, ...]:
    """Return all ways of speaking; the first speaks the prepared words as they stand."""
    file = resources.files("explorer.players.scripted.provers") / "voices.toml"
    document = tomllib.loads(file.read_text("utf-8"))
    return tuple(_voice(table, document["words"]) for table in document["voice"])


def _voice(table: dict[str, Any], words: dict[str, list[list[str]]]) -> Voice:
    templates: dict[str, tuple[str, ...]] = {
        f"{group}.{key}": tuple(value)
        for group in ("run", "line", "general", "graph")
        for key, value in table[group].items()
    }
    return Voice(
        name=table["name"],
        example_first=table["example_first"],
        lead=tuple(table["lead"]),
        plain_lead=table["plain_lead"],
        again=table["again"],
        nothing_new=tuple(table["nothing_new"]),
        evasions=tuple(table["evasions"]),
        templates=templates,
        words=tuple((re.compile(p), w) for p, w in words.get(table["name"], ())),
    )


def voice_of(spec: ProtocolSpec, agent: str) -> Voice:
    """Return the voice of a prover: no two of an episode share one while there are enough."""
    return voices()[spec.provers.index(agent) % len(voices())]


def is_evasion(message: str) -> bool:
    """Is any part of a message one of the known ways of not answering?

    Where a message may have few words, an evasion may have been cut short.
    """
    parts = (part.strip() for part in message.split("\n\n"))
    return any(known.startswith(part) for part in parts if part for known in _evasions())


@cache
def _evasions() -> frozenset[str]:
    return frozenset(evasion for voice in voices() for evasion in voice.evasions)


def drawn(purpose: str, *parts: str | int) -> int:
    """Return a number that depends on the arguments alone: the same on every machine."""
    return int.from_bytes(stable_hash("nip-scripted-prover/1", purpose, *parts)[:4], "big")
