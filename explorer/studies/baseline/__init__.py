"""The study that comes with the library: what each protocol buys against each liar."""

from __future__ import annotations

from explorer.studies.baseline.table import (
    baseline,
    baseline_study,
    markdown,
    packed,
    registered,
)

__all__ = ["baseline", "baseline_study", "markdown", "packed", "registered"]
