"""Discovery of protocols, ours and those of other packages, and of packages that draw.

A protocol registers itself when its file is imported. This module imports every file of the folder
``nip_core/protocols/``, and then the entry points of installed packages in the group :data:`GROUP`
(a module, or a class in one; importing it must register the protocol)::

    [project.entry-points."nip_core.protocols"]
    anything = "their_package.their_protocol"

Functions that draw are entry points in the group :data:`PICTURES`, under the name of the class that
they draw as SVG.

Other packages are searched only if ours lack the wanted name, or if all names are listed, since
finding them takes longer than loading our protocols.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["GROUP", "PICTURES", "drawing_of", "read_protocols"]

GROUP = "nip_core.protocols"
PICTURES = "nip_core.pictures"
_FOLDER = os.path.join(os.path.dirname(__file__), "protocols")

# The sources that were read completely. No lock is held while files are read: if two threads read
# the same file, Python imports it once.
_read: set[str] = set()
# A package that asks for protocols while it is being read must not read itself again.
_reading = ContextVar("reading", default=False)


def read_protocols(enough: Callable[[], bool] | None = None) -> None:
    """Have protocols register themselves, each file once.

    Parameters
    ----------
    enough : callable, optional
        Called after ours are read. If it returns True, other packages are not read.
    """
    if "own" not in _read:
        for name in sorted(module.name for module in pkgutil.iter_modules([_FOLDER])):
            importlib.import_module(f"nip_core.protocols.{name}")
        _read.add("own")
    if "installed" in _read or _reading.get() or (enough and enough()):
        return
    before = _reading.set(True)
    try:
        _read_installed()
    finally:
        _reading.reset(before)
    _read.add("installed")


def _read_installed() -> None:
    # Imported here, since it takes half as long as making the first schedule.
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        try:
            point.load()
        except Exception as error:  # another package's error must not affect our protocols
            _left_out("protocol", point, error)


def drawing_of(thing: object) -> str | None:
    """Return the SVG of an object, if an installed package draws its class; else None."""
    draw = _drawer(type(thing).__name__)
    return None if draw is None else draw(thing)


@cache
def _drawer(name: str) -> Callable[[object], str | None] | None:
    from importlib.metadata import entry_points

    for point in entry_points(group=PICTURES, name=name):
        try:
            return point.load()
        except Exception as error:
            _left_out("picture", point, error)
    return None


def _left_out(what: str, point: EntryPoint, error: Exception) -> None:
    package = point.dist.name if point.dist else "an unknown package"
    warnings.warn(
        f"The {what} {point.name!r} of the package {package!r} ({point.value}) is left out: "
        f"reading it raised {type(error).__name__}: {error}",
        RuntimeWarning,
        stacklevel=5,
    )
