"""Separating a model's reasoning from its answer.

A known mark (:data:`THOUGHT_NAMES` in brackets, and those of some families of models) begins
reasoning anywhere, except in code and in quotations, where it is only mentioned. Everything up to
the last closing mark is reasoning, with or without an opening mark, since many servers put the
opening mark into the prompt. At the beginning of an answer, a fenced block named like such a mark,
an HTML comment and a folded section are reasoning too. Reasoning that is never closed extends to
the end, and the answer is marked as `unclosed`. Reading takes linear time.

What looks like reasoning but is in no such marks is found by :func:`loose_thought`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from nip_core.text.lines import lines_of, unquoted
from nip_core.text.plain import Place, Plain, quotation, stripped

__all__ = [
    "LOOSE",
    "THOUGHTS_ONLY",
    "THOUGHT_NAMES",
    "UNCLOSED",
    "Parting",
    "SplitAnswer",
    "loose_thought",
    "part",
    "split_thoughts",
]


UNCLOSED = (
    "The answer begins a thought and never ends it. Close it, for example with </think>, and write "
    "your move below; put marks that you only speak of into backticks."
)


THOUGHTS_ONLY = (
    "The answer holds thoughts only, and nothing that the others could read. Write your move below "
    "them."
)
LOOSE = (
    "A part of the answer looks like thoughts, and the others would read it. What you only think "
    "must stand at the beginning, between <scratchpad> and </scratchpad>: everything else is said "
    "to the others."
)


class SplitAnswer(NamedTuple):
    """A model's output.

    Parameters
    ----------
    text : str
        The answer.
    thoughts : str
        The reasoning, which no other seat may see.
    unclosed : bool
        Whether there is reasoning that is never closed.
    """

    text: str
    thoughts: str
    unclosed: bool = False


class Parting(NamedTuple):
    """The positions of answer and reasoning, as (start, end).

    Parameters
    ----------
    said : (int, int)
    thought : tuple of (int, int)
        In order. The rest consists of marks and text around the answer.
    unclosed : bool
        Whether there is reasoning that is never closed.
    """

    said: Place
    thought: tuple[Place, ...]
    unclosed: bool = False


# The names in marks around reasoning; we offer "scratchpad" ourselves.
THOUGHT_NAMES = (
    "think|thinking|thoughts?|thought_process|reasoning|reflection|analysis|scratch_?pad|"
    "(?:inner|internal)_(?:monologue|thoughts?)|chain_of_thought|cot|antthinking|seed:think"
)
_LEFT, _RIGHT = r"(?:<\|?|&lt;)\s?", r"\s?(?:\|?>|&gt;)"
_ATTRIBUTES = r"(?:\s[^<>\n]{0,80}=[^<>\n]{0,80})?"
_OPENS = (
    rf"{_LEFT}(?:(?:{THOUGHT_NAMES}){_ATTRIBUTES}|(?:start|begin)(?:_of)?_(?:{THOUGHT_NAMES}))"
    rf"{_RIGHT}|\[(?:{THOUGHT_NAMES}|unused16)\]|\u25c1think\u25b7|<\|channel>thought\b"
)
_CLOSES = (
    rf"{_LEFT}(?:/\s?(?:{THOUGHT_NAMES})|end(?:_of)?_(?:{THOUGHT_NAMES})){_RIGHT}"
    rf"|\[/(?:{THOUGHT_NAMES})\]|\[unused17\]|\u25c1/think\u25b7|<channel\|>"
)
_EMPTY = rf"{_LEFT}(?:{THOUGHT_NAMES})\s?/{_RIGHT}"
_FENCE = r"^[ \t]*(?P<ticks>`{3,}|~{3,})[ \t]*(?P<name>[^`\n]*)$"
# A comment, and a section that is folded on screens.
_HIDDEN = (
    r"<!--|<details[^>\n]{0,80}>\s*<summary>"
    rf"[^<\n]{{0,80}}(?:{THOUGHT_NAMES})[^<\n]{{0,80}}</summary>"
)
_NAMED = re.compile(rf"(?i)(?:{THOUGHT_NAMES})\b")
_OUTSIDE = re.compile(
    rf"(?im)(?P<fence>{_FENCE})|(?P<hidden>{_HIDDEN})"
    rf"|(?P<spoken_of>(?<!`)(?P<tick>`++)[^`\n]*+(?P=tick)(?!`)|^[ \t]*>[^\n]*)"
    rf"|(?P<quoted>{quotation(lines=False)})"
    rf"|(?P<empty>{_EMPTY})|(?P<opens>{_OPENS})|(?P<closes>{_CLOSES})|(?P<channel><\|channel\|>)"
)
# Within reasoning, a single backtick is ignored; a mark between two of them is only mentioned.
_INSIDE = re.compile(
    rf"(?i)(?P<spoken_of>[`\"'\u201c](?:{_OPENS}|{_CLOSES})[`\"'\u201d])"
    rf"|(?P<opens>{_OPENS})|(?P<closes>{_CLOSES})"
)
_FENCE_LINE = re.compile(rf"(?m){_FENCE}")

# One family of models writes on channels of its own, of which only the last is the answer.
_CHANNEL = re.compile(
    r"<\|channel\|>\s*([a-z]{1,40})[^<]{0,100}(?:<\|constrain\|>[^<]{0,100})?<\|message\|>"
)
_END = re.compile(r"<\|(?:end|start|return|call|channel|im_end|eot_id|end_of_text)\|>")
# The same if a server has removed the marks but not the words.
_BARE_CHANNEL = re.compile(r"\s*(?:analysis|commentary)(?=[A-Z])")
_BARE_FINAL = "assistantfinal"
# Marks of some models around the answer after reasoning.
_WRAPPED = re.compile(
    r"(?is)\A<(answer|response|output|final|message|reply)>(.*)</\1>\Z"
    r"|\A<\|(?:START_RESPONSE|begin_of_solution)\|>(.*?)(?:<\|(?:END_RESPONSE|"
    r"end_of_solution)\|>|\Z)"
)


def split_thoughts(text: str) -> SplitAnswer:
    """Separate a model's answer from its reasoning."""
    parting = part(text)
    thoughts = (text[start:end].strip() for start, end in parting.thought)
    answer = text[slice(*parting.said)]
    return SplitAnswer(answer, "\n\n".join(filter(None, thoughts)), parting.unclosed)


