"""The source archive holds what a clone has, and its set-up starts from it."""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "pyproject.toml")
PARTS = ("engine", "app", "resources", "packaging", "docs", "tests", ".ci")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.py[cod]", "*.nbi", "*.nbc", "*.egg-info")
BUILD = "import sys; from setuptools import build_meta as b; getattr(b, sys.argv[1])(sys.argv[2])"


def built(kind, folder):
    """What setuptools makes of a copy of this repository, "sdist" or "wheel", in a folder."""
    for part in PARTS:
        shutil.copytree(ROOT / part, folder / "copy" / part, ignore=LEFT_OUT)
    for path in ROOT.iterdir():
        if path.is_file() and path.name != ".git":
            shutil.copy(path, folder / "copy")
    command = [sys.executable, "-W", "ignore", "-c", BUILD, f"build_{kind}", str(folder)]
    subprocess.run(command, cwd=folder / "copy", check=True, capture_output=True)
    (archive,) = folder.glob("emberscope-*")
    return archive


@pytest.fixture
def unpacked(tmp_path):
    """The archive of a copy of this folder, unpacked."""
    with tarfile.open(built("sdist", tmp_path)) as file:
        file.extractall(tmp_path / "unpacked", filter="data")
    return next((tmp_path / "unpacked").iterdir())


def files(folder, part):
    return {
        path.relative_to(folder).as_posix() for path in (folder / part).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
        and path.suffix not in (".nbi", ".nbc")
        and ".egg-info" not in path.as_posix()
    }  # fmt: skip


def test_the_archive_has_what_a_clone_has_and_starts(unpacked):
    """One test, because processes that share the tests of a file would each build the archive."""
    assert set().union(*(files(ROOT, part) - files(unpacked, part) for part in PARTS)) == set()
    assert [
        name for name in PAGES if (unpacked / name).read_bytes() != (ROOT / name).read_bytes()
    ] == []
    paths = [str(unpacked / part) for part in ("engine", "app", "resources")]
    code = (
        f"import sys; sys.path[:0] = {paths}; from emberscope.cli import main; "
        "sys.exit(main(['methods', 'pca']))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "PCA" in done.stdout
    done = subprocess.run(
        [sys.executable, unpacked / "packaging" / "bootstrap.py"], capture_output=True, check=False
    )
    assert done.returncode == 0


def test_a_wheel_has_the_pictures_of_help_and_none_of_the_readme(tmp_path):
    with zipfile.ZipFile(built("wheel", tmp_path)) as wheel:
        pictures = {Path(name).parent.name for name in wheel.namelist() if name.endswith(".png")}
    assert pictures == {"images"}
