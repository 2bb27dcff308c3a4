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
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from nip_core.errors import InvalidDecisionError, InvalidResponseError, show
from nip_core.text import doubts
from nip_core.text.asked import Asked, Option, options_in_words
from nip_core.text.data_in_answers import Data, data_in, documents_in
from nip_core.text.grammar import Grammar, Statement, grammar
from nip_core.text.lines import Line, lines_of
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
_EMPTY_BLOCK = re.compile(r"(?m)^[ \t]*(`{3,}|~{3,})[^`\n]*\n(?:[-+*# \t]*\n)*[ \t]*\1[ \t]*$")
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


def read_answer(text: str, asked: Asked) -> Reading:
    """Read a model's answer.

    Raises
    ------
    InvalidResponseError
        If it cannot be read, with the reason for the model.
    """
    said, thoughts, unclosed = split_thoughts(text)
    if unclosed:
        raise InvalidResponseError(text, UNCLOSED)
    if not said.strip() and thoughts:
        raise InvalidResponseError(text, THOUGHTS_ONLY)
    scan = _scan(said, asked)
    if (
        _CALLS.match(said)
        or _ACTION.search(said)
        or any(data.doubt == "tool" for data in scan.data)
    ):
        raise InvalidResponseError(text, NO_TOOLS)
    made = _verdict(text, said, scan, asked) if asked.instead else _choices(text, scan, asked)
    thinks = any(data.thinks for data in scan.data)
    said = _without_thoughts(said) if thinks else said
    if asked.alone and made:
        return Reading(made, {}, said)
    if not asked.headers or asked.silent(made):
        return Reading(made, {}, said)
    return Reading(made, _messages(text, scan, asked, said), said)


def statements_in(text: str, asked: Asked) -> Iterator[Found]:
    """Yield the choices of a text, and what only looks like one, with their positions."""
    yield from _scan(text, asked).found


# -- choices -------------------------------------------------------------------------------------