def part(text: str) -> Parting:
    """Return the positions at which :func:`split_thoughts` cuts."""
    plain = Plain.of(text)
    answer, thought, unclosed = _part(plain.text)
    if not thought and answer == (0, len(plain.text)):
        return Parting((0, len(text)), ())
    places = [plain.original(*place) for place in thought]
    if thought and thought[-1][1] == len(plain.text):
        places[-1] = places[-1][0], len(text)
    if thought and thought[0][0] == 0:
        places[0] = 0, places[0][1]
    return Parting(plain.original(*answer), tuple(places), unclosed)


def _part(text: str) -> Parting:
    marks = _marks(text)
    if marks.channel >= 0:
        return _on_channels(text, marks.channel)
    start = marks.start
    if start == 0 and _BARE_CHANNEL.match(text):
        final = text.rfind(_BARE_FINAL)
        start = len(text) if final < 0 else final + len(_BARE_FINAL)
    end = len(text) if marks.opened is None else max(start, marks.opened)
    if start == 0 and end == len(text):
        return Parting((0, end), ())
    thoughts = tuple(place for place in ((0, start), (end, len(text))) if place[0] < place[1])
    return Parting(_unwrapped(text, *stripped(text, start, end)), thoughts, end < len(text))


class _Marks(NamedTuple):
    """Finds the end of the last reasoning, the start of an unclosed one, and the first channel."""

    start: int = 0
    opened: int | None = None
    channel: int = -1


def _marks(text: str) -> _Marks:
    at = start = opened = begun = depth = 0
    whole = stripped(text, 0, len(text))
    while mark := (_INSIDE if depth else _OUTSIDE).search(text, at):
        at = mark.end()
        match mark.lastgroup:
            case "fence" if _NAMED.match(mark["name"]) and not text[start : mark.start()].strip():
                at = start = _end_of_code(text, mark)
                if start == mark.end():
                    return _Marks(opened=mark.start())
            case "hidden" if not text[start : mark.start()].strip():
                end = "-->" if mark[0] == "<!--" else "</details>"
                closed = text.find(end, at)
                if closed < 0:
                    return _Marks(start, mark.start())
                at = start = closed + len(end)
            case "fence":
                at = _end_of_code(text, mark)
            case "quoted" if mark.span() == whole:
                at = mark.start() + 1  # quotation marks around the whole answer do not count
            case "empty":
                start = at
            case "opens":
                # Some models repeat the mark at the end of their prompt.
                depth += not (depth and not text[begun : mark.start()].strip())
                begun = at
                opened = mark.start() if depth == 1 else opened
            case "closes":
                depth = max(0, depth - 1)
                start = at if depth == 0 else start
            case "channel":
                return _Marks(channel=mark.start())
            case _:
                pass
    return _Marks(start, opened if depth else None)


