"""Finding, checking and rendering prompt templates safely.

Templates may be untrusted. They run in jinja2's immutable sandbox with further limits: no methods
of values, a short list of filters, and a budget of loop steps, calls and characters for each
rendering. Variables (a question, a solution) are data and never read as templates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, cast

import jinja2
import jinja2.bccache
from jinja2 import meta, nodes
from jinja2.runtime import BlockReference, LoopContext, Macro, TemplateReference
from jinja2.sandbox import ImmutableSandboxedEnvironment

from nip_core.errors import MissingPromptVariableError, PromptTemplateError, known_names
from nip_core.tasks import Words
from nip_core.text.facts import ExpertFacts, LineFacts, SeatFacts
from nip_core.text.portable import fenced

__all__ = [
    "PROMPT_VARIABLES",
    "TEMPLATES",
    "compile_template",
    "environment",
    "render",
    "variables_of",
]

# The variables of templates, besides `seat` and `words`.
PROMPT_VARIABLES = (
    "agent_stance_string",
    "kind",
    "max_questions",
    "max_response_words",
    "question",
    "solution",
)
TEMPLATES = Path(__file__).parent / "templates"

_FILTERS = (
    *("abs", "capitalize", "count", "d", "default", "first", "int", "last", "length", "list"),
    *("lower", "map", "reject", "rejectattr", "round", "select", "selectattr", "title", "trim"),
    "upper",
)
# The facts of the seat, and the phrases of the task's kind.
_OURS = {"seat", "words"}
_OPEN_TYPES = (SeatFacts, ExpertFacts, LineFacts, Words, LoopContext, TemplateReference)
_REFERENCES = (nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport)
_MAX_SOURCE, _MAX_STEPS, _MAX_CHARACTERS, _MAX_NUMBER = 200_000, 20_000, 20_000_000, 10**9


@dataclass
class _Budget:
    """The remaining budget of a rendering."""

    steps: int = _MAX_STEPS
    characters: int = _MAX_CHARACTERS

    def spend(self, steps: int = 0, characters: int = 0) -> None:
        self.steps -= steps
        self.characters -= characters
        if self.steps < 0:
            raise jinja2.TemplateRuntimeError(f"it takes more than {_MAX_STEPS:,} steps")
        if self.characters < 0:
            raise jinja2.TemplateRuntimeError(f"it makes more than {_MAX_CHARACTERS:,} characters")


_budget: ContextVar[_Budget | None] = ContextVar("_budget", default=None)


def _spend(steps: int = 0, characters: int = 0) -> None:
    budget = _budget.get()
    if budget is not None:
        budget.spend(steps, characters)


def _bounded(values: Iterable[Any]) -> Iterator[Any]:
    """Yield the values, counting a step for each."""
    for value in values:
        _spend(steps=1)
        yield value


def _join(values: Iterable[Any], separator: str = "") -> str:
    parts = [str(_printable(value)) for value in _bounded(values)]
    _spend(characters=len(separator) * len(parts))
    return separator.join(parts)


def _fence(text: object, language: str = "") -> str:
    return fenced(str(text), language)


def _printable(value: Any) -> Any:
    """Return a value that is text or a number; refuse others, since nested lists could be huge."""
    if not isinstance(value, str | int | float) and value is not None:
        # An undefined value raises its own error when it is converted to text.
        shown = str(value) if isinstance(value, jinja2.Undefined) else type(value).__name__
        raise jinja2.TemplateRuntimeError(f"it prints a {shown}: only text and numbers can be")
    _spend(characters=len(value) if isinstance(value, str) else 20)
    return value


class _Compiled(jinja2.BytecodeCache):
    """Caches an environment's compiled templates, which seats render with their own facts."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], Any] = {}

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        self._codes[bucket.key, bucket.checksum] = bucket.code


