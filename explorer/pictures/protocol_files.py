"""The command ``nip-explorer protocol``: check and format files of protocols, and their worth."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from nip_core import protocol_names, published_names, specification
from nip_core.documents import NOTE, read_file
from nip_core.errors import NipError, SpecError
from nip_core.language import Specification, formatted, load_specification, schema
from nip_core.values import Evidence, card

DESCRIPTION = "Check and format files of protocols (.toml or .json), and say what they are worth."


def main(arguments: Sequence[str]) -> None:
    """Check, format or value protocols; the exit status is 1 if there is a mistake."""
    parser = argparse.ArgumentParser(prog="nip-explorer protocol", description=DESCRIPTION)
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="list all mistakes, with lines, and remarks")
    check.add_argument("files", nargs="+", type=Path, metavar="FILE")
    fmt = commands.add_parser("fmt", help="write files in the style of the published protocols")
    fmt.add_argument("files", nargs="+", type=Path, metavar="FILE")
    fmt.add_argument(
        "--check", action="store_true", help="change nothing; say which files would be changed"
    )
    fmt.add_argument("-o", "--output", type=Path, help="write to this file instead (of one file)")
    commands.add_parser("schema", help="print the JSON Schema, for editors")
    _add_worth(commands.add_parser("worth", help="print the card of a protocol: what it is worth"))
    chosen = parser.parse_args(arguments)
    if chosen.command == "worth":
        sys.exit(0 if _valued(chosen) else 1)
    if chosen.command == "schema":
        print(json.dumps(schema(), indent=2))
        sys.exit(0)
    if chosen.command == "fmt" and chosen.output and len(chosen.files) > 1:
        parser.error("-o is for one file.")
    right = [
        _checked(file) if chosen.command == "check" else _formatted(file, chosen)
        for file in chosen.files
    ]
    sys.exit(0 if all(right) else 1)


def _add_worth(parser: argparse.ArgumentParser) -> None:
    usual = Evidence()
    parser.add_argument("protocol", help="the name of a protocol, or a file")
    for name, what in (
        ("shows", "how often somebody who argues for what is true has evidence"),
        ("fakes", "the same for what is false"),
        ("own", "how often a judge's own impression is right"),
        ("prior", "how often the first answer is true"),
        ("fresh", "how often a later message can bring new evidence"),
        ("knows", "how often experts are right"),
    ):
        chance = getattr(usual, name)
        parser.add_argument(
            f"--{name}", default=chance, metavar="CHANCE", help=f"{what} ({float(chance):g})"
        )
    parser.add_argument("--repeat", action="store_true", help="heard evidence can be repeated")
    parser.add_argument("--seconds", type=float, default=30, help="the most time for all (30)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def _valued(chosen: argparse.Namespace) -> bool:
    """Print the card of a protocol; return whether there is one."""
    try:
        spec = _named(chosen.protocol)
        chances = {name: getattr(chosen, name) for name in vars(Evidence())}
        found = card(spec, Evidence(**chances), seconds=chosen.seconds)
    except NipError as error:
        print(f"{chosen.protocol}: {error}", file=sys.stderr)
        return False
    if chosen.json:
        print(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
        return True
    print(spec.full_name)
    for one in found.lines:
        print(f"\n{one.title}\n  ({one.sentence})")
        for reading in one.readings:
            who = f"{reading.judge}: " if reading.judge else ""
            print(
                f"  {who}{reading.what}: {reading.said}"
                if reading.has_value
                else f"  {who}{reading.said}"
            )
    return True


def _named(protocol: str) -> Specification:
    """Return a protocol from its name or its file."""
    if protocol in (*protocol_names(), *published_names()):
        return specification(protocol)
    return load_specification(read_file(Path(protocol), NOTE, NipError))


def _checked(file: Path) -> bool:
    """Print a file's mistakes and remarks; return whether it has no mistakes."""
    try:
        spec = load_specification(read_file(file, NOTE, NipError))
    except NipError as error:
        _say(file, error)
        return False
    try:
        remarks = spec.lint()
    except NipError as error:
        _say(file, error)
        return True
    for remark in remarks:
        said = filter(None, (remark.place and f"{remark.place}:", remark.message, remark.remedy))
        print(f"{file}: {remark.tone}: {' '.join(said)}")
    print(f"{file}: no mistakes.")
    return True


def _formatted(file: Path, chosen: argparse.Namespace) -> bool:
    """Format a file; return whether it could be, and with ``--check`` whether it is."""
    try:
        text = read_file(file, NOTE, NipError)
        load_specification(text)
        new = formatted(text).encode()
    except NipError as error:
        _say(file, error)
        return False
    output: Path = chosen.output or file
    if chosen.check:
        if new != text:
            print(f"{file} would be changed.")
        return new == text
    if output.suffix == ".json":
        print(f"{file}: what is written is TOML: name a file with -o NAME.toml.")
        return False
    if output != file or new != text:
        output.write_bytes(new)
        print(f"{output} written.")
    return True


def _say(file: Path, error: NipError) -> None:
    """Print an error in the form that editors read: file, line, column."""
    found = error.mistakes if isinstance(error, SpecError) else ()
    for mistake in found:
        said = filter(None, (mistake.place and f"{mistake.place}:", mistake.said, mistake.remedy))
        print(f"{file}:{mistake.line or 1}:{mistake.column or 1}: {' '.join(said)}")
    if not found:
        print(f"{file}: {error}")
