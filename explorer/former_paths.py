"""Keep documented modules that have moved importable under their former paths.

An import by the former path returns the module at its new path, with a :class:`DeprecationWarning`
that names it.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["FORMER"]

FORMER = {
    "explorer.evals": "explorer.studies.inspect",
    "explorer.evals.tasks": "explorer.studies.inspect.tasks",
    "explorer.figures": "explorer.pictures",
    "explorer.figures.rewards": "explorer.pictures.reward_charts",
    "explorer.figures.studies": "explorer.pictures.study_charts",
    "explorer.players.llm": "explorer.players.models",
    "explorer.rewards.sampling": "explorer.rewards.answers",
    "explorer.rewards.seats": "explorer.rewards.answers",
    "explorer.shelf": "explorer.studies",
    "explorer.strengths": "explorer.studies.strengths",
    "explorer.studies.store": "explorer.studies",
    "explorer.transcripts": "explorer.play",
    "explorer.transcripts.dataframes": "explorer.play.dataframes",
}


class _Former(MetaPathFinder, Loader):
    """Finds a module under its former path."""

    def __init__(self) -> None:
        self._own: dict[str, ModuleSpec | None] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a module that has moved; None for every other module."""
        return ModuleSpec(fullname, self) if fullname in FORMER else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module at its new path."""
        now = FORMER[spec.name]
        warnings.warn(f"{spec.name} has moved to {now}.", DeprecationWarning, stacklevel=2)
        module = importlib.import_module(now)
        self._own[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own specification; the module was executed already."""
        former = module.__spec__
        if former is not None and former.name in self._own:
            module.__spec__ = self._own.pop(former.name)


sys.meta_path.insert(0, _Former())
