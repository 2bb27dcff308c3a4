"""Experts' voices: each prover of an episode words the same facts differently."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from explorer.players.scripted.text import sentences
from nip_core.documents import stable_hash

if TYPE_CHECKING:
    from nip_core.language import Specification


@dataclass(frozen=True, slots=True)
class Said:
    """A part of a message."""

    # The text before the expert's voice rewords it.
    text: str
    # Its origin: "prepared", "run", "line", "graph", "aside", "asks back" or "evaded".
    how: str
    # The subject of the question.
    about: str
    # "agrees" if no lie was needed; else the way of lying: "plan", "invent", "slip" or "concede".
    way: str = "agrees"
    # The claim and the truth, if they can be compared.
    claimed: str = ""
    found: str = ""
    # Whether two liars may contradict each other on this question.
    telling: bool = False
    # The short form for the next time, if it is not the first sentence.
    short: str = ""
    # If it is telling, the number of plausible values besides the one that the story needs.
    choices: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the part for the record, without its text and empty fields."""
        kept = {"how": self.how, "about": self.about, "way": self.way}
        kept |= {"claimed": self.claimed, "found": self.found} if self.claimed else {}
        return kept | ({"telling": True, "choices": self.choices} if self.telling else {})


# Code and quoted words are never reworded.
FACTS = re.compile(r"(`[^`]*`|'[^'\n]{0,40}'(?!\w))")
# An example that can be understood without the sentence before it.
EXAMPLE = re.compile(r"(?:For|With|On) [^a-z]{0,3}[\[(\d](?!.*\bwould\b)")
# Beginnings of sentences that continue the previous one.
GOES_ON = re.compile(r"(?:Then|So|But|That|This)\b")


@dataclass(frozen=True)
class Voice:
    """A way of speaking."""

    name: str
    # Whether an argument gives its example before the explanation.
    example_first: bool
    # Introductions: of an argument, of a prepared text without other words, of a repeated answer.
    lead: tuple[str, ...]
    plain_lead: str
    again: str
    nothing_new: tuple[str, ...]
    evasions: tuple[str, ...]
    # The sentences by the kind of fact, such as "run.fine" and "line.known".
    templates: Mapping[str, tuple[str, ...]]
    # Replacements in prepared texts.
    words: tuple[tuple[re.Pattern[str], str], ...]

    def say(self, template: str, drawn: int = 0, **facts: object) -> str:
        """Return this voice's sentence for some facts."""
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
            # The even parts are words, and only the first of them begins the text.
            for place in range(0, len(parts), 2):
                if place == 0 or not pattern.pattern.startswith("^"):
                    parts[place] = pattern.sub(word, parts[place])
        return "".join(parts)

    def evasion(self, seed: int, about: str) -> str:
        """Return an evasion; the same question always gets the same one."""
        return self.evasions[drawn("evasion", seed, about) % len(self.evasions)]

    def turned_aside(self, text: str) -> bool:
        """Return whether a message turns to another input than the one that was asked about."""
        starts = (each.partition("{claim}")[0] for each in self.templates["run.aside"])
        return text.startswith(tuple(starts))

    def opening(self, text: str, drawn: int) -> str:
        """Return an opening argument in this voice."""
        lead = self.lead[drawn % len(self.lead)] if self.lead else ""
        return lead + self.words_for(_example_first(text) if self.example_first else text)


def _example_first(text: str) -> str:
    """Return an argument with the example from its end moved behind the claim, if possible."""
    claim, *how = sentences(text)
    if len(how) < 2 or GOES_ON.match(how[0]) or not EXAMPLE.match(how[-1]):
        return text
    return " ".join((claim, how[-1], *how[:-1]))


@cache
def voices() -> tuple[Voice, ...]:
    """Return all voices; the first keeps the prepared words."""
    file = resources.files("explorer.players.scripted") / "voices.toml"
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


def voice_of(rules: Specification, agent: str) -> Voice:
    """Return a prover's voice; those of one episode differ as long as there are enough."""
    return voices()[rules.provers.index(agent) % len(voices())]


def offered_in(message: str) -> list[str]:
    """Return the questions that a message offers, where it asks back what was meant."""
    begins = [each.templates["general.ask_back"][0].partition("{options}")[0] for each in voices()]
    parts = (part.partition(begin)[2] for part in message.split("\n\n") for begin in begins)
    found = (option.strip() for part in parts for option in part.split(" Or: "))
    # The last one may have been cut off.
    return [option for option in found if option.endswith("?")]


def is_evasion(message: str) -> bool:
    """Return whether any part of a message is a known evasion.

    If messages may have few words only, an evasion may have been cut short.
    """
    parts = (part.strip() for part in message.split("\n\n"))
    return any(known.startswith(part) for part in parts if part for known in _evasions())


@cache
def _evasions() -> frozenset[str]:
    return frozenset(evasion for voice in voices() for evasion in voice.evasions)


def drawn(purpose: str, *parts: str | int) -> int:
    """Return a number that depends on the arguments only, equal on every machine."""
    return int.from_bytes(stable_hash("nip-scripted-prover/1", purpose, *parts)[:4], "big")
