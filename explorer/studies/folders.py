"""The folder in which the app keeps studies, and the server's runs of them."""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from explorer.storage import StorageError, data_folder, database_folder
from explorer.studies.inspect import Pair
from explorer.studies.models import check_players
from explorer.studies.points import points
from explorer.studies.progress import Progress, RunStage
from explorer.studies.reading import read_study
from explorer.studies.record import Record
from explorer.studies.results import Failure, ResultRow
from explorer.studies.run import run_study
from explorer.studies.study import Study, StudyError
from nip_core.displays import Table, Tabular, brief, line
from nip_core.documents import WRITTEN, parse_toml

STUDIES_VARIABLE = "NIP_STUDIES"
FILE = "study.toml"
STUDIES = "studies"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")


class StudyStoreError(StudyError):
    """Raised if a study cannot be added to the store, or is not in it."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A study in the store."""

    folder: Path  # the folder with its file and, once it was played, its record

    def __repr__(self) -> str:
        return line(self, brief(self.name))

    @property
    def name(self) -> str:
        """Its name in addresses."""
        return self.folder.name

    @property
    def title(self) -> str:
        """Return the study's name from its file, if that can be read."""
        try:
            named = parse_toml(self.text(), WRITTEN, StudyStoreError, "The study's file").get(
                "name"
            )
        except StudyError:
            return self.name
        return named if isinstance(named, str) else self.name

    @property
    def record(self) -> Record:
        """The record of its episodes."""
        return Record(self.folder / "record")

    def results(self) -> list[ResultRow]:
        """Return the rows of the record; none before anything was played."""
        return self.record.results() if self.record.folder.is_dir() else []

    def failures(self) -> list[Failure]:
        """Return the failed episodes."""
        return self.record.failures() if self.record.folder.is_dir() else []

    def text(self) -> str:
        """Return the study's file, or raise a StudyError."""
        try:
            return (self.folder / FILE).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise StudyStoreError(f"{self.folder / FILE} cannot be read: {error}.") from None

    def total(self) -> int:
        """Return how many episodes the study has, or raise a StudyError."""
        return _total(self.text(), self.folder.parent)

    def study(self) -> Study:
        """Return the study as data, or raise a StudyError."""
        # Paths in the file are relative to the folder that all studies share.
        return read_study(self.text(), self.folder.parent)


class StudyStore(Tabular):
    """A folder with studies, created with the first one.

    Studies in the `older` folder are found as well, but none are added to it.
    """

    def __init__(self, folder: Path, older: Path | None = None) -> None:
        self.folder = folder
        self._folders = list(dict.fromkeys([folder, older or folder]))

    def __repr__(self) -> str:
        return line(self, f"{len(self.all()):,} studies")

    def table(self) -> Table:
        """Return the studies, latest change first."""
        return Table(("name", "title"), [(kept.name, kept.title) for kept in self.all()])

    def all(self) -> list[Kept]:
        """Return the studies, latest change first."""
        paths_by_name: dict[str, Path] = {}
        for folder in self._folders:
            try:
                names = [entry for entry in folder.iterdir() if (entry / FILE).is_file()]
            except OSError:
                continue
            for entry in names:
                if _NAME.fullmatch(entry.name):
                    paths_by_name.setdefault(entry.name, entry)
        try:
            paths = sorted(paths_by_name.values(), key=lambda path: (-_touched(path), path.name))
        except OSError:
            return []
        return [Kept(path) for path in paths]

    def named(self, name: str) -> Kept:
        """Return a study by its folder's name; raise a StudyStoreError if there is none."""
        if _NAME.fullmatch(name):
            for folder in self._folders:
                if (folder / name / FILE).is_file():
                    return Kept(folder / name)
        raise StudyStoreError("There is no such study here. It may have been moved, or deleted.")

    def put(self, text: str, allowed: Collection[Pair] = frozenset()) -> Kept:
        """Add a study from the text of its file; raise a StudyError if it cannot be played.

        Keys of the `allowed` variables may go to addresses that are not their providers'.
        """
        study = read_study(text, self.folder)
        # Report models that cannot be asked now, while the file can still be changed.
        check_players(study.conditions, allowed)
        stem = re.sub(r"[^a-z0-9]+", "-", study.name.lower()).strip("-")[:60] or "study"
        for number in range(1, 1000):
            name = stem if number == 1 else f"{stem}-{number}"
            folder = self.folder / name
            # A study in the older folder keeps its address.
            if any((other / name).exists() for other in self._folders[1:]):
                continue
            try:
                folder.mkdir(parents=True)
            except FileExistsError:
                continue
            except OSError as error:
                raise StudyStoreError(
                    f"{self.folder} cannot be written: {error.strerror}. Set {STUDIES_VARIABLE} "
                    "to a folder that can."
                ) from None
            (folder / FILE).write_text(text, "utf-8")
            return Kept(folder)
        raise StudyStoreError("Too many studies have this name. Choose another one.")


