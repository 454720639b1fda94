"""Our defaults beside scikit-learn's on real pictures: trustworthiness at 10 of every method both
have.

Faces (ORL), turned objects (COIL-20) and 1500 digits, in 2-D and 3-D, both from the same rows in
the same run; where a method has neighbors, both get the number of ours. EMBERSCOPE_BENCH chooses
methods, e.g. EMBERSCOPE_BENCH="ltsa mlle". Pictures of the data beside the checkout only: nothing
to do where there are none.
"""

import gzip
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Row = tuple[str, float, str, str]
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "manifold"
K = 10
DIGITS = 1500
MARK = ">= -.01"


def rows() -> Iterator[Row]:
    if not DATA.is_dir():
        yield "no shared/data beside the checkout", 0.0, "", "skipped"
        return
    wanted = os.environ.get("EMBERSCOPE_BENCH", "").split() or list(PEERS)
    for name, X in _sets():
        for method in wanted:
            for d in (2, 3):
                ours, theirs = _trust(X, _ours(X, method, d)), _trust(X, _theirs(X, method, d))
                what = f"{name}: {method} {d}-D"
                yield what, ours, "trust", ""
                yield f"{what}, scikit-learn", theirs, "trust", ""
                yield f"{what}, ours above scikit-learn", ours - theirs, "trust", MARK


def _sets() -> Iterator[tuple[str, NDArray]]:
    from scipy.io import loadmat

    for name, file in (("faces", "orl_32x32.mat"), ("objects", "coil20_32x32.mat")):
        yield name, np.ascontiguousarray(loadmat(DATA / file)["X"], np.float64) / 255
    with gzip.open(DATA / "mnist" / "t10k-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)
    chosen = np.random.default_rng(0).choice(len(pixels), DIGITS, replace=False)
    yield "digits", pixels[np.sort(chosen)] / 255.0


def _trust(X: NDArray, Z: NDArray) -> float:
    from emberscope.evaluate.faithfulness import faithfulness

    return faithfulness(X, Z, k=K).trustworthiness


def _ours(X: NDArray, method: str, d: int) -> NDArray:
    from emberscope import catalogue

    return catalogue.load(method)(n_components=d).fit(X).embedding_


def _theirs(X: NDArray, method: str, d: int) -> NDArray:
    from emberscope import catalogue

    k = catalogue.load(method)(n_components=d).get_params().get("n_neighbors")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a graph was in parts, that settings will change
        return np.asarray(PEERS[method](d, k).fit_transform(X))


def _linear(local: str) -> Callable[[int, int | None], Any]:
    def peer(d: int, k: int | None) -> Any:
        from sklearn.manifold import LocallyLinearEmbedding

        # Hessian LLE needs more than d (d + 3) / 2 neighbors.
        k = max(k or 12, 2 * (1 + d * (d + 3) // 2) if local == "hessian" else 0)
        return LocallyLinearEmbedding(
            n_components=d, n_neighbors=k, method=local, eigen_solver="dense"
        )

    return peer


def _peer(module: str, name: str, **options: Any) -> Callable[[int, int | None], Any]:
    def peer(d: int, k: int | None) -> Any:
        from importlib import import_module

        neighbors = {"n_neighbors": k} if k else {}
        return getattr(import_module(f"sklearn.{module}"), name)(
            n_components=d, **neighbors, **options
        )

    return peer


PEERS: dict[str, Callable[[int, int | None], Any]] = {
    "pca": _peer("decomposition", "PCA"),
    "kpca": lambda d, k: _peer("decomposition", "KernelPCA", kernel="rbf")(d, None),
    "mds": _peer("manifold", "ClassicalMDS"),
    "smacof": _peer("manifold", "MDS", n_init=1, init="classical_mds", random_state=0),
    "isomap": _peer("manifold", "Isomap"),
    "lle": _linear("standard"),
    "mlle": _linear("modified"),
    "hessian-lle": _linear("hessian"),
    "ltsa": _linear("ltsa"),
    "laplacian-eigenmaps": _peer(
        "manifold", "SpectralEmbedding", affinity="nearest_neighbors", random_state=0
    ),
    "tsne": lambda d, k: _peer("manifold", "TSNE", random_state=0)(d, None),
}


if __name__ == "__main__":
    for row in rows():
        print(*row, sep="\t", flush=True)
