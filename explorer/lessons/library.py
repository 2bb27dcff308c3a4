"""All lessons in order, a teacher's own last; games, experiments, tables, handouts, terms."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from html import escape
from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast
from urllib.parse import urlencode

from explorer.languages import ENGLISH
from explorer.lessons.experiment import Experiment, ExperimentResult
from explorer.lessons.game import GraphDrawing, LessonGame, PairGame
from explorer.lessons.lesson import CITATION, CONTENT, Block, Lesson, LessonError, read_lesson
from explorer.pictures import Picture, Theme, small_bars, small_graph, small_schedule
from nip_core.errors import known_names
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_infos, protocol_names, protocol_spec
from nip_core.spec import ProtocolSpec

if TYPE_CHECKING:
    import pandas as pd


HERE = Path(__file__).parent

Found = TypeVar("Found")


class Playable(Protocol):
    """An interactive drawing: a module of ``playables/``."""

    TITLE: str
    FRONT: str  # the name of its front in `explorer/front/`

    def data(self) -> dict[str, Any]:
        """Return the numbers that the engine computes for it, as plain data."""
        ...


def lesson_files() -> list[Path]:
    """Return the files of all lessons: ours, then those of the folder in ``NIP_LESSONS``."""
    files = sorted(CONTENT.glob("[0-9]*_*.toml"))
    own = os.environ.get("NIP_LESSONS")
    return files + (sorted(Path(own).glob("*.toml")) if own else [])


def lessons() -> tuple[list[Lesson], list[str]]:
    """Return all lessons that can be used, and the errors of the others."""
    found: list[Lesson] = []
    problems: list[str] = []
    for path in lesson_files():
        try:
            lesson = _lesson(path, path.stat().st_mtime_ns)
            if any(lesson.slug == other.slug for other in found):
                raise LessonError(f"{path.name}: another lesson is called {lesson.slug!r} already.")
        except (LessonError, OSError) as error:
            problems.append(str(error))
        else:
            found.append(lesson)
    return found, problems


@cache
def _lesson(path: Path, changed: int) -> Lesson:
    """Return a lesson, read again when its file has changed."""
    del changed
    lesson = read_lesson(path)
    try:
        check_lesson(lesson)
    except LessonError as error:
        raise LessonError(f"{path.name}: {error}") from None
    return lesson


def check_lesson(lesson: Lesson) -> None:
    """Raise a LessonError if a lesson uses an unknown game, experiment or playable."""
    for place, block in enumerate(lesson.blocks):
        try:
            if block.kind == "game":
                _check_game(block)
            elif block.kind == "experiment":
                _check_experiment(block)
            elif block.kind == "playable":
                playable(block.name)
        except LessonError as error:
            raise LessonError(f"block[{place}]: {error}") from None


def _check_settings(block: Block, known: Collection[str]) -> None:
    for name in block.settings or {}:
        if name not in known:
            raise LessonError(f"{name!r} is not a setting of {block.name!r}.{known_names(known)}")


def _check_game(block: Block) -> None:
    played = game(block.name)
    _check_settings(block, played.settings)
    roles = [role.name for role in played.roles]
    if block.role and block.role not in roles:
        raise LessonError(f"there is no role {block.role!r}; {', '.join(roles)}.")
    if block.pairs and pair_game(block.name) is None:
        raise LessonError(f"{block.name!r} cannot be played by 'pairs'.")
    settings = block.settings or {}
    try:
        played.cases(settings)
        for role in roles:
            played.scene(played.start(role, settings, Random(0)))
    except (ArithmeticError, TypeError, ValueError) as error:
        raise LessonError(f"{block.name!r} cannot be played like this: {error}") from error


def _check_experiment(block: Block) -> None:
    knobs = {knob.name: knob for knob in experiment(block.name).knobs}
    _check_settings(block, knobs)
    for name, value in (block.settings or {}).items():
        if not knobs[name].takes(value):
            allowed = knobs[name].allowed
            raise LessonError(f"{name!r} of {block.name!r} is {value!r}; it is {allowed}.")


@cache
def all_games() -> Mapping[str, LessonGame]:
    """Return all games, each by its file's name."""
    return {name: module.GAME for name, module in _modules("games").items()}


@cache
def all_experiments() -> Mapping[str, Experiment]:
    """Return all experiments by name; a file has several."""
    found: dict[str, Experiment] = {}
    for module in _modules("experiments").values():
        found |= module.EXPERIMENTS
    return dict(sorted(found.items()))


@cache
def all_playables() -> Mapping[str, Playable]:
    """Return all interactive drawings by their files' names."""
    return cast("Mapping[str, Playable]", _modules("playables"))


def _modules(folder: str) -> dict[str, ModuleType]:
    names = sorted(path.stem for path in (HERE / folder).glob("*.py"))
    return {name: import_module(f"explorer.lessons.{folder}.{name}") for name in names}


def game(name: str) -> LessonGame:
    """Return a game by its name, which may come from anybody's file."""
    return _named(all_games(), name, "games")


