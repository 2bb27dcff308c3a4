"""The setup of an episode of a version 2 protocol: the protocol, the task, and the seed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, ClassVar

from nip_core.displays import brief, line, text_html
from nip_core.documents import as_object
from nip_core.errors import PlayError, show
from nip_core.language import Deal, Specification
from nip_core.play.moves import DEFAULT_MAX_WORDS, MAX_WORDS
from nip_core.play.turns.instructions import instructions
from nip_core.play.turns.material import Material

__all__ = ["FORMAT", "TurnSetup"]

FORMAT = "nip-protocol/2"
# More than anybody plays, as in version 1.
MAX_PLAYABLE_TURNS = 1_000
_KEYS = ("protocol", "task", "seed", "max_response_words")


@dataclass(frozen=True)
class TurnSetup:
    """The setup of an episode, which does not change during play.

    Parameters
    ----------
    spec : Specification
    task : Material
    seed : int
        The seed of chance's choices.
    max_response_words : int
        The limit of a message's words if the protocol has none.
    """

    spec: Specification
    task: Material
    seed: int = 0
    max_response_words: int = DEFAULT_MAX_WORDS

    # Options of version 1. In version 2, the protocol itself defines who sees and argues what.
    informed_provers: ClassVar[bool] = False
    prover_stance: ClassVar[None] = None

    def __repr__(self) -> str:
        return line(self, brief(self.spec.name), repr(self.task), f"seed={brief(self.seed)}")

    def _repr_html_(self) -> str:
        return text_html(repr(self))

    def __post_init__(self) -> None:
        words = self.max_response_words
        if type(words) is not int or not 1 <= words <= MAX_WORDS:
            raise PlayError(
                f"max_response_words is {show(words)}; it must be a whole number from 1 to "
                f"{MAX_WORDS:,}."
            )
        if self.spec.longest > MAX_PLAYABLE_TURNS:
            raise PlayError(
                f"{self.spec.name!r} may go on for {self.spec.longest:,} turns; an episode that is "
                f"played can have at most {MAX_PLAYABLE_TURNS:,}."
            )
        _ = self.deal  # this checks the task

    @cached_property
    def deal(self) -> Deal:
        """The setup in the form of the language's rules."""
        return Deal(self.spec, self.task.parts, self.task.facts, self.seed)

    @cached_property
    def anonymous_agents(self) -> frozenset[str]:
        """The seats whose messages have no name."""
        return frozenset(seat.name for seat in self.spec.seats if seat.anonymous)

    def stance(self, agent: str) -> None:
        """Return None: what a seat argues for is in its view, and may be chosen during play."""
        self.spec.agent_index(agent)

    @cached_property
    def prompts(self) -> dict[str, str]:
        """Each seat's instructions."""
        return {agent: instructions(self.spec, agent) for agent in self.spec.agent_names}

    def prompt(self, agent: str) -> str:
        """Return a seat's instructions."""
        self.spec.agent_index(agent)
        return self.prompts[agent]

    @property
    def prompt_digests(self) -> dict[str, str]:
        """SHA-256 of each seat's instructions."""
        return {agent: sha256(text.encode()).hexdigest() for agent, text in self.prompts.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the setup as a plain document, which contains the truth.

        The protocol is a text in it, since the order of its seats, choices and guards matters, and
        storage may sort a document's keys.
        """
        text = json.dumps(self.spec.to_dict(), separators=(",", ":"), ensure_ascii=False)
        return {
            "protocol": {"format": FORMAT, "document": text},
            "task": self.task.to_dict(),
            "seed": self.seed,
            "max_response_words": self.max_response_words,
        }

    @classmethod
    def from_dict(cls, document: object) -> TurnSetup:
        """Read what :meth:`to_dict` made; the document may be untrusted."""
        fields = as_object(document, "the setup", _KEYS, error=PlayError)
        at = "the setup's protocol"
        protocol = as_object(fields["protocol"], at, ("format", "document"), error=PlayError)
        text = protocol["document"]
        if protocol["format"] != FORMAT or not isinstance(text, str):
            raise PlayError(f"{at} must have the format {FORMAT!r} and a text as its document.")
        return cls(
            Specification.from_json(text),
            Material.from_dict(fields["task"]),
            fields["seed"],
            fields["max_response_words"],
        )
