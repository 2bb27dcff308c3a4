"""Answers to questions about passages as a kind of task."""

from __future__ import annotations

from nip_core.tasks.passages.bundled import is_dealt, passage_task
from nip_core.tasks.passages.passage import PASSAGES
from nip_core.tasks.task import TaskKind, register_task_kind
from nip_core.tasks.words import ClaimWords, Words

__all__ = ["ANSWERS"]

ANSWERS = register_task_kind(
    TaskKind(
        name=PASSAGES,
        choice="passages",
        title="A passage: is this answer right?",
        plural="passages",
        deal=passage_task,
        balanced=is_dealt,
        claim=ClaimWords("This answer is right"),
        words=Words(
            field="close reading",
            judged="answers",
            given="a passage, a question about it and a proposed answer,",
            holds="the answer is right",
            fails="another answer is right",
            job=(
                "whether a proposed answer to a question about a passage is the right one of those "
                "that are listed."
            ),
            caution=(
                "Half of the answers that you are shown are wrong, and for each of them there are "
                "sentences in the passage that seem to support it. Read the whole passage before "
                "you trust a quote, or anybody's word about it."
            ),
            care=(
                "For wrong answers, too, there are sentences in the passage that seem to support "
                "them. Read the whole passage before you trust a quote, or anybody's word about it."
            ),
            balance="Half of the answers that are proposed in this way are wrong.",
            evidence="sentences of the passage",
            material="passage",
            accepted="the answer is right",
            rejected="another answer is right",
            heading="The proposed answer",
        ),
    )
)
