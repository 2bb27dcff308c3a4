"""The documents and tags in an answer, which are taken out of it before its lines are read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from nip_core.documents import Limits, parse_json
from nip_core.errors import InvalidResponseError
from nip_core.text.doubts import is_field
from nip_core.text.expected import STRONG_LABELS, Expected, Option, folded
from nip_core.text.plain import Place, stripped
from nip_core.text.thoughts import THOUGHT_NAMES

__all__ = ["Data", "data_in", "documents_in"]

_LIMITS = Limits(size=10_000)
_MOST = 8  # documents in an answer
_OBJECT = re.compile(
    r"(?m)^[ \t]*+(?P<fence>(?P<ticks>`{3,}|~{3,})[ \t]*+(?:json\w*)?[ \t]*+\n[ \t]*+)?"
    r"(?P<open>[{\[])(?=\s*+[\"{}\]'])"
)
_LABEL = re.compile(
    rf"(?ai)(?:(?:my|final)[_ ])*(?:{STRONG_LABELS}|answer|choice|conclusion|final|vote)"
)
_MESSAGE = re.compile(
    r"(?ai)(?:my[_ ])?(?:message|question|text|content|reply|response|argument|"
    r"statement|critique|rebuttal|say)"
)
_UNSAID = re.compile(
    rf"(?ai)(?:my[_ ])?(?:{THOUGHT_NAMES}|reasons?|explanation|justification|rationale|why)"
)
_TOOL = {"name", "tool", "function", "arguments", "parameters", "args", "tool_calls", "action",
         "action_input", "tool_name", "tool_input", "input", "function_call"}  # fmt: skip
_TAG = re.compile(r"<(\w{1,40})>([^<>]{0,200})</\1>")


class Data(NamedTuple):
    """A document or a tag in an answer.

    Parameters
    ----------
    place : (int, int)
    choices : mapping of str to option
        The choices that it makes.
    message : str or None
        The message in it, or those by channel.
    doubt : str
        Why it cannot be read: ``tool`` or ``structure``; empty if it can.
    thinks : bool
        Whether it contains reasoning.
    """

    place: Place
    choices: Mapping[str, Option] = {}
    message: str | Mapping[str, str] | None = None
    doubt: str = ""
    thinks: bool = False


def documents_in(text: str) -> list[tuple[Place, dict[str, object] | None]]:
    """Return the JSON documents that begin on a line of a text; None for what is no object."""
    documents: list[tuple[Place, dict[str, object] | None]] = []
    at = 0
    while len(documents) < _MOST and (begins := _OBJECT.search(text, at)):
        start = begins.start("open")
        end = _end(text, start, begins["ticks"] if begins["fence"] else "")
        try:
            document = parse_json(text[start:end], _LIMITS, InvalidResponseError, "the answer")
        except InvalidResponseError:
            document = None
        place = stripped(text, begins.start() if begins["fence"] else start, end)
        if begins["fence"] and (closing := re.compile(r"\s*" + begins["ticks"]).match(text, end)):
            place = place[0], closing.end()
        kept = cast("dict[str, object]", document) if isinstance(document, dict) else None
        documents.append((place, kept))
        at = max(place[1], begins.end())
    return documents


def _end(text: str, start: int, fence: str) -> int:
    """Return where a document that begins in a text ends: where its brackets are closed."""
    depth, at = 0, start
    for mark in re.compile(r'"(?:[^"\\\n]|\\.)*+"|[{}\[\]]').finditer(
        text, start, start + _LIMITS.size
    ):
        if mark[0] in "{[":
            depth += 1
        elif mark[0] in "}]":
            depth -= 1
            if depth == 0:
                return mark.end()
        at = mark.end()
    closing = text.find("\n" + fence, at) if fence else -1
    return closing if closing >= 0 else len(text)


def data_in(text: str, expected: Expected) -> list[Data]:
    """Return the documents and tags of a text that have to do with its choices or its message."""
    read = [_read(place, document, text, expected) for place, document in documents_in(text)]
    data = [part for part in read if part is not None]
    return [*data, *_tags(text, expected, [part.place for part in data])]


def _concerns(document: str, expected: Expected) -> bool:
    """Return whether a document beside other text mentions a choice or its options."""
    names = [f"(?:{expected.labels(name)})" for name in expected.choices]
    words = [rf"(?:{expected.spelling(name)})\b" for name in expected.choices]
    return bool(names) and bool(
        re.search(
            rf"(?ai)(?:{'|'.join(names)})[\"']?\s*[:=]|[\"'](?:{'|'.join(words)})[\"']", document
        )
    )


def _read(
    place: Place, document: Mapping[str, object] | None, text: str, expected: Expected
) -> Data | None:
    whole = place == stripped(text, 0, len(text))
    if not whole and not _concerns(text[slice(*place)], expected):
        return None
    if document is None:
        return Data(place, doubt="structure")
    keys = {folded(key) for key in document}
    if len(keys & _TOOL) > 1 or "tool_calls" in keys:
        return Data(place, doubt="tool")
    choices: dict[str, Option] = {}
    messages: dict[str, str] = {}
    texts: list[str] = []
    thinks = False
    for key, value in _flat(document):
        name = _choice(key, expected)
        channel = next((c for c in expected.headers if folded(c) == folded(key)), None)
        if name is not None:
            option = _option(name, value, expected)
            if option is None or choices.setdefault(name, option) != option:
                return Data(place, doubt="structure")
        elif re.fullmatch(r"(?i)confidence|certainty", key):
            continue
        elif _UNSAID.fullmatch(key) and _is_plain(value):
            thinks = True
        elif channel is not None and isinstance(value, str):
            messages[channel] = value
        elif (
            _MESSAGE.fullmatch(key) or (folded(key) == "answer" and not expected.choices)
        ) and isinstance(value, str):
            texts.append(value)
        else:
            return Data(place, doubt="structure")
    if len(texts) > 1 or (texts and messages) or (not whole and (texts or messages)):
        return Data(place, doubt="structure")
    message = texts[0] if texts else messages or None
    if isinstance(message, str) and len(expected.headers) > 1:
        return Data(place, doubt="structure")
    return Data(place, choices, message, thinks=thinks)


def _flat(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the entries of a document, with those below "choices" and "messages"."""
    for key, value in document.items():
        if key.lower() in ("choices", "messages") and isinstance(value, dict):
            yield from cast("dict[str, object]", value).items()
        else:
            yield key, value


