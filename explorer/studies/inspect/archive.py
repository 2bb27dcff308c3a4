"""Reading an untrusted log of Inspect one sample at a time, within bounds.

An ``.eval`` file is a zip of JSON documents. Only small parts are needed here. They are read
without Inspect, which trusts its own files: nothing is unpacked to the disk, and the memory for
unpacking is bounded for each document and in total.
"""

from __future__ import annotations

import contextlib
import io
import re
import struct
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeGuard, cast

from explorer.project import install_extra
from explorer.studies.inspect.errors import LogError
from nip_core.displays import displayed
from nip_core.documents import Limits, canonical, parse_json, show
from nip_core.errors import NipError
from nip_core.play import Episode
from nip_core.transcript import dump, load

# The name of our transcript in a sample's store. It is kept as a text, since Inspect compares the
# store before and after every step, which takes long for nested data.
STORED = "nip_transcript"
_START = "_journal/start.json"
_SAMPLE = re.compile(r"samples/[^/]{1,300}\.json")
_ZSTANDARD = 93
# Other compressions could be made to take any amount of memory.
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTANDARD)
_ENCRYPTED = 0x1
_CHUNK = 1 << 20
MOST_EPOCHS = 1_000_000


@displayed
@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """The limits for reading a log."""

    file: int = 200_000_000  # bytes of the file
    # Bytes of its table of contents, whose entries take many times as much in memory.
    directory: int = 4_000_000
    unpacked: int = 1_000_000_000  # unpacked bytes of all documents together
    samples: int = 20_000
    # Inspect itself writes nothing deeper than this.
    # The limits of each document.
    document: Limits = Limits(size=40_000_000, values=1_000_000, depth=256)


LIMITS = ArchiveLimits()


@displayed
@dataclass(frozen=True, slots=True)
class LogHeader:
    """A log's header."""

    task: str
    created: str
    models: tuple[str, ...]  # the models of the evaluation and of its roles


@displayed
@dataclass(frozen=True, slots=True)
class LogSample:
    """One sample of a log."""

    id: str
    epoch: int
    metadata: Mapping[str, Any]  # untrusted text, like everything else here
    episode: Episode | None  # replayed from the transcript; None if the sample has no valid one
    problem: str = ""  # why there is no episode


def stored(episode: Episode) -> str:
    """Return an episode in the form of a sample's store."""
    return canonical(dump(episode))


def read_log(
    content: bytes, limits: ArchiveLimits = LIMITS
) -> tuple[LogHeader, Iterator[LogSample]]:
    """Read the content of an ``.eval`` or ``.json`` file; return its header and its samples.

    A LogError says that it is not a log, or exceeds a limit. Each sample is read on request: a
    LogError from the iterator ends the file; a sample without an episode of ours has a ``problem``.
    """
    if len(content) > limits.file:
        raise LogError(f"The log has {len(content):,} bytes; at most {limits.file:,} are read.")
    if not content.startswith(b"PK"):
        document = _object(parse_json(content, limits.document, LogError, "The log"), "The log")
        listed = document.get("samples")
        samples = cast("list[Any]", listed) if isinstance(listed, list) else []
        return _header(document), map(_sample, samples[: limits.samples])
    archive = _Archive(content, limits)
    return _header(archive.document(_START)), archive.samples()


