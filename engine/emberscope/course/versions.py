"""Versions of the code and its libraries: part of every cache key, and of the record of every
run."""

import contextlib
import hashlib
import platform
from functools import cache
from importlib import metadata
from pathlib import Path

import emberscope

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "onnxruntime", "onnxruntime-gpu")
# whose other version may decode other counts
_READERS = ("av", "h5py", "imagecodecs", "pillow", "tifffile")


@cache
def versions() -> dict[str, str]:
    """Versions for the record of a run; "blas" names the kernels that the matrix products ran
    on."""
    own = {"emberscope": emberscope.__version__, "python": platform.python_version()}
    return {**own, **_installed(_PACKAGES), "blas": _blas()}


@cache
def code_version() -> str:
    """Changes with every line of the engine and every version of a library that computes or
    decodes.

    No result of other code is served from a cache then, nor of another processor's kernels.
    """
    digest = hashlib.blake2b(digest_size=8)
    digest.update(repr(sorted((versions() | _installed(_READERS)).items())).encode())
    folder = Path(emberscope.__file__).parent
    for path in sorted(folder.rglob("*.py")):  # none in a frozen program, whose version says it all
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _installed(packages: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for package in packages:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found


def _blas() -> str:
    import numpy  # noqa: F401  # brings its library with it
    from threadpoolctl import threadpool_info

    found = [info for info in threadpool_info() if info.get("user_api") == "blas"]
    found.sort(key=lambda info: "numpy" not in str(info.get("filepath")))
    if not found:
        return "unknown"
    return (
        f"{found[0].get('internal_api')} {found[0].get('version')} "
        f"{found[0].get('architecture', '')}".strip()
    )
