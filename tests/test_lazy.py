"""Tab completion offers a module's public names, and not its imports."""

import importlib
import pkgutil

import pytest

import nip_core
from tests.depth import each

EXPLORER = (
    "notebook",
    "pictures",
    "players",
    "players.models",
    "players.scripted",
    "studies",
    "studies.statistics",
    "pictures.study_charts",
    "play.dataframes",
    "studies.inspect",
)
ROOMS = [
    "nip_core",
    *(f"nip_core.{each.name}" for each in pkgutil.iter_modules(nip_core.__path__) if each.ispkg),
    "nip_core.registry",
    "nip_core.errors",
    *(f"explorer.{name}" for name in EXPLORER),
]


@each("name", ROOMS)
def test_a_module_offers_what_it_is_for(name):
    module = importlib.import_module(name)
    if not hasattr(module, "__all__"):
        assert name in {"nip_core.utils"}
        return
    assert dir(module) == sorted(module.__all__)
    assert {"annotations", "Any", "import_module", "TYPE_CHECKING"}.isdisjoint(dir(module))
    assert all(hasattr(module, each) for each in module.__all__)


def test_a_notebooks_completion_offers_them():
    completer = pytest.importorskip("IPython.core.completer")
    space = {"notebook": importlib.import_module("explorer.notebook")}
    offered = completer.Completer(namespace=space).attr_matches("notebook.")
    assert {"notebook.play", "notebook.rewards"} <= {*offered}
    assert not any("import_module" in each or each.endswith(".Any") for each in offered)
