"""Fixtures for all tests."""

from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real infrared test data, which never lies in the repository; tests that want it skip where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("no shared/data beside the checkout")
    return SHARED_DATA