class _Archive:
    """The documents in a zip file."""

    def __init__(self, content: bytes, limits: ArchiveLimits) -> None:
        self._limits = limits
        self._left = limits.unpacked
        # Adds a compression to `zipfile` that Python supports from 3.14 on.
        with contextlib.suppress(ImportError):
            import zipfile_zstd  # pyright: ignore # noqa: F401
        size = _directory_size(content)
        if size > limits.directory:
            raise LogError(
                f"The log's table of contents has {size:,} bytes; at most "
                f"{limits.directory:,} are read."
            )
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, ValueError, OverflowError, NotImplementedError) as error:
            raise LogError(f"The log is damaged: {_words(error)}.") from None
        self._entries = {entry.filename: entry for entry in self._zip.infolist()}

    def samples(self) -> Iterator[LogSample]:
        """Yield all samples, in the order of the file."""
        names = [name for name in self._entries if _SAMPLE.fullmatch(name)]
        if len(names) > self._limits.samples:
            raise LogError(
                f"The log has {len(names):,} samples; at most {self._limits.samples:,} are read."
            )
        for name in names:
            yield _sample(self.document(name))

    def document(self, name: str) -> dict[str, Any]:
        """Return a document by its name."""
        entry = self._entries.get(name)
        if entry is None:
            raise LogError(f"This is not an Inspect log: it has no {name}.")
        limits = self._limits.document
        content = self._unpacked(entry, min(limits.size, self._left))
        self._left -= len(content)
        return _object(parse_json(content, limits, LogError, f"The log's {show(name)}"), name)

    def _unpacked(self, entry: zipfile.ZipInfo, most: int) -> bytes:
        it = f"The log's {show(entry.filename)}"
        if entry.flag_bits & _ENCRYPTED or entry.compress_type not in _COMPRESSIONS:
            raise LogError(f"{it} is compressed in a way that Inspect logs are not.")
        content = bytearray()
        try:
            with self._zip.open(entry) as file:
                # The size that an entry declares may be wrong on purpose.
                while chunk := cast("BinaryIO", file).read(_CHUNK):
                    content += chunk
                    if len(content) > most:
                        raise LogError(f"{it} is larger than what is read ({most:,} bytes).")
        except NotImplementedError:
            raise LogError(
                "The log is compressed with Zstandard; reading it needs Inspect: "
                f"{install_extra('inspect')}"
            ) from None
        except LogError:
            raise
        # A decompressor may raise anything on untrusted bytes.
        except Exception as error:
            raise LogError(f"{it} is damaged: {_words(error)}.") from None
        return bytes(content)


def _directory_size(content: bytes) -> int:
    """Return the size of the table of contents as stated at the end of the file."""
    end = content.rfind(b"PK\x05\x06", max(0, len(content) - 65_557))
    if end < 0 or len(content) < end + 22:
        raise LogError("The log is damaged: it has no end. Was it still being written?")
    (size,) = struct.unpack_from("<L", content, end + 12)
    large = content.rfind(b"PK\x06\x06", max(0, end - 200), end)
    if large >= 0 and len(content) >= large + 56:
        (size,) = struct.unpack_from("<Q", content, large + 40)
    return size


def _header(document: Mapping[str, Any]) -> LogHeader:
    header = _object(document.get("eval"), "The log's description")
    roles = header.get("model_roles")
    named = cast("dict[str, object]", roles).values() if isinstance(roles, dict) else ()
    models = [header.get("model"), *(_model(role) for role in named)]
    return LogHeader(
        _text(header.get("task")),
        _text(header.get("created")),
        tuple(dict.fromkeys(_text(model) for model in models if model not in (None, "none/none"))),
    )


def _model(role: object) -> object:
    return cast("dict[str, object]", role).get("model") if isinstance(role, dict) else None


def _sample(document: object) -> LogSample:
    fields = _object(document, "A sample")
    name, epoch = _text(fields.get("id")), fields.get("epoch")
    metadata = fields.get("metadata")
    store = fields.get("store")
    about: Mapping[str, Any] = (
        cast("dict[str, object]", metadata) if isinstance(metadata, dict) else {}
    )
    stored = cast("dict[str, object]", store).get(STORED) if isinstance(store, dict) else None
    number = epoch if is_epoch(epoch, 1) else 1
    if not isinstance(stored, dict | str):
        return LogSample(name, number, about, None, "It holds no episode of a protocol.")
    try:
        episode = load(cast("dict[str, object] | str", stored))
    except NipError as error:
        return LogSample(name, number, about, None, str(error))
    if not episode.over:
        return LogSample(name, number, about, None, "Its episode has not come to an end.")
    return LogSample(name, number, about, episode)


def _object(value: object, it: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise LogError(f"{it} is {show(value)}; in a log of Inspect it is an object.")
    return cast("dict[str, object]", value)


def is_epoch(value: object, first: int) -> TypeGuard[int]:
    """Return whether a value is a valid epoch number, counted from `first`."""
    return type(value) is int and first <= value <= MOST_EPOCHS


def short_text(text: str) -> str:
    """Return untrusted text without lone surrogates, which JSON may contain and files may not."""
    return text[:200].encode("utf-8", "replace").decode("utf-8")


def _text(value: object) -> str:
    return short_text(value) if isinstance(value, str) else show(value) if value is not None else ""


def _words(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:200].rstrip(".")
