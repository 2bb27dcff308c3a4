"""Every input of the app, with the worst content that is known for it.

`read` does with the content what the app does when it arrives; an error that the app reports to the
visitor is an answer too. The lists at the end say which code belongs to which input.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass

from nip_core.errors import NipError
from tests.language.hostile import (
    BITS,
    NAMES,
    SEATS,
    SUM,
    WIDE,
    chosen,
    document,
    fill,
    made,
    say,
    turns,
)

__all__ = ["INPUTS", "READERS", "ROUTES", "UPLOADS", "Input"]


@dataclass(frozen=True)
class Input:
    """An input: its largest size in bytes, and what to do with so many bytes."""

    name: str
    size: int
    worst: Callable[[int], bytes]
    read: Callable[[bytes], object]
    # Bytes that may be kept whatever its size is: of a picture, one file that a visitor asked for.
    fixed: int = 100_000

    def keep(self, content: bytes) -> object:
        """Read content as the app does; return what is kept of it."""
        try:
            return self.read(content)
        except NipError as error:
            return str(error)


def field(number: int, content: bytes) -> bytes:
    """Return a field of a message in Protocol Buffers' format."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(number: int) -> bytes:
    found = b""
    while number > 127:
        found += bytes([number & 127 | 128])
        number >>= 7
    return found + bytes([number])


def fitting(data: bytes) -> object:
    from explorer.server import messages

    return messages.fitting(data, messages.Widgets())


def widget(number: int, content: bytes) -> bytes:
    return field(11, field(2, field(1, field(1, b"x") + field(number, content))))