def _end_of_code(text: str, fence: re.Match[str]) -> int:
    """Return the end of a block of code; an unclosed block does not count."""
    ticks = fence["ticks"]
    end = _FENCE_LINE.search(text, fence.end())
    closed = end is not None and end[0].strip().startswith(ticks)
    return end.end() if end and closed and not end[0].strip().strip(ticks[0]) else fence.end()


def _on_channels(text: str, first: int) -> Parting:
    named = list(_CHANNEL.finditer(text, first))
    everything = Parting((len(text), len(text)), ((0, len(text)),))
    if not named:
        return everything
    last = named[-1]
    ended = _END.search(text, last.end())
    answer = (last.end(), len(text) if ended is None else ended.start())
    if last[1] != "final" or answer[0] == answer[1]:
        return everything
    return Parting(stripped(text, *answer), ((0, last.start()),))


def _unwrapped(text: str, start: int, end: int) -> Place:
    wrapped = _WRAPPED.match(text[start:end])
    if wrapped is None:
        return start, end
    group = 2 if wrapped[2] else 3
    if not wrapped[group]:
        return start, start
    return stripped(text, start + wrapped.start(group), start + wrapped.end(group))


# Labels that say that a text is not meant for others; those that do so only above a text under
# another label, such as "Message:"; and the first words of reasoning that was not marked.
_PRIVATE = (
    r"(?:(?:inner|internal|private|hidden|secret|own|step[- ]by[- ]step)\s+){0,2}"
    r"(?:thoughts?(?:\s+process)?(?:\s+\d{1,3})?|thinking|reasoning|rationale|monologue|"
    r"scratch[ _-]?pad|"
    r"thinks|self[- ]talk|asides?|reflections?|deliberations?|chain[ -]of[ -]thoughts?|cot|"
    r"notes?\s+to\s+(?:my)?self)"
    r"(?:\s+(?:to\s+(?:(?:my|him|her|it)self|themselves)|out\s+loud|aloud|privately|silently))?"
    r"|(?:inner|internal|private|hidden|secret)(?:\s+(?:notes?|plan|strategy|analysis|comments?))?"
)
# The same in the languages that models change to most often when they reason.
_FOREIGN = (
    "gedanken(?:gang)?|[\u00dc\u00fc]berlegung(?:en)?|denkprozess|"
    "r[e\u00e9]flexions?|raisonnement|pens[e\u00e9]es?|"
    "pensamientos?|razonamiento|reflexi[o\u00f3]n|pensieri|ragionamento|riflession[ei]|"
    "pensamentos?|racioc[i\u00ed]nio|reflex[a\u00e3]o|gedachten?|redenering|overwegingen|"
    "\u043c\u044b\u0441\u043b\u0438|\u0440\u0430\u0437\u043c\u044b\u0448\u043b\u0435\u043d\u0438\u044f|\u0440\u0430\u0441\u0441\u0443\u0436\u0434\u0435\u043d\u0438[\u0435\u044f]|"
    "\u601d\u8003|\u601d\u8def|\u601d\u7ef4|\u63a8\u7406|\u8003\u3048|\u63a8\u8ad6|\uc0dd\uac01|\ucd94\ub860"
)
_WORKING = (
    r"analysis|plan|strategy|notes?|observations?|evaluation|assessment|approach|considerations?"
)
_ENDS = r"(?:\s*\([^()\n]{0,40}\))?[*_`\s]*(?:[:\uff1a)\]}]|[-\u2013\u2014]\s|$)"
_OWNER = r"^[\W_]{0,10}(?:(?:my|the|our|some)\s+)?"
_LABELLED = re.compile(rf"(?ai){_OWNER}(?P<name>{_PRIVATE}){_ENDS}")
_LABELLED_ABROAD = re.compile(rf"(?i)^[\W_]{{0,10}}(?:{_FOREIGN}){_ENDS}")
# A label of a few words, one of which is such a label; a question is none.
_SOME_LABEL = re.compile(
    r"(?ai)^[\W_]{0,10}(?!(?:why|what|who|where|when|how|which)\b)(?!.{0,40}(?:\b(?:your|his|her|their|the)\b|"
    r"['\u2019]s\b))(?:[\w()]{1,20}[ \t]+){0,4}"
    r"\(?(?:thoughts?|thinking|reasoning|monologue|scratchpad|private|internal)\)?[*_]*[:\uff1a]"
)
_TAGGED = re.compile(
    r"(?i)<\w{0,40}(?:think|thought|reason|rationale|plan|inner|internal|private|hidden|secret|"
    r"scratch|notes?\b|analysis|reflect|monolog|strateg)\w{0,40}>"
    # Marks of a chat template: what they begin may be anything.
    r"|<\|(?:start|begin|im_start|header|channel|message|system|user)\w{0,40}\|>"
)
_WORKED = re.compile(
    rf"(?ai){_OWNER}(?P<name>{_WORKING}){_ENDS}"
    r"|^[\W_]{0,10}(?:(?:ok(?:ay)?|alright|so|well|now|first),?\s+){0,3}(?:let me|let's|hmm+|"
    r"i\s+(?:should|need to|must|will|'ll)|i(?:\s+am|'m)\s+(?:the\s+)?(?:expert|prover|debater))\b"
)
# Any other label above "Answer:" may be one of thoughts, besides these.
_TITLE = re.compile(
    r"^[\W_]{0,10}(?!\d)\w[\w ;.'\u2019()/-]{0,40}?[*_]*[ \t]?[:\uff1a](?:[*_]*\s|[*_]*$)"
)
_OF_MESSAGE = re.compile(
    r"(?i)^[\W_]{0,10}(?:(?:my|the|first|second)\s+)?(?:claims?|evidence|examples?|counter-?examples?|"
    r"quotes?|facts?|inputs?|outputs?|results?|expected|given|lines?|cases?|tests?|trace|re|ad|dear|"
    r"thanks?|context|background|problem|summary|verifier|judge|expert|debater|hello|hi)\b"
)
_SAYS = re.compile(
    r"(?i)^[\W_]{0,10}(?:(?:my|the|final|public|next)\s+)*"
    r"(?:message|answer|question|response|reply|output|public|statement|argument|final|"
    r"critique|rebuttal|comment|frage|antwort|nachricht|r[e\u00e9]ponse|pregunta|respuesta|mensaje|"
    r"domanda|risposta|messaggio|pergunta|resposta|mensagem|vraag|antwoord|"
    r"\u0432\u043e\u043f\u0440\u043e\u0441|\u043e\u0442\u0432\u0435\u0442|\u95ee\u9898|\u95ee|\u56de\u7b54|\u7b54\u6848|\u6d88\u606f|\u8cea\u554f|\uc9c8\ubb38|\ub2f5\ubcc0|"
    r"to\s+\w{1,40})"
    r"[^\n:]{0,40}(?:[:\uff1a]|$)"
)
_MONOLOGUE = re.compile(
    r"(?ai)^[\W_]{0,10}(?:(?:ok(?:ay)?|alright|hmm+|well|so|now)[,.]?\s+){0,2}(?:the user\b"
    r"|we\s+(?:need|have|must|should)\s+(?:to\s+)?(?:produce|answer|output|respond|decide|"
    r"write|reply)\b"
    r"|(?:we|i)(?:'re|'m|\s+are|\s+am)\s+(?:asked|given|supposed)\b"
    r"|the\s+(?:task|prompt|system prompt|instructions?)\s+(?:is|says?|asks?|wants?|tells?)\b)"
)
# Lines in italics.
_SLANTED = re.compile(r"(?m)^[ \t]*(\*{3}|_{3}|[*_])(?![*_\s])[^*_]*\1[ \t]*$")
_BALLOON = re.compile("(?m)^[ \t>]*\U0001f4ad")
_MARKED = re.compile(rf"(?im)^[ \t]*(?:`{{3,}}|~{{3,}})[ \t]*(?:{THOUGHT_NAMES})\b|{_HIDDEN}")


