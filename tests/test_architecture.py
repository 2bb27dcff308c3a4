"""Tests of _version.py.

The import map (read from the code), and the cost of imports.
"""

import ast
import functools
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Collection
from pathlib import Path
from types import ModuleType

import pytest

from tests.depth import each
from tests.sources import below, nodes, parsed, statements

ROOT = Path(__file__).parent.parent

# Each layer may import, at any depth of its code, only itself and the layers above it here. A file
# may have another rank than its package: `protocols` re-exports the registry.
LAYERS = [
    {"_version", "errors", "mistakes", "discovery"},
    {"displays", "budget", "tensors"},
    {"documents"},
    {"lazy"},
    {"parameters", "experiment_settings"},
    {"spec"},
    {"language"},
    {"editing"},
    {"nested_array_dict", "handler"},
    {"utils"},
    {"protocols", "text", "tasks"},
    {"code_validation"},
    {"registry", "protocols/__init__", "protocols/registry"},
    {"play", "values", "batches"},
    {"transcript"},
]
TENSOR_MODULES = {
    "batches",
    "handler/hooks",
    "handler/masks",
    "handler/reading",
    "handler/stepping",
    "handler/zero_knowledge_stepping",
    "transcript/tensors",
}
# These import by computed names: protocols, names on first use, tasks' kinds, pyarrow's parts.
COMPUTES_IMPORTS = {"discovery", "lazy", "tasks/__init__", "tasks/loading/arrow_files"}
# The app, its server, and its screens.
PRIVATE_PARTS = ("explorer/server/streamlit_parts", "explorer/server/streamlit_order")
STREAMLIT = {*PRIVATE_PARTS, "explorer/ui"}
# Streamlit's documented names; everything else may change with any version.
DOCUMENTED = {"streamlit", "streamlit.components.v2", "streamlit.delta_generator"} | {
    "streamlit.errors"
}
NEVER = {
    "streamlit", "plotly", "explorer", "pages", "sqlalchemy", "openai", "httpx", "requests",
    "socket", "urllib", "http", "sqlite3", "time", "datetime",
}  # fmt: skip


def place_of(path: Path) -> str:
    """Return a file's path from the folder of `nip_core`."""
    return path.relative_to(ROOT / "nip_core").as_posix().removesuffix(".py")


def place_of_module(module: str) -> str:
    """Return the path of a module of `nip_core`."""
    place = "/".join(module.split(".")[1:])
    return f"{place}/__init__" if (ROOT / "nip_core" / place).is_dir() else place


@functools.cache
def is_there(module: str) -> bool:
    """Return whether this is a module of ours."""
    path = ROOT.joinpath(*module.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


CALLED = re.compile(r"\b(import_module|__import__)\(")


def called_imports(node: ast.AST) -> list[str | None]:
    """Return the name in a call of `import_module` or `__import__`; None if it is computed."""
    if not isinstance(node, ast.Call) or not node.args:
        return []
    called = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
    if called not in ("import_module", "__import__"):
        return []
    name = node.args[0]
    return [name.value if isinstance(name, ast.Constant) else None]


def is_for_type_checkers(test: ast.expr) -> bool:
    """Return whether the condition of a block is `TYPE_CHECKING`."""
    return "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", ""))