def pair_game(name: str) -> PairGame | None:
    """Return the version of a game for two phones."""
    return getattr(game(name), "pair", None)


def playable(name: str) -> Playable:
    """Return a playable by its name."""
    return _named(all_playables(), name, "playables")


def experiment(name: str) -> Experiment:
    """Return an experiment by its name."""
    return _named(all_experiments(), name, "experiments")


def _named(known: Mapping[str, Found], name: str, what: str) -> Found:
    if name not in known:
        raise LessonError(f"there is nothing called {name!r} among the {what}: {', '.join(known)}.")
    return known[name]


def title_of(block: Block) -> str:
    """Return a title for a block, which does not reveal its solution."""
    if block.kind in ("predict", "quiz", "say"):
        return block.question
    if block.kind == "game":
        return game(block.name).title
    if block.kind == "playable":
        return playable(block.name).TITLE
    if block.kind == "open":
        return block.label
    return plain(next((line for line in block.text.splitlines() if line.strip()), block.caption))


_SIGNS = {"times": "×", "cdot": "·", "le": "≤", "ge": "≥", "ldots": "…", "approx": "≈", "ne": "≠"}
_RAISED = str.maketrans("0123456789kn-+", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵏⁿ⁻⁺")


def plain(text: str) -> str:
    """Return a text as it can be read where no Markdown and no formulas are drawn."""
    said = CITATION.sub("", text).lstrip("# ").replace("*", "").strip()
    return re.sub(r"\$+([^$]*)\$+", lambda found: _formula(found[1]), said)


def _formula(text: str) -> str:
    """Return a formula on one line: 7/8, cᵏ."""
    said = re.sub(r"\\text\{([^{}]*)\}", r"\1", text.strip())
    said = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", _fraction, said)
    said = re.sub(r"\\([A-Za-z]+)", lambda found: _SIGNS.get(found[1], found[1]), said)
    return re.sub(r"\^(?:\{([^{}]*)\}|(.))", _power, said).replace("{", "").replace("}", "")


def _fraction(found: re.Match[str]) -> str:
    return "/".join(part if len(part) == 1 else f"({part})" for part in found.groups())


def _power(found: re.Match[str]) -> str:
    part = found[1] or found[2]
    raised = part.translate(_RAISED)
    same = any(one == other for one, other in zip(part, raised, strict=True))
    return f"^({part})" if same else raised


@cache
def document(name: str) -> Mapping[str, Any]:
    """Return one of our own tables: ``glossary``, ``guide``, ``research`` or ``theory``."""
    return tomllib.loads((CONTENT / f"{name}.toml").read_text("utf-8"))


def protocols_table() -> pd.DataFrame:
    """Return a row for each protocol, from simple to rich, and for other subjects of the theory."""
    facts = {fact["protocol"]: fact for fact in document("theory")["fact"]}
    rows: list[dict[str, str]] = []
    for info in protocol_infos():
        fact = facts.pop(info.name, None)
        if not info.for_developers:
            spec = protocol_spec(HyperParameters(interaction_protocol=info.name))
            rows.append(_row(info.full_name, spec, fact))
    rows += [_row(name.replace("_", " "), None, fact) for name, fact in facts.items()]
    import pandas as pd  # imported here, since pages without a table do not need it

    return pd.DataFrame(rows)


def _row(name: str, spec: ProtocolSpec | None, fact: dict[str, str] | None) -> dict[str, str]:
    known = fact or {}
    return {
        "protocol": name,
        "rounds": "" if spec is None else str(spec.max_message_rounds),
        "agents": "" if spec is None else ", ".join(map(spec.seat_name, spec.agent_names)),
        "who reads what": "" if spec is None else _readers(spec),
        "class": known.get("class", "–"),
        "conditions": known.get("conditions", ""),
        "source": known.get("source", ""),
    }


def _readers(spec: ProtocolSpec) -> str:
    return "; ".join(
        f"{spec.channel_title(channel.name)}: "
        + (
            "everybody"
            if len(channel.viewers) == len(spec.agents)
            else ", ".join(map(spec.seat_phrase, channel.viewers))
        )
        for channel in spec.channels
    )


STYLE = """
body { font: 12pt/1.5 Georgia, serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { font-family: system-ui, sans-serif; line-height: 1.2; }
footer { margin-top: 2rem; font-size: 9pt; color: #444; }
.answers { break-before: page; }
@page { margin: 2cm; }
@media print { body { margin: 0; max-width: none; } }
"""


def handout_html(lesson: Lesson, *, answers: bool = False) -> str:
    """Return the handout as a document, perhaps with a page of answers; content is escaped."""
    body = _html(lesson.facilitator.handout)
    if answers and lesson.facilitator.answers:
        said = _html(lesson.facilitator.answers)
        body += f'<section class="answers"><h2>Answers</h2>{said}</section>'
    return _sheet(lesson.title, body)


def table_handout_html(title: str, about: str) -> str:
    """Return the handout for people who play a protocol at tables, as a document."""
    text = document("guide")["handout"]["text"]
    return _sheet(title, _html(text.replace("{title}", title).replace("{about}", about)))


def _sheet(title: str, body: str) -> str:
    """Return a page to print with a line for a name; `body` is HTML."""
    name = escape(title)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title>'
        f"<style>{STYLE}</style><body>{body}"
        f"<footer>NIP Explorer: {name}. Name: ______________________</footer></body></html>"
    )


