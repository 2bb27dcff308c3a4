"""A finite game as a file for Gambit (``.efg``), so that others can check our results."""

from __future__ import annotations

from fractions import Fraction

from nip_core.values.checks import checked
from nip_core.values.game_tree import GAME, Chance, End, FiniteGame, InformationSet, Node

__all__ = ["to_efg"]


@checked(game=GAME)
def to_efg(game: FiniteGame) -> str:
    """Return the game in Gambit's format for extensive games, with exact numbers."""
    writer = _Writer()
    writer.write(game.root)
    players = " ".join(_quoted(player) for player in game.players)
    return "\n".join(
        [
            f"EFG 2 R {_quoted(game.title)} {{ {players} }}",
            _quoted(game.knowledge),
            *writer.lines,
            "",
        ]
    )


class _Writer:
    """Writes nodes in the order of the tree; sets and outcomes are numbered as they occur."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._sets: dict[InformationSet, int] = {}
        self._outcomes = 0

    def write(self, node: Node) -> None:
        if isinstance(node, End):
            self._outcomes += 1
            pays = ", ".join(_exactly(payoff) for payoff in node.payoffs)
            self.lines.append(f't "" {self._outcomes} "" {{ {pays} }}')
            return
        if isinstance(node, Chance):
            draws = " ".join(
                f"{_quoted(name)} {_exactly(chance)}" for name, chance, _ in node.children
            )
            self.lines.append(f'c "" 1 "" {{ {draws} }} 0')
            children = [child for _, _, child in node.children]
        else:
            player = node.where[0] + 1
            number = self._number(node.where)
            actions = " ".join(_quoted(name) for name, _ in node.children)
            label = _quoted(_seen(node.where))
            self.lines.append(f'p "" {player} {number} {label} {{ {actions} }} 0')
            children = [child for _, child in node.children]
        for child in children:
            self.write(child)

    def _number(self, where: InformationSet) -> int:
        """Information sets are numbered separately for each player."""
        mine = sum(other[0] == where[0] for other in self._sets)
        return self._sets.setdefault(where, mine + 1)


def _seen(where: InformationSet) -> str:
    """Return what the player has seen in an information set, in words."""
    _, signal, said = where
    parts = [] if signal is None else [f"signal {signal}"]
    return ", ".join(parts + [" ".join(words) for words in said if words])


def _quoted(text: str) -> str:
    """Return a label in printable ASCII with single blanks between words, as Gambit requires."""
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '\\"' else "_" for c in text)
    return f'"{" ".join(plain.split())}"'


def _exactly(value: Fraction) -> str:
    """Return a decimal number if it is exact, since not every program reads long fractions."""
    places, rest = 0, value.denominator
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        places = max(places, power)
    if rest != 1 or value.denominator == 1:
        return str(value)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"
