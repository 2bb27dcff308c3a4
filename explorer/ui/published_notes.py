"""What to know of published protocols: family, purpose, findings, simplifications.

A document may say it itself; for those that do not, it is here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from nip_core.registry import published_document, specification

__all__ = ["Notes", "notes_of"]


class Notes(NamedTuple):
    """What people should know of a published protocol."""

    family: str
    about: str
    simplified: str


# By the protocol's name: its family, and what it is for and what was found.
NOTES = {
    "consultancy": (
        "Consultancy",
        "The comparison for debate: one expert argues for a side that may be wrong, and nobody "
        "contradicts. In Michael et al. judges were right in 74 % of consultancies and in 84 % of "
        "debates.",
    ),
    "critique_rebuttal": (
        "Critique",
        "A critic looks for flaws, and the proposer may answer. It shows what an answer adds to a "
        "critique; arXiv 2605.27483 reports that rebuttals changed nothing measurable.",
    ),
    "cross_examination": (
        "Debates",
        "A seat that only asks decides who has to answer, and the judge reads all of it. It is a "
        "variant of ours, so no results are published for it.",
    ),
    "doubly_efficient_debate": (
        "Debates",
        "A computation too long for the verifier is split into steps, of which it has to check one "
        "at most. The proof, which was also checked by machine in Lean, shows that with its "
        "parameters each honest side wins with a chance of at least 3/5.",
    ),
    "jury": (
        "Debates",
        "Several judges who cannot read each other vote, so that no single judge decides. Verga et "
        "al. propose panels of judges from different model families, with votes or averages.",
    ),
    "legible_prover": (
        "Critique",
        "A prover is helpful or sneaky by chance, and verifiers say how likely its solution is "
        "right. It is about solutions that weaker verifiers can check.",
    ),
    "open_consultancy": (
        "Consultancy",
        "The consultant picks the answer that it argues for. Kenton et al. measure how often the "
        "judge is right, and how often it follows a right and a wrong pick.",
    ),
    "open_debate": (
        "Debates",
        "One debater picks its answer and the opponent gets the other one. Kenton et al. compare "
        "it with open consultancy: does opposition help when the first debater picks wrongly?",
    ),
    "prover_estimator": (
        "Debates",
        "A claim is split into sub-claims, an estimator says how likely each is, and the prover "
        "goes on with one of them. It is meant for arguments whose error is hidden in many "
        "steps, so that nobody can point at it.",
    ),
    "quality_debate": (
        "Debates",
        "Do experts who argue help a judge who cannot read the text? In Khan et al. people without "
        "help were right on 60 % of questions, and with a debate on 88 %.",
    ),
    "scored_debate": (
        "Debates",
        "The judge states probabilities and is paid by a proper score, less a cost for every turn. "
        "In Michael et al. judges were right in 84 % of debates and in 74 % of consultancies.",
    ),
    "single_critique": (
        "Critique",
        "The simplest help for a judge: somebody else looks for flaws first. Saunders et al. study "
        "critiques that models write to help people evaluate answers.",
    ),
    "trusted_monitor": (
        "Oversight",
        "A trusted but weaker model watches an untrusted one that acts. It may replace steps or "
        "have them audited. Protocols of this kind are judged by safety and by usefulness.",
    ),
}


@lru_cache(64)
def notes_of(name: str) -> Notes:
    """Return the notes of a published protocol."""
    document = specification(name).to_dict()
    family, about = NOTES.get(name, ("Debates", ""))
    return Notes(
        str(document.get("family") or family),
        str(document.get("about") or about),
        str(document.get("simplified") or _comment(published_document(name))),
    )


def _comment(document: str) -> str:
    """The comment at the head of a document."""
    lines: list[str] = []
    for line in document.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# "))
    return " ".join(lines)
