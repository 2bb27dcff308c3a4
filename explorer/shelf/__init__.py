"""Studies on this machine: kept in a folder, played by the server, and opened from logs."""

from __future__ import annotations

from explorer.shelf.asking import LIARS, Wanted, study_text
from explorer.shelf.findings import Findings, of_baseline, of_kept, of_log
from explorer.shelf.folders import STUDIES_VARIABLE, Kept, Shelf, ShelfError, shelf
from explorer.shelf.numbers import calibrations, estimates
from explorer.shelf.takeaway import Form, forms, has_files, study_notebook
from explorer.shelf.work import Work, work_at

__all__ = [
    "LIARS",
    "STUDIES_VARIABLE",
    "Findings",
    "Form",
    "Kept",
    "Shelf",
    "ShelfError",
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
    "study_notebook",
    "study_text",
    "work_at",
]