def _is_plain(value: object) -> bool:
    """Return whether a value is a text or a number, or a list of them."""
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    return all(isinstance(item, str | int | float | None) for item in values)


def _choice(key: str, expected: Expected) -> str | None:
    alike = (n for n in expected.choices if folded(key) in (folded(n), folded(expected.title(n))))
    name = next(alike, None)
    if name is None and len(expected.choices) == 1 and _LABEL.fullmatch(key.strip()):
        (name,) = expected.choices
    return name


def _option(name: str, value: object, expected: Expected) -> Option | None:
    """Return the option that a value is, and nothing else."""
    kinds = (str, int, float) if isinstance(expected.choices[name][0], int) else (str,)
    spelled = rf"(?ai)[\s\"'(*`]*(?:option\s+)?(?P<option>{expected.spelling(name)})[\s\"')*`.!]*"
    match = re.fullmatch(spelled, str(value)) if isinstance(value, kinds) else None
    return expected.option(name, match["option"]) if match else None


def _tags(text: str, expected: Expected, taken: list[Place]) -> list[Data]:
    tags: list[Data] = []
    for tag in _TAG.finditer(text):
        inside = any(start <= tag.start() < end for start, end in taken)
        line = text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()].lstrip()
        name = _choice(tag[1], expected)
        if tag[1].lower() in ("output", "response") and len(expected.choices) == 1:
            name = next(iter(expected.choices))
            name = name if re.search(rf"(?ai)\b(?:{expected.labels(name)})\b", tag[2]) else None
        if name is None or inside or line.startswith((">", "`")):
            continue
        content = "\n".join(line for line in tag[2].splitlines() if not is_field(line))
        content = re.sub(rf"(?ai)^\s*(?:{expected.labels(name)})\s*[:=]", "", content)
        option = _option(name, content, expected)
        tags.append(
            Data(tag.span(), doubt="structure")
            if option is None
            else Data(tag.span(), {name: option})
        )
    return tags
