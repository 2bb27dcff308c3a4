"""Untrusted text is shown literally: no call on a page passes it to markdown unescaped.

And calls that escape by themselves, or show plain text, do not get escaped text.

Streamlit reads markdown in boxes, headings, labels, helps and options. Each such argument in
``explorer`` and ``pages`` must be a literal or come from ``escaped()``; boxes use ``alert()``,
which escapes by itself.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests import sources
from tests.depth import each

ROOT = Path(__file__).parent.parent
# All code that draws: nothing else may import Streamlit (`test_architecture.py`).
FILES = sorted(
    path
    for folder in ("explorer", "pages")
    for path in (ROOT / folder).rglob("*.py")
    if "ui" in path.parts or "streamlit" in path.read_text(encoding="utf-8")
)
# Calls that only `text.py` and `tables.py` may make, with any arguments.
BOXES = {"error", "warning", "info", "success", "exception", "toast", "caption", "latex", "badge"}
OTHERS = {"log", "logging", "parser", "outcome"}  # these have methods with such names
TABLES = {"table", "dataframe", "data_editor", "metric", "json", "chat_message", "write_stream"}
# These treat their arguments as untrusted.
WRAPPERS = {f"explorer/ui/{name}.py" for name in ("text", "tables")}
# Calls that read markdown, and where: positions, or names of arguments.
FIRST = (0, "body", "label", "help", "text", "title", "placeholder")
MARKDOWN: dict[str, tuple[int | str, ...]] = {
    **dict.fromkeys(("markdown", "title", "header", "subheader", "spinner", "divider"), FIRST),
    **dict.fromkeys(("button", "download_button", "form_submit_button", "link_button"), FIRST),
    **dict.fromkeys(("page_link", "checkbox", "toggle", "selectbox", "multiselect"), FIRST),
    **dict.fromkeys(("slider", "select_slider", "number_input", "text_input"), FIRST),
    **dict.fromkeys(("text_area", "date_input", "time_input", "file_uploader"), FIRST),
    **dict.fromkeys(("popover", "expander", "status", "dialog", "color_picker"), FIRST),
    **dict.fromkeys(("chat_input", "camera_input", "audio_input", "feedback"), FIRST),
    # Their options are markdown too.
    **dict.fromkeys(("radio", "pills", "segmented_control"), (*FIRST, 1, "options", "captions")),
    # Our own, which escape the names of options themselves.
    **dict.fromkeys(("dropdown", "segments"), FIRST),
    "tabs": (0, "tabs"),
    "progress": (1, "text"),
    "write": tuple(range(20)),
}
OPTIONS = {1, "options"}
WATCHED = {*BOXES, *TABLES, *MARKDOWN}
SAFE_CALLS = {"escaped", "len", "int", "float", "round"}
# Format types that only numbers accept: a text raises an error.
NUMERIC = tuple("bcdeEfFgGn%")


class Module:
    """A module's tree, and the values of its names."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.following: set[tuple[ast.AST, str]] = set()
        self.parents = {
            child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)
        }

    def scopes(self, node: ast.AST) -> Iterator[ast.AST]:
        """Return the functions around a node, innermost first, and the module."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, ast.FunctionDef | ast.Lambda | ast.Module):
                yield node

    def safe(self, node: ast.AST | None) -> bool:
        """Return whether this can only be a literal text of the program."""
        match node:
            case None | ast.Constant():
                return True
            case ast.JoinedStr(values=parts):
                return all(map(self.safe, parts))
            case ast.FormattedValue(value=value, format_spec=spec):
                return _takes_numbers_only(spec) or self.safe(value)
            case ast.Call(func=ast.Name(id=name)) if name in SAFE_CALLS:
                return True
            # A translation has the markup of our text: `fault_of` in `explorer/languages/`.
            case ast.Call(func=ast.Name(id="tr"), args=[ast.Constant()], keywords=values):
                return all(self.safe(each.value) for each in values)
            case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="join"), args=[each]):
                return self.safe(each)
            case ast.Call(func=ast.Attribute(value=each, attr="values"), args=[]):
                return self.safe(each)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.safe(left) and self.safe(right)
            case ast.IfExp(body=then, orelse=other):
                return self.safe(then) and self.safe(other)
            case ast.BoolOp(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
                return all(map(self.safe, parts))
            case ast.Dict(values=parts):
                return all(map(self.safe, parts))
            case ast.ListComp(elt=each) | ast.GeneratorExp(elt=each) | ast.Starred(value=each):
                return self.safe(each)
            case ast.Lambda(body=each):
                return self.safe(each)
            case ast.Subscript(value=each) | ast.Attribute(value=each, attr="__getitem__"):
                return self.safe(each)
            case ast.Name():
                return self._safe_name(node)
            case _:
                return False

    def spread(self, value: ast.AST) -> Iterator[tuple[str, ast.AST]]:
        """Return the arguments that are passed as a dictionary."""
        if isinstance(value, ast.Name):
            for scope in self.scopes(value):
                for name, bound in self._bindings(scope):
                    if name == value.id and isinstance(bound, ast.Dict):
                        yield from self.spread(bound)
        elif isinstance(value, ast.Dict):
            for key, each in zip(value.keys, value.values, strict=True):
                if isinstance(key, ast.Constant):
                    yield str(key.value), each

    def _safe_name(self, name: ast.Name) -> bool:
        for scope in self.scopes(name):
            bound = [value for target, value in self._bindings(scope) if target == name.id]
            if bound:
                if (scope, name.id) in self.following:
                    return True  # it depends on itself, and on values that are checked already
                self.following.add((scope, name.id))
                safe = all(each is not None and self.safe(each) for each in bound)
                self.following.discard((scope, name.id))
                return safe
        return False

    @cache  # noqa: B019
    def _bindings(self, scope: ast.AST) -> list[tuple[str, ast.AST | None]]:
        """Yield each name that a scope binds, and its value; None if it cannot be followed."""
        found: list[tuple[str, ast.AST | None]] = []
        if isinstance(scope, ast.FunctionDef | ast.Lambda):
            given = scope.args
            found += [
                (argument.arg, None)
                for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)
            ]
        for node in ast.walk(scope):
            if next(self.scopes(node), None) is not scope:
                continue
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        found += _bound(target, value)
                case (
                    ast.AnnAssign(target=target, value=value)
                    | ast.NamedExpr(target=target, value=value)
                ):
                    found += _bound(target, value)
                case ast.AugAssign(target=target, value=value):
                    found += _bound(target, value)
                case (
                    ast.For(target=target, iter=each) | ast.comprehension(target=target, iter=each)
                ):
                    found += _each(target, each)
                case ast.ImportFrom(module=module, names=names):
                    for alias in names:
                        constant = imported(module or "", alias.name)
                        found.append((alias.asname or alias.name, constant))
                case ast.withitem(optional_vars=target) if target is not None:
                    found += _bound(target, None)
                case _:
                    pass
        return found


def _takes_numbers_only(spec: ast.expr | None) -> bool:
    match spec:
        case ast.JoinedStr(values=[*_, ast.Constant(value=str(text))]):
            return text.endswith(NUMERIC)
        case _:
            return False


def _bound(target: ast.AST, value: ast.AST | None) -> list[tuple[str, ast.AST | None]]:
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    if isinstance(target, ast.Tuple | ast.List):
        values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        if len(values) != len(target.elts):
            values = [None] * len(target.elts)
        return [
            pair
            for one, each in zip(target.elts, values, strict=True)
            for pair in _bound(one, each)
        ]
    return []


def _each(target: ast.AST, values: ast.AST) -> list[tuple[str, ast.AST | None]]:
    """Return what the target of a loop is bound to: each of the literal values."""
    if isinstance(values, ast.Tuple | ast.List):
        return [pair for value in values.elts for pair in _bound(target, value)]
    # Each part of a safe value is safe.
    return _bound(target, values if isinstance(target, ast.Name) else None)


@cache
def parsed(path: Path) -> Module:
    return Module(sources.parsed(path.read_text("utf-8")))


def imported(module: str, name: str) -> ast.AST | None:
    """Return a constant of another of our modules if it contains only its own text."""
    base = ROOT.joinpath(*module.split("."))
    path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    if not name.isupper() or not path.is_file():
        return None
    there = parsed(path)
    bound = [value for target, value in there._bindings(there.tree) if target == name]
    safe = bool(bound) and all(each is not None and there.safe(each) for each in bound)
    return ast.Constant(name) if safe else None


def faults(module: Module, path: str) -> Iterator[str]:
    """Yield each call that passes untrusted text to markdown, as ``file:line: call``."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Call(func=ast.Attribute(value=receiver, attr=name)) if name in WATCHED:
                owner = ast.unparse(receiver).partition(".")[0]
            case ast.Call(func=ast.Name(id="dropdown" | "segments" as name)):
                owner = ""
            case _:
                continue
        place = f"{path}:{node.lineno}: {ast.unparse(node)[:100]}"
        if (name in BOXES and owner not in OTHERS) or (name in TABLES and owner == "st"):
            if path not in WRAPPERS:
                yield place
            continue
        if name not in MARKDOWN or owner in OTHERS or path in WRAPPERS:
            continue
        wanted = MARKDOWN[name]
        given = [*enumerate(node.args), *((word.arg, word.value) for word in node.keywords)]
        shown = next((value for key, value in given if key == "format_func"), None)
        given += [pair for key, value in given if key is None for pair in module.spread(value)]
        for key, value in given:
            if key in wanted:
                own = shown if key in OPTIONS and shown is not None else value
                if not module.safe(own) and not (key in OPTIONS and _is_escaped(own)):
                    yield f"{place} ({key})"


