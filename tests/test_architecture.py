"""Who may import whom (read from the code), and what an import may cost."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Each layer may import, at any depth of its code, only itself and the layers above it here.
LAYERS = [
    {"errors", "_version"},
    {"documents"},
    {"parameters", "experiment_settings"},
    {"spec"},
    {"nested_array_dict", "handler"},
    {"registry", "utils"},
    {"protocols", "text", "tasks"},
    {"code_validation"},
    {"play", "values"},
    {"transcript"},
]
TENSOR_MODULES = {"handler/masks", "handler/stepping", "handler/zero_knowledge_stepping", "values"}
NEVER = {
    "streamlit", "plotly", "explorer", "pages", "sqlalchemy", "openai", "httpx", "requests",
    "socket", "urllib", "http", "sqlite3", "time", "datetime",
}  # fmt: skip


def place_of(path: Path) -> str:
    """The room of `nip_core` that a file belongs to, and the file."""
    return path.relative_to(ROOT / "nip_core").as_posix().removesuffix(".py")


def imports(source: str) -> list[tuple[str, bool]]:
    """(module, is at the top level and not for type checkers only) for every import."""
    found: list[tuple[str, bool]] = []

    def visit(node: ast.AST, top: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                found.extend((alias.name, top) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, "imports are absolute"
                # `from package import module` needs the module, not all of the package.
                module = child.module or ""
                for alias in child.names:
                    inner = ROOT.joinpath(*module.split("."), f"{alias.name}.py")
                    found.append((f"{module}.{alias.name}" if inner.exists() else module, top))
            elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            else:
                inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                visit(child, top and not inside)

    visit(ast.parse(source), True)
    return found


def violations(place: str, source: str) -> list[str]:
    """What a file of `nip_core` imports that it may not."""
    part = place.split("/")[0]
    with_tensors = part in TENSOR_MODULES or place in TENSOR_MODULES
    rank = {name: place for place, layer in enumerate(LAYERS) for name in layer}
    bad: list[str] = []
    if part not in rank:
        return [f"{part} has no place among the layers"]
    for module, top in imports(source):
        names = module.split(".")
        if names[0] in NEVER:
            bad.append(f"{part} imports {module}")
        if names[0] in ("torch", "tensordict") and top and not with_tensors:
            bad.append(f"{part} imports {module} at its top")
        if names[0] in ("pandas", "networkx", "pyarrow", "datasets") and (top or part != "tasks"):
            bad.append(f"{part} imports {module}")
        if names[0] != "nip_core" or len(names) == 1:
            continue
        if rank.get(names[1], len(LAYERS)) > rank[part]:
            bad.append(f"{part} imports {module}")
    return bad


FILES = [
    p
    for p in sorted((ROOT / "nip_core").rglob("*.py"))
    if p.parent.name != "nip_core" or p.stem != "__init__"
]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_layers(path):
    assert violations(place_of(path), path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("part", "source"),
    [
        ("spec", "from nip_core.handler import ProtocolHandler"),
        ("spec", "def f():\n    from nip_core.handler.stepping import step"),
        ("handler", "import torch"),
        ("handler", "try:\n    import torch\nexcept ImportError:\n    pass"),
        ("handler/stepping", "import streamlit"),
        ("protocols", "from explorer.figures import grid"),
        ("protocols", "import time"),
        ("code_validation", "import pandas"),
        ("tasks", "import networkx"),
        ("nobody", ""),
    ],
)
def test_planted_violations_are_caught(part, source):
    assert violations(part, source)


def test_no_circles_at_the_top_level():
    modules = {
        ".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p
        for p in (ROOT / "nip_core").rglob("*.py")
    }
    needs = {
        name: {m for m, top in imports(path.read_text(encoding="utf-8")) if top and m in modules}
        for name, path in modules.items()
    }
    while needs:
        free = {name for name, wanted in needs.items() if not wanted & needs.keys() - {name}}
        assert free, f"a circle among {sorted(needs)}"
        needs = {name: wanted for name, wanted in needs.items() if name not in free}


def test_streamlit_stays_on_the_screen():
    for folder in ("explorer", "pages"):
        for path in (ROOT / folder).rglob("*.py"):
            found = {m.split(".")[0] for m, _ in imports(path.read_text(encoding="utf-8"))}
            relative = path.relative_to(ROOT).as_posix()
            on_screen = relative.startswith(("explorer/ui/", "pages/"))
            serving = ("explorer/serving/messages.py", "explorer/serving/sessions.py")
            serves = ("explorer/app.py", "explorer/server.py", *serving)
            allowed = on_screen or relative in serves
            assert allowed or "streamlit" not in found, relative
            assert "pages" not in found, relative


# What holds more than a seat's view, and is made by `explorer/game_table` of what is told to all.
WHOLE = {"dump", "dumps", "to_markdown", "to_plain_text", "training_examples", "preference_pairs"}


def reaches_round_the_doors(source: str) -> list[str]:
    """Where a page takes an episode, or makes a whole one into a text, by itself."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in ("episode", "_episode", "held"):
            found.append(ast.unparse(node))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            "nip_core.transcript"
        ):
            found += [alias.name for alias in node.names if alias.name in WHOLE]
        if isinstance(node, ast.ImportFrom) and node.module == "explorer.transcripts.dataframes":
            found.append(node.module)
    return found


