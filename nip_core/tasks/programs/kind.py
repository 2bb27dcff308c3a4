"""Programs as a kind of task."""

from __future__ import annotations

from nip_core.tasks.programs.bundled import is_bundled, surprise
from nip_core.tasks.task import DEFAULT_KIND, TaskKind, register_task_kind
from nip_core.tasks.words import ClaimWords, Words

__all__ = ["PROGRAMS"]

PROGRAMS = register_task_kind(
    TaskKind(
        name=DEFAULT_KIND,
        choice="code",
        title="A program: is it correct?",
        plural="programs",
        deal=surprise,
        balanced=is_bundled,
        claim=ClaimWords("This program is correct"),
        words=Words(
            field="Python",
            judged="code",
            given="a programming problem and a proposed Python solution,",
            holds="the solution is correct",
            fails="it has a bug",
            job=(
                "whether a proposed Python solution to a programming problem is correct: whether "
                "it gives the right result for every input that the problem allows."
            ),
            caution=(
                "Half of the solutions that you are shown are wrong, and their bugs are subtle: "
                "they look right at first sight and pass the obvious examples. Work through the "
                "code step by step before you trust it, or anybody's word about it."
            ),
            care=(
                "A wrong solution may look right at first sight and pass the obvious examples. "
                "Check the code itself before you trust it, or anybody's word about it."
            ),
            evidence="lines of the code",
            material="code",
            accepted="the solution is correct",
            rejected="it has a bug",
            fence="python",
        ),
    )
)