def repeated(unit: bytes, before: bytes = b"", after: bytes = b"") -> Callable[[int], bytes]:
    return lambda size: before + unit * (size // len(unit)) + after


def act(data: bytes) -> object:
    from explorer.server.connection import ACT
    from nip_core.documents import parse_json

    return parse_json(data.decode(), ACT, NipError)


def link(data: bytes) -> object:
    from explorer.choice.packing import unpacked

    return unpacked(data.decode())


def shown(text: str) -> object:
    """Read a specification and draw it as the Schedule page does, and keep nothing but refusals.

    What the page keeps is limited for all visitors together; see `explorer/kept_results.py`.
    """
    from explorer.choice.sources import _read_now
    from explorer.pictures import VIEWS, Shown, schedule_payload

    spec = _read_now(text)
    if isinstance(spec, NipError):
        return str(spec)
    return [len(drawn(lambda view=view: schedule_payload([Shown(spec)], view))) for view in VIEWS]


def drawn(make: Callable[[], str | bytes]) -> str | bytes:
    try:
        return make()
    except NipError as error:
        return str(error)


def opened(data: bytes) -> object:
    from explorer.choice.packing import unpacked

    return shown(unpacked(data.decode()) or "")


def pictures(view: str, ending: str) -> Callable[[bytes], object]:
    def read(data: bytes) -> object:
        from explorer.pictures import picture
        from nip_core.language import load_specification

        spec = load_specification(data.decode())
        return drawn(lambda: picture(spec, view).written(ending))

    return read


def linked(make: Callable[[int], str]) -> Callable[[int], bytes]:
    """Return the largest document of a kind whose link has at most so many characters."""

    def worst(size: int) -> bytes:
        from explorer.choice.packing import packed

        texts = [text for power in range(12) if len(text := make(1 << power)) <= 100_000]
        links = sorted(map(packed, texts), key=len)
        return [links[0], *(each for each in links if len(each) <= size)][-1].encode()

    return worst


def sums(count: int) -> str:
    """Each condition compares a sum of choices that have a thousand options."""
    return document([*chosen(), *fill(count, lambda i: say(f"{SUM}>{i}"))], made(WIDE))


def repeats(count: int) -> str:
    """One turn, with as many repetitions as a stage may have."""
    return document([turns({"a": "c"}, times=900_000)], about="x" * min(count, 99))


def coins(count: int) -> str:
    names = NAMES[: min(count, 60)]
    pay = [{"to": "judge", "amount": "1", "when": f"majority({','.join(names)}) = h"}]
    return document((), made(BITS, by="chance", count=len(names)), pay=pay)


def crowd(count: int) -> str:
    """All seats write in each turn, and all read it."""
    return document(fill(count, lambda _: dict.fromkeys(SEATS, "c")), seats=SEATS)


def guarded(count: int) -> str:
    stages = [turns({"a": "c"}, name=f"t{i}") for i in range(300)]
    guards = {"a": "c", "then": {f"t{k}": "false" for k in range(300)}}
    return document([turns(*(guards for _ in range(count))), *stages])


def written(make: Callable[[int], str]) -> Callable[[int], bytes]:
    """Return the largest document of a kind that has about so many characters."""

    def worst(size: int) -> bytes:
        count = 1
        while len(make(2 * count)) <= size:
            count *= 2
        return make(count).encode()

    return worst


def long_game(size: int) -> bytes:
    """Return a transcript: each screen of its replay repeats what was said before."""
    from nip_core import HyperParameters
    from nip_core.play import Episode, Move
    from nip_core.tasks import bundled_tasks
    from nip_core.transcript import dumps

    rounds = max(2, min(200, size // 25_000)) // 2 * 2 + 1
    parameters = HyperParameters(nip_protocol={"max_message_rounds": rounds})
    episode = Episode(parameters, bundled_tasks()[0], max_response_words=100_000)
    said = "1234567 " * (size // rounds // 16)
    for number in range(rounds - 1):
        episode.play(Move(("verifier", "prover")[number % 2], {"main": said}))
    episode.play(Move("verifier", decision=1))
    return dumps(episode).encode()


def replayed(data: bytes) -> object:
    from explorer.notebook import replay_html
    from nip_core.transcript import load

    return replay_html(load(data).finished())


def name(data: bytes) -> object:
    from explorer.rooms.people import checked_name

    return checked_name(data.decode())


def draft(data: bytes) -> object:
    """Check a guess as it is noted, for each block of a lesson that asks for one."""
    from explorer.lessons import lessons
    from explorer.rooms.lesson_answers import can_be_answer

    asked = {"predict", "playable", "quiz", "game"}
    blocks = [each for lesson in lessons()[0] for each in lesson.blocks if each.kind in asked]
    return [can_be_answer(block, data.decode()) for block in blocks]


def packed(size: int) -> bytes:
    made = zlib.compress(b" " * (size * 700), 9)
    return urlsafe_b64encode(made)


def specification(data: bytes) -> object:
    from nip_core.language.loading import load_specification

    return load_specification(data.decode())


def transcript(data: bytes) -> object:
    from nip_core.transcript import load

    return load(data)


def restored(data: bytes) -> object:
    from explorer.drawing import Drawing

    drawing = Drawing("one")
    drawing.act({"mark": "1", "restore": data.decode()})
    return drawing.history


def gestures(size: int) -> bytes:
    """Return a history in which a protocol grows with each gesture."""
    from nip_core import specification as shipped
    from nip_core.editing import Draft

    more = {"gesture": "add_turn", "arguments": {"stage": 0, "turn": 0}}
    first = Draft.read(shipped("prover_estimator").to_dict()).document
    count = max(1, size // len(json.dumps(more)))
    plain = {"format": "nip-history/1", "first": dict(first), "steps": [more] * count}
    return json.dumps(plain).encode()


def study(data: bytes) -> object:
    from pathlib import Path

    from explorer.studies.reading import read_study

    return read_study(data.decode(), Path("."))


def tasks(name: str) -> Callable[[bytes], object]:
    def read(data: bytes) -> object:
        from nip_core.tasks import load_tasks

        return load_tasks(data, name, max_rows=20_000)

    return read


def log(data: bytes) -> object:
    from explorer.studies import of_log

    return of_log("log", data)


def zip_of(size: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"eval": {"task": "t"}}))
        archive.writestr("samples/s_epoch_1.json", b"[" + b"[]," * (size * 30) + b"0]")
    return made.getvalue()


def quality(data: bytes) -> object:
    from nip_core.tasks.passages.quality import load_quality

    return load_quality(data, "a.jsonl")


MB = 1_000_000
INPUTS = (
    Input("message: widgets", 4 * MB, lambda n: field(11, field(2, b"\n\0" * (n // 2))), fitting),
    Input("message: files to upload", 4 * MB, lambda n: field(16, b"\x12\0" * (n // 2)), fitting),
    Input("message: an address", 4 * MB, lambda n: field(11, field(1, b"a&" * (n // 2))), fitting),
    Input("message: known messages", 4 * MB, lambda n: field(11, b"\x3a\0" * (n // 2)), fitting),
    Input("message: numbers", 4 * MB, lambda n: widget(8, field(1, b"\2" * n)), fitting),
    Input("message: texts", 4 * MB, lambda n: widget(9, b"\n\0" * (n // 2)), fitting),
    Input("message: JSON", 2 * MB, lambda n: widget(10, b"[" + b"[]," * (n // 3) + b"0]"), fitting),
    Input(
        "message: events", 2 * MB, lambda n: widget(16, b"[" + b"{}," * (n // 3) + b"0]"), fitting
    ),
    Input("act", 800_000, repeated(b"[],", b"[", b"0]"), act),
    Input("history of a drawing", 400_000, repeated(b"[],", b"[", b"0]"), restored),
    Input("history of a drawing: gestures", 115_000, gestures, restored),
    Input("link", 6_000, packed, link),
    Input("link: sums of wide choices", 6_000, linked(sums), opened),
    Input("link: repeated turns", 6_000, linked(repeats), opened),
    Input("link: coins", 6_000, linked(coins), opened),
    Input("link: all seats in each turn", 6_000, linked(crowd), opened),
    Input("link: guards", 6_000, linked(guarded), opened),
    Input("picture: SVG", 100_000, written(crowd), pictures("sequence", ".svg"), 6 * MB),
    Input("picture: tall", 100_000, written(guarded), pictures("sequence", ".svg"), 6 * MB),
    Input("picture: PNG", 100_000, written(guarded), pictures("grid", ".png"), 6 * MB),
    Input("picture: PDF", 100_000, written(guarded), pictures("grid", ".pdf"), 6 * MB),
    Input("specification", 100_000, repeated(b"[", b'{"name":'), specification),
    Input("transcript", 20 * MB, repeated(b"[],", b"[", b"0]"), transcript),
    Input("replay file", 450_000, long_game, replayed),
    Input("replay file: too long", 10 * MB, long_game, replayed),
    Input("names in rooms", 2 * MB, lambda n: "\u0344".encode() * (n // 2), name),
    Input("drafts", 800_000, repeated(b"9"), draft),
    Input("study file", 400_000, repeated(b"a.b.c.d = 1\n"), study),
    Input("tasks: JSON", 20 * MB, repeated(b"[],", b"[", b"0]"), tasks("a.json")),
    Input("tasks: JSON lines", 20 * MB, repeated(b"{}\n"), tasks("a.jsonl")),
    Input("tasks: CSV", 20 * MB, repeated(b",", b"question", b"\n"), tasks("a.csv")),
    Input("passages", 20 * MB, repeated(b"[],", b"[", b"0]\n"), quality),
    Input("log of Inspect", 20 * MB, zip_of, log),
    Input("log of Inspect: JSON", 20 * MB, repeated(b"[],", b"[", b"0]"), log),
)

# Which input an address belongs to, and each place where a page takes a file.
REQUEST = "test_sockets.py"
ROUTES = {
    "/_stcore/stream": "message: widgets",
    "/_stcore/upload_file/{session_id}/{file_id}": "tasks: JSON",
    "/news": "act",
    # These take nothing but a request, whose size and parts are limited for all.
    "/_stcore/health": REQUEST,
    "/_stcore/host-config": REQUEST,
    "/media/{file_id:path}": REQUEST,
    "/auth/login": REQUEST,
    "/auth/logout": REQUEST,
    "/oauth2callback": REQUEST,
    "/healthz": REQUEST,
    "/fronts/{name}": REQUEST,
    "/join/{code}": REQUEST,
    "/join/{code}/{key}": REQUEST,
    "/lead/{code}/{key}": REQUEST,
    "/watch/{code}/{key}": REQUEST,
}
UPLOADS = {
    "explorer/ui/transcripts.py": "transcript",
    "explorer/ui/studies/logs.py": "log of Inspect",
    "explorer/ui/play/tasks.py": "tasks: JSON",
    "explorer/ui/protocol_families.py": "specification",
}
# By the beginning of a module's path: the input that it reads, or why nobody else can write that.
STORED = "written by this server"
SHIPPED = "part of the package"
OPERATOR = "of the person who runs the command"
READERS = {
    "explorer/computations/": STORED,
    "explorer/drawing/": "history of a drawing",
    "explorer/rewards/": SHIPPED,
    "explorer/choice/": "link",
    "explorer/server/connection.py": "act",
    "explorer/server/messages.py": "message: widgets",
    "explorer/server/streamlit_order.py": "message: an address",
    "explorer/front/": SHIPPED,
    "explorer/languages/": SHIPPED,
    "explorer/logs/archive.py": "log of Inspect",
    "explorer/studies/reading.py": "study file",
    "explorer/studies/record.py": STORED,
    "explorer/studies/results.py": STORED,
    "explorer/studies/findings.py": STORED,
    "explorer/studies/folders.py": STORED,
    "explorer/studies/inspect/keys.py": SHIPPED,
    "explorer/studies/": SHIPPED,
    "explorer/storage/exchange.py": "transcript",
    "explorer/storage/": STORED,
    "explorer/rooms/": STORED,
    "explorer/play/": SHIPPED,
    "explorer/lessons/": SHIPPED,
    "explorer/pictures/typeface.py": SHIPPED,
    "explorer/pictures/command.py": OPERATOR,
    "explorer/notebook/": OPERATOR,
    "explorer/site/": OPERATOR,
    "explorer/visitors.py": OPERATOR,
    "explorer/ui/room/lead.py": STORED,
    "explorer/programs/programs.py": SHIPPED,
    "explorer/programs/": STORED,
    "explorer/players/scripted/": SHIPPED,
    "explorer/players/models/settings.py": "act",
    # A service's answer: its size and its values are limited as of a file.
    "explorer/players/models/transport.py": "transcript",
    "nip_core/text/": "transcript",
    "nip_core/documents/": "transcript",
    "nip_core/editing/": "act",
    "nip_core/language/": "specification",
    "nip_core/lazy.py": SHIPPED,
    "nip_core/spec/": "specification",
    "nip_core/transcript/": "transcript",
    "nip_core/tasks/loading/arrow_files.py": OPERATOR,
    "nip_core/tasks/loading/text_files.py": "tasks: CSV",
    "nip_core/tasks/passages/bundled.py": SHIPPED,
    "nip_core/tasks/programs/bundled.py": SHIPPED,
    "nip_core/tasks/": "passages",
}
