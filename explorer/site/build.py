"""The command ``nip-explorer site``: writes pages, our modules, Python and its files."""

from __future__ import annotations

import argparse
import gzip
import io
import json
import shutil
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import cast

from explorer.front import AROUND, LETTERS, module, style
from explorer.gallery import gallery
from explorer.lessons import lessons, small_picture
from explorer.pictures import root_style
from explorer.play import all_positions
from explorer.site.closure import ROOT, archive_files
from explorer.site.first import first_data, rewards, schedules
from explorer.site.lessons import lesson_data, playable_fronts, playables
from explorer.site.models import model_form
from explorer.site.pyodide import VERSION, SiteError, pyodide_files, with_bytecode
from nip_core.displays import displayed

DESCRIPTION = (
    "Write the explorer as a static folder, which any web server can serve: protocols, games "
    "against scripted players and rewards run in the visitor's browser."
)

PAGES = Path(__file__).parent / "pages"
# Marks a folder that this command has written; no other folder is ever replaced.
MARK = "nip-explorer-site.json"
# A worker loaded from an address would not get this policy, so ours is loaded from a blob.
CSP = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; "
    "connect-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'"
)
# The policy of the one page on which a visitor may enter the address of a model server.
MODELS_CSP = CSP.replace("connect-src 'self'", "connect-src 'self' http: https:")
# Seconds that a bundled program may take in its own worker.
RUN_SECONDS = 8
# The style sheets of each part of the page, which has its own shadow root.
SHEETS = {
    "home": ("home", "miniature"),
    "firsts": ("firsts",),
    "schedule": ("schedule", "miniature"),
    "gallery": ("gallery", "miniature"),
    "sketch": ("miniature",),
    "lesson": ("controls", "lesson", "graphs", "chart", "unset", "tally"),
    "positions": ("positions",),
    "chart": ("chart",),
    "table": ("table", "miniature", "lines", "review", "controls", "hotseat", "unset", "desk"),
}


@displayed
@dataclass(frozen=True, slots=True)
class Written:
    """A written site: folder, files, and the bytes loaded for the first paint and in all."""

    folder: Path
    files: int
    first_bytes: int
    all_bytes: int


def write_site(out: Path, pyodide: dict[str, bytes]) -> Written:
    """Write a site; a SiteError says that the folder holds anything else, or cannot be written.

    The folder does not exist, is empty, or contains a site written before. `pyodide` are the files
    of :func:`explorer.site.pyodide.pyodide_files`.
    """
    if out.exists() and not out.is_dir():
        raise SiteError(f"{out} is a file. Name a folder.")
    if out.is_dir() and any(out.iterdir()) and not (out / MARK).is_file():
        raise SiteError(f"{out} holds other files. Name a new folder, or empty this one.")
    files = site_files(pyodide)
    try:
        shutil.rmtree(out, ignore_errors=True)
        for place, content in files.items():
            file = out / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    except OSError as error:
        raise SiteError(f"{out} cannot be written: {error.strerror}.") from None
    first = (
        *("index.html", "start.js", "front/site.js", "page.css", "schedule.css", "home.css"),
        "schedules/mnip.json",
        *(place for place in files if place.startswith("fonts/")),
    )
    sizes = {place: len(content) for place, content in files.items()}
    return Written(out, len(files), sum(sizes[name] for name in first), sum(sizes.values()))


def site_files(pyodide: dict[str, bytes]) -> dict[str, bytes]:
    """Return all files by path; the same inputs give the same bytes."""
    lock = cast("dict[str, object]", json.loads(pyodide["pyodide-lock.json"]))
    files = {
        "pyodide/pyodide.mjs": pyodide["pyodide.mjs"],
        "pyodide/pyodide.asm.mjs": pyodide["pyodide.asm.mjs"],
        "pyodide/python_stdlib.zip": pyodide["python_stdlib.zip"],
        # Compressed here, since many static servers do not compress: 3.5 instead of 9.6 MB.
        "pyodide/pyodide.asm.wasm.gz": gzip.compress(pyodide["pyodide.asm.wasm"], 9, mtime=0),
        "python.zip": with_bytecode(_archive(archive_files()), pyodide),
        "front/site.js": module("site").encode("utf-8"),
        "positions.json": _packed({"positions": all_positions()}).encode("utf-8"),
        **embedded_files(),
    }
    for name in SHEETS:
        files[f"{name}.css"] = _sheet(name)
    for name, shown in schedules().items():
        files[f"schedules/{name}.json"] = _packed(shown).encode("utf-8")
    files["gallery.json"] = _packed(gallery()).encode("utf-8")
    for name, data in rewards().items():
        files[f"rewards/{name}.json"] = _packed(data).encode("utf-8")
    # Loaded only when somebody looks for a protocol, plays, learns or looks at a chart.
    for name in ("gallery", "hotseat", "positions", "chart"):
        files[f"front/{name}.js"] = module(name).encode("utf-8")
    files["python.js"] = _knowing("python.js", info=lock["info"])
    files["worker.js"] = _knowing("worker.js", runSeconds=RUN_SECONDS)
    for name in ("start.js", "programs.js"):
        files[name] = (PAGES / name).read_bytes()
    first = first_data()
    pages = {"index.html": (CSP, None), "models.html": (MODELS_CSP, model_form())}
    for name, (policy, form) in pages.items():
        # The text must not contain the end tag of the script element.
        shown = _packed({**first, "models": form}).replace("<", "\\u003c")
        page = (PAGES / "index.html").read_text("utf-8")
        page = page.replace("{{CSP}}", policy).replace("{{FIRST}}", shown)
        files[name] = page.encode("utf-8")
    digest = sha256()
    for place in sorted(files):
        digest.update(f"{place}\0{sha256(files[place]).hexdigest()}\0".encode())
    mark = digest.hexdigest()[:16]
    listed = ["./", *(f"./{place}" for place in sorted(files) if place != "index.html")]
    files["sw.js"] = _knowing("sw.js", mark=mark, files=listed)
    files[MARK] = json.dumps({"mark": mark}).encode("utf-8")
    return files