@pytest.mark.parametrize("folder", ["explorer/ui", "pages"])
def test_pages_get_views_and_what_is_told_and_never_an_episode(folder):
    for path in (ROOT / folder).rglob("*.py"):
        assert reaches_round_the_doors(path.read_text(encoding="utf-8")) == [], path


@pytest.mark.parametrize(
    "source",
    [
        "screen(table.episode.view_for(seat))",
        "storage.load(episode_id).episode",
        "seen._episode",
        "from nip_core.transcript import dumps",
        "from explorer.transcripts.dataframes import messages_df",
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


def test_schedules_come_without_torch():
    out = run(
        "import sys, nip_core\n"
        "from nip_core.handler.zero_knowledge import zero_knowledge\n"
        "for name in nip_core.protocol_names():\n"
        "    for scenario in ('graph_isomorphism', 'code_validation'):\n"
        "        parameters = nip_core.HyperParameters(scenario, interaction_protocol=name)\n"
        "        spec = nip_core.protocol_spec(parameters)\n"
        "        spec.lint(), spec.to_dict(), spec.max_verifier_questions, zero_knowledge(spec)\n"
        "print([m for m in ('torch', 'tensordict', 'pandas', 'networkx') if m in sys.modules])"
    )
    assert out.strip() == "[]"


def test_exact_values_come_without_torch():
    out = run(
        "import sys, nip_core, nip_core.values as v\n"
        "assert 'scipy' not in sys.modules\n"
        "for name in nip_core.protocol_names():\n"
        "    for zero_knowledge in (False, True):\n"
        "        parameters = nip_core.HyperParameters(\n"
        "            interaction_protocol=name,\n"
        "            protocol_common={'zero_knowledge': zero_knowledge},\n"
        "        )\n"
        "        handler = nip_core.build_protocol_handler(\n"
        "            parameters, nip_core.ExperimentSettings()\n"
        "        )\n"
        "        for make in (v.random_play, v.simple_play):\n"
        "            chances = {'decides': 0.5, 'accepts_true': 0.9, 'accepts_false': 0.2}\n"
        "            given = chances if make is v.simple_play else {}\n"
        "            values = v.exact_values(handler, make(handler.spec, **given))\n"
        "            for agent in handler.spec.agent_names:\n"
        "                values.distribution(agent), values.variance(agent)\n"
        "                values.components(agent), v.mid_point(handler, values, agent)\n"
        "print([m for m in ('torch', 'tensordict', 'pandas') if m in sys.modules])"
    )
    assert out.strip() == "[]"


def test_episodes_are_played_without_torch():
    out = run(
        "import sys, nip_core, nip_core.tasks\n"
        "from nip_core.transcript import dumps, load\n"
        "for name in nip_core.protocol_names():\n"
        "    parameters = nip_core.HyperParameters(interaction_protocol=name)\n"
        "    episode = nip_core.Episode(parameters, nip_core.tasks.bundled_tasks()[0])\n"
        "    while not episode.over:\n"
        "        agent = episode.to_move[0]\n"
        "        legal = episode.legal(agent)\n"
        "        said = dict.fromkeys(legal.channels, 'Why?')\n"
        "        last = legal.last_turn and legal.may_decide\n"
        "        kept = {'decision': 1} if last else {'messages': said}\n"
        "        episode.play(nip_core.Move(agent, **kept))\n"
        "        episode.view_for(agent).to_json()\n"
        "    episode.result(), load(dumps(episode))\n"
        "print([m for m in ('torch', 'tensordict') if m in sys.modules])"
    )
    assert out.strip() == "[]"


def test_importing_the_package_loads_nothing():
    out = run("import sys, nip_core; print(sum(m.startswith('nip_core') for m in sys.modules))")
    assert out.strip() == "1"


def test_every_public_name_is_there():
    out = run("import nip_core; print(all(hasattr(nip_core, n) for n in nip_core.__all__))")
    assert out.strip() == "True"


def test_the_readme_runs():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 3
    out = run("\n".join(blocks) + "\nassert 'two_questions' in protocol_names()")
    assert re.search(r"tensor\(\[\[\s*1\.,\s*1\.\],\s*\[\s*0\.,\s*-1\.\]\]\)", out)
