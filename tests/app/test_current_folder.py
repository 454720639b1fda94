"""Who opens a project in a stranger's folder runs nothing of it, in the window or in its worker."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from emberscope.project.store.file import save

SCRIPT = Path(sys.executable).with_name("emberscope")
PROGRAM = (SCRIPT,) if SCRIPT.exists() else (sys.executable, "-m", "emberscope")
PATIENCE = 300.0  # s; the worker imports and compiles, and the machine may be busy


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM")
@pytest.mark.parametrize("program", [PROGRAM, (sys.executable, "-m", "emberscope_app.main")])
def test_window_and_worker_import_nothing_from_the_current_folder(
    program, trap, tmp_path, small_project
):
    save(small_project, trap.folder / "p.ember")
    own = {
        f"EMBERSCOPE_{name}": str(tmp_path / name.lower()) for name in ("CACHE", "STATE", "CONFIG")
    }
    files = {"cwd": trap.folder, "stderr": subprocess.PIPE}
    with subprocess.Popen(
        [*program, "p.ember"], env=os.environ | own, text=True, **files
    ) as window:
        end = time.monotonic() + PATIENCE
        while (
            not _has_warmed(tmp_path / "cache") and window.poll() is None and time.monotonic() < end
        ):
            time.sleep(0.1)
        warmed = _has_warmed(tmp_path / "cache")
        window.send_signal(signal.SIGTERM)
        _, said = window.communicate(timeout=PATIENCE)
    assert trap.sprung() == []
    assert window.returncode == 0, said
    assert warmed


def _has_warmed(cache):
    """Whether the worker has imported what runs need, and made one of a method that is compiled."""
    return any("warming umap" in log.read_text() for log in cache.glob("jobs/worker-*/worker.log"))
