"""The settings of a model: its name, address and options. Plain data without keys."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self, cast
from urllib.parse import SplitResult, urlsplit

from explorer.players.errors import LLMError
from explorer.usage import Prices
from nip_core.displays import displayed
from nip_core.documents import Limits, parse_json, plain_copy

IT = "The extra body"
LIMITS = Limits(size=4_000, values=500, depth=10)
TOO_LONG = f"{IT} is too long: at most {LIMITS.size:,} characters."
# Options that visitors may not set, since they could turn one request into many.
OURS = frozenset(
    [
        *("model", "models", "messages", "prompt", "input", "stream", "stream_options"),
        *("n", "best_of", "use_beam_search"),
    ]
)
# Options that have a field of their own in the form, so that a record has each once.
FIELDS = frozenset(
    ["temperature", "top_p", "seed", "max_tokens", "max_completion_tokens", "reasoning_effort"]
)
KEY_NAME = re.compile(
    r"(?i)(x[-_])?(api[-_]?key|key|authorization|auth|bearer|(access[-_]?)?token|password|secret|"
    r"credentials?)"
)
# How keys of the large services begin, so that a key typed into a wrong field is not stored.
KEY = re.compile(
    r"(?i)\bbearer\s+\S{8}|\b(sk|pk|hf|gsk|xai|ghp|nvapi|r8|pplx|csk|fw|tgp)[-_][\w-]{16}|"
    r"\bAIza[\w-]{20}"
)


def holds_key(text: str) -> bool:
    """Return whether a text seems to contain a service's key."""
    return KEY.search(text) is not None


def read_extra(text: str) -> dict[str, object]:
    """Parse the extra options that a person has typed; an empty text gives none.

    The LLMError does not repeat the text, which may contain a key.
    """
    if len(text) > LIMITS.size:
        raise LLMError(TOO_LONG)
    return checked_extra(parse_json(text, LIMITS, LLMError, IT)) if text.strip() else {}


def checked_extra(value: object) -> dict[str, object]:
    """Return a plain copy of options, if they may be part of a request and its record."""
    if not isinstance(value, Mapping):
        raise LLMError(f'{IT} must be a JSON object, such as {{"top_k": 40}}.')
    options = plain_copy(cast("Mapping[str, Any]", value), LIMITS, LLMError, IT)
    # The record is written as JSON, so its size counts there too.
    if len(json.dumps(options)) > LIMITS.size:
        raise LLMError(TOO_LONG)
    if names := sorted(OURS & set(options)):
        raise LLMError(f"{IT} must not hold {', '.join(names)}: that is what the explorer sends.")
    if names := sorted(FIELDS & set(options)):
        raise LLMError(f"{IT} must not hold {', '.join(names)}: there is a field for it.")
    for name, text in _texts(options):
        if KEY_NAME.fullmatch(name) or holds_key(text) or holds_key(name):
            raise LLMError(
                f"{IT} must hold no key: it is written into the transcript. A key has a field of "
                "its own."
            )
    return options


def _texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text in a document with the name of its field."""
    if isinstance(value, dict):
        for key, inner in cast("dict[str, object]", value).items():
            yield from _texts(inner, key)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from _texts(inner, name)
    yield name, value if isinstance(value, str) else ""


OPENAI_HOST = "api.openai.com"
MAX_NAME = 260
MAX_ADDRESS = 300
_SWITCHES = ("scratchpad", "ask_confidence", "keep_reasoning")
# Levels of reasoning effort, by the services' names.
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")


@dataclass(frozen=True, slots=True)
class Range:
    """The range of a number setting, and its name."""

    what: str
    low: float
    high: float
    whole: bool = False  # whether it is a whole number

    def check(self, value: Any) -> None:
        """Raise an error for other values, without repeating them."""
        kinds = (int,) if self.whole else (int, float)
        finite = type(value) in kinds and math.isfinite(value)
        if not finite or not self.low <= value <= self.high:
            number = "whole number" if self.whole else "number"
            raise LLMError(f"{self.what} must be a {number} from {self.low:g} to {self.high:g}.")


# By the name of the setting. None means the service's own default, or unknown.
RANGES: Mapping[str, Range] = {
    "temperature": Range("The temperature", 0, 2),
    "top_p": Range("Top p", 0, 1),
    "seed": Range("The seed", 0, 2**31 - 1, whole=True),
    "max_tokens": Range("The longest answer", 1, 1_000_000, whole=True),
    "timeout": Range("The time of silence", 0.001, 3600),
    "deadline": Range("The time for a move", 0.001, 24 * 3600),
    "corrections": Range("The number of corrections", 0, 20, whole=True),
    "price_in": Range("The price of what is sent", 0, 1e9),
    "price_out": Range("The price of what is written", 0, 1e9),
}
OPTIONAL = frozenset({"temperature", "top_p", "seed", "price_in", "price_out"})

# Names of models that reason before they answer. Their reasoning counts as tokens.
THINKS = re.compile(
    r"(?i)(?<![a-z0-9])(o[1-9]|gpt-?5|gpt-oss|r1(?![0-9])|qwq|qwen-?3|magistral|deepseek-r|grok-?[34]|"
    r"gemini-(2\.5|[3-9])|glm-?[45]|kimi-k2|minimax-m)|think|reason"
)
USUAL_TOKENS, THINKING_TOKENS = 2048, 16_384


def thinks(model: str, effort: str | None = None) -> bool:
    """Return whether a model has reasoning of its own, judging by its name or the chosen effort."""
    return effort != "none" and (effort is not None or THINKS.search(model) is not None)


def usual_tokens(model: str, effort: str | None = None) -> int:
    """Return the default limit of a model's answer, in tokens."""
    return THINKING_TOKENS if thinks(model, effort) else USUAL_TOKENS


