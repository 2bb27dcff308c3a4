"""Reading an untrusted log of Inspect one document at a time, within bounds.

An ``.eval`` file is a zip of JSON documents. They are read without Inspect, which trusts its own
files: nothing is unpacked to the disk, and the memory for unpacking is bounded for each document
and in total.
"""

from __future__ import annotations

import contextlib
import io
import re
import struct
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from explorer.logs.errors import LogError
from explorer.project import install_extra
from nip_core.displays import brief, displayed, line
from nip_core.documents import Limits, parse_json, show

_START = "_journal/start.json"
_SAMPLE = re.compile(r"samples/[^/]{1,300}\.json")
_ZSTANDARD = 93
# Other compressions could be made to take any amount of memory.
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTANDARD)
_ENCRYPTED = 0x1
_CHUNK = 1 << 20


@displayed
@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """The limits for reading a log."""

    file: int = 200_000_000  # bytes of the file
    # Bytes of its table of contents, whose entries take many times as much in memory.
    directory: int = 4_000_000
    unpacked: int = 1_000_000_000  # unpacked bytes of all documents together
    samples: int = 20_000
    # The limits of each document; Inspect itself writes nothing deeper than this.
    document: Limits = Limits(size=40_000_000, values=1_000_000, depth=256)


LIMITS = ArchiveLimits()


@displayed
@dataclass(frozen=True, slots=True)
class LogHeader:
    """A log's header."""

    task: str
    created: str
    models: tuple[str, ...]  # the models of the evaluation and of its roles


class Archive:
    """The header of a log, and the documents of its samples.

    Parameters
    ----------
    content : bytes
        An ``.eval`` or ``.json`` file.
    limits : ArchiveLimits

    Raises
    ------
    LogError
        If it is not a log, or exceeds a limit.
    """

    def __init__(self, content: bytes, limits: ArchiveLimits = LIMITS) -> None:
        self._limits = limits
        if len(content) > limits.file:
            raise LogError(f"The log has {len(content):,} bytes; at most {limits.file:,} are read.")
        self._zip: _Zip | None = None
        self._listed: list[object] = []
        if content.startswith(b"PK"):
            self._zip = _Zip(content, limits)
            self.header = _header(self._zip.document(_START))
        else:
            document = object_of(
                parse_json(content, limits.document, LogError, "The log", nan=True), "The log"
            )
            listed = document.get("samples")
            self._listed = cast("list[object]", listed) if isinstance(listed, list) else []
            self.header = _header(document)
        if len(self) > limits.samples:
            raise LogError(
                f"The log has {len(self):,} samples; at most {limits.samples:,} are read."
            )

    def __repr__(self) -> str:
        return line(self, f"task={brief(self.header.task)}", f"samples={len(self):,}")

    def __len__(self) -> int:
        return len(self._listed) if self._zip is None else len(self._zip.samples)

    @property
    def names(self) -> list[str]:
        """The names of all samples."""
        if self._zip is None:
            return [
                f"{text_of(_field(s, 'id'))}_epoch_{text_of(_field(s, 'epoch'))}"
                for s in self._listed
            ]
        return [name.removeprefix("samples/").removesuffix(".json") for name in self._zip.samples]

    def sample(self, number: int) -> dict[str, Any]:
        """Return the document of a sample, counted from 0.

        Raises
        ------
        LogError
            If it is damaged or too large.
        """
        if self._zip is None:
            return object_of(self._listed[number], "A sample")
        return self._zip.document(self._zip.samples[number])

    def samples(self) -> Iterator[dict[str, Any]]:
        """Yield the documents of all samples, in the order of the file."""
        return (self.sample(number) for number in range(len(self)))


class _Zip:
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
        self.samples = [name for name in self._entries if _SAMPLE.fullmatch(name)]

    def document(self, name: str) -> dict[str, Any]:
        """Return a document by its name."""
        entry = self._entries.get(name)
        if entry is None:
            raise LogError(f"This is not an Inspect log: it has no {name}.")
        limits = self._limits.document
        content = self._unpacked(entry, min(limits.size, self._left))
        self._left -= len(content)
        return object_of(
            parse_json(content, limits, LogError, f"The log's {show(name)}", nan=True), name
        )

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
    header = object_of(document.get("eval"), "The log's description")
    roles = header.get("model_roles")
    named = cast("dict[str, object]", roles).values() if isinstance(roles, dict) else ()
    models = [header.get("model"), *(_model(role) for role in named)]
    return LogHeader(
        text_of(header.get("task")),
        text_of(header.get("created")),
        tuple(
            dict.fromkeys(text_of(model) for model in models if model not in (None, "none/none"))
        ),
    )


def _field(value: object, name: str) -> object:
    return cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None


def _model(role: object) -> object:
    return _field(role, "model")


def object_of(value: object, it: str) -> dict[str, Any]:
    """Return a value that has to be an object; `it` names it in the error."""
    if not isinstance(value, dict):
        raise LogError(f"{it} is {show(value)}; in a log of Inspect it is an object.")
    return cast("dict[str, Any]", value)


def short_text(text: str) -> str:
    """Return untrusted text without lone surrogates, which JSON may contain and files may not."""
    return text[:200].encode("utf-8", "replace").decode("utf-8")


def text_of(value: object) -> str:
    """Return a value as a short text; empty for null."""
    return short_text(value) if isinstance(value, str) else show(value) if value is not None else ""


def _words(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:200].rstrip(".")
