"""The source archive holds what a clone has, and its set-up starts from it."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("engine", "app", "resources", "packaging", "tests", ".ci")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.py[cod]", "*.nbi", "*.nbc", "*.egg-info")
BUILD = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The archive of a copy of this folder, unpacked."""
    folder = tmp_path_factory.mktemp("archive")
    for part in PARTS:
        shutil.copytree(ROOT / part, folder / "copy" / part, ignore=LEFT_OUT)
    for path in ROOT.iterdir():
        if path.is_file() and path.name != ".git":
            shutil.copy(path, folder / "copy")
    command = [sys.executable, "-W", "ignore", "-c", BUILD, str(folder)]
    subprocess.run(command, cwd=folder / "copy", check=True, capture_output=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(folder / "unpacked", filter="data")
    return next((folder / "unpacked").iterdir())


def files(folder, part):
    return {
        path.relative_to(folder).as_posix() for path in (folder / part).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix not in (".nbi", ".nbc")
        and ".egg-info" not in path.as_posix()
    }  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
def test_every_file_of_a_clone_is_in_the_archive(part, unpacked):
    assert files(ROOT, part) - files(unpacked, part) == set()


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "pyproject.toml"])
def test_the_pages_at_the_top_are_in_the_archive(name, unpacked):
    assert (unpacked / name).read_text(encoding="utf-8") == (ROOT / name).read_text(encoding="utf-8")


def test_the_program_of_the_archive_says_what_it_can(unpacked):
    paths = [str(unpacked / part) for part in ("engine", "app", "resources")]
    code = f"import sys; sys.path[:0] = {paths}; from emberscope.cli import main; sys.exit(main(['methods', 'pca']))"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "PCA" in done.stdout


def test_the_set_up_of_the_archive_starts(unpacked):
    done = subprocess.run([sys.executable, unpacked / "packaging" / "bootstrap.py"], capture_output=True, check=False)
    assert done.returncode == 0