def _html(text: str) -> str:
    """Return the HTML of headings, numbered and other lines; other Markdown stays as it is."""
    parts: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        heading = re.match(r"(#{1,3}) (.*)", paragraph)
        if heading:
            level = len(heading.group(1))
            parts.append(f"<h{level}>{escape(heading.group(2))}</h{level}>")
            paragraph = paragraph[heading.end() :].strip()
        if paragraph:
            lines = "<br>".join(escape(line) for line in paragraph.splitlines())
            parts.append(f"<p>{lines}</p>")
    return "".join(parts)


def small_picture(lesson: Lesson, theme: Theme = "light") -> Picture | None:
    """Return the picture for a lesson's card, if there is one."""
    games = [block for block in lesson.blocks if block.kind == "game"]
    for block in games:
        graph = _opening_graph(block)
        if graph is not None:
            return small_graph(graph.title, graph.edges, graph.places, theme)
    protocol = _opened(lesson.blocks)
    tried = next((block for block in lesson.blocks if block.kind == "experiment"), None)
    if tried is not None and (protocol is None or not games):
        found = _result(tried.name, tuple((tried.settings or {}).items()))
        bars = [(str(row[found.by]), float(row[found.y])) for row in found.rows]
        return small_bars(lesson.title, found.sentence, bars, theme)
    return None if protocol is None else small_schedule(protocol, theme)


def _opening_graph(block: Block) -> GraphDrawing | None:
    played = game(block.name)
    role = block.role or played.roles[0].name
    scene = played.scene(played.start(role, block.settings or {}, Random(0)))
    return next((each for each in scene.drawings if isinstance(each, GraphDrawing)), None)


def _opened(blocks: Sequence[Block]) -> str | None:
    """Return the first protocol that the lesson links to."""
    asked = ((block.settings or {}).get("protocol") for block in blocks if block.kind == "open")
    return next((name for name in asked if name in protocol_names()), None)


# Cached: exact values take a moment, and a whole class opens the page at the same time.
@lru_cache(64)
def _result(name: str, settings: tuple[tuple[str, Any], ...]) -> ExperimentResult:
    tried = experiment(name)
    return tried.run({knob.name: knob.default for knob in tried.knobs} | dict(settings))


# Terms in a text, with their glossary entries. Everyday words such as "round" have entries too,
# but are not linked: so many links would distract the reader.
EXPLAINED: Mapping[str, str] = {
    "polynomial time": "polynomial time",
    "PSPACE": "PSPACE",
    "NP": "NP",
    "NEXP": "NEXP",
    "MA": "MA",
    "roots": "root",
    "entanglement": "entanglement",
    "logits": "logits",
    "extractor": "extractor",
    "simulator": "simulator",
}

# Formulas and citations are kept as they are: nothing inside them is linked.
_KEPT = re.compile(r"(\$\$.*?\$\$|\$[^$]*\$|\[@[^\]]*\])", re.DOTALL)
_TERM = re.compile(rf"\b({'|'.join(sorted(EXPLAINED, key=len, reverse=True))})\b")


@lru_cache(64)
def explained(lesson: Lesson) -> Lesson:
    """Return a lesson in which the first use of each technical term links to the glossary.

    A question and its answers are plain text, so their terms are linked in the question's `text`.
    The glossary is in English, and so are the lessons that link to it.
    """
    if lesson.language != ENGLISH:
        return lesson
    seen: set[str] = set()

    def linked(found: re.Match[str]) -> str:
        term = EXPLAINED[found[1]]
        if term in seen:
            return found[1]
        seen.add(term)
        query = urlencode({"show": "glossary", "q": term})
        return f'[{found[1]}](/learn?{query} "{_meaning(term)}")'

    def text(plain: str) -> str:
        parts = _KEPT.split(plain)
        return "".join(
            part if place % 2 else _TERM.sub(linked, part) for place, part in enumerate(parts)
        )

    def explained_in(block: Block) -> Block:
        said = block.text
        if block.kind == "quiz":
            answers = (part for answer in block.answers for part in (answer.text, answer.why))
            named = _TERM.findall("\n".join((block.question, *answers)))
            new = [each for each in dict.fromkeys(named) if EXPLAINED[each] not in seen]
            said = f"In the glossary: {', '.join(new)}." if new else ""
        return replace(block, text=text(said))

    return replace(lesson, blocks=tuple(map(explained_in, lesson.blocks)))


@cache
def _meaning(term: str) -> str:
    """Return an entry's text in a form for the title of a link."""
    (entry,) = (each for each in document("glossary")["entry"] if each["term"] == term)
    return plain(entry["text"]).replace('"', "")
