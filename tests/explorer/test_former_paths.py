"""What documentation has named by an earlier path can still be imported by it."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from explorer.former_paths import FORMER


@pytest.mark.parametrize("former", FORMER)
def test_a_former_path_leads_to_the_very_module(former):
    code = (
        "import importlib, warnings\n"
        "with warnings.catch_warnings(record=True) as said:\n"
        "    warnings.simplefilter('always')\n"
        f"    found = importlib.import_module({former!r})\n"
        f"assert found is importlib.import_module({FORMER[former]!r})\n"
        f"assert found.__spec__.name == found.__name__ == {FORMER[former]!r}, found.__spec__\n"
        f"assert any({former + ' has moved'!r} in str(each.message) for each in said)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_names_are_imported_from_former_paths():
    sys.modules.pop("explorer.players.llm", None)
    with pytest.warns(DeprecationWarning, match="has moved to explorer.players.models"):
        from explorer.players.llm import LLMPlayer
    assert LLMPlayer is importlib.import_module("explorer.players.models").LLMPlayer


def test_a_path_that_never_was_is_not_found():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("explorer.nowhere")


def test_what_the_studies_page_used_to_show_still_runs():
    sys.modules.pop("explorer.shelf", None)
    with pytest.warns(DeprecationWarning, match="has moved to explorer.studies"):
        from explorer.shelf import shelf
    sys.modules.pop("explorer.studies.store", None)
    with pytest.warns(DeprecationWarning, match="has moved to explorer.studies"):
        from explorer.studies.store import of_log, study_store
    studies = importlib.import_module("explorer.studies")
    assert shelf is study_store is studies.study_store
    assert of_log is studies.of_log
