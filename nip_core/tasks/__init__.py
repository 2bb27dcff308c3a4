"""Tasks of episodes: bundled problems, pairs of graphs, passages, and users' own tasks.

A kind of task is a folder here with a file `kind`; :func:`register_task_kind` registers kinds from
elsewhere. Importing this is cheap: networkx and pyarrow are loaded on use.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil

from nip_core.errors import TaskError, TaskFileError
from nip_core.tasks.collection import Tasks
from nip_core.tasks.graphs.facts import COUNTED, instances
from nip_core.tasks.graphs.graph import LAYOUTS, MAX_NODES, Graph, GraphPair
from nip_core.tasks.graphs.pairs import DEFAULT_NODES, MIN_NODES, graph_pair
from nip_core.tasks.graphs.tasks import graph_task
from nip_core.tasks.loading.files import EXTENSIONS, MAX_FILE_BYTES, load_tasks
from nip_core.tasks.loading.rows import MAX_ROWS, LoadReport, RowProblem
from nip_core.tasks.parts import DIFFICULTIES, VERDICTS, Chip, Difficulty, Exposing
from nip_core.tasks.passages.bundled import load_passage, passage_task, passages
from nip_core.tasks.passages.passage import Answer, Passage, marked
from nip_core.tasks.passages.quality import PassageReport, load_quality
from nip_core.tasks.programs.bundled import (
    Example,
    Problem,
    bundled_task,
    bundled_tasks,
    deal,
    load_problem,
    problems,
    surprise,
)
from nip_core.tasks.task import (
    DEFAULT_KIND,
    Payload,
    Statement,
    Task,
    TaskKind,
    draw_stance,
    register_task_kind,
    task_kind,
    task_kinds,
)
from nip_core.tasks.words import ClaimWords, Words

__all__ = [
    "COUNTED",
    "DEFAULT_KIND",
    "DEFAULT_NODES",
    "DIFFICULTIES",
    "EXTENSIONS",
    "LAYOUTS",
    "MAX_FILE_BYTES",
    "MAX_NODES",
    "MAX_ROWS",
    "MIN_NODES",
    "VERDICTS",
    "Answer",
    "Chip",
    "ClaimWords",
    "Difficulty",
    "Example",
    "Exposing",
    "Graph",
    "GraphPair",
    "LoadReport",
    "Passage",
    "PassageReport",
    "Payload",
    "Problem",
    "RowProblem",
    "Statement",
    "Task",
    "TaskError",
    "TaskFileError",
    "TaskKind",
    "Tasks",
    "Words",
    "bundled_task",
    "bundled_tasks",
    "deal",
    "draw_stance",
    "graph_pair",
    "graph_task",
    "instances",
    "load_passage",
    "load_problem",
    "load_quality",
    "load_tasks",
    "marked",
    "passage_task",
    "passages",
    "problems",
    "register_task_kind",
    "surprise",
    "task_kind",
    "task_kinds",
]


def _register_kinds() -> None:
    """Import the file `kind` of every folder here, which registers a kind of task."""
    for folder in pkgutil.iter_modules(__path__):
        name = f"{__name__}.{folder.name}"
        if folder.ispkg and importlib.util.find_spec(f"{name}.kind") is not None:
            importlib.import_module(f"{name}.kind")


_register_kinds()


def __dir__() -> list[str]:
    return __all__
