"""What CONTRIBUTING.md says is true: its rooms, files and names exist, and its examples run in a
copy of the code."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
# The example of a help page has headings of its own.
PARTS = re.sub(r"^````.*?^````$", "", GUIDE, flags=re.MULTILINE | re.DOTALL).split("\n## ")[1:]
SECTIONS = {part.partition("\n")[0]: part for part in PARTS}
# The sentence above a block says where it goes.
BLOCK = re.compile(
    r"^(?:New file|In) `(?P<path>[^`]+)`(?:, (?P<where>below|above|in place of) the line "
    r"`(?P<line>[^`]+)`)?:\n\n"
    r"(?P<fence>`{3,4})\w+\n(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = list(BLOCK.finditer(GUIDE))
NEW = {block["path"] for block in BLOCKS if block["where"] is None}
NAMED = set(re.findall(r"`((?:app|engine|packaging|tests|resources)/[^`\s]+)`", GUIDE))
PATHS = sorted(path for path in NAMED - NEW if "NAME" not in path)
EXAMPLES = [name for name in SECTIONS if name.startswith(("Add ", "Ask "))]
STEPS = re.findall(r"^\d+\. .*?(?=^\d+\. |^$)", GUIDE, re.MULTILINE | re.DOTALL)


def put(block, root):
    """Write a block into a copy of the repository: a new file, or lines of a file that is there."""
    path = root / block["path"]
    if block["where"] is None:
        assert not path.exists(), f"{block['path']} is there already"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block["text"], encoding="utf-8")
        return
    text, line = path.read_text(encoding="utf-8"), block["line"] + "\n"
    assert f"\n{text}".count(f"\n{line}") == 1, (
        f"{block['path']} has no single line {block['line']}"
    )
    added = {
        "below": line + block["text"],
        "above": block["text"] + line,
        "in place of": block["text"],
    }
    path.write_text(text.replace(line, added[block["where"]]), encoding="utf-8")


def call(command):
    """A command of the guide as this Python runs it, without making an environment first; and its
    variables."""
    words = shlex.split(command)
    at = words.index("python3")
    variables, script = dict(word.split("=", 1) for word in words[:at]), words[at + 1 :]
    if script[0] == "packaging/bootstrap.py":
        pytest_here = (
            ["-m", "pytest"] if "tests/app" in command else ["-m", "pytest", "-p", "no:pytest-qt"]
        )
        script[:2] = {
            "test": pytest_here,
            "bench": ["packaging/bench"],
            "pages": ["packaging/make_help.py"],
        }[script[1]]
    return [sys.executable, *script], variables


def has_qt():
    """Whether Qt is installed, although tests without Qt may not import it."""
    try:
        return bool(metadata.version("PySide6-Essentials"))
    except metadata.PackageNotFoundError:
        return False


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The repository with every block of the guide in its place, and what is compiled here by
    now."""
    root = tmp_path_factory.mktemp("copy")
    for name in ("engine", "app", "resources", "packaging", "tests"):
        shutil.copytree(
            ROOT / name, root / name, ignore=shutil.ignore_patterns("*.pyc.*", "*.tmp.*")
        )
    for name in ("pyproject.toml", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, root)
    for block in BLOCKS:
        put(block, root)
    return root


@pytest.mark.parametrize("section", EXAMPLES)
def test_what_an_example_adds_passes_its_checks(section, copy, tmp_path):
    commands = COMMANDS.findall(SECTIONS[section])[0].splitlines()
    if any("tests/app" in command for command in commands) and not has_qt():
        pytest.skip("Qt is not installed")
    rooms = os.pathsep.join(str(copy / name) for name in ("engine", "app", "resources"))
    env = os.environ | {
        "EMBERSCOPE_CACHE": str(tmp_path),
        "PYTHONPATH": rooms,
        "QT_QPA_PLATFORM": "offscreen",
    }
    env.pop("EMBERSCOPE_TEST_WITHOUT_QT", None)
    for command in commands:
        words, variables = call(command)
        done = subprocess.run(
            words, cwd=copy, env=env | variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def test_every_kind_of_addition_has_an_example():
    assert EXAMPLES == [
        "Add a method", "Add a stage", "Add a reader", "Add an operation", "Add a dock",
        "Add a layer of the maps",
        "Ask the engine a new question", "Add a benchmark",
    ]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_every_path_that_is_named_exists(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.partition(".")[0])
def test_names_in_a_step_of_the_label_stand_in_the_files_of_the_step(step):
    quoted = re.findall(r"`([^`]+)`", step)
    files = "\n".join((ROOT / name).read_text(encoding="utf-8") for name in quoted if "/" in name)
    names = [name for name in quoted if name.isidentifier()]
    assert files
    assert [name for name in names if not re.search(rf"\b{name}\b", files)] == []


def test_the_label_is_followed_without_a_gap():
    assert [int(step.partition(".")[0]) for step in STEPS] == list(range(1, 16))


@pytest.mark.parametrize(("package", "first"), [("emberscope", "cli"), ("emberscope_app", "main")])
def test_the_map_of_rooms_is_that_of_the_import_contracts(package, first):
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(
        contract["layers"] for contract in contracts
        if contract["type"] == "layers" and contract["layers"][0] in (first, f"{package}.{first}")
    )  # fmt: skip
    table = GUIDE.partition(f"| `{first}` |")
    rows = (f"| `{first}` |" + table[2].partition("\n\n")[0]).splitlines()
    named = [set(re.findall(r"`([^`]+)`", row.split("|")[1])) for row in rows]
    assert named == [set(layer.replace(f"{package}.", "").split(" | ")) for layer in layers]
