"""Which model, where, and how it is asked. Keys are kept apart from all that is written down."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any, NoReturn
from urllib.parse import urlsplit

from explorer.players.errors import LLMError

__all__ = ["PRESETS", "LLMSettings", "Preset", "Secret", "find_key"]

KEY_VARIABLE = "OPENAI_API_KEY"


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
    needs_key : bool
    """

    name: str
    base_url: str | None
    model: str
    needs_key: bool


PRESETS = (
    Preset("OpenAI", None, "gpt-4o-mini", needs_key=True),
    Preset("Ollama on this machine", "http://localhost:11434/v1", "llama3.2", needs_key=False),
    Preset("Another address (vLLM, llama.cpp, ...)", "http://localhost:8000/v1", "", False),
)


class Secret:
    """A key. It is shown nowhere and cannot be copied by accident: ask for it with `reveal`.

    Parameters
    ----------
    value : str
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key itself."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(...)"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __reduce__(self) -> NoReturn:
        raise TypeError("A key is not to be written down.")


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMSettings:
    """How a model is asked.

    Parameters
    ----------
    model : str
    base_url : str, optional
        None for OpenAI's own address.
    temperature : float, optional
        None for the model's own.
    max_tokens : int
        For one answer.
    timeout : float
        Seconds without a sign of life before a request is given up.
    deadline : float
        Seconds for a move in all, with all that is tried again.
    tries : int
        How often a request is made that fails on the way.
    corrections : int
        How often a model is told that its answer cannot be used, and asked again.
    """

    model: str
    base_url: str | None = None
    temperature: float | None = None
    max_tokens: int = 1000
    timeout: float = 60.0
    deadline: float = 240.0
    tries: int = 5
    corrections: int = 2

    def __post_init__(self) -> None:
        if not self.model.strip() or len(self.model) > 200:
            raise LLMError("Say which model: its name, as the address knows it.")
        if self.base_url is not None:
            _check_address(self.base_url)
        for name in ("temperature", "timeout", "deadline"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise LLMError(f"{name} must be a number from 0 on.")
        for name in ("max_tokens", "tries"):
            if getattr(self, name) < 1:
                raise LLMError(f"{name} must be at least 1.")

    def describe(self) -> dict[str, Any]:
        """What a transcript says of the model."""
        document: dict[str, Any] = {"model": self.model, "max_tokens": self.max_tokens}
        if self.base_url is not None:
            document["base_url"] = self.base_url
        if self.temperature is not None:
            document["temperature"] = self.temperature
        return document


def _check_address(address: str) -> None:
    try:
        parts = urlsplit(address)
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        raise LLMError("The address cannot be read.") from None
    if not good:
        raise LLMError("The address must begin with http:// or https:// and name a host.")
    if parts.username or parts.password:
        raise LLMError("Leave name and password out of the address; give the key instead.")


def find_key(given: Secret | None, *, from_server: bool) -> Secret | None:
    """The key to use: the one that was given, or the server's, if that may be used."""
    if given is not None:
        return given
    found = os.environ.get(KEY_VARIABLE) if from_server else None
    return Secret(found) if found else None
