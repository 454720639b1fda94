"""Whether tests notice when a line of the program is changed: how many of some changes, drawn by
chance, fail none.

EMBERSCOPE_MUTATE names files and folders of the source [the rules and the ids of projects],
EMBERSCOPE_MUTANTS how many changes are tried [10], EMBERSCOPE_SEEDS the number to begin with [0]:
other numbers are other changes. A change is made in a copy of the repository, and the test file
that mirrors the module is run, then the folder of it. What survives both is printed: it changes
nothing that anybody could see, or a test is missing.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from mutants import Mutant, mutants

ROOT = Path(__file__).resolve().parents[2]
_COPIED = ("engine", "app", "resources", "tests", "packaging", "pyproject.toml")
_USUAL = "engine/emberscope/mil/rules engine/emberscope/project/model/next_ids.py"
_LONGEST = 240.0  # seconds that tests may take; a change that makes them wait is noticed


def rows() -> Iterator[tuple[str, float, str, str]]:
    wanted = os.environ.get("EMBERSCOPE_MUTATE", _USUAL).split()
    count, seed = (
        int(os.environ.get("EMBERSCOPE_MUTANTS", "10")),
        int(os.environ.get("EMBERSCOPE_SEEDS", "0")),
    )
    drawn = draw(
        [path for name in wanted for path in modules(ROOT / name)], count, random.Random(seed)
    )
    fates = {"its file": 0, "its folder": 0, "": 0}
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        copy = Path(folder)
        for name in _COPIED:
            take(ROOT / name, copy / name)
        for path, mutant in drawn:
            place = path.relative_to(ROOT)
            killer = killed_by(copy, place, mutant)
            fates[killer] += 1
            if not killer:
                yield (
                    f"{place.name}, line {mutant.line}: {mutant.before[:60]} -> "
                    f"{mutant.after[:60]}",
                    0,
                    "killed",
                    "1",
                )
    for killer, words in {
        "its file": "the tests of its file",
        "its folder": "those of its folder",
    }.items():
        yield f"killed by {words}", fates[killer], f"of {len(drawn)}", ""
    yield "survived", fates[""], f"of {len(drawn)}", "0"


def modules(path: Path) -> list[Path]:
    """The modules in a folder, or one."""
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def take(source: Path, target: Path) -> None:
    """Copy a file, or a folder without what Python and numba made there."""
    if source.is_file():
        shutil.copy(source, target)
    else:
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))


def draw(paths: list[Path], count: int, chance: random.Random) -> list[tuple[Path, Mutant]]:
    """Some of all changes of the modules, in the order of the files."""
    found = [
        (path, mutant) for path in paths for mutant in mutants(path.read_text(encoding="utf-8"))
    ]
    return sorted(
        chance.sample(found, min(count, len(found))), key=lambda one: (one[0], one[1].line)
    )


def mirrors(root: Path, module: Path) -> list[Path]:
    """The test file of a module, where there is one, and the folder or file that the tests of its
    room are in."""
    room = Path("tests", module.parts[0], *module.parts[2:-1])
    own = room / f"test_{module.stem}.py"
    while not any((root / room).glob("test_*.py")) and len(room.parts) > 2:
        room = room.parent
    return [place for place in (own, room) if (root / place).exists()]


def killed_by(copy: Path, module: Path, mutant: Mutant) -> str:
    """Which tests notice a change in the copy: "its file", "its folder", or none, ""."""
    for tests in mirrors(copy, module):
        if not pass_unchanged(copy, tests):
            print(f"  {tests} fails as it is and says nothing", file=sys.stderr)
            continue
        with changed(copy / module, mutant.source):
            if not passes(copy, tests):
                return "its file" if tests.suffix else "its folder"
    return ""


@contextmanager
def changed(path: Path, text: str) -> Iterator[None]:
    """Another text in a file, for a while."""
    before = path.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(before, encoding="utf-8")


@cache
def pass_unchanged(copy: Path, tests: Path) -> bool:
    """Whether tests pass before anything is changed."""
    return passes(copy, tests)


def passes(copy: Path, tests: Path) -> bool:
    """Whether tests pass in the copy."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(str(copy / name) for name in ("engine", "app", "resources")),
        "QT_QPA_PLATFORM": "offscreen", "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", str(tests)]
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, timeout=_LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0