class _Environment(ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, loader: jinja2.BaseLoader) -> None:
        super().__init__(
            loader=loader,
            undefined=jinja2.StrictUndefined,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            finalize=_printable,
            bytecode_cache=_Compiled(),
        )
        self.globals.clear()
        kept = {name: self.filters[name] for name in _FILTERS}
        self.filters = kept | {"bounded": _bounded, "fence": _fence, "join": _join}

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        if len(source) > _MAX_SOURCE:
            raise jinja2.TemplateSyntaxError(
                f"it is longer than {_MAX_SOURCE:,} characters", 1, name, filename
            )
        tree = super()._parse(source, name, filename)
        for node in tree.find_all(nodes.Concat):
            raise jinja2.TemplateSyntaxError(
                "the operator ~ is not offered here", node.lineno, name, filename
            )
        for loop in tree.find_all(nodes.For):
            loop.iter = nodes.Filter(loop.iter, "bounded", [], [], None, None, lineno=loop.lineno)
        tree.set_environment(self)
        return tree

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        return isinstance(obj, _OPEN_TYPES) and super().is_safe_attribute(obj, attr, value)

    def is_safe_callable(self, obj: Any) -> bool:
        return isinstance(obj, Macro | BlockReference | LoopContext)

    def call(self, context: Any, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        _spend(steps=1)
        if not self.is_safe_callable(obj):
            raise jinja2.TemplateRuntimeError("it calls what is not offered here")
        return super().call(context, obj, *args, **kwargs)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        numbers = all(isinstance(v, int | float) and abs(v) < _MAX_NUMBER for v in (left, right))
        if operator == "**" or not numbers:
            raise jinja2.TemplateRuntimeError(f"the operator {operator} is for small numbers only")
        return super().call_binop(context, operator, left, right)


class _Strings(jinja2.BaseLoader):
    """Loads templates from strings, with their names in error messages, unlike jinja2's own."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self.sources = dict(sources)

    def get_source(self, environment: jinja2.Environment, template: str) -> tuple[str, str, Any]:
        if template not in self.sources:
            raise jinja2.TemplateNotFound(template)
        return self.sources[template], f"<{template}>", lambda: True


def environment(
    directory: str | Path | None = None, sources: Mapping[str, str] | None = None
) -> jinja2.Environment:
    """Return an environment that searches `sources`, then `directory`, then our templates.

    Parameters
    ----------
    directory : path, optional
        A folder of ``<agent>.jinja`` or ``<role>.jinja`` files.
    sources : mapping of str to str, optional
        The text of templates, by name.
    """
    if sources:
        return _make_environment(directory, sources)
    return _shared_environment(directory)


@lru_cache(maxsize=32)
def _shared_environment(directory: str | Path | None) -> jinja2.Environment:
    return _make_environment(directory, {})


def _make_environment(
    directory: str | Path | None, sources: Mapping[str, str]
) -> jinja2.Environment:
    folders = [TEMPLATES] if directory is None else [directory, TEMPLATES]
    loaders = [_Strings(sources), *map(jinja2.FileSystemLoader, folders)]
    return _Environment(jinja2.ChoiceLoader(loaders))


def compile_template(
    env: jinja2.Environment, names: Iterable[str], seat: SeatFacts
) -> jinja2.Template:
    """Return the first of the named templates that exists, with `seat` filled in.

    Raises
    ------
    PromptTemplateError
        If none exists, or the existing one is broken.
    """
    names = list(names)
    loader = cast(jinja2.BaseLoader, env.loader)
    for name in names:
        try:
            # Not env.get_template, whose cache would share one seat's facts with all others.
            return loader.load(env, name, env.make_globals({"seat": seat}))
        except jinja2.TemplateNotFound:
            continue
        except Exception as error:
            raise _explain(error, name) from error
    raise PromptTemplateError(f"there is none; looked for {', '.join(names)}")


def render(template: jinja2.Template, variables: Mapping[str, object], words: Words) -> str:
    """Render a template with the phrases of a kind of task.

    Raises
    ------
    MissingPromptVariableError
        If it needs a variable that was not given.
    PromptTemplateError
        If it fails otherwise.
    """
    token = _budget.set(_Budget())
    try:
        own_variables = {name: value for name, value in variables.items() if name not in _OURS}
        text = template.render(own_variables, words=words)
        return text.removesuffix("\n")
    except Exception as error:
        raise _explain(error, str(template.name)) from error
    finally:
        _budget.reset(token)


def variables_of(env: jinja2.Environment, template: jinja2.Template) -> set[str]:
    """Return the variables of a template and those it includes, besides `seat` and `words`."""
    used: set[str] = set()
    # Each template with the place that refers to it.
    todo: list[tuple[str, str | None, int | None]] = [(str(template.name), None, None)]
    done: set[str] = set()
    while todo:
        name, by, line = todo.pop()
        if name in done:
            continue
        done.add(name)
        try:
            source, filename, _ = cast(jinja2.BaseLoader, env.loader).get_source(env, name)
            tree = env.parse(source, name, filename)
        except jinja2.TemplateNotFound as error:
            raise PromptTemplateError(f"there is no template {name!r}", by, line) from error
        except Exception as error:
            raise _explain(error, name) from error
        unknown = meta.find_undeclared_variables(tree) - _OURS
        for node in tree.find_all(nodes.Name):
            if node.name in unknown and node.name not in PROMPT_VARIABLES:
                raise PromptTemplateError(_unknown_variable(node.name), filename, node.lineno)
        used |= unknown
        for node in tree.find_all(_REFERENCES):
            included = node.template
            if isinstance(included, nodes.Const) and isinstance(included.value, str):
                todo.append((included.value, filename, node.lineno))
    return used


def _unknown_variable(name: str) -> str:
    known = known_names([*PROMPT_VARIABLES, "seat", "words"]).removesuffix(".")
    return f"there is no variable {name!r}.{known}"


def _explain(error: Exception, name: str) -> PromptTemplateError:
    """Return the error in plain words, with the place in the template."""
    if isinstance(error, PromptTemplateError):
        return error
    if isinstance(error, jinja2.TemplateSyntaxError):
        return PromptTemplateError(
            str(error.message), error.filename or error.name or name, error.lineno
        )
    place, line = _place(error.__traceback__)
    if isinstance(error, jinja2.TemplateNotFound):
        return PromptTemplateError(f"there is no template {error.name!r}", place or name, line)
    if isinstance(error, RecursionError):
        return PromptTemplateError("it is nested too deeply", place or name, line)
    reason = str(error) or type(error).__name__
    missing = re.fullmatch(r"'(\w+)' is undefined", reason)
    if isinstance(error, jinja2.UndefinedError) and missing:
        if missing[1] in PROMPT_VARIABLES:
            reason = f"it needs the variable {missing[1]!r}, which was not given"
            return MissingPromptVariableError(reason, place or name, line)
        reason = _unknown_variable(missing[1])
    return PromptTemplateError(reason, place or name, line)


def _place(traceback: TracebackType | None) -> tuple[str | None, int | None]:
    """Return file and line of the innermost template frame, which jinja2 adds to tracebacks."""
    place: tuple[str | None, int | None] = None, None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename.endswith((".jinja", ".jinja>")):
            place = code.co_filename, traceback.tb_lineno
        traceback = traceback.tb_next
    return place
