"""List every text of the interface by page: ``python -m tests.interface_texts [page ...]``.

To read them one after the other, as somebody meets them who has never seen the project.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.sources import nodes, parsed

ROOT = Path(__file__).parent.parent
FRONTS = ROOT / "explorer" / "front"
# Files of texts that a module reads by their names; lessons are listed by their own readers.
TEXTS = [
    path
    for path in sorted((ROOT / "explorer").rglob("*.toml"))
    if path.parent.name not in (".streamlit", "content", "scripted", "provers")
]
# Two words with a space between them, and no code: style sheets, HTML alone, queries, types.
WORDS = re.compile(r"[A-Za-zÀ-ÿ']{2,}[,:;.]? +[\w{(]")
CODE = re.compile(
    r"[{;]\s*[\w-]+:\s|^\s*<[^>]*>\s*$|^[.#\[:@]\S|SELECT |UPDATE |DELETE |=>"
    r"|^\w+=|--\w|\bdef |^\(\?|^\w+\[\w+, "
)
IN_SCRIPTS = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
MANY = "On several pages"
ELSEWHERE = "Command line, server, notebook"


def is_text(text: str) -> bool:
    """Is it made of words for people?"""
    return bool(WORDS.search(text)) and not CODE.search(text)


def shown(node: ast.expr) -> str | None:
    """A constant or an f-string as people read it, with what is put in between braces."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [
            str(part.value) if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}"
            for part in node.values
            if isinstance(part, ast.Constant | ast.FormattedValue)
        ]
        return "".join(parts)
    return None


def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return nodes(path.read_text("utf-8"))


@cache
def texts(path: Path) -> tuple[str, ...]:
    """The texts of a file, in its order."""
    if path.suffix == ".js":
        body = re.sub(r"^\s*//.*$", "", path.read_text("utf-8"), flags=re.MULTILINE)
        found = [one or other for one, other in IN_SCRIPTS.findall(body)]
    elif path.suffix == ".toml":
        found = list(strings(tomllib.loads(path.read_text("utf-8"))))
    else:
        left_out, found = set[ast.AST](), []
        for node in nodes_of(path):
            # A docstring, or one of an attribute.
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                left_out.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                left_out.update(ast.walk(node))
                left_out.discard(node)
        written = [each for each in nodes_of(path) if isinstance(each, ast.expr)]
        written = [each for each in written if each not in left_out and shown(each) is not None]
        written.sort(key=lambda each: (each.lineno, each.col_offset))
        found = [str(shown(each)) for each in written]
    return tuple(dict.fromkeys(" ".join(text.split()) for text in found if is_text(text)))


def strings(value: object) -> Iterator[str]:
    """The strings of a document, in its order."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)
    elif isinstance(value, str):
        yield value


@cache
def defined_in(package: Path) -> dict[str, Path]:
    """Where a package defines what it exports."""
    homes = {}
    for path in sorted(package.rglob("*.py")):
        for node in parsed(path.read_text("utf-8")).body:
            targets = node.targets if isinstance(node, ast.Assign) else [node]
            for target in targets:
                name = getattr(target, "name", None) or getattr(target, "id", None)
                homes.setdefault(name, path)
    return homes


@cache
def scripts_and_texts() -> dict[str, Path]:
    """The scripts and texts by the names that Python files use for them."""
    fronts = {front.stem: front for front in FRONTS.glob("*.js")}
    return fronts | {each.name: each for each in TEXTS}


@cache
def needed(path: Path) -> frozenset[Path]:
    """The files of the explorer that a file imports, and the scripts and texts that it names."""
    return frozenset(_needed(path))


def _needed(path: Path) -> Iterator[Path]:
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("explorer"):
            place = ROOT.joinpath(*str(node.module).split("."))
            if place.with_suffix(".py").is_file():
                yield place.with_suffix(".py")
                continue
            for each in node.names:
                inside = (place / f"{each.name}.py", place / each.name / "__init__.py")
                home = next((one for one in inside if one.is_file()), None)
                if found := home or defined_in(place).get(each.name):
                    yield found
        elif isinstance(node, ast.Constant) and node.value in scripts_and_texts():
            yield scripts_and_texts()[str(node.value)]


@cache
def needed_by_script(path: Path) -> frozenset[Path]:
    names = re.findall(r'from "\./(\w+)\.js"', path.read_text("utf-8"))
    return frozenset(FRONTS / f"{name}.js" for name in names)


READERS = {".py": needed, ".js": needed_by_script}


@cache
def closure(start: Path) -> frozenset[Path]:
    """All files that a page is made of."""
    found, left = {start}, [start]
    while left:
        path = left.pop()
        new = READERS[path.suffix](path) - found if path.suffix in READERS else frozenset()
        found |= new
        left += new
    return frozenset(found)


def listed() -> dict[str, dict[Path, tuple[str, ...]]]:
    """The texts by page and file; those of files that several pages need stand together."""
    pages = {path.stem: closure(path) for path in sorted((ROOT / "pages").glob("*.py"))}
    by_page: dict[str, dict[Path, tuple[str, ...]]] = {}
    files = [
        *(ROOT / "pages").glob("*.py"),
        *(ROOT / "explorer").rglob("*.py"),
        *FRONTS.glob("*.js"),
        *TEXTS,
    ]
    for path in sorted(files):
        users = [name for name, inside in pages.items() if path in inside]
        place = users[0] if len(users) == 1 else MANY if users else ELSEWHERE
        if found := texts(path):
            by_page.setdefault(place, {})[path] = found
    return by_page


def main(names: list[str]) -> None:
    for place, files in sorted(
        listed().items(), key=lambda each: (each[0] in (MANY, ELSEWHERE), each)
    ):
        if names and place not in names:
            continue
        print(f"\n# {place}")
        for path, found in files.items():
            print(f"\n## {path.relative_to(ROOT)}")
            for text in found:
                print(f"- {text}")


if __name__ == "__main__":
    main(sys.argv[1:])
