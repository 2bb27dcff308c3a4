"""What an episode is about: bundled problems, pairs of graphs, and tasks of one's own.

Importing this is cheap: networkx and pyarrow are loaded by what needs them.
"""

from __future__ import annotations

from nip_core.errors import TaskError, TaskFileError
from nip_core.tasks.graphs.graph import LAYOUTS, MAX_NODES, Graph, GraphPair
from nip_core.tasks.graphs.pairs import DEFAULT_NODES, MIN_NODES, graph_pair
from nip_core.tasks.graphs.tasks import graph_task
from nip_core.tasks.loading.files import EXTENSIONS, MAX_FILE_BYTES, load_tasks
from nip_core.tasks.loading.rows import MAX_ROWS, LoadReport, RowProblem
from nip_core.tasks.programs.bundled import (
    Case,
    Problem,
    bundled_task,
    bundled_tasks,
    deal,
    load_problem,
    problems,
    surprise,
)
from nip_core.tasks.task import (
    DIFFICULTIES,
    KINDS,
    VERDICTS,
    Chip,
    Difficulty,
    Exposing,
    Kind,
    Statement,
    Task,
    draw_stance,
)

__all__ = [
    "DEFAULT_NODES",
    "DIFFICULTIES",
    "EXTENSIONS",
    "KINDS",
    "LAYOUTS",
    "MAX_FILE_BYTES",
    "MAX_NODES",
    "MAX_ROWS",
    "MIN_NODES",
    "VERDICTS",
    "Case",
    "Chip",
    "Difficulty",
    "Exposing",
    "Graph",
    "GraphPair",
    "Kind",
    "LoadReport",
    "Problem",
    "RowProblem",
    "Statement",
    "Task",
    "TaskError",
    "TaskFileError",
    "bundled_task",
    "bundled_tasks",
    "deal",
    "draw_stance",
    "graph_pair",
    "graph_task",
    "load_problem",
    "load_tasks",
    "problems",
    "surprise",
]
