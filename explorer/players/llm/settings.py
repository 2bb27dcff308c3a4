"""Which model is asked, where and how. Plain data; a key is no part of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import SplitResult, urlsplit

from explorer.players.errors import LLMError

__all__ = ["OPENAI_HOST", "PRESETS", "LLMSettings", "Preset"]

OPENAI_HOST = "api.openai.com"
MAX_NAME = 200
MAX_ADDRESS = 300
_SWITCHES = ("scratchpad", "ask_confidence", "keep_reasoning")


@dataclass(frozen=True, slots=True)
class Preset:
    """A usual place for models.

    Parameters
    ----------
    name : str
    base_url : str, optional
        None for OpenAI's own.
    model : str
        One that is likely to be there.
    key_variable : str, optional
        The environment variable that holds a key for this address and for no other.
    custom : bool
        Is the address only a first guess, to be replaced?
    """

    name: str
    base_url: str | None
    model: str
    key_variable: str | None = None
    custom: bool = False

    @property
    def needs_key(self) -> bool:
        """Does it answer nobody without a key?"""
        return self.key_variable is not None


PRESETS = (
    Preset("OpenAI", None, "gpt-4o-mini", key_variable="OPENAI_API_KEY"),
    Preset("Ollama on this machine", "http://localhost:11434/v1", "llama3.2"),
    Preset("Another address (vLLM, llama.cpp, ...)", "http://localhost:8000/v1", "", custom=True),
)


@dataclass(frozen=True, slots=True)
class LLMSettings:
    """How a model is asked.

    Parameters
    ----------
    model : str
        As the service calls it.
    base_url : str or None
        The address up to and including ``/v1``; None for OpenAI's.
    temperature : float, optional
        From 0 to 2; the service's own default if it is left out.
    max_tokens : int
        The longest answer, thinking included.
    timeout : float
        Seconds of silence after which an attempt is given up.
    deadline : float
        Seconds for a whole move, with all that is tried again.
    corrections : int
        How often a model is told that its answer cannot be used, and asked again.
    scratchpad : bool
        Is it offered a place to think in before it writes? For models that think by themselves it
        is left out.
    ask_confidence : bool
        Is a verifier asked how sure it is, with its verdict?
    keep_reasoning : bool
        Does the record keep what it has thought?
    """

    model: str
    base_url: str | None = None
    temperature: float | None = None
    max_tokens: int = 2048
    timeout: float = 60.0
    deadline: float = 240.0
    corrections: int = 2
    scratchpad: bool = True
    ask_confidence: bool = True
    keep_reasoning: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", _checked_name(self.model))
        object.__setattr__(self, "base_url", _checked_address(self.base_url))
        if self.temperature is not None:
            _check_number("The temperature", self.temperature, 0, 2)
        if type(self.max_tokens) is not int or type(self.corrections) is not int:
            raise LLMError("The token limit and the corrections must be whole numbers.")
        for name in _SWITCHES:
            if type(getattr(self, name)) is not bool:
                raise LLMError(f"{name} must be true or false.")
        _check_number("The number of corrections", self.corrections, 0, 10)
        _check_number("The token limit", self.max_tokens, 1, 1_000_000)
        _check_number("The timeout", self.timeout, 0.001, 3600)
        _check_number("The deadline", self.deadline, 0.001, 24 * 3600)

    @property
    def host(self) -> str:
        """The machine that is asked, for messages and records."""
        return OPENAI_HOST if self.base_url is None else urlsplit(self.base_url).netloc

    def describe(self) -> dict[str, Any]:
        """What a record says of the model."""
        return {
            "model": self.model,
            "base_url": self.base_url,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            **{name: getattr(self, name) for name in _SWITCHES},
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Read what :meth:`describe` made; what else a record holds is passed over.

        Raises
        ------
        LLMError
            If it cannot be used. It may come from a stranger's file.
        """
        known = ("base_url", "temperature", "max_tokens", *_SWITCHES)
        return cls(record.get("model", ""), **{key: record[key] for key in known if key in record})


def _check_number(what: str, value: Any, low: float, high: float) -> None:
    if type(value) not in (int, float) or not math.isfinite(value) or not low <= value <= high:
        raise LLMError(f"{what} must be a number from {low:g} to {high:g}.")


def _checked_name(model: Any) -> str:
    name = model.strip() if isinstance(model, str) else ""
    if not name:
        raise LLMError("Which model? Give its name as the service calls it.")
    if len(name) > MAX_NAME or not name.isprintable():
        raise LLMError(f"A model's name is one line of at most {MAX_NAME} characters.")
    return name


def _split(address: str) -> SplitResult | None:
    try:
        parts = urlsplit(address)
        return None if parts.port == 0 else parts
    except ValueError:
        return None


def _checked_address(address: Any) -> str | None:
    if address is None:
        return None
    example = "It looks like http://localhost:8000/v1."
    if not isinstance(address, str) or len(address) > MAX_ADDRESS:
        raise LLMError(f"The address must be a text. {example}")
    address = address.strip().rstrip("/")
    parts = _split(address)
    if parts is None:
        raise LLMError(f"The address cannot be read. {example}")
    plain = address.isascii() and address.isprintable() and not set(address) & set(' \\"<>')
    if parts.scheme not in ("http", "https") or not parts.hostname or not plain:
        raise LLMError(f"The address must begin with http:// or https://. {example}")
    if parts.username is not None or parts.query or parts.fragment:
        raise LLMError(
            f"The address must have no name, key or question mark in it. {example} "
            "A key has a field of its own."
        )
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path}"
