"""The grammar of expressions, and their reading into trees.

.. code-block:: text

    expression  = condition [ "if" condition "else" expression ]
    condition   = conjunction { "or" conjunction }
    conjunction = negation { "and" negation }
    negation    = "not" negation | comparison
    comparison  = sum [ "!=" sum | ordered { ordered } ]
    ordered     = ( "=" | "<" | "<=" | ">" | ">=" ) sum
    sum         = product { ( "+" | "-" ) product }
    product     = sign { ( "*" | "/" | "mod" | "div" ) sign }
    sign        = "-" sign | value
    value       = number | name | call | item | "(" expression ")"
    call        = name "(" [ argument { "," argument } ] ")"
    argument    = expression [ "for" name "in" ( name | sum ".." sum ) [ "if" condition ] ]
    item        = name "[" expression "]"
    number      = digit { digit } [ "." digit { digit } ] [ ( "e" | "E" ) [ "+" | "-" ] digits ]
    name        = ( letter | "_" ) { letter | digit | "_" }

Names are choices, their options, settings, functions, and the words ``true``, ``false``, ``none``
(not chosen yet), ``over`` (has play ended?) and ``repeat`` (which repetition of the stage this is,
from 1). Letters and digits are those of ASCII. ``0 < x <= 5`` means ``0 < x and x <= 5``. The words
``mod`` and ``div``, and the names of functions, may be names of choices too: where an operator or a
bracket follows a value, they cannot be meant. Items and ``for`` are about families, and are written
out when a protocol is read (:mod:`nip_core.language.families`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from nip_core.budget import EXPRESSIONS, spend
from nip_core.errors import SpecError, show
from nip_core.language.collecting import refused

__all__ = ["NAME", "WORDS", "SyntaxNode", "as_text", "parse"]

# Far more than a person writes; bounds the time and depth of parsing.
MAX_LENGTH = 1_000
MAX_DEPTH = 40
MAX_TOKENS = 300
# How many times as long an expression may be that was written out for the members of families.
GENERATED = 20
MAX_DIGITS = 40
MAX_EXPONENT = 400

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
WORDS = ("and", "or", "not", "if", "else", "true", "false", "none", "over", "repeat")
_CONNECTIVES = ("and", "or", "not", "if", "else")
_TOKEN = re.compile(
    r"[ \t\n]*(?:(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<mark>!=|<=|>=|\.\.|[-+*/=<>(),[\]]))"
)
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class SyntaxNode:
    """A node of an expression's syntax tree.

    Parameters
    ----------
    op : str
        ``"number"``, ``"name"``, ``"call"``, ``"if"``, ``"negative"``, ``"item"``, ``"for"``,
        ``".."``, or an operator as it is written.
    args : tuple of SyntaxNode
    name : str
        The name: of what is named, of a function, of a family, or of the number in a ``for``.
    number : Fraction
        The value, for a number.
    at : int
        Where a name or a number begins in the expression.
    """

    op: str
    args: tuple[SyntaxNode, ...] = ()
    name: str = ""
    number: Fraction = Fraction(0)
    at: int = field(default=0, compare=False)

    def nodes(self) -> Iterator[SyntaxNode]:
        """Yield this node and all below it."""
        yield self
        for part in self.args:
            yield from part.nodes()


class _Reader:
    """Reads one expression from left to right, each character once."""

    def __init__(self, text: str, most: int = MAX_TOKENS) -> None:
        self.text, self.depth = text, 0
        self.tokens: list[tuple[str, str, int]] = []
        at, end = 0, len(text.rstrip(" \t\n"))
        while at < end:
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._error(f"{show(text[at:].lstrip()[:1])} is not part of the language", at)
            kind = str(match.lastgroup)
            self.tokens.append((kind, match[kind], match.start(kind)))
            at = match.end()
            if len(self.tokens) > most:
                raise self._error(f"it has more than {most:,} words and signs; split it", at)
        self.tokens.append(("end", "", end))
        spend(10 + 10 * len(self.tokens), EXPRESSIONS, "the expression {!r:.60}", text)
        self.place = 0

    def _error(self, reason: str, at: int) -> SpecError:
        message = f"the expression {show(self.text)}, column {at + 1}: {reason}."
        return refused(message, span=(at, at + 1))

    def _next_is(self, *marks: str) -> bool:
        kind, text, _ = self.tokens[self.place]
        return kind != "end" and text in marks

    def _take(self) -> str:
        self.place += 1
        return self.tokens[self.place - 1][1]

    def _need(self, mark: str) -> None:
        if not self._next_is(mark):
            token = self.tokens[self.place]
            what = show(token[1]) if token[1] else "the end"
            raise self._error(f"{what} stands where {mark!r} is needed", token[2])
        self._take()

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            at = self.tokens[self.place][2]
            raise self._error(f"it is nested more than {MAX_DEPTH} deep; make it simpler", at)

    def whole(self) -> SyntaxNode:
        node = self.expression()
        kind, text, at = self.tokens[self.place]
        if kind != "end":
            raise self._error(f"{show(text)} stands where the expression should end", at)
        return node

    def expression(self) -> SyntaxNode:
        self._deeper()
        node = self._joined("or")
        if self._next_is("if"):
            self._take()
            condition = self._joined("or")
            self._need("else")
            node = SyntaxNode("if", (condition, node, self.expression()))
        self.depth -= 1
        return node

    def _joined(self, word: str) -> SyntaxNode:
        inner = (lambda: self._joined("and")) if word == "or" else self._negation
        nodes = [inner()]
        while self._next_is(word):
            self._take()
            nodes.append(inner())
        return nodes[0] if len(nodes) == 1 else SyntaxNode(word, tuple(nodes))

    def _negation(self) -> SyntaxNode:
        if not self._next_is("not"):
            return self._comparison()
        self._take()
        self._deeper()
        node = SyntaxNode("not", (self._negation(),))
        self.depth -= 1
        return node

    def _comparison(self) -> SyntaxNode:
        left = self._sum()
        if not self._next_is(*_COMPARISONS):
            return left
        chain: list[SyntaxNode] = []
        while self._next_is(*_COMPARISONS):
            at = self.tokens[self.place][2]
            op, right = self._take(), self._sum()
            chain.append(SyntaxNode(op, (left, right)))
            if len(chain) > 1 and "!=" in (op, chain[0].op):
                raise self._error(
                    "`!=` is not part of a chain; join two comparisons with `and`", at
                )
            left = right
        return chain[0] if len(chain) == 1 else SyntaxNode("and", tuple(chain))

    def _sum(self) -> SyntaxNode:
        node = self._product()
        while self._next_is("+", "-"):
            op = self._take()
            node = SyntaxNode(op, (node, self._product()))
        return node

    def _product(self) -> SyntaxNode:
        node = self._sign()
        while self._next_is("*", "/", "mod", "div"):
            op = self._take()
            node = SyntaxNode(op, (node, self._sign()))
        return node

    def _sign(self) -> SyntaxNode:
        if not self._next_is("-"):
            return self._value()
        self._take()
        self._deeper()
        node = SyntaxNode("negative", (self._sign(),))
        self.depth -= 1
        return node

    def _value(self) -> SyntaxNode:
        kind, text, at = self.tokens[self.place]
        if self._next_is("("):
            self._take()
            node = self.expression()
            self._need(")")
            return node
        if kind == "number":
            self._take()
            return SyntaxNode("number", number=self._number(text, at), at=at)
        if kind != "name" or text in _CONNECTIVES:
            what = show(text) if text else "the end"
            raise self._error(f"{what} stands where a value is needed", at)
        self._take()
        if self._next_is("["):
            self._take()
            node = SyntaxNode("item", (self.expression(),), name=text, at=at)
            self._need("]")
            return node
        if not self._next_is("("):
            return SyntaxNode("name", name=text, at=at)
        self._take()
        arguments: list[SyntaxNode] = []
        while not self._next_is(")"):
            if arguments:
                self._need(",")
            arguments.append(self._argument())
        self._take()
        return SyntaxNode("call", tuple(arguments), name=text, at=at)

    def _argument(self) -> SyntaxNode:
        body = self.expression()
        if not self._next_is("for"):
            return body
        self._take()
        name, at = self._name()
        self._need("in")
        first = self._sum()
        if self._next_is(".."):
            self._take()
            first = SyntaxNode("..", (first, self._sum()))
        elif first.op != "name":
            raise self._error("after `in` stands a family, `others`, or numbers such as 1..4", at)
        parts = (body, first)
        if self._next_is("if"):
            self._take()
            parts = (*parts, self._joined("or"))
        return SyntaxNode("for", parts, name=name, at=at)

    def _name(self) -> tuple[str, int]:
        kind, text, at = self.tokens[self.place]
        if kind != "name" or text in WORDS:
            what = show(text) if text else "the end"
            raise self._error(f"{what} stands where a name is needed", at)
        self._take()
        return text, at

    def _number(self, text: str, at: int) -> Fraction:
        digits, _, exponent = text.lower().partition("e")
        if len(digits) > MAX_DIGITS or abs(int(exponent or "0")) > MAX_EXPONENT:
            raise self._error(f"a number has at most {MAX_DIGITS} digits", at)
        return Fraction(text)


def parse(text: object, *, generated: bool = False) -> SyntaxNode:
    """Read an expression.

    Parameters
    ----------
    text : object
    generated : bool
        Whether it was written out from a shorter one, so that it may be long.

    Raises
    ------
    SpecError
        If it is invalid; names the column and what is expected there.
    """
    if not isinstance(text, str):
        raise SpecError(f"{show(text)} is not an expression: an expression is a text.")
    longer = GENERATED if generated else 1
    if len(text) > MAX_LENGTH * longer:
        raise SpecError(
            f"the expression {show(text, 40)} has {len(text):,} characters; at most "
            f"{MAX_LENGTH * longer:,}."
        )
    return _Reader(text, MAX_TOKENS * longer).whole()


# What binds more loosely has a smaller number.
_BINDS = {
    "if": 0,
    "or": 1,
    "and": 2,
    "not": 3,
    **dict.fromkeys(_COMPARISONS, 4),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("*", "/", "mod", "div"), 6),
    "negative": 7,
}


def as_text(node: SyntaxNode) -> str:
    """Return an expression that is read as this tree."""
    spend(2, EXPRESSIONS)
    inner = [as_text(part) for part in node.args]
    if node.op == "number":
        return str(node.number) if node.number.denominator == 1 else _decimal(node.number)
    if node.op in ("name", "call"):
        return f"{node.name}({', '.join(inner)})" if node.op == "call" else node.name
    own = _BINDS[node.op]
    # A right operand of the same strength was in brackets.
    least = [own + (number > 0 or node.op in _COMPARISONS) for number in range(len(inner))]
    if node.op in ("if", "and", "or"):
        least = [own + 1] * len(inner)
    if node.op == "if":
        least[2] = own
    texts = [
        text if _BINDS.get(part.op, 9) >= need else f"({text})"
        for text, part, need in zip(inner, node.args, least, strict=True)
    ]
    match node.op:
        case "if":
            return f"{texts[1]} if {texts[0]} else {texts[2]}"
        case "not":
            return f"not {texts[0]}"
        case "negative":
            return f"-{texts[0]}"
        case _:
            return f" {node.op} ".join(texts)


def _decimal(number: Fraction) -> str:
    text = repr(float(number))
    exact = Fraction(text) == number
    return text if exact else f"({number.numerator} / {number.denominator})"