def _is_escaped(function: ast.AST) -> bool:
    return isinstance(function, ast.Name) and function.id == "escaped"


def faults_in(code: str) -> list[str]:
    return list(faults(Module(ast.parse(code)), "a page"))


@pytest.mark.quick
def test_markdown_is_given_our_own_words_only():
    found = [
        fault for path in FILES for fault in faults(parsed(path), path.relative_to(ROOT).as_posix())
    ]
    assert found == []


@each(
    "call",
    [
        "st.error('Ours')",
        "column.warning(str(error))",
        "st.toast(name)",
        "st.markdown(title)",
        "st.markdown(f'**{title}**')",
        "st.write('We', title)",
        "place.header('Hand over to ' + name)",
        "st.button(label)",
        "st.button(tr(label))",
        "st.button(tr('Leave {room}', room=name))",
        "st.text_input('Model', help=about)",
        "st.text_input('Model', **{'help': about})",
        "st.text_input('Model', placeholder=model)",
        "st.radio('Seen by', seats)",
        "st.radio('Seen by', options=seats, format_func=names.get)",
        "st.segmented_control('Side', ['a'], format_func=lambda name: names[name])",
        "dropdown(name, names)",
        "segments('Side', sides, help=about)",
        "st.tabs([title])",
        "st.progress(0.5, f'{n} of {name}')",
        "st.progress(0.5, f'{n:>{width}}')",
        "st.caption('Too faint')",
        "st.table(frame)",
        "for title in titles: st.markdown(title)",
        "for title, page in (('A', 1), (name, 2)): st.markdown(title)",
        "text = 'ours'\ntext += theirs\nst.markdown(text)",
        "def show(text='ours'): st.markdown(text)",
        "shared = {'help': knob.help}\nst.slider('Chance', **shared)",
        "from explorer.play.tasks import find_task\nst.markdown(find_task)",
        "with st.spinner(model): pass",
    ],
)
def test_whatever_may_come_from_elsewhere_is_found(call):
    assert len(faults_in(call)) == 1


