"""The manifold engine beside its peers: time, first call, memory, quality, in processes that take
turns.

Every job is a process of its own with the environment of the worker, so a first call is an honest
first call and the peak memory is that of one method. EMBERSCOPE_BENCH chooses parts, e.g.
EMBERSCOPE_BENCH="umap-10k tsne-10k"; most of the time goes to the peers. Of the sparse eigensolver:
on the graph of 50 000 instances a product with the matrix takes 0.6 ms for each vector of a block
of 8, and 1.5 ms for a single vector.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Row = tuple[str, float, str, str]
K = 15
QUERIES = 1000
# part: data, rows, repeats, [ours, peers ...], what the ratio of ours to the first peer shall be
PARTS: dict[str, tuple[str, int, int, list[str], str]] = {
    "exact-10k": ("hog324", 10_000, 5, ["exact", "faiss-flat"], "<= 1.3 x"),
    "exact-50k": ("hog324", 50_000, 3, ["exact", "faiss-flat"], "<= 1.3 x"),
    "approximate-200k": (
        "pca50",
        200_000,
        2,
        ["approximate", "pynndescent"],
        "< 1 x at recall >= .95",
    ),
    "umap-10k": (
        "hog324",
        10_000,
        3,
        ["umap", "umap-learn", "pacmap-peer"],
        "<= 0.4 x, first call <= 0.1 x",
    ),
    "umap-50k": ("hog324", 50_000, 3, ["umap", "umap-learn", "pacmap-peer"], "<= 0.4 x"),
    "umap-200k": ("pca50", 200_000, 2, ["umap", "umap-learn", "pacmap-peer"], "<= 0.4 x"),
    "tsne-10k": ("hog324", 10_000, 2, ["tsne", "openTSNE", "sklearn-tsne"], "<= 0.35 x"),
    "tsne-50k": ("hog324", 50_000, 1, ["tsne", "openTSNE"], "<= 0.35 x"),
    "layouts-10k": ("hog324", 10_000, 2, ["largevis", "pacmap"], ""),
    "isomap-10k": ("hog324", 10_000, 1, ["landmark-isomap", "sklearn-isomap"], "<= 0.1 x"),
    "isomap-100k": ("pca50", 100_000, 1, ["landmark-isomap"], "possible"),
    "laplacian-10k": (
        "hog324",
        10_000,
        2,
        ["laplacian-eigenmaps", "sklearn-spectral-amg"],
        "<= 0.5 x",
    ),
    "laplacian-50k": (
        "hog324",
        50_000,
        1,
        ["laplacian-eigenmaps", "sklearn-spectral-amg"],
        "<= 0.5 x",
    ),
    "local-10k": (
        "hog324",
        10_000,
        1,
        ["ltsa", "hessian-lle", "mlle", "lle"],
        "ltsa, hessian-lle < 10 s",
    ),
    "mvu-1000": ("hog324", 1000, 2, ["mvu"], "< 10 s"),
    "warm-10k": ("hog324", 10_000, 3, ["umap-goes-on"], "10 epochs <= 0.1 s"),
    "warm-50k": ("hog324", 50_000, 3, ["umap-goes-on"], "10 epochs <= 0.2 s"),
    "scores-100k": ("pca50", 100_000, 1, ["faithfulness"], "seconds"),
}


def rows() -> Iterator[Row]:
    wanted = os.environ.get("EMBERSCOPE_BENCH", "").split() or list(PARTS)
    import chips_like_ir

    chips_like_ir.make(max(PARTS[part][1] for part in wanted))
    for part in wanted:
        data, n, times, jobs, mark = PARTS[part]
        found = {
            job: [_in_a_process(job, data, n, times) for _ in range(1 if times < 3 else 2)]
            for job in jobs
        }
        for job, runs in found.items():
            yield from _rows_of(part, job, runs)
        for peer in jobs[1:] if mark.count(" x") else []:
            yield (
                f"{part}: {jobs[0]} / {peer}",
                _warm(found[jobs[0]]) / _warm(found[peer]),
                "x",
                mark,
            )
            yield (
                f"{part}: the same, first call",
                _first(found[jobs[0]]) / _first(found[peer]),
                "x",
                "",
            )


def _rows_of(part: str, job: str, runs: list[dict[str, Any]]) -> Iterator[Row]:
    yield f"{part}: {job}, warm", _warm(runs), "s", ""
    yield f"{part}: {job}, first call", _first(runs), "s", ""
    yield (
        f"{part}: {job}, peak memory beside the data",
        statistics.median(run["mb"] for run in runs),
        "MB",
        "",
    )
    for name in ("trust", "accuracy", "recall"):
        if name in runs[0]:
            yield f"{part}: {job}, {name}", statistics.median(run[name] for run in runs), "", ""


def _warm(runs: list[dict[str, Any]]) -> float:
    return statistics.median(s for run in runs for s in (run["seconds"][1:] or run["seconds"]))


def _first(runs: list[dict[str, Any]]) -> float:
    """Of the latest process: the caches on disk are warm then."""
    return runs[-1]["seconds"][0]


def _in_a_process(job: str, data: str, n: int, times: int) -> dict[str, Any]:
    from emberscope.jobs.environment import worker_environment

    command = [sys.executable, Path(__file__), job, data, str(n), str(times)]
    done = subprocess.run(
        command, env=os.environ | worker_environment(), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"bench: {job} failed: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def _measure(job: str, data: str, n: int, times: int) -> dict[str, Any]:
    import chips_like_ir
    import psutil

    X, family = chips_like_ir.load(data, n)
    prepare, call = JOBS.get(job, (None, None))
    if call is None:
        prepare, call = _nothing, lambda X, _, job=job: _ours(X, job)
    given = prepare(X) if prepare else None
    held = psutil.Process().memory_info().rss
    seconds, Z = [], None
    for _ in range(times):
        start = time.perf_counter()
        Z = call(X, given)
        seconds.append(time.perf_counter() - start)
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    out = {"seconds": seconds, "mb": max(peak - held, 0) / 1e6}
    if Z is None:
        return out
    return out | (
        _recall(X, Z) if Z.dtype.kind in "iu" else _quality(X, np.asarray(Z, np.float64), family)
    )


def _ours(X: NDArray, method: str) -> NDArray:
    from emberscope import catalogue
    from emberscope.neighbors.graph import forget

    forget()
    return catalogue.load(method)().fit(X).embedding_


def _exact(X: NDArray, _: object) -> NDArray:
    from emberscope.neighbors.search import nearest

    return nearest(X, X, K + 1).idx


def _approximate(X: NDArray, _: object) -> NDArray:
    from emberscope.neighbors.search import neighbors_within

    return neighbors_within(X, K).idx


def _first_layout(X: NDArray) -> Any:
    from emberscope.embedding.layout.umap import UMAP

    return UMAP().fit(X).embedding_


def _goes_on(X: NDArray, Z: NDArray) -> NDArray:
    """The graph is known; 10 epochs from the finished layout."""
    from emberscope.embedding.layout.umap import UMAP

    return UMAP(n_epochs=10).start_from(Z).fit(X).embedding_


def _faithfulness(X: NDArray, Z: NDArray) -> None:
    from emberscope.evaluate.faithfulness import faithfulness

    faithfulness(X, Z)


def _pca_scores(X: NDArray) -> NDArray:
    from emberscope.embedding.linear.pca import PCA
    from emberscope.neighbors.graph import knn

    knn(X, K)
    return PCA().fit(X).embedding_


def _faiss_flat(X: NDArray, _: object) -> NDArray:
    import faiss

    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X)
    return index.search(X, K + 1)[1]


def _pynndescent(X: NDArray, _: object) -> NDArray:
    import pynndescent

    return pynndescent.NNDescent(X, n_neighbors=K + 1, random_state=0).neighbor_graph[0]


def _umap_learn(X: NDArray, _: object) -> NDArray:
    import umap

    return umap.UMAP().fit_transform(X)


def _pacmap(X: NDArray, _: object) -> NDArray:
    import pacmap

    return pacmap.PaCMAP(n_components=2).fit_transform(X, init="pca")


def _open_tsne(X: NDArray, _: object) -> NDArray:
    import openTSNE

    return np.asarray(openTSNE.TSNE(n_jobs=2, random_state=0).fit(X))


def _sklearn_tsne(X: NDArray, _: object) -> NDArray:
    from sklearn.manifold import TSNE

    return TSNE(2, init="pca", random_state=0, n_jobs=-1).fit_transform(X)


def _sklearn_isomap(X: NDArray, _: object) -> NDArray:
    from sklearn.manifold import Isomap

    return Isomap(n_neighbors=12, n_components=2, n_jobs=-1).fit_transform(X)


def _sklearn_spectral(X: NDArray, _: object) -> NDArray:
    from sklearn.manifold import SpectralEmbedding

    options = {
        "n_neighbors": 15,
        "affinity": "nearest_neighbors",
        "eigen_solver": "amg",
        "n_jobs": -1,
    }
    return SpectralEmbedding(2, random_state=0, **options).fit_transform(X)


def _nothing(X: NDArray) -> None:
    return None


Call = Callable[[Any, Any], Any]
JOBS: dict[str, tuple[Callable[[NDArray], Any], Call]] = {
    "exact": (_nothing, _exact), "approximate": (_nothing, _approximate),
    "umap-goes-on": (_first_layout, _goes_on), "faithfulness": (_pca_scores, _faithfulness),
    "faiss-flat": (_nothing, _faiss_flat), "pynndescent": (_nothing, _pynndescent),
    "umap-learn": (_nothing, _umap_learn), "pacmap-peer": (_nothing, _pacmap),
    "openTSNE": (_nothing, _open_tsne),
    "sklearn-tsne": (_nothing, _sklearn_tsne), "sklearn-isomap": (_nothing, _sklearn_isomap),
    "sklearn-spectral-amg": (_nothing, _sklearn_spectral),
}  # fmt: skip


def _recall(X: NDArray, idx: NDArray) -> dict[str, float]:
    """Share of the true 15 neighbors that were found, on 1000 queries; a query that lists itself
    loses nothing."""
    rows = np.random.default_rng(0).choice(len(X), min(len(X), QUERIES), replace=False)
    hits = 0
    for part in np.array_split(rows, max(1, len(rows) // 100)):
        near = np.argpartition(_distances(X, part), K, axis=1)[:, :K]
        hits += sum(len(np.intersect1d(a, b[b != i][:K])) for i, a, b in zip(part, near, idx[part]))
    return {"recall": hits / (len(rows) * K)}


def _quality(X: NDArray, Z: NDArray, family: NDArray) -> dict[str, float]:
    """Trustworthiness at 15 and leave-one-out 10-NN accuracy of the families, 1000 queries against
    all rows."""
    n = len(X)
    rows = np.random.default_rng(0).choice(n, min(n, QUERIES), replace=False)
    penalty, right = 0, 0
    for part in np.array_split(rows, max(1, len(rows) // 100)):
        in_X, in_Z = _distances(X, part), _distances(Z, part)
        order = np.argsort(in_Z, axis=1)[:, :K]
        for i, d, listed in zip(part, in_X, order):
            ranks = 1 + np.searchsorted(np.sort(d), d[listed])
            penalty += np.maximum(ranks - K, 0).sum()
            right += np.bincount(family[listed[:10]]).argmax() == family[i]
    return {
        "trust": 1 - 2 * penalty / (len(rows) * K * (2 * n - 3 * K - 1)),
        "accuracy": right / len(rows),
    }


def _distances(X: NDArray, rows: NDArray) -> NDArray:
    """(R, N) squared, up to a constant per row; a row is infinitely far from itself."""
    out = np.square(X).sum(axis=1)[None] - 2 * X[rows] @ X.T
    out[np.arange(len(rows)), rows] = np.inf
    return out


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
