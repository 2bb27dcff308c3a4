"""Choices that only count together: of the votes of a jury, it does not matter whose is whose.

Where all that is ever worked out from several choices is symmetric in them (``majority(vote)``,
``count(vote[j] = A for j in juror)``), states in which their options are exchanged are the same. So
a pass over all plays keeps the options in order, and the number of states grows with the number of
ways to count them, and not as the options to the power of the choices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nip_core.budget import EXPRESSIONS, spend
from nip_core.language.data import Option
from nip_core.language.syntax import SyntaxNode

__all__ = ["interchangeable"]

_SYMMETRIC = ("majority", "unanimous", "mean", "median", "min", "max", "sum", "count")
_ANY = SyntaxNode("name", name="")


def interchangeable(
    options: Mapping[str, tuple[Option, ...]], trees: Iterable[SyntaxNode]
) -> dict[str, frozenset[str]]:
    """Return the choices that all expressions treat alike, each with its group.

    Parameters
    ----------
    options : mapping of str to tuple
        The options of each choice.
    trees : iterable of SyntaxNode
        All expressions, with the trees of values in place of their names.
    """
    groups: dict[str, set[frozenset[str]]] = {}
    alone: set[str] = set()
    for tree in trees:
        _look(tree, options, groups, alone)
    # A group with a member that means something by itself is none.
    right = {
        group
        for found in groups.values()
        for group in found
        if alone.isdisjoint(group)
        and all(groups[name] == {group} for name in group)
        and len({options[name] for name in group}) == 1
    }
    return {name: group for group in right for name in group}


def _look(
    node: SyntaxNode,
    options: Mapping[str, tuple[Option, ...]],
    groups: dict[str, set[frozenset[str]]],
    alone: set[str],
) -> None:
    spend(1, EXPRESSIONS)
    if node.op == "name":
        if node.name in options:
            alone.add(node.name)
        return
    if node.op == "call" and node.name in _SYMMETRIC and len(node.args) > 1:
        names = [{n.name for n in part.nodes() if n.name in options} for part in node.args]
        spend(sum(map(len, names)), EXPRESSIONS)
        common = set[str].intersection(*names)
        own = [found - common for found in names]
        if all(len(found) == 1 for found in own):
            members = [next(iter(found)) for found in own]
            shapes = {_with(part, {m: _ANY}) for part, m in zip(node.args, members, strict=True)}
            if len(shapes) == 1 and len(set(members)) == len(members):
                alone |= common
                for member in members:
                    groups.setdefault(member, set()).add(frozenset(members))
                return
    for part in node.args:
        _look(part, options, groups, alone)


def _with(node: SyntaxNode, others: Mapping[str, SyntaxNode]) -> SyntaxNode:
    """Return a tree with other nodes in place of some names."""
    if node.op == "name":
        return others.get(node.name, node)
    args = tuple(_with(part, others) for part in node.args)
    return SyntaxNode(node.op, args, node.name, node.number)
