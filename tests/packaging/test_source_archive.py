"""The source archive holds what a clone has, and its set-up starts from it."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "pyproject.toml")
PARTS = ("engine", "app", "resources", "packaging", "docs", "tests", ".ci")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.py[cod]", "*.nbi", "*.nbc", "*.egg-info")
BUILD = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"


@pytest.fixture
def unpacked(tmp_path):
    """The archive of a copy of this folder, unpacked."""
    for part in PARTS:
        shutil.copytree(ROOT / part, tmp_path / "copy" / part, ignore=LEFT_OUT)
    for path in ROOT.iterdir():
        if path.is_file() and path.name != ".git":
            shutil.copy(path, tmp_path / "copy")
    command = [sys.executable, "-W", "ignore", "-c", BUILD, str(tmp_path)]
    subprocess.run(command, cwd=tmp_path / "copy", check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as file:
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
