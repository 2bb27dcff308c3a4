"""What can be known of what a game is about, by kind of task: a file each."""

from __future__ import annotations

from functools import lru_cache

from explorer.players.scripted.verifiers.subjects.graphs import GraphSubject
from explorer.players.scripted.verifiers.subjects.programs import ProgramSubject
from explorer.players.scripted.verifiers.subjects.subject import Claim, Observation, Subject
from explorer.programs import program_of
from nip_core.tasks import Graph, Statement

__all__ = ["Claim", "GraphSubject", "Observation", "ProgramSubject", "Subject", "subject_of"]


@lru_cache(maxsize=256)
def subject_of(statement: Statement) -> Subject:
    """What can be known of a statement. Of a file of somebody's own: its words."""
    match statement.payload:
        case (Graph() as first, Graph() as second):
            return GraphSubject(statement, first, second)
        case _:
            program = program_of(statement)
            if program is None:
                return Subject(statement)
            return ProgramSubject(statement, program)
