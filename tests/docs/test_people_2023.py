"""The tables about the judges of 2023 on two pages are those of the stored file of results.

`NIP_RENEW=1` writes the tables again, after ``nip-explorer open ... --table`` has written the file.
"""

import csv
import os
import re
from pathlib import Path

from tests.depth import each

DOCS = Path(__file__).parents[2] / "docs"
RESULTS = DOCS / "concepts" / "people-2023.csv"
# The tables of each page, as far as they are about these judges.
PAGES = {
    "concepts/people-2023.md": ("accuracy", "scores", "confidence", "evidence"),
    "howto/transcripts.md": ("accuracy",),
}
HEAD = "| protocol | argued | measure | value | 95% | cases |"
# Of each table, the beginning of its measures, and how many digits it shows.
TABLES = {
    "accuracy": (("right, judged",), 1),
    "scores": (("Brier score, judged during", "log score, judged during"), 3),
    "confidence": (("right at ",), 1),
    "evidence": (("shows", "fakes", "quotes", "own"), 1),
}
# So few cases say nothing.
LEAST = 5


def shown(row, digits):
    """Return a row of the results as one of the page."""
    values = [float(row[name]) if row[name] else None for name in ("value", "low", "high")]
    if digits == 1:
        value, low, high = (f"{each:.1%}" for each in values)
    else:
        value, low, high = (f"{each:.3f}" for each in values)
    protocol = row["protocol"].removesuffix(" (Michael et al.)")
    cells = (protocol, row["argued"], row["measure"], value, f"{low} to {high}", row["count"])
    return f"| {' | '.join(cells)} |"


def tables():
    """Return all tables."""
    with RESULTS.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if int(row["count"]) >= LEAST]
    head = [HEAD, "| --- " * 6 + "|"]
    return {
        name: "\n".join(
            head + [shown(row, digits) for row in rows if row["measure"].startswith(begins)]
        )
        for name, (begins, digits) in TABLES.items()
    }


@each("page", PAGES)
def test_the_tables_of_the_pages_are_those_of_the_results(page):
    file, made = DOCS / page, tables()
    text = file.read_text(encoding="utf-8")
    written = iter([made[name] for name in PAGES[page]])
    new = re.sub(rf"(?m)^{re.escape(HEAD)}\n(?:^\|.*\n)+", lambda _: f"{next(written)}\n", text)
    assert next(written, None) is None
    if os.environ.get("NIP_RENEW"):
        file.write_text(new, encoding="utf-8")
    else:
        assert new == text
