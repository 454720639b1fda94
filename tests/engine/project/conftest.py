"""What several tests of projects share."""

import contextlib
import subprocess

import pytest


@pytest.fixture(scope="session")
def in_a_container():
    """Words that start a process in a space of process numbers of its own; skips where that is not
    allowed."""
    for words in (
        ("unshare", "-p", "-f", "--mount-proc"),
        ("unshare", "-U", "-r", "-p", "-f", "--mount-proc"),
    ):
        with contextlib.suppress(OSError):
            if subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0:
                return words
    return pytest.skip("no process may have a space of numbers of its own here")
