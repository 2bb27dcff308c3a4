"""The origin of a move: its record, and how the record is read.

A record may come from an older version or an untrusted file, and may contain any text of a model.
So what is written is bounded, and only fields of the documented form are read.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Self, cast

from nip_core.displays import displayed
from nip_core.documents import canonical

__all__ = ["Answered", "Origin", "Refused"]

MAX_REFUSED = 20
# Of several questions; the characters of all answers together, each of which has an equal share.
MAX_ANSWERED, MAX_ANSWERS = 64, 48_000
MAX_ANSWER = 4_000
MAX_REASON = 1_000
MAX_REASONING = 20_000
MAX_NAME = 300
MAX_SETTINGS = 20_000


@displayed
@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that was not a legal move.

    Parameters
    ----------
    answer : str
        The model's answer, without its reasoning.
    reason : str
        Why it was refused, as sent to the model.
    """

    answer: str
    reason: str


@displayed
@dataclass(frozen=True, slots=True)
class Answered:
    """One of several questions in which a model was asked for its move, and what it answered.

    Parameters
    ----------
    question : str
        What it was asked for.
    answer : str
        The model's answer, without its reasoning.
    """

    question: str
    answer: str


@displayed
@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """How a move came about.

    Parameters
    ----------
    kind : str
        The kind of player: ``llm``, ``scripted``, ...
    model, answered_by, host : str
        The requested model, the service's name of the model that answered, and the host.
    settings : mapping
        Options of the request: temperature, seed, the limit of tokens, ...
    left_out : tuple of str
        Chosen settings that the model does not support.
    scratchpad : bool, optional
        Whether the model was offered a scratchpad.
    instructions : str
        SHA-256 of its first instructions, so that equal ones can be recognised.
    tokens_in, tokens_out : int, optional
        Tokens sent and received in all attempts.
    estimated : bool
        Whether the service did not report tokens at least once, so that they were estimated.
    unread : bool
        Whether the service reported so few tokens that it seems to have cut the conversation.
    seconds : float, optional
        Over all attempts.
    attempts : int, optional
        How many requests it took.
    cost : float, optional
        Over all attempts, by the prices of the account that paid, in any currency.
    refused : tuple of Refused
        The earlier, refused answers in order.
    answered : tuple of Answered
        All questions in order, if the model was asked for parts of the move one by one.
    reasoning : str
        The model's reasoning, if it is kept.
    """

    kind: str = ""
    model: str = ""
    answered_by: str = ""
    host: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    left_out: tuple[str, ...] = ()
    scratchpad: bool | None = None
    instructions: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    estimated: bool = False
    unread: bool = False
    seconds: float | None = None
    attempts: int | None = None
    cost: float | None = None
    refused: tuple[Refused, ...] = ()
    answered: tuple[Answered, ...] = ()
    reasoning: str = ""

    @property
    def tokens(self) -> int | None:
        """Tokens sent and received, if both are known."""
        if self.tokens_in is None or self.tokens_out is None:
            return None
        return self.tokens_in + self.tokens_out

    @property
    def summary(self) -> str:
        """Everything except the texts in a line; empty if nothing is known."""
        answered = f" (as {self.answered_by})" if self.answered_by not in ("", self.model) else ""
        model = f"{self.model}{answered}" + (f" at {self.host}" if self.host else "")
        settings = ", ".join(
            f"{name} {value if isinstance(value, str) else canonical(value)}"
            for name, value in self.settings.items()
        )
        left_out = f"without {', '.join(self.left_out)}" if self.left_out else ""
        tokens = (
            "" if self.tokens is None else f"{self.tokens_in:,} tokens in, {self.tokens_out:,} out"
        )
        said = (
            model,
            settings,
            left_out,
            "with a scratchpad" if self.scratchpad else "",
            f"{tokens} (estimated)" if tokens and self.estimated else tokens,
            "some of it unread" if self.unread else "",
            "" if self.seconds is None else f"{self.seconds:.1f} s",
            "" if self.attempts is None else f"{self.attempts} request{'s' * (self.attempts != 1)}",
            "" if self.cost is None else f"cost {self.cost:.4g} by the player's own figures",
        )
        return "; ".join(filter(None, said))

    def to_dict(self) -> dict[str, Any]:
        """Return a plain document without empty fields; long texts are cut."""
        document: dict[str, Any] = {}
        for each in dataclasses.fields(self):
            value = getattr(self, each.name)
            if value or (value is not None and each.name in _KEEP_ZERO):
                document[each.name] = value
        if self.settings:
            document["settings"] = _plain_settings(self.settings)
        if self.left_out:
            document["left_out"] = [_cut(name, MAX_NAME) for name in self.left_out]
        if self.refused:
            # Only the latest ones.
            document["refused"] = [
                {"answer": _cut(one.answer, MAX_ANSWER), "reason": _cut(one.reason, MAX_REASON)}
                for one in self.refused[-MAX_REFUSED:]
            ]
        if self.answered:
            kept = _bounded((one.question, one.answer) for one in self.answered)
            document["answered"] = [dataclasses.asdict(one) for one in kept]
        for name, limit in _TEXTS.items():
            if name in document:
                document[name] = _cut(document[name], limit)
        return document

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` made; fields of another kind are ignored."""
        found: dict[str, Any] = {}
        for name, limit in _TEXTS.items():
            if isinstance(value := document.get(name), str):
                found[name] = _cut(value, limit)
        for name in ("tokens_in", "tokens_out", "attempts"):
            if _is_number(value := document.get(name)) and isinstance(value, int):
                found[name] = value
        for name in ("seconds", "cost"):
            if _is_number(value := document.get(name)):
                found[name] = value
        for name in ("scratchpad", "estimated", "unread"):
            if isinstance(value := document.get(name), bool):
                found[name] = value
        if isinstance(settings := document.get("settings"), Mapping):
            found["settings"] = _plain_settings(cast("Mapping[str, Any]", settings))
        elif _is_number(value := document.get("temperature")):
            found["settings"] = {"temperature": value}  # the form of the first format
        if isinstance(names := document.get("left_out"), list):
            texts = [name for name in cast("list[Any]", names) if isinstance(name, str)]
            found["left_out"] = tuple(_cut(name, MAX_NAME) for name in texts[:MAX_REFUSED])
        if isinstance(refused := document.get("refused"), list):
            pairs = _pairs(cast("list[Any]", refused)[:MAX_REFUSED], "answer", "reason")
            found["refused"] = tuple(
                Refused(_cut(answer, MAX_ANSWER), _cut(reason, MAX_REASON))
                for answer, reason in pairs
            )
        if isinstance(answered := document.get("answered"), list):
            found["answered"] = _bounded(_pairs(cast("list[Any]", answered), "question", "answer"))
        return cls(**found)


_KEEP_ZERO = {"scratchpad", "tokens_in", "tokens_out", "seconds", "attempts", "cost"}
_TEXTS = {
    **dict.fromkeys(("kind", "model", "answered_by", "host", "instructions"), MAX_NAME),
    "reasoning": MAX_REASONING,
}


def _pairs(listed: list[Any], first: str, second: str) -> Iterator[tuple[str, str]]:
    """Yield two texts of each item that has both."""
    for item in listed:
        if isinstance(item, Mapping):
            fields = cast("Mapping[str, Any]", item)
            one, two = fields.get(first), fields.get(second)
            if isinstance(one, str) and isinstance(two, str):
                yield one, two


def _bounded(pairs: Iterable[tuple[str, str]]) -> tuple[Answered, ...]:
    """Return questions with their answers; of many answers, less of each is kept."""
    kept = [*islice(pairs, MAX_ANSWERED)]
    most = min(MAX_ANSWER, MAX_ANSWERS // max(1, len(kept)))
    return tuple(
        Answered(_cut(question, MAX_NAME), _cut(answer, most)) for question, answer in kept
    )


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and 0 <= value < 1e15


def _plain_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings; only their names if there are too many or values cannot be stored."""
    document = dict(settings)
    try:
        kept = len(canonical(document)) <= MAX_SETTINGS
    except (ValueError, TypeError, RecursionError):
        kept = False  # such as infinity, which JSON cannot express
    if not kept:
        return {_cut(str(name), MAX_NAME): "…" for name in list(document)[:MAX_REFUSED]}
    return document


def _cut(text: str, limit: int) -> str:
    """Return a text without lone surrogates, cut to a number of characters."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
    text = text.replace("\0", "\ufffd")
    if len(text) <= limit:
        return text
    note = f"\n[… {len(text) - limit:,} more characters]"
    return text[: limit - len(note)] + note
