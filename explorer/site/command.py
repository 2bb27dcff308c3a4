"""The command ``nip-explorer site``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from explorer.site.build import write_site
from explorer.site.pyodide import VERSION, SiteError, pyodide_files

__all__ = ["main"]

DESCRIPTION = (
    "Write the explorer as a static folder, which any web server can serve: schedules, games "
    "against scripted players and rewards run in the visitor's browser."
)


def main(arguments: Sequence[str]) -> None:
    """Write the site."""
    parser = argparse.ArgumentParser(prog="nip-explorer site", description=DESCRIPTION)
    parser.add_argument(
        "--out", required=True, type=Path, metavar="FOLDER", help="where to write it"
    )
    parser.add_argument(
        "--pyodide",
        type=Path,
        metavar="PATH",
        help=f"the npm package pyodide@{VERSION}, as a folder or a .tgz (default: npm fetches it)",
    )
    chosen = parser.parse_args(arguments)
    try:
        written = write_site(chosen.out, pyodide_files(chosen.pyodide))
    except SiteError as error:
        parser.error(str(error))
    print(
        f"Wrote {written.files} files to {written.folder}: {written.all_bytes / 1e6:.1f} MB, of "
        f"which {written.first_bytes / 1e3:.0f} kB come before the first picture.\n"
        f"Try it: python -m http.server --directory {written.folder}"
    )