def study_store() -> StudyStore:
    """Return the store in the folder that NIP_STUDIES names, or in the one beside the database.

    If the database is on a server, the store is in the user's data folder. Studies that were added
    there before a database was chosen are always found as well.
    """
    folder = os.environ.get(STUDIES_VARIABLE)
    if folder:
        return StudyStore(Path(folder))
    beside = database_folder()
    try:
        home = data_folder()
    except StorageError:
        # A container may have no home folder.
        if beside is None:
            raise
        home = beside
    return StudyStore((beside or home) / STUDIES, home / STUDIES)


@lru_cache(200)
def _total(text: str, folder: Path) -> int:
    return len(points(read_study(text, folder)))


def _touched(folder: Path) -> float:
    results = folder / "record" / "results.jsonl"
    return (results if results.exists() else folder / FILE).stat().st_mtime


log = logging.getLogger("explorer")

STOPPED = "It was stopped on this page."

_lock = threading.Lock()
_works: dict[Path, StudyWork] = {}


class StudyWork:
    """A run of one study: of all episodes that are left, or only of the failed ones.

    Variables whose keys are `allowed` to go to addresses that are not their providers' are not
    stored: the next start asks again. `trouble` is the error that ended the run, or empty.
    """

    def __init__(
        self, kept: Kept, *, failed: bool = False, allowed: frozenset[Pair] = frozenset()
    ) -> None:
        self.kept, self.failed, self.allowed = kept, failed, allowed
        self._stage: RunStage | None = None
        self.trouble = ""
        self._progress: Progress | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="study", daemon=True)

    def __repr__(self) -> str:
        return line(self, brief(self.kept.name), *([repr(self.stage)] if self.stage else []))

    @classmethod
    def begin(
        cls, kept: Kept, *, failed: bool = False, allowed: frozenset[Pair] = frozenset()
    ) -> StudyWork:
        """Return the run of a study; start one if none is running."""
        key = kept.folder.resolve()
        with _lock:
            work = _works.get(key)
            if work is None or not work.going:
                work = _works[key] = cls(kept, failed=failed, allowed=allowed)
                work._thread.start()
            return work

    @property
    def going(self) -> bool:
        """Whether it is running."""
        return self._thread.is_alive()

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop and only finishes the episodes that have begun."""
        return self.going and self._stopped.is_set()

    @property
    def stage(self) -> RunStage | None:
        """Return its progress; None until that is known."""
        return self._stage or (None if self._progress is None else self._progress.stage)

    def stop(self) -> None:
        """Begin no further episodes. Those in progress are finished; a second call drops them."""
        at_once = self._stopped.is_set()
        self._stopped.set()
        if self._progress is not None:
            self._progress.stop(STOPPED, at_once=at_once)

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end."""
        self._thread.join(timeout)

    def _begun(self, progress: Progress) -> None:
        self._progress = progress
        if self._stopped.is_set():
            progress.stop(STOPPED)

    def _run(self) -> None:
        try:
            self._stage = run_study(
                self.kept.study(),
                self.kept.record,
                failed=self.failed,
                allowed=self.allowed,
                progress_made=self._begun,
            )
        except StudyError as error:
            self.trouble = str(error)
        # Without this, an error in the thread would be lost: no caller waits for its result.
        except Exception:
            log.exception("A study has stopped with an error")
            self.trouble = (
                "It stopped with an error; the server's log says why. Finished episodes are kept."
            )


def work_at(kept: Kept) -> StudyWork | None:
    """Return the last run of a study by this server; None if there was none."""
    with _lock:
        return _works.get(kept.folder.resolve())
