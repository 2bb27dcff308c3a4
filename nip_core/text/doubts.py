"""What makes a stated choice doubtful: the words around it.

A choice is read only if nothing takes it back, attributes it to others, or makes it depend on
something. The words before a statement may weigh both sides; those after it may only explain it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from nip_core.text.expected import STRONG_LABELS, WEAK_LABELS, Expected, Key, Option
from nip_core.text.grammar import BETWEEN, GOES_ON, LEAD, OTHERS, SUPPOSES, Doubt
from nip_core.text.lines import MARKUP, AnswerLine, unquoted

__all__ = [
    "answers_itself",
    "asks",
    "doubt_after",
    "doubt_before",
    "is_field",
    "is_of_another",
    "sentences",
]

_NEGATES = re.compile(
    r"(?ai)\b(?:not|never|n['\u2019]t|no longer|hardly|wrong|bad|refuse)\b.*\b(?:verdict|"
    r"decision|answer|choice|"
    r"finding|estimate|write|line|mean)\b|\bnot\s*:?$|^\W*never\b"
)
_ENDED = re.compile(r"[.!?;:)\]]\W*$")
_CONTINUES = re.compile(
    r"^\W*(?:but|and|or|not|no|nor|yet|though|although|is|was|would|which|that|said|says|wrote|"
    r"so|then|in|as|at|on|to)\b(?!\W*:)"
)
# The ends of a line that announces the model's own choice below it.
_ANNOUNCES = re.compile(
    rf"(?ai)(?:^{LEAD}|\b(?:i|we)\b.*|^.*\b)(?:(?:my|the|a|final|own|here|is|"
    rf"are)\s+)*(?:decide|conclude|rule|find|choose|judge|vote|"
    rf"answer|{STRONG_LABELS}|{WEAK_LABELS}|choices?|decisions?|conclusions?|results?|summary|"
    rf"output|so|therefore|"
    r"thus|hence|finally|conclusion)(?:\s+(?:is|are|now))?\W*$"
)
_FIELD = re.compile(
    rf"(?ai)^(?:(?:my|the)\s+)?(?:confidence|certainty|reasons?|reasoning|explanation|"
    rf"justification|rationale|"
    rf"why(?=\s*:))(?:\s+(?:level|score|rating|estimate|for|in|of|my|the|this|decision|verdict|"
    rf"answer)|"
    rf"\s*\([^()\n]{{0,40}}\)){{0,6}}{MARKUP}(?:{BETWEEN}|$)"
)

# The name of another seat before what it said, as in a transcript.
_ANOTHER = re.compile(
    r"(?ai)^(?:the\s+)?(?:expert|prover|debater|opponent|proposer|critic|consultant|advocate|user|"
    r"human|system|defen[cs]e|prosecution)(?:[ _]?\w{1,2})?[*_\s]*:"
)

# Signs of a question: a question mark, a label, or a request, outside quotation marks and code.
_ASKS = re.compile(
    r"(?aim)[?\u061f](?=[\s)\]*_.!?]|$)"
    r"|^(?:(?:my|the|next|last|final|first|second|one|another|a|follow-up)\s+)*questions?\b"
    r"[^:\n]{0,60}:"
    r"|(?:^|[.!;:,]\s+)(?:(?:so|but|and|then|now|also|next|still|instead|first)[,:]?\s+){0,3}"
    r"(?:please\b(?!\s+(?:note|see))|(?:could|can|would|will)\s+you\b"
    r"|(?:show|tell|give|convince|walk)\s+(?:me|us)\b"
    r"|explain\s+(?:to|how|why|what|line|step)\b"
    r"|i\s+(?:still\s+|first\s+)?(?:need|want|would like|'d like)\s+"
    r"(?:to\s+(?:see|know|ask|hear)|you)\b)"
)

# A question, and a sentence after it that asks for nothing.
_ANSWERED = re.compile(
    r"(?ai)(?<![^.!?\s])(?:(?!\byour?\b)[^.!?:\n]){1,200}\?\s+"
    r"(?=(?!please|i )[^.!?\n]{2,300}[.!](?:\s|$))"
)

# "Accept or reject?" asks nobody anything.
_ONLY_OPTIONS = re.compile(
    r"(?ai)(?<![\w,] )\b(?:accept|reject)(?:ed)?(?:\W+or\W+(?:accept|reject)(?:ed)?)?\s*\?"
)

_ANSWERS_ITSELF = re.compile(
    r"(?ai)\b(?:accept|reject)\w{0,4}\b[^?.!\n]{0,80}\?\s+(?:yes|no|not|of course|certainly|"
    r"never|nobody|"
    r"definitely|i (?:do|would|should|will|must))\b(?:[^?.!\n]{0,20})(?:[.!]|$)"
)

# How much of the line before a statement is looked at.
_NEAR = 300

# Words that take back what was stated before them.
_RETRACTS = re.compile(
    r"(?ai)\b(?:kidding|joking|jk|sarcas\w*|ironic\w*|irony|psych|scratch (?:that|this)|"
    r"strike (?:that|this)|"
    r"never ?mind|(?:on )?second thoughts?|t(?:ake|ook) (?:that|it|this) back|chang(?:e|es|ed|"
    r"ing) (?:my|the) "
    r"(?:mind|verdict|decision|answer|vote|choice)|correction|i mean(?:t)?\b(?! that)|"
    r"or rather|or not|"
    r"not really|not at all|not (?:yet|quite|sure|exactly|so fast|certain)\W*$|the opposite|"
    r"disregard|on (?:\w+ )?reflection|in hindsight|reconsider(?:ed|ing)|my (?:mistake|bad)|"
    r"i stand corrected|i was wrong|come to think of it|thinking about it|"
    r"(?:not|n['\u2019]t|never) (?:be )?(?:my|the|a|an) (?:\w+ )?(?:verdict|decision|answer|"
    r"choice|vote|finding|estimate)|"
    r"ignore (?:that|this|the (?:above|line|decision|verdict)|my)|hold on|oops|retract\w*|"
    r"withdraw\w*|"
    r"i (?:lied|am lying|was lying)|i (?:may|might|could) (?:\w+ )?(?:switch|change|reconsider|"
    r"revise)|"
    r"(?:that|this|which|it)(?:['\u2019]s| is| was) (?:only |just )?what|make (?:that|it)|"
    r"undecided|hypothetical\w*|an example|just testing|placeholder|in your dreams|as if)\b"
)
_BEGINS_BACK = re.compile(
    r"(?ai)^\W*(?:hmm+\b|(?:(?:but|and|oh|well|hmm*|um+|er+)\W+){0,2}(?:wait|actually\W+(?:no|not|i|it|"
    r"the other)|no,|sorry\W|rather\b|instead\b))"
)
_NO = re.compile(
    r"(?ai)\W*(?:(?:but|and|or|oh|well|hmm*|um+|er+|actually|surely|i say)\W+){0,2}"
    r"(?:no+|nope|nah|not|never|false|untrue|a? ?lie|nein|non)(?:\W+(?:no|not|way|really))*\W*"
)
_CLAUSES = re.compile(r"[.!?;:,()\[\]\n\u2013\u2014]|\s-+\s|\bbut\b")
_SENTENCE = re.compile(r"(?<=[.!?])[\"'\u201d\u2019)*_`]*\s+|\n")
_CONDITIONAL = re.compile(
    r"(?ai)\b(?:if|unless|once|until|provided|assuming|otherwise|as long as)\b"
)
_OF_CHOICE = re.compile(
    r"(?ai)\b(?:(?:my|this|the) (?:\w+ )?(?:verdict|decision|answer|choice|vote|finding|"
    r"estimate|mind)|"
    r"(?:i|we)(?:['\u2019](?:d|ll)| would| will| might| may| could)(?! like)(?! note)"
    # "If there were ties, I would have accepted it" is about what is not so.
    r"(?!\s+(?:\w+\s+)?have\s+(?!to\b)))\b"
)
_UNLESS = re.compile(
    r"(?ai)^\W*(?:unless|except(?:\s+(?:if|when))?|only\s+if|but\s+(?:only\s+)?if)\b"
)
# What the thing that is judged does, or should do, itself.
_THINGS_DO = (
    r"\b(?:code|function|program|solution|loop|method|parser|check|condition|test|line\s+\d+|it)"
    r"\s+(?:would|will|should|must|does|did|can|may|might|could|has\s+to)"
    r"(?:\s+(?:not|also|then|still|always|never|\w+ly))?\s+"
)
# How a model announces its own verdict on the lines below.
_OWN_FOLLOWS = re.compile(
    rf"(?ai)\b(?:my|here\s+is\s+(?:my|the))\s+(?:\w+\s+)?(?:{STRONG_LABELS}|{WEAK_LABELS})"
    r"\s+(?:(?:is|reads|stands)\s+)?(?:as\s+follows|the\s+following|below)(?=\W*$)"
)
_NEGATED = (
    r"(?:not|n['\u2019]t|never|cannot|no reason to|rather than|instead of|refuse to|wrong to|"
    r"unable to)"
)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [sentence for piece in _SENTENCE.split(text) if (sentence := piece.strip())]


def is_field(line: str) -> bool:
    """Return whether a line has a label that may stand beside a choice, such as a reason."""
    return _FIELD.match(line) is not None


def is_of_another(line: str) -> bool:
    """Return whether a line begins with the name of another seat, as in a transcript."""
    return _ANOTHER.match(line) is not None


def asks(lines: Sequence[str], *, decided: bool = False) -> bool:
    """Return whether a model asks for something in its own lines.

    If it has `decided`, questions that it goes on to answer on the same line do not count: "What
    about ties? They are skipped."
    """
    for line in lines:
        own = "" if is_field(line) else _ONLY_OPTIONS.sub("", unquoted(line))
        if decided:
            own = _ANSWERED.sub("x. ", own)
        if _ASKS.search(own):
            return True
    return False


def answers_itself(text: str) -> bool:
    """Return whether a text asks about a verdict and answers that: "Should I accept? Yes."."""
    return _ANSWERS_ITSELF.search(text) is not None


def doubt_before(
    before: AnswerLine | None, line: AnswerLine, after: AnswerLine | None, *, bare: bool = False
) -> Doubt | None:
    """Return why the lines next to a statement make it doubtful, if they do."""
    if before is not None and not is_field(before.text):
        text = re.sub(r"<quote>\s*</quote>", '""', before.text[-_NEAR:])
        text = re.sub(r"<[^<>]{0,40}>", " ", text).strip()
        text = _OWN_FOLLOWS.sub("my decision", text)
        if re.fullmatch(r"(?ai)\W*(?:or|and|either|and then)\W*", text):
            return "two"
        leads = text.endswith((":", ",", "\uff1a"))
        near = not before.listed and not _ENDED.search(text)
        if (
            (leads or near)
            and SUPPOSES.search(text)
            and not re.search(r"(?ai)\bi (?:decide|conclude)\b", text)
        ):
            return "condition"
        if (leads or near or _points(text)) and OTHERS.search(text):
            return "quoted"
        if (leads or not line.gap) and _NEGATES.search(text):
            return "retracted"
        if leads and not (before.listed or _ANNOUNCES.search(text.rstrip(":,\uff1a"))):
            return "quoted"
    if after is not None and not after.gap and not re.search(r"[.!;]\W*$", line.text):
        if bare and after.text[:1].islower():
            return "quoted"
        if GOES_ON.match(after.text):
            return "condition"
        if _CONTINUES.match(after.text) and not is_field(after.text):
            return "quoted"
    return None


def _points(text: str) -> bool:
    """Return whether the last sentence before a statement may speak of the statement."""
    last = (sentences(text) or [""])[-1]
    return bool(
        re.search(
            r"(?ai)\b(?:as follows|the following|below(?!\s+-?\w)|next line|"
            r"an? (?:\w+ )?example|for example(?=\W*$))\b",
            last,
        )
    )


def doubt_after(text: str, expected: Expected, made: Mapping[str, Option]) -> Doubt | None:
    """Return why the words after statements make them doubtful, if they do.

    Parameters
    ----------
    text : str
        The rest of a statement's line, or a line below it.
    expected : Expected
    made : mapping of str to option
        What was chosen.
    """
    others = [_others(expected.alone, expected.key, *choice) for choice in made.items()]
    for sentence in sentences(unquoted(text)):
        if (
            _RETRACTS.search(sentence)
            or _BEGINS_BACK.match(sentence)
            or any(_NO.fullmatch(clause) for clause in _CLAUSES.split(sentence) if clause)
        ):
            return "retracted"
        if _CONDITIONAL.search(sentence) and (
            _OF_CHOICE.search(sentence)
            or any(other.mentioned(sentence, any_option=True) for other in others)
        ):
            return "condition"
        if _UNLESS.match(sentence) and any(other.named(sentence) for other in others):
            return "condition"
        if any(other.mentioned(sentence) for other in others):
            return "two"
    return None


@lru_cache(maxsize=256)
def _others(alone: bool, key: Key, name: str, option: Option) -> _Others:
    return _Others(Expected.of_key(key), alone, name, option)


class _Others:
    """Finds the other options of a choice, and its own where it is negated."""

    def __init__(self, expected: Expected, alone: bool, name: str, option: Option) -> None:
        options = expected.choices[name]
        counts = isinstance(option, int)
        rest = [
            re.escape(w)
            for o in options
            if o != option
            for w in dict.fromkeys((str(o), expected.title(o)))
        ]
        other = r"[-+]?\d{1,30}(?!\w)" if counts else "|".join(rest) or r"(?!)"
        flags = "(?ai)" if len(str(option)) > 1 else "(?a)"
        label = rf"(?i:{expected.labels(name)}|{WEAK_LABELS}|option)"
        sep = rf"(?i:{MARKUP}(?:{BETWEEN}|will be|would be|changes? to|becomes?){MARKUP})"
        self._stated = re.compile(
            rf"{flags}\b{label}\s*{sep}\W{{0,3}}(?i:to\s+)?(?:{other})(?![\w-])"
        )
        self._any = re.compile(
            rf"{flags}\b{label}\s*{sep}\W{{0,3}}(?i:to\s+)?(?:{other}|{re.escape(str(option))})(?![\w-])"
        )
        # Texts may contain any numbers, and messages any words.
        word = "(?!)" if counts else other
        self._begins = re.compile(rf"{flags}\W*(?:{word})\s*[:=(\u2013\u2014]")
        self._alone = re.compile(rf"{flags}\W*(?:{word})\W*")
        self._better = re.compile(
            rf"{flags}\W*(?i:(?:that|so|and)\s+)?(?i:option\s+)?(?:{word})\s+"
            r"(?i:is|was|seems|looks)\s+(?:\w+\s+)?(?i:right|correct|better|true|best)\b"
        )
        self._named = re.compile(rf"{flags}(?<![\w-])(?:{word})(?![\w-])")
        decides = (
            r"(?i:\b(?:i|we)(?:['\u2019](?:d|ll)|\s+\w+){0,3}\s+(?:say|choose|pick|select|"
            r"go with|vote for|prefer|mean|meant)"
            r"|\b(?:switch|change)\s+to|\brather)\s+(?:(?i:option)\s+)?"
        )
        self._chosen = (
            re.compile(rf"{flags}{decides}(?:{other})(?![\w-])") if alone and not counts else None
        )
        verbs = [str(o) for o in options if str(o) in ("accept", "reject")]
        self._verb = self._refused = None
        if alone and len(verbs) == 2:
            against = next(v for v in verbs if v != option)
            self._verb = re.compile(
                rf"(?ai)(?<!{'or '}){against}\b(?!\()|\b(?:it|solution|claim|this|code|program|"
                rf"proof)\s+(?:is|was|must be|should be)\s+{against}ed\b"
            )
            self._refused = re.compile(
                rf"(?ai)\b(?:not|n['\u2019]t|never|cannot)\s+(?:\w+\s+){{0,2}}{option}\b"
            )
        self._excused = re.compile(
            rf"(?ai)(?:{_NEGATED}\s+(?:\w+\s+){{0,2}}|{_THINGS_DO})(?:{other})\b"
        )

    def named(self, sentence: str) -> bool:
        """Return whether a sentence contains another option."""
        return self._named.search(sentence) is not None

    def mentioned(self, sentence: str, *, any_option: bool = False) -> bool:
        """Return whether a sentence states another option, or takes back this one."""
        if any_option and self._any.search(sentence):
            return True
        if self._refused is not None and self._refused.search(sentence):
            return True
        left = self._excused.sub("x", sentence)
        return bool(
            self._stated.search(left)
            or (self._chosen is not None and self._chosen.search(left))
            or (self._verb is not None and self._verb.search(left))
            or self._begins.match(left)
            or self._better.match(left)
            or any(self._alone.fullmatch(clause) for clause in _CLAUSES.split(left) if clause)
        )
