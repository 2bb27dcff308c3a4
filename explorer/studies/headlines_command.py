"""The command ``nip-explorer study headlines``."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from explorer.studies.headlines import (
    RESULTS_FILE,
    Headline,
    comparisons,
    headline,
    in_markdown,
    packed_headlines,
    study_of,
)
from explorer.studies.record import Record
from explorer.studies.run import run_study
from explorer.studies.study import StudyError
from explorer.studies.terminal import ProgressBar, subparser


def headlines_command(arguments: Sequence[str]) -> int:
    """Play small versions of published comparisons, and print them beside the published numbers."""
    chosen = _parser().parse_args(list(arguments))
    models = {name: model for name in ("judge", "expert") if (model := getattr(chosen, name))}
    if models and chosen.write:
        raise StudyError("--write is for results with scripts, which everybody can repeat.")
    if models and chosen.to is None:
        raise StudyError("With models, name a folder by --to, so that nothing paid is lost.")
    found: list[Headline] = []
    with tempfile.TemporaryDirectory() as place:
        for each in comparisons():
            if chosen.only in (None, each.name):
                record = Record(Path(chosen.to or place) / each.name)
                bar = ProgressBar()
                stage = run_study(study_of(each, models), record, watch=bar)
                bar.close()
                if stage.left or stage.failed:
                    raise StudyError(
                        f"{each.name}: {stage.left:,} episodes are left and {stage.failed:,} "
                        "failed. Run the command again to go on."
                    )
                found.append(headline(each, record.results()))
    print("\n".join(in_markdown(found)))
    if chosen.write:
        (Path(__file__).parent / RESULTS_FILE).write_text(packed_headlines(found), "utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = subparser(
        "headlines",
        "Play small versions of published comparisons on shipped protocols, and print ours beside "
        "the published numbers, with what differs in the set-up.",
    )
    parser.add_argument(
        "--only", choices=[each.name for each in comparisons()], help="only this comparison"
    )
    parser.add_argument(
        "--judge", metavar="MODEL", help="a model for whoever decides, such as openai/gpt-5-nano"
    )
    parser.add_argument("--expert", metavar="MODEL", help="a model for all other seats")
    parser.add_argument(
        "--to", metavar="FOLDER", type=Path, help="where records are kept, and gone on with"
    )
    parser.add_argument(
        "--write", action="store_true", help="keep the results of scripts in the library"
    )
    return parser
