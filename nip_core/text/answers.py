"""Reading a model's answer as choices and messages: one reader for all protocols.

The documented reading (:mod:`nip_core.text.parsing`) finds a decision anywhere in a text, and is
kept for recorded completions. But a model also thinks aloud, quotes its instructions, changes its
mind, and says that it cannot decide yet. So this reader never guesses:

- Reasoning is cut off (:mod:`nip_core.text.thoughts`). A message with what looks like reasoning is
  not passed on.
- A choice is one of a closed list of forms (:mod:`nip_core.text.grammar`), or a small JSON document
  or tag (:mod:`nip_core.text.data_in_answers`), that nothing around it takes back
  (:mod:`nip_core.text.doubts`).
- Everything else that may have been meant as a choice goes back to the model, with one of
  :data:`REASONS` and the form to write.
- Where a verdict takes the place of a message, an answer without one is a message if it asks
  something, or contains no word of a verdict.

Reading takes linear time.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from nip_core.errors import (
    InvalidDecisionError,
    InvalidResponseError,
    NotAllActiveChannelsInResponseError,
    show,
)
from nip_core.text import doubts
from nip_core.text.data_in_answers import Data, data_in, documents_in
from nip_core.text.expected import Expected, Option, options_in_words
from nip_core.text.grammar import Grammar, StatedChoice, grammar
from nip_core.text.lines import AnswerLine, lines_of
from nip_core.text.parts import has_part, placed_parts, split_parts
from nip_core.text.plain import Place, Plain, quotations, stripped
from nip_core.text.thoughts import LOOSE, THOUGHTS_ONLY, UNCLOSED, loose_thought, split_thoughts

__all__ = ["NO_TOOLS", "REASONS", "Found", "Reading", "own_lines", "read_answer", "statements_in"]

NO_TOOLS = "There are no tools here. Write your move as plain text."
# Why an answer goes back to the model; the first that applies is given.
REASONS: dict[str, str] = {
    "tool": NO_TOOLS,
    "two": "The answer gives two verdicts that disagree.",
    "asks": "The answer gives a verdict and asks a question: do one of the two.",
    "condition": (
        "The verdict depends on a condition, or is one that you would give later; a verdict is "
        "final."
    ),
    "quoted": "The verdict is quoted beside other words, so it is not clear whether you give it.",
    "retracted": "Other words of the answer take the verdict back, or seem to.",
    "structure": "A table, a list, a document or a block in the answer may contain a verdict.",
    "owed": "This is your last turn, in which you must give your verdict.",
    "unclear": "It is not clear whether the answer gives a verdict.",
}
_GO_ON = " To go on without one, ask a question in plain sentences and give no verdict in it."
MAX_SHOWN = 60
_NO_BREAK = re.compile(r"[^\n]")
_VERDICT_WORD = re.compile(r"(?ai)\b(?:accept|reject)(?:s|ed|ance|ion|ing)?\b")
_JUDGES = re.compile(
    r"(?ai)\b(?:solution|claim|code|program|proof|statement|answer|it)\s+(?:is|to be|looks|"
    r"seems)\s+(?:\w+\s+)?"
    r"(?:(?:in)?correct|(?:in)?valid|wrong|right|true|false|flawed|sound|fine)\b|\b(?:lgtm|"
    r"approved?|denied|declined?)\b"
)
_PIECES = re.compile(r"[,;|]|\s/\s")
# Models write tool calls into their text if the server does not parse them.
_CALLS = re.compile(
    r"(?is)\s*(?:```\w*\s*)?(?:<\|?/?(?:tool_calls?|function_calls?|function=\w+|invoke)\b[^>]*>"
    r"|\[TOOL_CALLS\]|<\|python_tag\|>|<\uff5ctool)"
    r"|.*^[ \t]*<(tool_call|function_call)>.*</\1>[ \t]*$",
    re.MULTILINE,
)
_ACTION = re.compile(r"(?m)^[ \t]*+Action(?: Input)?:[^\n]*\n\s*+Action Input:")
_LEADS_TO_CHOICES = re.compile(
    r"(?ai)(?:here\s+(?:is|are)\s+)?"
    r"(?:(?:my|the|final)\s+)*(?:choices?|decisions?|answers?|verdict)(?:\s+(?:is|are))?\s*:?"
)
_EMPTY_BLOCK = re.compile(r"(?m)^[ \t]*(`{3,}+|~{3,}+)[^`\n]*+\n(?:[-+*# \t]*\n)*[ \t]*\1[ \t]*$")
_WRAPPED = re.compile(r"(?is)<(\w{1,40})>(.*)</\1>")
_MESSAGE_TAGS = ("message", "question", "argument", "response", "statement")


class Found(NamedTuple):
    """A choice in an answer, or what only looks like one.

    Parameters
    ----------
    name : str
    option : option or None
        None if it only looks like a choice.
    place : (int, int)
        Its position.
    doubt : str
        Why it does not count: a key of :data:`REASONS`.
    shown : str
        What stands where an option is expected.
    """

    name: str
    option: Option | None
    place: Place
    doubt: str = ""
    shown: str = ""


class Reading(NamedTuple):
    """How an answer was read.

    Parameters
    ----------
    choices : dict of str to option
        In the protocol's order.
    messages : dict of str to str
        By channel.
    said : str
        The answer without reasoning.
    """

    choices: dict[str, Option]
    messages: dict[str, str]
    said: str


class _Scan(NamedTuple):
    """What an answer contains."""

    found: list[Found]
    # The text without choices; the model's own lines besides them; and what data contains.
    rest: str
    own: list[str]
    data: list[Data]


def read_answer(text: str, expected: Expected) -> Reading:
    """Read a model's answer.

    Raises
    ------
    InvalidResponseError
        If it cannot be read, with the reason for the model.
    """
    answer, thoughts, unclosed = split_thoughts(text)
    if unclosed:
        raise InvalidResponseError(text, UNCLOSED)
    if not answer.strip() and thoughts:
        raise InvalidResponseError(text, THOUGHTS_ONLY)
    scan = _scan(answer, expected)
    if (
        _CALLS.match(answer)
        or _ACTION.search(answer)
        or any(data.doubt == "tool" for data in scan.data)
    ):
        raise InvalidResponseError(text, NO_TOOLS)
    made = (
        _verdict(text, answer, scan, expected)
        if expected.instead
        else _choices(text, scan, expected)
    )
    thinks = any(data.thinks for data in scan.data)
    answer = _without_thoughts(answer) if thinks else answer
    if expected.alone and made:
        return Reading(made, {}, answer)
    if not expected.headers or expected.silent(made):
        return Reading(made, {}, answer)
    return Reading(made, _messages(text, scan, expected), answer)


def statements_in(text: str, expected: Expected) -> Iterator[Found]:
    """Yield the choices of a text, and what only looks like one, with their positions."""
    yield from _scan(text, expected).found


# -- choices -------------------------------------------------------------------------------------


def _verdict(text: str, answer: str, scan: _Scan, expected: Expected) -> dict[str, Option]:
    """Return the verdict of an answer, which replaces a message; empty if there is none."""
    verdicts = {statement.option for statement in scan.found} - {None}
    doubted = {statement.doubt for statement in scan.found} | {data.doubt for data in scan.data}
    asking = has_part(answer, expected.headers) if len(expected.headers) > 1 else False
    asking = (
        asking
        or doubts.asks(scan.own, decided=bool(verdicts))
        or any(data.message for data in scan.data)
    )
    if verdicts and asking:
        doubted.add("asks")
    if len(verdicts) > 1:
        doubted.add("two")
    doubted.discard("")
    if len(verdicts) == 1 and doubted <= {"quoted"}:
        return dict.fromkeys(expected.choices, verdicts.pop())  # type: ignore[arg-type]
    if not verdicts and not doubted:
        plain = Plain.of(answer).text
        doubted |= _structures(plain)
        if doubts.answers_itself(plain):
            doubted.add("unclear")
        judges = _VERDICT_WORD.search(plain) or _JUDGES.search(plain)
        if judges and not asking and not scan.data:
            words = [s for s in doubts.sentences(plain) if _VERDICT_WORD.search(s)]
            doubted.add("condition" if any(map(doubts.SUPPOSES.search, words)) else "unclear")
    if expected.last and not doubted & {
        "two",
        "asks",
        "condition",
        "quoted",
        "retracted",
        "structure",
    }:
        doubted.add("owed")
    for doubt, reason in REASONS.items():
        if doubt in doubted:
            go_on = _GO_ON if doubt != "owed" and not expected.last else ""
            raise InvalidDecisionError(text, f"{reason} {_again(expected)}{go_on}")
    return {}


def _again(expected: Expected) -> str:
    """Return how to write a verdict."""
    ((name, options),) = expected.choices.items()
    label = expected.titles.get(name, name.capitalize())
    lines = [f'"{label}: {expected.title(option)}"' for option in reversed(options)]
    return f"To give your verdict, write one line and nothing else: {' or '.join(lines)}."


def _structures(text: str) -> set[str]:
    """Return whether a table, a block, or a list holds a word of a verdict."""
    for line in lines_of(text):
        alone = line.listed and re.search(
            r"(?ai)(?:^|[:=]\W*)(?:accept|reject)(?:ed)?\W*$", line.text
        )
        if alone or (line.kind in ("table", "block") and _VERDICT_WORD.search(line.text)):
            return {"structure"}
    return set()


def _choices(text: str, scan: _Scan, expected: Expected) -> dict[str, Option]:
    """Return all choices of an answer, each of which is owed."""
    if not expected.choices:
        return {}
    made: dict[str, Option] = {}
    clear = {statement.name for statement in scan.found if not statement.doubt}
    for statement in scan.found:
        if statement.doubt == "quoted" and expected.alone and statement.name in clear:
            continue
        title = expected.title(statement.name)
        form = f'Write "{title}: " and one of: {_open(expected, statement.name)}.'
        if statement.option is None or statement.doubt:
            why = {
                "condition": "which depends on a condition or is for later; a choice is final",
                "quoted": "but as a quotation, or in a sentence with other words",
                "retracted": "and then takes it back, or seems to",
                "two": "and another option beside it",
            }.get(statement.doubt, "which is not open")
            raise InvalidResponseError(
                text, f"The answer says {title}: {show(statement.shown, MAX_SHOWN)}, {why}. {form}"
            )
        if made.setdefault(statement.name, statement.option) != statement.option:
            raise InvalidResponseError(
                text,
                f"The answer chooses {title} twice: {expected.title(made[statement.name])} and "
                f"{expected.title(statement.option)}. "
                "Choose one.",
            )
    if any(data.doubt for data in scan.data):
        lines = "; ".join(
            f'"{expected.title(n)}: <{_open(expected, n)}>"' for n in expected.choices
        )
        raise InvalidResponseError(
            text, f"A document in the answer cannot be read. Write plain lines instead: {lines}."
        )
    missing = [name for name in expected.choices if name not in made]
    if missing:
        lines = "; ".join(f"{expected.title(n)}: {_open(expected, n)}" for n in missing)
        raise InvalidResponseError(
            text, f"A choice is missing. Write a line of its own for each of: {lines}."
        )
    # In the protocol's order, not the model's.
    return {name: made[name] for name in expected.choices}


def _open(expected: Expected, name: str) -> str:
    """Return the open options of a choice in words."""
    options = expected.choices[name]
    if isinstance(options[0], int):
        return options_in_words(options)
    return options_in_words([expected.title(option) for option in options])


def _scan(text: str, expected: Expected) -> _Scan:
    plain = Plain.of(text)
    data = data_in(plain.text, expected)
    statements = [
        Found(
            next(iter(expected.choices)),
            None,
            part.place,
            "structure",
            plain.text[slice(*part.place)],
        )
        for part in data
        if part.doubt == "structure" and expected.instead
    ]
    bare = _blotted(plain.text, [part.place for part in data])
    stated, own, used = [], [bare], list[Place]()
    if expected.choices:
        choices_in_data = [part for part in data if part.choices]
        reader = _Reader(bare, expected, choices_in_data, _exact(text, plain, expected))
        stated, own, used = reader.read()
    taken = [_whole_lines(text, *plain.original(*place)) for place in used]
    taken += [plain.original(*part.place) for part in data if part.choices]
    rest = _blotted(text, taken, keeps=False)
    statements = [
        statement._replace(place=plain.original(*statement.place))
        for statement in (*statements, *stated)
    ]
    return _Scan(statements, rest, own, data)


def _exact(text: str, plain: Plain, expected: Expected) -> dict[int, tuple[str, Option]]:
    """Return the lines in the very form that was asked for, whatever signs the titles contain.

    Each is known by its beginning in the plain text, in which such signs may be missing.
    """
    forms = {
        f"{expected.title(name)}: {expected.title(option)}": (name, option)
        for name, options in expected.choices.items()
        for option in options
    }
    exact: dict[int, tuple[str, Option]] = {}
    start = 0
    for line in text.split("\n"):
        if form := forms.get(line.strip()):
            exact[bisect_left(plain.places, start)] = form
        start += len(line) + 1
    return exact


def _whole_lines(text: str, start: int, end: int) -> Place:
    """Return the place of whole lines, with the signs on them that plain characters leave out."""
    after = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, len(text) if after < 0 else after + 1


def _blotted(text: str, places: Sequence[Place], *, keeps: bool = True) -> str:
    """Return a text without some parts, or with blanks for them, so that positions are kept."""
    kept: list[str] = []
    at = 0
    for start, end in sorted(places):
        if start >= at:
            kept += [text[at:start], _NO_BREAK.sub(" ", text[start:end]) if keeps else ""]
            at = end
    return "".join([*kept, text[at:]])


class _Reader:
    """Finds the statements on the lines of a text."""

    def __init__(
        self,
        text: str,
        expected: Expected,
        data: Sequence[Data],
        exact: Mapping[int, tuple[str, Option]],
    ) -> None:
        self.text, self.expected, self.exact = text, expected, exact
        # Documents and tags with choices stand for lines, and a label alone may announce them.
        self.data = {part.place: part.choices for part in data}
        self.grammar: Grammar = grammar(expected)
        lines = [
            line._replace(kind="own") if self._form(line) and line.kind != "code" else line
            for line in own_lines(text, self.grammar)
        ]
        self.lines = [line for line in self._joined(lines) if line.kind != "code"]
        own = [line for line in self.lines if line.kind == "own"]
        own += [AnswerLine("", place, gap=text[: place[0]].endswith("\n\n")) for place in self.data]
        self.own = sorted(own, key=lambda line: line.place)
        self.quotations = quotations(text)
        self.whole = stripped(text, 0, len(text))

    def _form(self, line: AnswerLine) -> tuple[str, Option] | None:
        """Return the choice of a line in the very form that was asked for."""
        return self.exact.get(self.text.rfind("\n", 0, line.place[0]) + 1)

    def _joined(self, lines: Sequence[AnswerLine]) -> Iterator[AnswerLine]:
        """Yield lines, a label alone together with the line below it."""
        heading: AnswerLine | None = None
        for line in lines:
            if line.kind == "own" and self.grammar.heading(line.text) and not self._form(line):
                if heading:
                    yield heading
                heading = line
            elif heading and line.kind == "own":
                text = f"{heading.text.rstrip(':')}: {line.text}"
                place = heading.place[0], line.place[1]
                yield AnswerLine(text, place, gap=heading.gap, listed=heading.listed)
                heading = None
            else:
                yield line
        if heading and not self.data:
            yield heading

    def read(self) -> tuple[list[Found], list[str], list[Place]]:
        """Return the statements, the other own lines, and the positions of the statements."""
        stated: list[list[StatedChoice]] = [self._on(place) for place in range(len(self.own))]
        talks = any(
            not own_statements and not doubts.is_field(line.text)
            for own_statements, line in zip(stated, self.own, strict=True)
        )
        made = {
            s.name: s.option
            for own_statements in stated
            for s in own_statements
            if s.option is not None
        }
        choices_made: list[Found] = []
        others: list[str] = []
        for place, (line, statements) in enumerate(zip(self.own, stated, strict=True)):
            for statement in statements:
                doubt = statement.doubt or self._doubt(place, statement, talks, stated)
                if not doubt and place and stated[place - 1] and not line.gap:
                    # A line below one that is quoted is quoted too.
                    doubt = (
                        choices_made[-1].doubt
                        if choices_made[-1].doubt in ("quoted", "condition")
                        else None
                    )
                doubt = doubt or doubts.doubt_after(statement.rest, self.expected, made)
                shown = statement.shown or line.text.partition(":")[2].strip() or line.text
                option = None if doubt else statement.option
                choices_made.append(Found(statement.name, option, line.place, doubt or "", shown))
            if not statements:
                others.append(line.text)
                doubt = doubts.doubt_after(line.text, self.expected, made) if choices_made else None
                if doubt and not choices_made[-1].doubt:
                    choices_made[-1] = choices_made[-1]._replace(option=None, doubt=doubt)
        choices_made += [
            Found(label.name, None, line.place, "quoted", line.text)
            for line in self.lines
            if line.kind == "cited" and not self.own and (label := self.grammar.label(line.text))
        ]
        used = [
            line.place
            for line, own_statements in zip(self.own, stated, strict=True)
            if own_statements and line.text
        ]
        used += self._leading(stated)
        rests = [
            s.rest for own_statements in stated for s in own_statements if s.option is not None
        ]
        return choices_made, [*others, *rests], used

    def _leading(self, stated: list[list[StatedChoice]]) -> list[Place]:
        """Return the positions of lines that only announce the choices below them."""
        return [
            line.place
            for place, line in enumerate(self.own[:-1])
            if stated[place + 1] and not stated[place] and _LEADS_TO_CHOICES.fullmatch(line.text)
        ]

    def _on(self, place: int) -> list[StatedChoice]:
        """Return what an own line states."""
        line, grammar_ = self.own[place], self.grammar
        if line.place in self.data:
            made = self.data[line.place]
            return [StatedChoice(name, option, shown=str(option)) for name, option in made.items()]
        if form := self._form(line):
            return [StatedChoice(*form)]
        pieces = _PIECES.split(line.text) if len(self.expected.choices) > 1 else []
        if len(pieces) > 1 and len(pieces) <= len(self.expected.choices):
            labels = [grammar_.label(piece.strip()) for piece in pieces]
            if all(labels):
                return [statement for statement in labels if statement]
        if statement := grammar_.label(line.text):
            return [statement]
        if not self.expected.alone:
            return []
        ends = place in (0, len(self.own) - 1) and not (line.listed and len(self.own) > 1)
        whole = len(self.own) == 1
        if ends and (statement := grammar_.bare(line.text, whole=whole)):
            return [statement]
        every = doubts.sentences(line.text)
        for number, sentence in enumerate(every):
            ends = number == len(every) - 1
            if number and ends and place < len(self.own) - 1 and grammar_.heading(sentence):
                continue  # "Sure! Here is my verdict:" announces the line below
            after = " ".join(every[number + 1 :])
            first = place == number == 0
            last = ends and place == len(self.own) - 1
            if statement := grammar_.label(sentence) or grammar_.sentence(sentence):
                if number and doubts.is_of_another(line.text):
                    return [statement._replace(option=None, doubt="quoted", shown=line.text)]
                return [statement._replace(rest=f"{statement.rest}\n{after}")]
            alone = not (line.listed and len(self.own) > 1)
            if (first or last) and alone and (statement := grammar_.bare(sentence, whole=whole)):
                return [statement._replace(rest=after)]
        return []

    def _doubt(
        self, place: int, statement: StatedChoice, talks: bool, stated: list[list[StatedChoice]]
    ) -> str | None:
        """Return why the place of a statement makes it doubtful, if it does."""
        line = self.own[place]
        if (line.quoted and talks) or self._inside(line.place):
            return "quoted"
        before = self.own[place - 1] if place and not stated[place - 1] else None
        following = place + 1 < len(self.own) and not stated[place + 1]
        after = self.own[place + 1] if following else None
        return doubts.doubt_before(before, line, after, bare=statement.bare)

    def _inside(self, place: Place) -> bool:
        """Return whether a line is in a longer quotation that is not the whole answer."""
        at = bisect_right(self.quotations, (place[0], len(self.text)))
        start, end = self.quotations[at - 1] if at else (0, 0)
        larger = start < place[0] and place[1] < end
        return (larger or place[1] < end - 1) and (start, end) != self.whole


def own_lines(text: str, forms: Grammar) -> list[AnswerLine]:
    """Return the lines of a text; those of a block of choices are own ones."""
    lines = list(lines_of(text))
    blocks: dict[int, bool] = {}
    for line in lines:
        if line.kind == "block":
            fits = forms.label(line.text) is not None or doubts.is_field(line.text)
            blocks[line.block] = blocks.get(line.block, True) and fits
    return [line._replace(kind="own") if blocks.get(line.block) else line for line in lines]


# -- messages ------------------------------------------------------------------------------------


def _messages(text: str, scan: _Scan, expected: Expected) -> dict[str, str]:
    """Return the message on each channel."""
    headers = dict(expected.headers)
    whole = _tidied(scan.rest)
    message_in_data = next((data.message for data in scan.data if data.message), None)
    if isinstance(message_in_data, Mapping):
        missing = [header for channel, header in headers.items() if channel not in message_in_data]
        if missing:
            raise InvalidResponseError(text, f"A message is missing: {', '.join(missing)}")
        messages = dict(message_in_data)
    elif message_in_data is not None:
        messages = dict.fromkeys(headers, message_in_data)
    elif any(not data.choices for data in scan.data if _is_whole(data, text)):
        raise InvalidResponseError(
            text, "The answer is a document. Write what the others shall read as plain text."
        )
    else:
        messages = _placed(text, whole, expected)
    for channel, message in messages.items():
        if loose_thought(message, (*headers, *expected.choices)):
            raise InvalidResponseError(text, LOOSE)
        if not message.strip():
            where = f" on {channel}" if len(messages) > 1 else ""
            raise InvalidResponseError(text, f"Your message{where} is missing: write it.")
    return messages


def _placed(text: str, whole: str, expected: Expected) -> dict[str, str]:
    headers = dict(expected.headers)
    if len(headers) == 1:
        (channel,) = headers
        # A header or a tag around the message is optional.
        for header in (headers[channel], "message:"):
            placed = placed_parts(whole, {channel: header})
            if placed is not None and not whole[: placed[channel][0]].strip():
                whole = whole[slice(*placed[channel][1])]
        wrapped = _WRAPPED.fullmatch(whole.strip())
        if wrapped and wrapped[1].lower() in (*_MESSAGE_TAGS, channel.lower()):
            whole = wrapped[2]
        return {channel: whole.strip()}
    try:
        return split_parts(whole, headers)
    except NotAllActiveChannelsInResponseError:
        raise InvalidResponseError(
            text,
            "You write on several channels: begin each message with its heading, "
            f"{' and '.join(headers.values())}",
        ) from None


def _is_whole(data: Data, text: str) -> bool:
    answer = Plain.of(split_thoughts(text).text).text
    return data.place == stripped(answer, 0, len(answer))


def _tidied(rest: str) -> str:
    """Return a message without what is left of the marks around choices."""
    rest = _EMPTY_BLOCK.sub("", rest)
    lines = rest.splitlines()
    written = [place for place, line in enumerate(lines) if line.strip("-+*#|_ \t")]
    return "\n".join(lines[written[0] : written[-1] + 1]) if written else ""


def _without_thoughts(answer: str) -> str:
    """Return an answer that is a document without the reasoning in it."""
    ((place, document), *_) = documents_in(answer)
    kept = {
        key: value
        for key, value in (document or {}).items()
        if not re.search(
            r"(?i)thought|think|reason|scratch|monologue|analysis|reflect|cot|why|explan|"
            r"justif|rational",
            key,
        )
    }
    return f"{answer[: place[0]]}{json.dumps(kept, ensure_ascii=False)}{answer[place[1] :]}"
