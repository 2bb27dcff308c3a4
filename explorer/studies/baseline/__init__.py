"""The study that comes with the library: what each protocol buys against each liar."""

from __future__ import annotations

from explorer.studies.baseline.table import (
    Figures,
    baseline,
    baseline_study,
    figures,
    markdown,
    packed,
    registered,
)

__all__ = [
    "Figures",
    "baseline",
    "baseline_study",
    "figures",
    "markdown",
    "packed",
    "registered",
]