@each(
    "call",
    [
        "alert('error', str(error))",
        "st.markdown(f'**{escaped(title)}** {count:,d} {share:.1%}')",
        "st.markdown(', '.join(escaped(name) for name in names))",
        "st.button('One' if first else 'Other')",
        "st.button(tr('Leave {room}', room=escaped(name)))",
        "st.radio('Seen by', seats, format_func=escaped)",
        "st.selectbox('Model', models)",
        "dropdown('Model', {model: name})",
        "for title, page in (('A', 1), ('B', 2)): st.markdown(title)",
        "NAMES = {'a': 'A'}\nst.markdown(NAMES[kind])",
        "from explorer.ui.transcripts import COLUMNS\nst.tabs(COLUMNS)",
        "shared = {'help': escaped(knob.help)}\nst.slider('Chance', **shared)",
        "log.error('%s', error)",
        "st.text(error)",
    ],
)
def test_our_own_words_are_let_through(call):
    assert faults_in(call) == []


def test_what_keeps_the_direction_of_text_is_gone_round_nowhere():
    """A direction mark in a message could change how it, or the text beside it, is read."""
    for path in [*ROOT.glob("explorer/ui/**/*.py"), *ROOT.glob("pages/*.py")]:
        if path.name != "text.py":
            assert not re.search(r"html import escape|html\.escape", path.read_text("utf-8")), path
    for path in ROOT.glob("explorer/front/*.js"):
        if path.name != "elements.js":
            found = re.search(r"(textContent|innerText|innerHTML)\s*=[^=]", path.read_text("utf-8"))
            assert not found, (path, found)


# Where plain text is shown: all arguments, or only the options.
PLAIN = {"alert": None, "small": None, "offer_file": None, "selectbox": {*OPTIONS, "format_func"}}
PLAIN["multiselect"] = PLAIN["dropdown"] = PLAIN["segments"] = PLAIN["selectbox"]


def escaped_twice(tree: ast.Module) -> list[str]:
    found: list[str] = []
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in PLAIN:
                places = PLAIN[name]
            case _:
                continue
        given = [*enumerate(node.args), *((word.arg, word.value) for word in node.keywords)]
        for key, value in given:
            names = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
            if "escaped" in names and (places is None or key in places):
                found.append(ast.unparse(node)[:100])
    return found


def test_plain_text_gets_no_backslashes():
    assert [fault for path in FILES for fault in escaped_twice(parsed(path).tree)] == []
    faulty = (
        "alert('info', f'Left out: {escaped(reason)}')",
        "small(escaped(name))",
        "st.selectbox(escaped(label), options, format_func=lambda each: escaped(str(each)))",
        "place.multiselect('Kind', [escaped(kind) for kind in kinds])",
    )
    assert all(escaped_twice(ast.parse(call)) for call in faulty)
    assert not escaped_twice(ast.parse("st.selectbox(escaped(label), options, format_func=str)"))
