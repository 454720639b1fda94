"""Fixtures for all tests."""

import gc
import os
import sys
from collections.abc import Generator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from .guarded_project import guard_projects

# As the command line and the worker do, before OpenMP is loaded
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# Examples are the same on every machine, and a slow one may take its time over them.
settings.register_profile("steady", derandomize=True, database=None, deadline=None,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")
guard_projects()

_AFTER_IMPORT: dict[ModuleType, dict] = {}  # module -> state of its generator

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_itemcollected(item: pytest.Item) -> None:
    module = getattr(item, "module", None)
    if hasattr(module, "RNG"):
        _AFTER_IMPORT.setdefault(module, module.RNG.bit_generator.state)


def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end: no collection of garbage looks through them again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What was logged and printed may hold names that are no UTF-8, which no process can be told of
    as they are."""
    report = yield
    report.sections = [
        (title, text.encode("utf-8", "backslashreplace").decode())
        for title, text in report.sections
    ]
    return report


@pytest.fixture(autouse=True)
def _same_draws(request: pytest.FixtureRequest) -> None:
    """What a test draws from the RNG of its module does not depend on which tests ran before it."""
    if request.module in _AFTER_IMPORT:
        request.module.RNG.bit_generator.state = _AFTER_IMPORT[request.module]


@pytest.fixture(autouse=True)
def _own_state_folder(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Journals of tests lie where nobody looks for work that a crash left."""
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path_factory.getbasetemp() / "state"))


@pytest.fixture
def rng() -> np.random.Generator:
    """Draws of one test, the same on every machine; data that a module has in view comes from other
    seeds."""
    return np.random.default_rng(1)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real infrared test data, which never lies in the repository; tests that want it skip where it
    is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("no shared/data beside the checkout")
    return SHARED_DATA


@dataclass(frozen=True)
class Trap:
    """A folder with a module of every name that can be imported here, but those of the program
    itself, and with settings of libraries. `sprung`: the modules that were imported, and by which
    process."""

    folder: Path

    @property
    def marks(self) -> Path:
        return self.folder.with_suffix(".marks")

    def sprung(self) -> list[str]:
        return self.marks.read_text().splitlines() if self.marks.exists() else []

    def reset(self) -> None:
        self.marks.unlink()


@pytest.fixture(scope="session")
def _modules_to_trap() -> set[str]:
    known = {
        *sys.stdlib_module_names,
        *metadata.packages_distributions(),
        "sitecustomize",
        "usercustomize",
        "yaml",
    }
    return {name for name in known if name.isidentifier() and not name.startswith("emberscope")}


@pytest.fixture
def trap(tmp_path: Path, _modules_to_trap: set[str]) -> Trap:
    """The current folder of a process that may import nothing from it."""
    found = Trap(tmp_path / "trap")
    found.folder.mkdir()
    springs = (
        f"import sys\nwith open({str(found.marks)!r}, 'a') as file: file.write(f'{{__name__}} "
        f"{{sys.orig_argv}}\\n')\n"
    )
    for name in _modules_to_trap:
        (found.folder / f"{name}.py").write_text(springs)
    (found.folder / ".numba_config.yaml").write_text("disable_jit: 1\n")
    return found
