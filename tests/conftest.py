"""Fixtures for all tests."""

import os
from pathlib import Path

import pytest

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as the command line and the worker do, before OpenMP is loaded

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real infrared test data, which never lies in the repository; tests that want it skip where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("no shared/data beside the checkout")
    return SHARED_DATA
