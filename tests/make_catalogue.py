"""Update the files of translations: ``python -m tests.make_catalogue [CODE or FILE ...]``.

Every text of the interface that is translated is a literal in a call of `tr`, `trn` or `marked`; a
lesson's texts are those of its file. New texts are added with an empty translation, and those that
are gone are deleted. A language's code begins the interface's file for it, and the name of a file
such as ``explorer/lessons/content/02_colour_blind.fr.po`` that of a lesson.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from explorer.front import TEXT
from explorer.languages import PO, Message, read_messages
from explorer.lessons.library import CONTENT
from explorer.lessons.translated import document_of, texts_in
from tests.sources import nodes

ROOT = Path(__file__).parent.parent
FRONTS = ROOT / "explorer" / "front"
CALLS = {"tr": 1, "trn": 2, "marked": 1}
HEAD = """Language: {code}
X-Name: {code}
Content-Type: text/plain; charset=UTF-8
Plural-Forms: nplurals=2; plural=(n != 1);
"""


def of_python(source: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of a file that are translated, each with that for another number, if any."""
    for node in nodes(source):
        name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
        if not isinstance(node, ast.Call) or name not in CALLS:
            continue
        given = node.args[: CALLS[name]]
        texts = [each.value for each in given if isinstance(each, ast.Constant)]
        if len(texts) == CALLS[name]:
            yield texts[0], texts[1] if len(texts) > 1 else ""
        elif isinstance(given[0], ast.JoinedStr | ast.BinOp):
            raise SystemExit(f"A text that is translated is put together: {ast.unparse(node)}")


def of_javascript(source: str) -> Iterator[tuple[str, str]]:
    """Yield the same of a front."""
    for found in TEXT.finditer(source):
        text, *many = (json.loads(each) for each in found.groups() if each)
        yield text, many[0] if many else ""


@cache
def interface() -> dict[tuple[str, str], list[str]]:
    """Return the texts of the interface, each with the files in which it is."""
    found: dict[tuple[str, str], list[str]] = {}
    files = [*sorted((ROOT / "explorer").rglob("*.py")), *sorted(FRONTS.glob("*.js"))]
    for path in files:
        source = path.read_text("utf-8")
        read = of_python if path.suffix == ".py" else of_javascript
        for text in read(source):
            where = path.relative_to(ROOT).as_posix()
            places = found.setdefault(text, [])
            if where not in places:
                places.append(where)
    return found


def lesson_of_file(path: Path) -> Path:
    """Return the lesson that a file translates: ``01_stranger.toml`` of ``01_stranger.de.po``."""
    return path.with_name(f"{path.name.split('.')[0]}.toml")


def texts_for(path: Path) -> dict[tuple[str, str], list[str]]:
    """Return the texts that a file translates."""
    if path.parent == PO:
        return interface()
    return {(text, ""): [] for text in texts_in(document_of(lesson_of_file(path)))}


def quoted(key: str, text: str) -> str:
    """Return a line of a file of translations; a text of several lines is written in several."""
    lines = text.splitlines(keepends=True)
    parts = [json.dumps(line, ensure_ascii=False) for line in lines] or ['""']
    return "\n".join([f"{key} {parts[0]}"] if len(parts) == 1 else [f'{key} ""', *parts])


def entry(message: Message, places: list[str]) -> str:
    """Return a message as it is written."""
    lines = [f"#: {' '.join(places)}"] if places else []
    lines += ["#, fuzzy"] if message.fuzzy else []
    lines.append(quoted("msgid", message.text))
    if not message.many:
        return "\n".join([*lines, quoted("msgstr", (*message.forms, "")[0])])
    lines.append(quoted("msgid_plural", message.many))
    forms = message.forms or ("", "")
    return "\n".join([*lines, *(quoted(f"msgstr[{n}]", form) for n, form in enumerate(forms))])


def updated(path: Path) -> str:
    """Return a file of translations with the present texts."""
    code = path.name.removesuffix(".po").split(".")[-1]
    head, messages = read_messages(path) if path.is_file() else ({}, [])
    known = {message.text: message for message in messages}
    first = "".join(f"{key}: {value}\n" for key, value in head.items()) or HEAD.format(code=code)
    parts = [entry(Message("", "", (first,)), [])]
    for (text, many), places in texts_for(path).items():
        old = known.get(text)
        fits = old is not None and bool(old.many) == bool(many)
        parts.append(
            entry(
                Message(text, many, old.forms, old.fuzzy) if fits else Message(text, many), places
            )
        )
    return "\n\n".join(parts) + "\n"


def files() -> list[Path]:
    """Return all files of translations."""
    return [*sorted(PO.glob("*.po")), *sorted(CONTENT.glob("*.po"))]


def main(wanted: list[str]) -> None:
    """Update all files, and begin new ones."""
    new = [ROOT / each if each.endswith(".po") else PO / f"{each}.po" for each in wanted]
    for path in dict.fromkeys([*files(), *new]):
        text = updated(path)
        path.write_text(text, "utf-8")
        missing = sum(not each.is_translated for each in read_messages(path)[1])
        print(f"{path.relative_to(ROOT)}: {missing} texts are not translated")


if __name__ == "__main__":
    main(sys.argv[1:])