def _verdict(text: str, said: str, scan: _Scan, asked: Asked) -> dict[str, Option]:
    """Return the verdict of an answer, which replaces a message; empty if there is none."""
    given = {found.option for found in scan.found} - {None}
    doubted = {found.doubt for found in scan.found} | {data.doubt for data in scan.data}
    asking = has_part(said, asked.headers) if len(asked.headers) > 1 else False
    asking = (
        asking
        or doubts.asks(scan.own, decided=bool(given))
        or any(data.message for data in scan.data)
    )
    if given and asking:
        doubted.add("asks")
    if len(given) > 1:
        doubted.add("two")
    doubted.discard("")
    if len(given) == 1 and doubted <= {"quoted"}:
        return dict.fromkeys(asked.choices, given.pop())  # type: ignore[arg-type]
    if not given and not doubted:
        plain = Plain.of(said).text
        doubted |= _structures(plain)
        if doubts.answers_itself(plain):
            doubted.add("unclear")
        judges = _VERDICT_WORD.search(plain) or _JUDGES.search(plain)
        if judges and not asking and not scan.data:
            words = [s for s in doubts.sentences(plain) if _VERDICT_WORD.search(s)]
            doubted.add("condition" if any(map(doubts.SUPPOSES.search, words)) else "unclear")
    if asked.last and not doubted & {
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
            go_on = _GO_ON if doubt != "owed" and not asked.last else ""
            raise InvalidDecisionError(text, f"{reason} {_again(asked)}{go_on}")
    return {}


def _again(asked: Asked) -> str:
    """Return how to write a verdict."""
    ((name, options),) = asked.choices.items()
    label = asked.titles.get(name, name.capitalize())
    lines = [f'"{label}: {asked.title(option)}"' for option in reversed(options)]
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


def _choices(text: str, scan: _Scan, asked: Asked) -> dict[str, Option]:
    """Return all choices of an answer, each of which is owed."""
    if not asked.choices:
        return {}
    made: dict[str, Option] = {}
    clear = {found.name for found in scan.found if not found.doubt}
    for found in scan.found:
        if found.doubt == "quoted" and asked.alone and found.name in clear:
            continue
        title = asked.title(found.name)
        form = f'Write "{title}: " and one of: {_open(asked, found.name)}.'
        if found.option is None or found.doubt:
            why = {
                "condition": "which depends on a condition or is for later; a choice is final",
                "quoted": "but as a quotation, or in a sentence with other words",
                "retracted": "and then takes it back, or seems to",
                "two": "and another option beside it",
            }.get(found.doubt, "which is not open")
            raise InvalidResponseError(
                text, f"The answer says {title}: {show(found.shown, MAX_SHOWN)}, {why}. {form}"
            )
        if made.setdefault(found.name, found.option) != found.option:
            raise InvalidResponseError(
                text,
                f"The answer chooses {title} twice: {asked.title(made[found.name])} and "
                f"{asked.title(found.option)}. "
                "Choose one.",
            )
    if any(data.doubt for data in scan.data):
        lines = "; ".join(f'"{asked.title(n)}: <{_open(asked, n)}>"' for n in asked.choices)
        raise InvalidResponseError(
            text, f"A document in the answer cannot be read. Write plain lines instead: {lines}."
        )
    missing = [name for name in asked.choices if name not in made]
    if missing:
        lines = "; ".join(f"{asked.title(n)}: {_open(asked, n)}" for n in missing)
        raise InvalidResponseError(
            text, f"A choice is missing. Write a line of its own for each of: {lines}."
        )
    # In the protocol's order, not the model's.
    return {name: made[name] for name in asked.choices}


def _open(asked: Asked, name: str) -> str:
    """Return the open options of a choice in words."""
    options = asked.choices[name]
    if isinstance(options[0], int):
        return options_in_words(options)
    return options_in_words([asked.title(option) for option in options])


def _scan(text: str, asked: Asked) -> _Scan:
    plain = Plain.of(text)
    data = data_in(plain.text, asked)
    found = [
        Found(
            next(iter(asked.choices)), None, each.place, "structure", plain.text[slice(*each.place)]
        )
        for each in data
        if each.doubt == "structure" and asked.instead
    ]
    bare = _blotted(plain.text, [each.place for each in data])
    stated, own, used = [], [bare], list[Place]()
    if asked.choices:
        reader = _Reader(bare, asked, [each for each in data if each.choices])
        stated, own, used = reader.read()
    taken = [_whole_lines(text, *plain.original(*place)) for place in used]
    taken += [plain.original(*each.place) for each in data if each.choices]
    rest = _blotted(text, taken, keeps=False)
    found = [each._replace(place=plain.original(*each.place)) for each in (*found, *stated)]
    return _Scan(found, rest, own, data)


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

    def __init__(self, text: str, asked: Asked, data: Sequence[Data]) -> None:
        self.text, self.asked = text, asked
        # Documents and tags with choices stand for lines, and a label alone may announce them.
        self.data = {each.place: each.choices for each in data}
        self.grammar: Grammar = grammar(asked)
        self.lines = [
            line for line in self._joined(own_lines(text, self.grammar)) if line.kind != "code"
        ]
        own = [line for line in self.lines if line.kind == "own"]
        own += [Line("", place, gap=text[: place[0]].endswith("\n\n")) for place in self.data]
        self.own = sorted(own, key=lambda line: line.place)
        self.quotations = quotations(text)
        self.whole = stripped(text, 0, len(text))

    def _joined(self, lines: Sequence[Line]) -> Iterator[Line]:
        """Yield lines, a label alone together with the line below it."""
        heading: Line | None = None
        for line in lines:
            if line.kind == "own" and self.grammar.heading(line.text):
                if heading:
                    yield heading
                heading = line
            elif heading and line.kind == "own":
                text = f"{heading.text.rstrip(':')}: {line.text}"
                place = heading.place[0], line.place[1]
                yield Line(text, place, gap=heading.gap, listed=heading.listed)
                heading = None
            else:
                yield line
        if heading and not self.data:
            yield heading

    def read(self) -> tuple[list[Found], list[str], list[Place]]:
        """Return the statements, the other own lines, and the positions of the statements."""
        stated: list[list[Statement]] = [self._on(place) for place in range(len(self.own))]
        talks = any(
            not each and not doubts.is_field(line.text)
            for each, line in zip(stated, self.own, strict=True)
        )
        made = {s.name: s.option for each in stated for s in each if s.option is not None}
        found: list[Found] = []
        others: list[str] = []
        for place, (line, statements) in enumerate(zip(self.own, stated, strict=True)):
            for statement in statements:
                doubt = statement.doubt or self._doubt(place, statement, talks, stated)
                if not doubt and place and stated[place - 1] and not line.gap:
                    # A line below one that is quoted is quoted too.
                    doubt = found[-1].doubt if found[-1].doubt in ("quoted", "condition") else None
                doubt = doubt or doubts.doubt_after(statement.rest, self.asked, made)
                shown = statement.shown or line.text.partition(":")[2].strip() or line.text
                option = None if doubt else statement.option
                found.append(Found(statement.name, option, line.place, doubt or "", shown))
            if not statements:
                others.append(line.text)
                doubt = doubts.doubt_after(line.text, self.asked, made) if found else None
                if doubt and not found[-1].doubt:
                    found[-1] = found[-1]._replace(option=None, doubt=doubt)
        found += [
            Found(each.name, None, line.place, "quoted", line.text)
            for line in self.lines
            if line.kind == "cited" and not self.own and (each := self.grammar.label(line.text))
        ]
        used = [
            line.place for line, each in zip(self.own, stated, strict=True) if each and line.text
        ]
        used += self._leading(stated)
        rests = [s.rest for each in stated for s in each if s.option is not None]
        return found, [*others, *rests], used

    def _leading(self, stated: list[list[Statement]]) -> list[Place]:
        """Return the positions of lines that only announce the choices below them."""
        return [
            line.place
            for place, line in enumerate(self.own[:-1])
            if stated[place + 1] and not stated[place] and _LEADS_TO_CHOICES.fullmatch(line.text)
        ]

    def _on(self, place: int) -> list[Statement]:
        """Return what an own line states."""
        line, grammar_ = self.own[place], self.grammar
        if line.place in self.data:
            made = self.data[line.place]
            return [Statement(name, option, shown=str(option)) for name, option in made.items()]
        pieces = _PIECES.split(line.text) if len(self.asked.choices) > 1 else []
        if len(pieces) > 1 and len(pieces) <= len(self.asked.choices):
            each = [grammar_.label(piece.strip()) for piece in pieces]
            if all(each):
                return [statement for statement in each if statement]
        if statement := grammar_.label(line.text):
            return [statement]
        if not self.asked.alone:
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
        self, place: int, statement: Statement, talks: bool, stated: list[list[Statement]]
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


def own_lines(text: str, forms: Grammar) -> list[Line]:
    """Return the lines of a text; those of a block of choices are own ones."""
    lines = list(lines_of(text))
    blocks: dict[int, bool] = {}
    for line in lines:
        if line.kind == "block":
            fits = forms.label(line.text) is not None or doubts.is_field(line.text)
            blocks[line.block] = blocks.get(line.block, True) and fits
    return [line._replace(kind="own") if blocks.get(line.block) else line for line in lines]


# -- messages ------------------------------------------------------------------------------------


def _messages(text: str, scan: _Scan, asked: Asked, said: str) -> dict[str, str]:
    """Return the message on each channel."""
    headers = dict(asked.headers)
    whole = said if asked.verbatim else _tidied(scan.rest)
    given = next((data.message for data in scan.data if data.message), None)
    if isinstance(given, Mapping):
        missing = [header for channel, header in headers.items() if channel not in given]
        if missing:
            raise InvalidResponseError(text, f"A message is missing: {', '.join(missing)}")
        messages = dict(given)
    elif given is not None:
        messages = dict.fromkeys(headers, given)
    elif any(not data.choices for data in scan.data if _is_whole(data, text)):
        raise InvalidResponseError(
            text, "The answer is a document. Write what the others shall read as plain text."
        )
    else:
        messages = _placed(text, whole, asked)
    for channel, message in messages.items():
        if loose_thought(message, (*headers, *asked.choices)):
            raise InvalidResponseError(text, LOOSE)
        if not message.strip() and not asked.verbatim:
            where = f" on {channel}" if len(messages) > 1 else ""
            raise InvalidResponseError(text, f"Your message{where} is missing: write it.")
    return messages


def _placed(text: str, whole: str, asked: Asked) -> dict[str, str]:
    headers = dict(asked.headers)
    if asked.verbatim:
        if len(headers) == 1:
            return dict.fromkeys(headers, whole)
        return split_parts(whole, headers)
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
    placed = placed_parts(whole, headers)
    if placed is None:
        raise InvalidResponseError(
            text,
            "You write on several channels: begin each message with a line that names its "
            f"channel, {' and '.join(headers.values())}",
        )
    return {channel: whole[slice(*placed[channel][1])] for channel in headers}


def _is_whole(data: Data, text: str) -> bool:
    said = Plain.of(split_thoughts(text).text).text
    return data.place == stripped(said, 0, len(said))


def _tidied(rest: str) -> str:
    """Return a message without what is left of the marks around choices."""
    rest = _EMPTY_BLOCK.sub("", rest)
    lines = rest.splitlines()
    said = [place for place, line in enumerate(lines) if line.strip("-+*#|_ \t")]
    return "\n".join(lines[said[0] : said[-1] + 1]) if said else ""


def _without_thoughts(said: str) -> str:
    """Return an answer that is a document without the reasoning in it."""
    ((place, document), *_) = documents_in(said)
    kept = {
        key: value
        for key, value in (document or {}).items()
        if not re.search(
            r"(?i)thought|think|reason|scratch|monologue|analysis|reflect|cot|why|explan|"
            r"justif|rational",
            key,
        )
    }
    return f"{said[: place[0]]}{json.dumps(kept, ensure_ascii=False)}{said[place[1] :]}"
