"""In marimo, what one does in an output runs the cells that name it."""

from __future__ import annotations

import sys
from typing import Any, cast

__all__ = ["in_marimo", "in_notebook", "run_readers"]


def in_notebook() -> bool:
    """Do cells run this, of Jupyter, IPython or marimo? A script has none to be run again."""
    shell = cast("Any", sys.modules.get("IPython"))
    return in_marimo() or (shell is not None and shell.get_ipython() is not None)


def in_marimo() -> bool:
    """Does marimo run this?"""
    marimo = cast("Any", sys.modules.get("marimo"))
    return marimo is not None and bool(marimo.running_in_notebook())


def run_readers(value: Any) -> None:
    """Have marimo run all cells that name a value of another cell, for the value has changed.

    Cells are found by what their names stand for. Such a value needs no class of marimo's: a setter
    of a state tells what has changed, and it can be told of anything.
    """
    import marimo

    _, setter = cast("Any", marimo).state(None)
    # The cell that has made the value does not show it anew.
    value.allow_self_loops = False
    type(setter)(value)(None)