def embedded_files() -> dict[str, bytes]:
    """Return what a lesson or a drawing in a frame needs until it starts Python."""
    page = (PAGES / "embed.html").read_text("utf-8").replace("{{CSP}}", CSP)
    files = {
        "embed.html": page.encode("utf-8"),
        "embed.js": (PAGES / "embed.js").read_bytes(),
        "page.css": _page_style().encode("utf-8"),
        "favicon.svg": (ROOT / "explorer" / "favicon.svg").read_bytes(),
        "lesson.css": _sheet("lesson"),
    }
    for name in ("site_embed", "lesson", *playable_fronts()):
        files[f"front/{name}.js"] = module(name).encode("utf-8")
    for *_, name in LETTERS:
        files[f"fonts/{name}.woff2"] = (ROOT / "explorer/static" / f"{name}.woff2").read_bytes()
    for lesson in lessons()[0]:
        files[f"lessons/{lesson.slug}.json"] = _packed(lesson_data(lesson)).encode("utf-8")
        for theme in ("light", "dark"):
            if (drawn := small_picture(lesson, theme)) is not None:
                files[f"lessons/{lesson.slug}-{theme}.svg"] = drawn.svg().encode("utf-8")
    for name, shown in playables().items():
        files[f"playables/{name}.json"] = _packed(shown).encode("utf-8")
    for name in playable_fronts():
        files[f"{name}.css"] = style("touch", name).encode("utf-8")
    return files


def _sheet(name: str) -> bytes:
    return style(*SHEETS[name]).encode("utf-8")


def _packed(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _knowing(name: str, **values: object) -> bytes:
    """Return a script that finds values of this site in the constant `SITE`."""
    return f"const SITE = {_packed(values)};\n".encode() + (PAGES / name).read_bytes()


def _archive(files: dict[str, Path]) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for place, file in files.items():
            # The file's time is left out, so that the archive is the same each time.
            made.writestr(zipfile.ZipInfo(place), file.read_bytes(), zipfile.ZIP_DEFLATED, 9)
    return into.getvalue()


def _page_style() -> str:
    faces = "".join(
        f"@font-face {{ font-family: '{family}'; font-weight: {weight}; font-display: swap; "
        f"src: url(fonts/{name}.woff2) format('woff2'); }}\n"
        for family, weight, name in LETTERS
    )
    return faces + root_style(AROUND) + (PAGES / "page.css").read_text("utf-8")


def main(arguments: Sequence[str]) -> None:
    """Write the site."""
    parser = argparse.ArgumentParser(prog="nip-explorer site", description=DESCRIPTION)
    parser.add_argument(
        "--out", required=True, type=Path, metavar="FOLDER", help="the folder to write"
    )
    parser.add_argument(
        "--pyodide",
        type=Path,
        metavar="PATH",
        help=f"the npm package pyodide@{VERSION}, as a folder or a .tgz (default: npm fetches it)",
    )
    chosen = parser.parse_args(arguments)
    try:
        written = write_site(chosen.out, pyodide_files(chosen.pyodide))
    except SiteError as error:
        parser.error(str(error))
    print(
        f"Wrote {written.files} files to {written.folder}: {written.all_bytes / 1e6:.1f} MB, of "
        f"which {written.first_bytes / 1e3:.0f} kB come before the first picture.\n"
        f"Try it: python -m http.server --directory {written.folder}"
    )
