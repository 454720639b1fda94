"""Versions of the code and its libraries: part of every cache key, and of the record of every run."""

import hashlib
import platform
from functools import cache
from importlib import metadata
from pathlib import Path

import emberscope

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


@cache
def versions() -> dict[str, str]:
    """Versions for the record of a run; "blas" names the kernels that the matrix products ran on."""
    found = {"emberscope": emberscope.__version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return {**found, "blas": _blas()}


@cache
def code_version() -> str:
    """Changes with every line of the engine, so that no result of older code is served from a cache."""
    digest = hashlib.blake2b(emberscope.__version__.encode(), digest_size=8)
    folder = Path(emberscope.__file__).parent
    for path in sorted(folder.rglob("*.py")):  # none in a frozen program, whose version says it all
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _blas() -> str:
    import numpy  # noqa: F401  # brings its library with it
    from threadpoolctl import threadpool_info

    found = [info for info in threadpool_info() if info.get("user_api") == "blas"]
    found.sort(key=lambda info: "numpy" not in str(info.get("filepath")))
    if not found:
        return "unknown"
    return f"{found[0].get('internal_api')} {found[0].get('version')} {found[0].get('architecture', '')}".strip()
