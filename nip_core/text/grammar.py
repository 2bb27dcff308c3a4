"""The forms of an answer that give a choice: a closed list.

A statement is one of

- a label, a separator and an option: "Decision: accept", "My verdict is A", "estimate = 60";
- a sentence: "I accept the claim.", "I choose A.", "The correct answer is B.";
- an option alone on the first or the last line: "**A**", "Option A", "(A)";

and then an ending: nothing, how sure the model is, or a reason. What begins like a statement and
does not end like one is none, and is reported as doubtful. A clause before it ("Based on the
quotes, ...") must not suppose anything, or name another author.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from nip_core.text.expected import WEAK_LABELS, Expected, Key, Option
from nip_core.text.lines import MARKUP, QUOTES

__all__ = [
    "BETWEEN",
    "GOES_ON",
    "LEAD",
    "OTHERS",
    "SUPPOSES",
    "Doubt",
    "Grammar",
    "StatedChoice",
    "grammar",
]

Doubt = Literal["two", "asks", "condition", "quoted", "retracted", "structure", "unclear"]

# Words that mark what is near them as another's or as an example, and as supposed or for later.
OTHERS = re.compile(
    r"(?ai)\b(?:wrote|writes?|said|says?|saying|claim(?:ed|s)|answer(?:ed|s)|stated|told|asked|"
    r"quoted|example|format|template|instructions?|options?|message|as follows|following|below|"
    r"next line|this line|\w+['\u2019]s (?:view|opinion|verdict|answer|choice|position))\b"
)
SUPPOSES = re.compile(
    r"(?ai)\b(?:if|unless|when|once|suppos\w+|assum\w+|until|otherwise|else|in (?:that|which) case"
    r"|(?:i|we|it|verdict|decision|answer)(?:\s+\w+ly|\s+then)?\s+"
    r"(?:will(?! now)|would|could|might|may|should)|(?:i|it)['\u2019](?:d|ll)|would"
    r"|(?:do|can|could|will|would|may)(?:\s+not|not|n['\u2019]t)\s+(?:yet\s+)?"
    r"(?:say|write|decide|answer|give|accept|reject|conclude))\b"
)

# The model's own name before what it says, as in a transcript.
_SPEAKER = r"(?:(?:verifier|judge)[*_\s]*:[*_\s]*)?"
LEAD = (
    rf"{_SPEAKER}(?:\(?\d{{1,2}}[.)]\s+)?"
    r"(?:(?:so|thus|therefore|hence|finally|overall|in conclusion|in summary|"
    r"to conclude|ok|okay|and|here is|here's|this is|accordingly|consequently|surely|clearly|"
    r"i (?:think|believe|judge|conclude)(?: that)?|i'd say|i would say|i am going with|"
    r"i'm going with)[,:]?\s+){0,3}"
)
_OWN = (
    r"(?:(?:my|the|our)\s+)?"
    r"(?:(?:final|overall|official|verifier's|own|correct|right|best)\s+){0,2}"
)
BETWEEN = r"(?:is\b\s*:?|goes to\b|=>|[:=|\uff1a]|[-\u2013\u2014]+>?|\u2192|\.\.\.)"
_OPENING = (
    rf"(?:[{QUOTES}\[(<{{]|\$|\\(?:boxed|text|textbf|mathbf)\{{){{0,3}}"
    r"(?:(?:option|choice|answer|side)\s+)?\(?"
)
_CLOSING = rf"[*_`{QUOTES})\]>}}$\\]*"
_WE = r"(?:(?:i|we)\s+(?:(?:would|must|will|therefore|hereby|have to)\s+){0,2})?(?:to\s+)?"
_AUXILIARY = (
    r"(?:(?:must|will|am|have|therefore|hereby|thus|hence|now|to|going|decided|would)\s+){0,4}"
)
_SAYING = (
    rf"(?:i|we)(?:'m|'ll|'d)?\s+{_AUXILIARY}"
    r"(?:say|choose|pick|select|go(?:ing)?\s+with|settle\s+(?:on|for)|vote|opt|find|decide|rule)"
    r"(?:\s+(?:for|on|that))?(?:\s+it\s+is)?(?:\s+to)?[:,]?\s+|vote\s+for\s+"
)
_OBJECT = (
    r"(?:\s+(?:the|this|your|his|her|their)\s+(?:proposed\s+|given\s+)?"
    r"(?:solution|code|program|claim|statement|function|proposal|proof)\b|\s+(?:it|this)\b)"
)
_PREFERRED = (
    r"(?:\s+is\s+(?:the\s+)?(?:correct|right|best|true|winning)"
    r"(?:\s+(?:answer|option|choice|side|one))?)"
)
# A clause before a statement: "Based on the quotes, ...", "It never ends, so ...".
_CLAUSE = re.compile(
    r"(?ai)^(?:after|having|based on|given|considering|on|in|in view of|weighing|looking at)\b"
    r"[^,.:;?!\n]{1,100}[,:]\s+|^[^.:;?!\n]{1,150}?[,;]?\s(?:so|therefore|thus|hence)\s+(?=\S)"
)
_BECAUSE = re.compile(r"(?ai),?\s+(?:because|since|as|for|on the grounds|due to)\b")
_IF = (
    r"(?:(?:only|even|but|and|at least)\s+)*(?:if|unless|provided|providing|assuming|assumed|"
    r"supposing|as long as|so long as|as soon as|on (?:the )?condition|in case|given that|until|"
    r"once|when|whenever|subject to|contingent|conditional|provisional|tentative|hypothetical|"
    r"draft|preliminary|interim|maybe|perhaps|probably|possibly|pending|for now|for the moment|"
    r"so far)"
)
_CONDITION = re.compile(rf"(?ai)[\s,;:(\u2013\u2014-]*{_IF}\b")
GOES_ON = re.compile(rf"^[(\s,]*{_IF}\b")  # a new sentence begins with a capital letter
_OPEN = re.compile(
    r"(?ai)[\s,;:(\u2013\u2014-]*(?:and|or|only|but only|would|may|might|could|should|can|"
    r"cannot|is|"
    r"was|has|seems|versus|vs|(?:so\s+)?(?:he|she|they|it|we|i)\s+"
    r"(?:say|said|think|thought|claim|want|wrote|once|used)\w*|says?|said|wrote|writes|"
    r"according\s+to|"
    r"as\s+(?!\w+\s+shows)[\w ]{1,30}\s"
    r"(?:says?|said|claim\w*|argue\w*|suggest\w*|want\w*|wrote|insist\w*|would|did))\b"
)
_HOW_SURE = re.compile(
    r"(?ai)[\s*_`|,;:.(\[/\u2013\u2014-]{0,12}(?:(?:with|at|and)\s+)?(?:(?:an?|my|the)\s+)?"
    r"(?:(?:very\s+)?(?:high|low|moderate|medium|great|full|\d{1,3}\s?%)\s+)?"
    r"(?:confidence|certainty)\b"
)
_LATER = (
    r"(?:will|would|could|might|may|should|shall)(?:\s+(?:then|now|probably|likely|most likely))?"
)
_ITEM = re.compile(r"\)\s+(?=\w)")  # "B) she"
_REST = re.compile(r"\s*(?:\.{1,3}|[!;:,(\[\u2013\u2014])|\s+-+\s|\s*-+\s|\s+(?:#|//)\s|\s*$")


class StatedChoice(NamedTuple):
    """What a line states.

    Parameters
    ----------
    name : str
        The choice.
    option : option or None
        None if the line only looks like a statement, for the reason in `doubt`.
    rest : str
        What follows the option.
    doubt : str, optional
    shown : str
        What stands where an option is expected.
    bare : bool
        Whether there is no more than an option and a reason.
    """

    name: str
    option: Option | None
    rest: str = ""
    doubt: Doubt | None = None
    shown: str = ""
    bare: bool = False


class Grammar:
    """The forms in which the choices of a turn can be made."""

    def __init__(self, expected: Expected) -> None:
        self.expected = expected
        self._labels: dict[str, re.Pattern[str]] = {}
        self._announced: dict[str, re.Pattern[str]] = {}
        self._values: dict[str, re.Pattern[str]] = {}
        for name in expected.choices:
            label = rf"(?ai)^{LEAD}{_OWN}(?:{expected.labels(name)})"
            spelling = expected.spelling(name)
            self._labels[name] = re.compile(
                rf"{label}(?:\s+\(final\))?{MARKUP}(?:{BETWEEN}|$){MARKUP}"
            )
            self._announced[name] = re.compile(
                rf"{label}\s+{_LATER}\s+be{MARKUP}(?::{MARKUP})?"
                rf"(?:$|{_OPENING}(?:to\s+)?(?:{spelling})\b)"
            )
            self._values[name] = re.compile(
                rf"(?ai){_OPENING}{_WE}(?P<option>{spelling})(?![\w-]|'\w)"
            )
        self.only = next(iter(expected.choices)) if len(expected.choices) == 1 else None
        forms = [] if self.only is None else self._forms(self.only)
        self._sentences = [re.compile(rf"(?ai)^{LEAD}{form}") for form in forms]
        only = re.escape("") if self.only is None else expected.spelling(self.only)
        self._bare = re.compile(
            rf"(?ai)^{_SPEAKER}(?:option\s+|answer\s+|choice\s+)?{_OPENING}(?P<option>{only})(?![\w-]|'\w)"
        )

    def _forms(self, name: str) -> list[str]:
        """Return patterns of sentences that make the only choice of a turn."""
        option = rf"{_OPENING}(?P<option>{self.expected.spelling(name)})(?![\w-]|'\w){_CLOSING}"
        label = rf"{_OWN}(?:{self.expected.labels(name)}|{WEAK_LABELS}|option)"
        forms = [
            rf"{label}\s*{MARKUP}{BETWEEN}{MARKUP}(?:to\s+)?{option}{_OBJECT}?",
            rf"(?:{_SAYING})(?:{label}\s*[:=]?\s*)?{option}(?:{_PREFERRED}|{_OBJECT})?",
            rf"(?:it\s+is|it's)\s+{option}(?=[\s.!]*$)",
            rf"{option}{_PREFERRED}(?=[\s.!]*$)",
        ]
        words = [str(option) for option in self.expected.choices[name]]
        verbs = "|".join(v for v in ("accept", "reject") if any(w.startswith(v) for w in words))
        if not verbs:
            return [*forms, rf"{option}(?=[\s.!]*$)"]
        ends = r"(?=\s*$|[.!;,:(\u2013\u2014]|\s+-|\s+(?:because|since|as)\b)"
        does = rf"(?:i|we)(?:'m)?\s+{_AUXILIARY.replace('|would', '')}"
        return [
            *forms,
            rf"{does}(?P<option>{verbs}){_OBJECT}?{ends}",
            rf"(?P<option>{verbs}){_OBJECT}{ends}",
            rf"(?:the|this|your)\s+(?:solution|claim|code|program|proof)\s+(?:is|(?:should|must)\s+be)\s+"
            rf"(?P<option>(?:{verbs})ed){ends}",
        ]

    def heading(self, line: str) -> bool:
        """Return whether a line is only a label, so that the option may be on the next one."""
        labels = (label.match(line) for label in self._labels.values())
        return any(match is not None and match.end() == len(line) for match in labels)

    def label(self, line: str, clauses: int = 2) -> StatedChoice | None:
        """Return what a line with a label states; None if it has none.

        At most so many clauses may stand before the statement.
        """
        for name, announced in self._announced.items():
            if announced.match(line):
                return StatedChoice(name, None, doubt="condition", shown=line)
        for name, label in self._labels.items():
            label_match = label.match(line)
            if label_match is None:
                continue
            match = self._values[name].match(line, label_match.end())
            if match is not None:
                return self._ended(name, line, match, label_match.end())
            sentence = (
                self.sentence(line[label_match.end() :], clauses - 1)
                if line[label_match.end() :]
                else None
            )
            if sentence is not None and sentence.option is not None:
                return sentence
            # "Decision theory says ..." has no label, and "The verdict is yours" announces none.
            if label_match.end() == len(line) or re.search(r"[:=\uff1a]\W*$", label_match[0]):
                return StatedChoice(name, None, doubt="unclear", shown=line[label_match.end() :])
        return None

    def sentence(self, line: str, clauses: int = 2) -> StatedChoice | None:
        """Return what a sentence states; None if it is about something else."""
        for form in self._sentences:
            if (match := form.match(line)) and self.only is not None:
                stated = self._ended(self.only, line, match, match.start("option"))
                if stated.option is not None or stated.doubt == "condition":
                    return stated
        clause = _CLAUSE.match(line) if clauses > 0 else None
        if clause is None or clause.end() == len(line):
            return None
        left = line[clause.end() :]
        stated = self.label(left, clauses - 1) or self.sentence(left, clauses - 1)
        if stated is not None and stated.option is not None:
            if SUPPOSES.search(clause[0]):
                return stated._replace(option=None, doubt="condition", shown=line)
            if OTHERS.search(clause[0]):
                return stated._replace(option=None, doubt="quoted", shown=line)
        return stated

    def bare(self, line: str, *, whole: bool = False) -> StatedChoice | None:
        """Return the option that is all there is on a line, besides a reason.

        "B) she" counts only if it is the whole answer: others may list all options.
        """
        match = self._bare.match(line) if self.only is not None else None
        if match is None or self.only is None:
            return None
        stated = self._ended(self.only, line, match, match.start("option"))
        if not whole and _ITEM.match(line, match.end("option")):
            return None
        sure = stated.rest.lstrip(" ,.(:;-")
        if stated.option is None or sure.startswith(")"):
            return None
        return stated._replace(bare=True)

    def _ended(self, name: str, line: str, match: re.Match[str], begin: int) -> StatedChoice:
        shown = line[begin:]
        option = self.expected.option(name, match["option"])
        after = line[match.end() :]
        if named := re.match(rf"(?ai){_OBJECT}", after):
            after = after[named.end() :]
        item = _ITEM.match(line, match.end("option"))
        listed = item and "(" not in line[: match.start("option")]
        after = re.sub(rf"^{_CLOSING}", "", after)
        if option is None:
            return StatedChoice(name, None, after, "unclear", shown)
        if _HOW_SURE.match(after):
            return StatedChoice(name, option, after)
        if _CONDITION.match(after):
            return StatedChoice(name, None, after, "condition", shown)
        unclear = re.match(r"\s*(?:[?|&]|/(?!/))", after) or _OPEN.match(after)
        # "60 for A, 40 for B" gives two numbers.
        unclear = unclear or (isinstance(option, int) and re.search(r"\d", after))
        if unclear or not (listed or _BECAUSE.match(after) or _REST.match(after)):
            return StatedChoice(name, None, after, "unclear", shown)
        return StatedChoice(name, option, after)


@lru_cache(maxsize=64)
def _grammar(key: Key) -> Grammar:
    return Grammar(Expected.of_key(key))


def grammar(expected: Expected) -> Grammar:
    """Return the grammar of what is asked."""
    return _grammar(expected.key)