def loose_thought(text: str, names: Collection[str] = ()) -> bool:
    """Return whether a message contains what looks like reasoning, without marks that end it.

    Parameters
    ----------
    text : str
        The message, in plain characters except for signs.
    names : collection of str
        Labels that the message may have: the names of its channels.
    """
    if _BALLOON.search(text) or _MARKED.search(text) or _MONOLOGUE.match(text):
        return True
    plain = Plain.of(text).text
    lines = [line for line in lines_of(plain) if line.kind in ("own", "cited")]
    known = {name.casefold() for name in names}
    works = False
    for line in lines:
        if works and _SAYS.match(line.text):
            return True
        label = _LABELLED.match(line.text)
        if (label and label["name"].casefold() not in known) or _SOME_LABEL.match(line.text):
            return True
        if _LABELLED_ABROAD.match(line.text):
            return True
        if line.kind == "own" and _TAGGED.search(unquoted(line.text)):
            return True
        works = works or bool(_WORKED.match(line.text)) or _has_other_title(line.text)
    return len(lines) > 1 and _SLANTED.search(plain) is not None


def _has_other_title(line: str) -> bool:
    """Return whether a line has a label that does not belong to a message."""
    return bool(_TITLE.match(line) and not _SAYS.match(line) and not _OF_MESSAGE.match(line))