@displayed
@dataclass(frozen=True, slots=True)
class Preset:
    """A well-known service."""

    name: str
    base_url: str | None  # None for OpenAI's own
    model: str  # a model that it is likely to offer
    # The environment variable that holds a key for this address and for no other.
    key_variable: str | None = None
    custom: bool = False  # whether the address is only an example, to be replaced


PRESETS = (
    Preset("OpenAI", None, "gpt-4o-mini", key_variable="OPENAI_API_KEY"),
    Preset("Ollama on this machine", "http://localhost:11434/v1", "llama3.2"),
    Preset("Another address (vLLM, llama.cpp, ...)", "http://localhost:8000/v1", "", custom=True),
)


@displayed
@dataclass(frozen=True, slots=True)
class LLMSettings:
    """The settings with which a model is asked.

    Parameters
    ----------
    model : str
        The name that the service uses.
    base_url : str or None
        The address up to and including ``/v1``; None for OpenAI's.
    temperature, top_p : float, optional
        From 0 to 2, and to 1; the service's own defaults if they are left out.
    seed : int, optional
        The seed of the model's sampling, for services that support it.
    max_tokens : int
        The limit of an answer, including its reasoning.
    reasoning_effort : str, optional
        One of :data:`EFFORTS`.
    extra : mapping
        Further options of every request, as plain data without keys.
    timeout : float
        Seconds of silence after which an attempt is given up.
    deadline : float
        Seconds for a whole move, including retries; for each question of an act with `apart`.
    corrections : int
        The most corrections of unusable answers, for each question.
    scratchpad : bool
        Whether the prompt offers a scratchpad. It is left out for models with reasoning of their
        own.
    ask_confidence : bool
        Whether a verifier is asked for its confidence with its verdict.
    keep_reasoning : bool
        Whether the record keeps the model's reasoning.
    price_in, price_out : float, optional
        The prices of a million input and output tokens, as the person gave them.
    """

    model: str
    base_url: str | None = None
    temperature: float | None = None
    max_tokens: int = USUAL_TOKENS
    timeout: float = 60.0
    deadline: float = 240.0
    corrections: int = 2
    scratchpad: bool = True
    ask_confidence: bool = True
    keep_reasoning: bool = False
    top_p: float | None = None
    seed: int | None = None
    reasoning_effort: str | None = None
    extra: Mapping[str, object] = field(default_factory=dict[str, object], hash=False)
    price_in: float | None = None
    price_out: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", _checked_name(self.model))
        object.__setattr__(self, "base_url", checked_address(self.base_url))
        object.__setattr__(self, "extra", checked_extra(self.extra))
        for name, allowed in RANGES.items():
            value = getattr(self, name)
            if value is not None or name not in OPTIONAL:
                allowed.check(value)
        for name in _SWITCHES:
            if type(getattr(self, name)) is not bool:
                raise LLMError(f"{name} must be true or false.")
        if self.reasoning_effort not in (None, *EFFORTS):
            raise LLMError(f"The reasoning effort must be one of {', '.join(EFFORTS)}.")

    @property
    def host(self) -> str:
        """The service's host, for messages and records."""
        return OPENAI_HOST if self.base_url is None else urlsplit(self.base_url).netloc

    @property
    def prices(self) -> Prices:
        """The prices of its tokens."""
        return Prices(self.price_in, self.price_out)

    def describe(self) -> dict[str, object]:
        """Return the model's entry in a record."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Read the result of :meth:`describe`; other fields of a record are ignored.

        An LLMError says that it cannot be used. It may come from a stranger's file.
        """
        known: dict[str, Any] = {"model": ""}
        known |= {
            field.name: record[field.name]
            for field in dataclasses.fields(cls)
            if field.name in record
        }
        return cls(**known)


def _checked_name(model: Any) -> str:
    name = model.strip() if isinstance(model, str) else ""
    if not name:
        raise LLMError("Which model? Give its name as the service calls it.")
    if len(name) > MAX_NAME or not name.isprintable():
        raise LLMError(f"A model's name is one line of at most {MAX_NAME} characters.")
    if holds_key(name):
        raise LLMError("That model's name looks like a key. A key has a field of its own.")
    return name


def _split(address: str) -> SplitResult | None:
    try:
        parts = urlsplit(address)
        return None if parts.port == 0 else parts
    except ValueError:
        return None


def checked_address(address: Any) -> str | None:
    """Return an address in the form for requests and records; None stands for OpenAI's."""
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
    if holds_key(parts.path):
        raise LLMError("That address looks as if a key were in it. A key has a field of its own.")
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path}"