@functools.cache
def imports(source: str) -> list[tuple[str, bool]]:
    """Return (module, whether it is at the top level and not only for type checkers) for every
    import.
    """
    found: list[tuple[str, bool]] = []

    # Calls that import are rare, and may be in any expression.
    children = ast.iter_child_nodes if CALLED.search(source) else below

    def visit(node: ast.AST, top: bool) -> None:
        for child in children(node):
            if isinstance(child, ast.Import):
                found.extend((alias.name, top) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, "imports are absolute"
                # `from package import module` needs only the module, not the whole package.
                module = child.module or ""
                for alias in child.names:
                    inner = f"{module}.{alias.name}"
                    found.append((inner if is_there(inner) else module, top))
            else:
                inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                checking = isinstance(child, ast.If) and is_for_type_checkers(child.test)
                found.extend((name, top) for name in called_imports(child) if name)
                visit(child, top and not inside and not checking)

    visit(parsed(source), True)
    return found


RANK = {place: rank for rank, layer in enumerate(LAYERS) for place in layer}


def rank_of(place: str) -> int | None:
    """Return the layer of a file: its own, or that of its package."""
    return RANK.get(place, RANK.get(place.split("/")[0]))


def violations(place: str, source: str) -> list[str]:
    """Return the forbidden imports of a file of `nip_core`."""
    part = place.split("/")[0]
    with_tensors = part in TENSOR_MODULES or place in TENSOR_MODULES
    bad: list[str] = []
    rank = rank_of(place)
    if rank is None:
        return [f"{part} has no place among the layers"]
    calls = nodes(source) if CALLED.search(source) else ()
    if place not in COMPUTES_IMPORTS and any(None in called_imports(node) for node in calls):
        bad.append(f"{place} imports by a computed name")
    for module, top in imports(source):
        names = module.split(".")
        # Time limits of work are in one place.
        if names[0] in NEVER and (part, module) != ("budget", "time"):
            bad.append(f"{part} imports {module}")
        # Where torch is missing, one module says what to install.
        if names[0] in ("torch", "tensordict") and top and part != "tensors":
            bad.append(f"{part} imports {module}, and not nip_core.tensors")
        if module == "nip_core.tensors" and top and not with_tensors:
            bad.append(f"{part} imports {module} at its top")
        if names[0] in ("pandas", "networkx", "pyarrow", "datasets") and (
            top or part not in ("tasks", "displays")
        ):
            bad.append(f"{part} imports {module}")
        if names[0] != "nip_core":
            continue
        needed = rank_of(place_of_module(module))
        if needed is None or needed > rank:
            bad.append(f"{part} imports {module}")
    return bad


FILES = [
    p
    for p in sorted((ROOT / "nip_core").rglob("*.py"))
    if p.parent.name != "nip_core" or p.stem != "__init__"
]


@pytest.mark.quick
@each("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_layers(path):
    assert violations(place_of(path), path.read_text(encoding="utf-8")) == []


@each(
    ("part", "source"),
    [
        ("spec", "from nip_core.handler import ProtocolHandler"),
        ("spec", "def f():\n    from nip_core.handler.stepping import step"),
        ("handler", "from nip_core.tensors import torch"),
        ("handler/stepping", "import torch"),
        ("handler", "try:\n    import torch\nexcept ImportError:\n    pass"),
        ("handler/stepping", "import streamlit"),
        ("protocols", "from explorer.pictures import grid"),
        ("protocols", "import time"),
        ("code_validation", "import pandas"),
        ("tasks", "import networkx"),
        ("nobody", ""),
        ("spec", "if TYPE_CHECKING:\n    from nip_core.handler import ProtocolHandler"),
        ("parameters", "import_module('nip_core.protocols')"),
        ("parameters", "importlib.import_module('nip_core.protocols.nip')"),
        ("parameters", "def f():\n    return __import__('nip_core.play')"),
        ("play", "importlib.import_module(f'nip_core.{name}')"),
        ("handler", "from nip_core import registry"),
        ("text/handler", "from nip_core.protocols import NipProtocol"),
        ("protocols/nip", "from nip_core.registry import register_protocol_handler"),
        ("values", "import nip_core"),
    ],
)
def test_planted_violations_are_caught(part, source):
    assert violations(part, source)


@each(
    ("place", "source"),
    [
        ("registry", "def f():\n    from nip_core.code_validation import text_layer"),
        ("protocols/__init__", "from nip_core.registry import protocol_names"),
        ("discovery", "importlib.import_module(f'nip_core.protocols.{name}')"),
        ("handler/masks", "from nip_core.tensors import torch"),
        ("tensors", "import torch"),
        ("tasks/graphs/graph", "def f():\n    importlib.import_module('networkx')"),
    ],
)
def test_what_is_allowed_is_no_violation(place, source):
    assert violations(place, source) == []


def named_places() -> list[str]:
    own = {*RANK, *TENSOR_MODULES, *COMPUTES_IMPORTS}
    return sorted({f"nip_core/{place}" for place in own} | STREAMLIT)


@each("place", named_places())
def test_what_is_named_here_exists(place):
    assert (ROOT / place).is_dir() or (ROOT / f"{place}.py").is_file()


@functools.cache
def needs_of(package: str) -> dict[str, set[str]]:
    """Return what each module of a package needs of it, including type checking, late and dynamic
    imports.
    """
    paths = {
        ".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p
        for p in (ROOT / package).rglob("*.py")
    }
    return {
        name: {module for module, _ in imports(path.read_text(encoding="utf-8"))} & paths.keys()
        for name, path in paths.items()
    }


def circle(needs: dict[str, set[str]]) -> list[str]:
    """Return modules that import each other in a circle; none if there is no circle."""
    while free := {name for name, wanted in needs.items() if not wanted & needs.keys()}:
        needs = {name: wanted for name, wanted in needs.items() if name not in free}
    walked: list[str] = []
    here = min(needs, default=None)
    while here is not None and here not in walked:
        walked.append(here)
        here = min(needs[here] & needs.keys())
    return walked[walked.index(here) :] if here else []


@pytest.mark.quick
@pytest.mark.parametrize("package", ["nip_core", "explorer"])
def test_no_circles(package):
    assert circle(needs_of(package)) == []


@each(
    "source",
    [
        "from nip_core.registry import protocol_names",
        "from nip_core import registry",
        "def f():\n    import nip_core.registry",
        "if TYPE_CHECKING:\n    from nip_core.registry import protocol_names",
        "def f():\n    importlib.import_module('nip_core.registry')",
    ],
)
def test_planted_circles_are_caught(source):
    planted = "nip_core.handler.rules"
    needs = needs_of("nip_core")
    wanted = needs[planted] | {module for module, _ in imports(source)}
    found = circle({**needs, planted: wanted})
    assert planted in found
    assert "nip_core.registry" in found


def test_streamlit_stays_on_the_screen():
    for folder in ("explorer", "pages"):
        for path in (ROOT / folder).rglob("*.py"):
            found = {m.split(".")[0] for m, _ in imports(path.read_text(encoding="utf-8"))}
            place = path.relative_to(ROOT).as_posix().removesuffix(".py")
            allowed = place in STREAMLIT or place.startswith(("explorer/ui/", "pages/"))
            assert allowed or "streamlit" not in found, place
            assert "pages" not in found, place


def undocumented(source: str) -> list[str]:
    """Return the undocumented names of Streamlit that a file imports or uses as attributes."""
    found = [m for m, _ in imports(source) if m.split(".")[0] == "streamlit"]
    bad = [module for module in found if module not in DOCUMENTED]
    for node in nodes(source) if "streamlit" in source else ():
        if isinstance(node, ast.ImportFrom) and node.module == "streamlit":
            bad += [each.name for each in node.names if not is_documented(each.name)]
        owner = node.value if isinstance(node, ast.Attribute) else None
        if isinstance(owner, ast.Name) and owner.id in ("st", "streamlit"):
            bad += [node.attr] * (not is_documented(node.attr))
    return bad


def is_documented(name: str) -> bool:
    """Return whether this is a public name of Streamlit."""
    offered = getattr(importlib.import_module("streamlit"), name, None)
    documented = f"streamlit.{name}" in {*DOCUMENTED, "streamlit.components"}
    return not name.startswith("_") and (documented or not isinstance(offered, ModuleType))


@each("folder", ["explorer", "pages"])
def test_undocumented_parts_of_streamlit_are_used_in_one_file(folder):
    for path in (ROOT / folder).rglob("*.py"):
        if path.relative_to(ROOT).as_posix().removesuffix(".py") not in PRIVATE_PARTS:
            assert undocumented(path.read_text(encoding="utf-8")) == [], path


@each(
    "source",
    [
        "from streamlit.runtime.scriptrunner import get_script_run_ctx",
        "def f():\n    import streamlit.web.bootstrap",
        "if TYPE_CHECKING:\n    from streamlit.proto.BackMsg_pb2 import BackMsg",
        "importlib.import_module('streamlit.runtime')",
        "from streamlit import config",
        "import streamlit as st\nst.config.set_option('a', 1)",
        "import streamlit as st\nst._main",
    ],
)
def test_planted_uses_of_undocumented_parts_are_caught(source):
    assert undocumented(source)


def test_only_versions_of_streamlit_that_were_tried_are_admitted():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (wanted,) = (each for each in project["dependencies"] if each.startswith("streamlit"))
    tried = re.search(
        r"tried with Streamlit (\d+)\.(\d+);", (ROOT / f"{PRIVATE_PARTS[0]}.py").read_text()
    )
    major, minor = map(int, tried.groups())
    assert wanted == f"streamlit>={major}.{minor},<{major}.{minor + 1}"


# A package of `explorer`, or a file beside them, may use itself and the layers above it.
EXPLORER_LAYERS = [
    {"languages"},
    {"project", "files", "usage", "programs", "front", "kept_results"},
    {"computations", "hosts", "logs", "pictures", "visitors"},
    {"choice"},
    {"lessons", "players", "rewards", "storage", "front_page", "gallery"},
    {"play"},
    {"drawing", "rooms", "studies"},
    {"participants"},
    {"notebook", "server"},
    {"ui"},
    {"site"},
    {"app", "asgi"},
    {"cli"},
    {"__main__"},
]
EXPLORER_RANK = {part: rank for rank, layer in enumerate(EXPLORER_LAYERS) for part in layer}


def exported(module: str) -> Collection[str]:
    return getattr(importlib.import_module(module), "__all__", ())


def against_the_map(part: str, source: str) -> list[str]:
    """Return a file's imports from packages below its own, or past what a package exports."""
    bad: list[str] = []
    for node in statements(source):
        wanted = [(alias.name, "") for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            wanted = [(node.module, alias.name) for alias in node.names]
        for module, name in wanted:
            if module == "explorer":
                module, name = f"explorer.{name}", ""
            other = module.split(".")[1] if module.startswith("explorer.") else part
            if other == part:
                continue
            if EXPLORER_RANK[other] >= EXPLORER_RANK[part]:
                bad.append(f"{part} needs {module}, which is not above it")
            if module != f"explorer.{other}":
                bad.append(f"{part} reaches into {module}")
            elif name and name not in exported(module):
                bad.append(f"{part} takes {name}, which {module} does not export")
    return bad


def part_of(path: Path) -> str:
    return path.relative_to(ROOT / "explorer").parts[0].removesuffix(".py")


EXPLORER_FILES = [
    p
    for p in sorted((ROOT / "explorer").rglob("*.py"))
    if p.parent.name + p.stem != "explorer__init__"
]


@each("path", EXPLORER_FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_explorer_keeps_to_the_map(path):
    assert against_the_map(part_of(path), path.read_text(encoding="utf-8")) == []


@each(
    ("part", "source"),
    [
        ("play", "from explorer.rooms import join"),
        ("play", "def f():\n    from explorer.notebook import play"),
        ("rooms", "if TYPE_CHECKING:\n    from explorer.studies import Study"),
        ("rooms", "from explorer.play.table import Table"),
        ("rooms", "import explorer.ui.text"),
        ("storage", "from explorer import play"),
        ("ui", "from explorer.players.models import LLMSettings"),
        ("ui", "def f():\n    from explorer.pictures import pay"),
    ],
)
def test_planted_imports_against_the_map_are_caught(part, source):
    assert against_the_map(part, source)


def test_the_map_names_every_part_of_explorer():
    found = {part_of(path) for path in EXPLORER_FILES}
    assert found == set(EXPLORER_RANK)
    contributing = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert [part for part in sorted(found) if f"`{part}" not in contributing] == ["__main__"]


def names_like_files(source: str, files: set[str]) -> list[str]:
    """Return what a package imports on first use and is also the name of one of its files.

    Whoever imports the file first would get it instead of what it exports.
    """
    below = [each for each in parsed(source).body if isinstance(each, ast.If)]
    found = [each for block in below for each in block.body if isinstance(each, ast.ImportFrom)]
    # The library's own parts are exported as modules.
    named = (alias.name for each in found if each.module != "nip_core" for alias in each.names)
    return [name for name in named if name in files]


PACKAGES = sorted(
    p.parent for r in ("explorer", "nip_core") for p in (ROOT / r).rglob("__init__.py")
)


@each("folder", PACKAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_what_is_imported_on_first_use_has_no_files_name(folder):
    source = (folder / "__init__.py").read_text("utf-8")
    files = {path.stem for path in folder.glob("*.py")}
    assert names_like_files(source, files) == []


def test_a_planted_name_of_a_file_is_caught():
    source = "if TYPE_CHECKING:\n    from nip_core.values.card import card as card"
    assert names_like_files(source, {"card"}) == ["card"]


def files_of_rooms(source: str) -> list[str]:
    """Return the private files of packages of `nip_core` that are imported from outside."""

    def is_private(module: str) -> bool:
        room, _, name = module.rpartition(".")
        # A package may export a name that is also the name of one of its files.
        return name not in getattr(importlib.import_module(room), "__all__", ())

    inside = [m for m, _ in imports(source) if m.startswith("nip_core.") and m.count(".") > 1]
    return [module for module in inside if is_private(module)]


@each("folder", ["explorer", "pages"])
def test_rooms_are_asked_for_what_they_export(folder):
    for path in (ROOT / folder).rglob("*.py"):
        assert files_of_rooms(path.read_text(encoding="utf-8")) == [], path


PAGES_TO_READ = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


def blocks_of(path: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def test_what_people_read_shows_rooms_only_and_its_links_lead_somewhere():
    for path in PAGES_TO_READ:
        assert all(files_of_rooms(block) == [] for block in blocks_of(path)), path
        links = re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8"))
        near = [link for link in links if "://" not in link]
        assert all((path.parent / link).exists() for link in near), (path, near)


def test_a_planted_file_of_a_room_is_caught():
    assert files_of_rooms("from nip_core.play.moves import Move")
    assert files_of_rooms("def f():\n    import nip_core.values.exact")
    assert not files_of_rooms("from nip_core.play import Move")


# Exports of more than a seat's view, which `explorer/play` makes from public episodes.
WHOLE = {
    "dump", "dumps", "to_markdown", "to_plain_text", "training_examples", "preference_pairs",
    "episodes_df", "rounds_df", "messages_df", "dataframes",
}  # fmt: skip


def reaches_round_the_doors(source: str) -> list[str]:
    """Return where a page uses an episode, or makes a text of a whole one, by itself."""
    found: list[str] = []
    for node in nodes(source):
        if isinstance(node, ast.Attribute) and node.attr in ("episode", "_episode", "held"):
            found.append(ast.unparse(node))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            ("nip_core.transcript", "explorer.play")
        ):
            found += [alias.name for alias in node.names if alias.name in WHOLE]
    return found


@each("folder", ["explorer/ui", "pages"])
def test_pages_get_views_and_public_facts_and_never_an_episode(folder):
    for path in (ROOT / folder).rglob("*.py"):
        assert reaches_round_the_doors(path.read_text(encoding="utf-8")) == [], path


@each(
    "source",
    [
        "screen(table.episode.view_for(seat))",
        "storage.load(episode_id).episode",
        "seen._episode",
        "from nip_core.transcript import dumps",
        "from explorer.play import messages_df",
        "from explorer.play.dataframes import messages_df",
    ],
)
def test_planted_ways_round_the_doors_are_caught(source):
    assert reaches_round_the_doors(source)


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


WITHOUT_TORCH = """
import sys
import nip_core, nip_core.tasks, nip_core.values as v
from nip_core.handler.zero_knowledge import zero_knowledge
from nip_core.transcript import dumps, load

assert "scipy" not in sys.modules
for name in nip_core.protocol_names():
    for scenario in ("graph_isomorphism", "code_validation"):
        spec = nip_core.protocol_spec(nip_core.HyperParameters(scenario, interaction_protocol=name))
        spec.lint(), spec.to_dict(), spec.max_verifier_questions, zero_knowledge(spec)
print([m for m in ("torch", "tensordict", "pandas", "networkx") if m in sys.modules])
for name in nip_core.protocol_names():
    episode = nip_core.Episode(name, nip_core.tasks.bundled_tasks()[0])
    while not episode.over:
        agent = episode.to_move[0]
        legal = episode.legal(agent)
        last = legal.last_turn and legal.may_decide
        said = dict.fromkeys(legal.channels, "Why?")
        episode.play(nip_core.Move(agent, **({"decision": 1} if last else {"messages": said})))
        episode.view_for(agent).to_json()
    episode.result(), load(dumps(episode))
for name, hidden in (("nip", True), ("mnip", False), ("merlin_arthur", False)):
    handler = nip_core.protocol(name, zero_knowledge=hidden)
    play = v.simple_play(handler.spec, decides=0.5, accepts_true=0.9, accepts_false=0.2)
    for model in (v.random_play(handler.spec), play):
        values = v.exact_values(handler, model)
        values.distribution("verifier"), values.variance("verifier")
print([m for m in ("torch", "tensordict", "pandas") if m in sys.modules])
"""


def test_only_tensors_need_torch():
    assert run(WITHOUT_TORCH).split("\n")[:2] == ["[]", "[]"]


def test_a_name_brings_only_its_own_module():
    loaded = "print(sum(m.startswith('nip_core') for m in sys.modules))\n"
    asked = "nip_core.errors.NipError\n"
    others = "print([m for m in ('nip_core.values', 'nip_core.transcript') if m in sys.modules])"
    assert run(f"import sys, nip_core\n{loaded}{asked}{others}").split() == ["1", "[]"]


def parts_beside_others(source: str) -> list[str]:
    """Return where a page makes a part that reruns by itself without its own container."""
    all_nodes = nodes(source) if "fragment" in source else ()
    named = (node for node in all_nodes if isinstance(node, ast.Attribute))
    return [ast.unparse(node) for node in named if node.attr == "fragment"]


@each("folder", ["explorer/ui", "pages"])
def test_parts_that_run_by_themselves_have_a_place_of_their_own(folder):
    for path in (ROOT / folder).rglob("*.py"):
        if path.relative_to(ROOT).as_posix() != "explorer/ui/layout.py":
            assert parts_beside_others(path.read_text(encoding="utf-8")) == [], path


OURS = ("nip_core", "explorer", "tests", "benchmarks")
LATE_IMPORT = re.compile(rf"^ +(?:from|import) ((?:{'|'.join(OURS)})\b[\w.]*)", re.MULTILINE)


def test_late_imports_find_their_modules():
    """Where a module is imported within a function, nothing else may run that today."""
    missing = [
        f"{path.relative_to(ROOT)}: {found[1]}"
        for folder in OURS
        for path in (ROOT / folder).rglob("*.py")
        for found in LATE_IMPORT.finditer(path.read_text("utf-8"))
        if not is_module(found[1])
    ]
    assert missing == []


def is_module(name: str) -> bool:
    place = ROOT.joinpath(*name.split("."))
    return place.is_dir() or place.with_suffix(".py").is_file()
