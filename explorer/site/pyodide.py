"""Python for browsers, from one version of the npm package ``pyodide`` with pinned file digests."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
import tempfile
from hashlib import sha256
from pathlib import Path

from nip_core.errors import NipError

VERSION = "314.0.7"
# SHA-256 digests of the package's files that the site needs.
FILES = {
    "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
    "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
    "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
    "python_stdlib.zip": "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
    "pyodide-lock.json": "5dc2fc119108bc148c7457dc86e7675b5c87e1cafd420b9c34c1eaef7b36c010",
}
PACK_SECONDS = 300
COMPILE_SECONDS = 120
COMPILE = Path(__file__).parent / "pages" / "compile.mjs"


class SiteError(NipError):
    """Raised, with the reason, if the site cannot be written."""


def pyodide_files(package: Path | None) -> dict[str, bytes]:
    """Return the files of Pyodide, checked, from the npm package, as a folder or as a .tgz.

    Without one, npm fetches it from the registry that it is configured for. A SiteError says that
    the package is not available, or that a file has another digest.
    """
    if package is None:
        with tempfile.TemporaryDirectory() as folder:
            return _checked(_from_archive(_fetch(Path(folder))), f"pyodide@{VERSION} from npm")
    try:
        files = _from_folder(package) if package.is_dir() else _from_archive(package)
    except (OSError, tarfile.TarError) as error:
        raise SiteError(f"{package} cannot be read as the npm package pyodide: {error}") from None
    return _checked(files, str(package))


def _fetch(folder: Path) -> Path:
    npm = shutil.which("npm")
    by_hand = (
        f"Run `npm pack pyodide@{VERSION}` where there is npm, and name the file by --pyodide."
    )
    if npm is None:
        raise SiteError(f"Pyodide comes as an npm package, and there is no npm here. {by_hand}")
    try:
        done = subprocess.run(
            [npm, "pack", f"pyodide@{VERSION}"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=PACK_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise SiteError(f"npm did not fetch Pyodide in {PACK_SECONDS} seconds. {by_hand}") from None
    packed = next(folder.glob("*.tgz"), None)
    if done.returncode or packed is None:
        complaint = done.stderr.strip().splitlines()[-1:] or ["it says nothing"]
        raise SiteError(f"npm could not fetch Pyodide ({complaint[0]}). {by_hand}")
    return packed


def _from_folder(folder: Path) -> dict[str, bytes]:
    inner = folder / "package" if (folder / "package").is_dir() else folder
    return {name: (inner / name).read_bytes() for name in FILES if (inner / name).is_file()}


def _from_archive(file: Path) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(file.read_bytes()), mode="r:gz") as packed:
        files: dict[str, bytes] = {}
        for name in FILES:
            try:
                member = packed.extractfile(f"package/{name}")
            except KeyError:
                continue
            if member is not None:
                files[name] = member.read()
        return files


def _checked(files: dict[str, bytes], source: str) -> dict[str, bytes]:
    for name, digest in FILES.items():
        if name not in files:
            raise SiteError(f"{source} has no {name}: it is not the npm package pyodide@{VERSION}.")
        if sha256(files[name]).hexdigest() != digest:
            raise SiteError(
                f"{name} of {source} is not that of pyodide@{VERSION}, the version that this site "
                "is made for."
            )
    return files


def with_bytecode(archive: bytes, files: dict[str, bytes]) -> bytes:
    """Return an archive of Python files with their bytecode, so that a visitor waits less.

    Only Pyodide's own Python, run by Node, can compile it. Without Node, the archive is returned
    unchanged, and works as well.
    """
    node = shutil.which("node")
    if node is None:
        return archive
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for place, content in files.items():
            (folder / place).write_bytes(content)
        before, after = folder / "before.zip", folder / "after.zip"
        before.write_bytes(archive)
        command = [node, str(COMPILE), str(folder), str(before), str(after)]
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, timeout=COMPILE_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return archive
        return after.read_bytes() if done.returncode == 0 and after.is_file() else archive
