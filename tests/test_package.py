"""The wheel and the source archive: what is in them, and that an installed wheel works."""

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

from nip_core import __version__
from tests.depth import exhaustive
from tests.judges import judge

ROOT = Path(__file__).parent.parent
DRIVER = Path(__file__).with_name("drive_package.py")
PYTHONS = "Programming Language :: Python :: 3."
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

HIDING = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "tensordict"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
"""


def tracked(*folders):
    """Return the files that git knows in folders."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {name for name in listed.stdout.split("\0") if (ROOT / name).is_file()}


def test_what_files_for_github_name_is_there():
    security = (ROOT / ".github" / "SECURITY.md").read_text("utf-8")
    named = re.findall(r"`((?:tests|docs|\.ci)/[^`]*)`|\((\.\./[^)]*)\)", security)
    places = [first or second.removeprefix("../") for first, second in named]
    assert len(places) > 10
    assert [place for place in places if not (ROOT / place).exists()] == []
    for file in (ROOT / ".github").rglob("*.yml"):
        assert yaml.safe_load(file.read_text("utf-8"))
    check = yaml.safe_load((ROOT / ".github/workflows/check.yml").read_text("utf-8"))["jobs"][
        "check"
    ]
    assert {"run": ".ci/run"}.items() <= check["steps"][-1].items()
    tried = check["strategy"]["matrix"]["python"]
    listed = [each for each in PROJECT["classifiers"] if each.startswith(PYTHONS)]
    assert listed == [f"{PYTHONS.removesuffix('3.')}{version}" for version in tried]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build the source archive, and the wheel from that."""
    judge("hatchling")
    folder = tmp_path_factory.mktemp("built")
    command = [sys.executable, "-m", "hatchling", "build", "-d", folder]
    subprocess.run([*command, "-t", "sdist"], cwd=ROOT, check=True, capture_output=True)
    (source,) = folder.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="data")
    unpacked = folder / source.name.removesuffix(".tar.gz")
    subprocess.run([*command, "-t", "wheel"], cwd=unpacked, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return source, wheel


@exhaustive
def test_the_source_archive_has_what_checks_a_release(built):
    source, _ = built
    with tarfile.open(source) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    assert tracked() <= names | {".gitignore"}
    assert names - tracked() <= {"PKG-INFO"}


@exhaustive
def test_the_wheel_has_the_packages_and_nothing_else(built):
    _, wheel = built
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        about = f"nip_explorer-{__version__}.dist-info"
        said = archive.read(f"{about}/METADATA").decode("utf-8")
    pages = {f"explorer/_{name}" for name in tracked("pages")}
    assert {name for name in names if not name.startswith(about)} == pages | tracked(
        "explorer", "nip_core"
    )
    assert f"License-Expression: {PROJECT['license']}\n" in said
    assert {f"{about}/licenses/{name}" for name in PROJECT["license-files"]} <= names


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """Install the wheel where nothing of this folder is; other packages are those of the tests."""
    place = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    python = place / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--no-index", built[1]], check=True)
    (packages,) = place.glob("lib/python*/site-packages")
    others = next(Path(each) for each in sys.path if each.endswith("site-packages"))
    # Files that name further folders, such as this one, are not read there.
    (packages / "others.pth").write_text(f"{others}\n", "utf-8")
    return python


@exhaustive
@pytest.mark.parametrize("hidden", [False, True], ids=["whole", "without torch"])
def test_the_installed_package_does_everything(installed, tmp_path, hidden):
    empty, hiding = tmp_path / "empty", tmp_path / "hiding"
    empty.mkdir()
    hiding.mkdir()
    (hiding / "sitecustomize.py").write_text(HIDING if hidden else "", "utf-8")
    done = subprocess.run(
        [installed, "-P", DRIVER, *(["hidden"] if hidden else [])],
        cwd=empty,
        env={"PATH": "/usr/bin:/bin", "HOME": str(empty), "PYTHONPATH": str(hiding)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"after {done.stdout.split()}: {done.stderr[-4000:]}"
