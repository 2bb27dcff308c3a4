"""Names that documentation has given by an earlier path can still be imported by it."""

import importlib
import subprocess
import sys

import pytest

from explorer.former_paths import FORMER
from tests.depth import exhaustive

# In a process that has imported nothing else; in one for all, since some take seconds to import.
FIRST_IMPORTS = """
import importlib, warnings
from explorer.former_paths import FORMER

for former, now in FORMER.items():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = importlib.import_module(former)
    print(
        former,
        found is importlib.import_module(now),
        found.__spec__.name == found.__name__ == now,
        any(f"{former} has moved" in str(each.message) for each in said),
    )
"""


@exhaustive
def test_a_former_path_leads_to_the_very_module():
    done = subprocess.run(
        [sys.executable, "-c", FIRST_IMPORTS], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{former} True True True" for former in FORMER]


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
