"""Studies on this machine: kept in a folder, played by the server, and opened from logs."""

from __future__ import annotations

from explorer.studies.store.findings import (
    Download,
    Findings,
    calibrations,
    estimates,
    forms,
    has_files,
    of_baseline,
    of_kept,
    of_log,
)
from explorer.studies.store.folders import (
    STUDIES_VARIABLE,
    Kept,
    StudyStore,
    StudyStoreError,
    Work,
    study_store,
    work_at,
)
from explorer.studies.store.study_form import LIARS, Wanted, study_text

# Snippets that people have copied from the Studies page call it so.
shelf = study_store

__all__ = [
    "LIARS",
    "STUDIES_VARIABLE",
    "Download",
    "Findings",
    "Kept",
    "StudyStore",
    "StudyStoreError",
    "Wanted",
    "Work",
    "calibrations",
    "estimates",
    "forms",
    "has_files",
    "of_baseline",
    "of_kept",
    "of_log",
    "shelf",
    "study_store",
    "study_text",
    "work_at",
]
