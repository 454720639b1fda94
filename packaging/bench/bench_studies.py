"""Studies on the demo: a grid against separate runs, kills at random moments, two processes, a
cluster of two workers."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from emberscope.demo import run_demo
from emberscope.pipeline import run
from emberscope.project import Project, to_snapshot
from emberscope.project.model.study import Study
from emberscope.project.store.cell_folder import StudyFolder
from emberscope.project.store.file import load
from emberscope.studies.cells import cells_of
from emberscope.studies.cluster import fill_on
from emberscope.studies.fill import Filled, Work, fill
from emberscope.studies.workers import fill_with

Row = tuple[str, float, str, str]
_RECIPE = {"features": {"kind": "statistics"}}
_AXES = {"method": ["pca", "lpp", "mida", "pole", "laplacian-eigenmaps", "mi-fear", "lda"],
         "d": [2, 3, 5, 10, 15], "seed": [0, 1, 2, 3, 4]}
_SAMPLE = 10  # cells of the grid that are also made as separate runs
_KILLS = 20
_FEW = {"method": ["lpp", "pole", "mida"], "d": [2, 5, 10], "r": [1, 2], "seed": [0, 1]}


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = run_demo(folder / "demo")[0]
        project = load(path)
        yield from _against_runs(project, folder)
        yield from _kills(path, folder)
        yield from _shared(project, folder)


def _work(project: Project, axes: dict[str, list], out: Path, cache: Path) -> Work:
    cells = cells_of(Study(recipe=_RECIPE, axes=axes), project)
    return Work(to_snapshot(project), cells, StudyFolder(out), cache)


def _timed(what: Callable[[], object]) -> float:
    start = time.perf_counter()
    what()
    return time.perf_counter() - start


def _against_runs(project: Project, folder: Path) -> Iterator[Row]:
    """The sample is taken evenly, so that its mean is that of the grid; kernels are warm."""
    work = _work(project, _AXES, folder / "grid", folder / "cache")
    fill(replace(work, cells=work.cells[::len(work.cells) // 4], folder=StudyFolder(folder / "w")))
    study = _timed(lambda: fill(replace(work, cache=folder / "cold")))
    yield f"a cell, of a study of {len(work.cells)}", study / len(work.cells), "s", ""
    sample = work.cells[:: len(work.cells) // _SAMPLE]
    for what, caches in (("one cache for all", [folder / "runs"] * len(sample)),
                         ("a cache of its own", [folder / f"r{k}" for k in range(len(sample))])):
        apart = sum(_timed(partial(run, project, cell.recipe, cache=cache))
                    for cell, cache in zip(sample, caches, strict=True))
        yield f"a run, {what}", apart / len(sample), "s", ""
        ratio = study / len(work.cells) / (apart / len(sample))
        yield f"study over separate runs, {what}", ratio, "", "<= 0.35"


def _kills(path: Path, folder: Path) -> Iterator[Row]:
    """The command is killed at random moments until nothing is left to do; a cell that is there
    must stay as it is."""
    lost, kills, rng = 0, 0, random.Random(0)
    asked, out = folder / "few.toml", folder / "kills"
    asked.write_text("[recipe.features]\nkind = 'statistics'\n[axes]\n" + "".join(
        f"{name} = {values!r}\n" for name, values in _FEW.items()))
    call = [sys.executable, "-m", "emberscope", "study", str(asked), "--project", str(path),
            "--out", str(out), "--workers", "2"]
    before: dict[str, bytes] = {}
    for _ in range(_KILLS):
        process = subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        try:
            process.wait(rng.uniform(3, 6))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
        now = {each.name: each.read_bytes() for each in (out / "cells").glob("*.json")}
        lost += sum(now.get(name) != content for name, content in before.items())
        before = now
    left = subprocess.run(call, capture_output=True, check=False).returncode
    yield "kills of a study", kills, "", ""
    yield "cells lost by them", lost, "", "0"
    yield "exit code of the call that ends it", left, "", "0"


def _shared(project: Project, folder: Path) -> Iterator[Row]:
    """Against one process, and one worker, on one core."""
    work = _work(project, _FEW, folder / "one", folder / "c1")
    ways: dict[str, Callable[[Work], Filled]] = {
        "one process": partial(fill_with, 1), "two processes": partial(fill_with, 2),
        "one worker of Dask": partial(fill_on, "local:1"),
        "two workers of Dask": partial(fill_on, "local:2")}
    took, found, cores = dict[str, float](), dict[str, Filled](), os.sched_getaffinity(0)
    for name, way in ways.items():
        cache, start = folder / "caches" / name, time.perf_counter()
        os.environ["EMBERSCOPE_CACHE"] = str(cache)  # that of workers of Dask
        os.sched_setaffinity(0, {min(cores)} if name.startswith("one") else cores)
        found[name] = way(replace(work, folder=StudyFolder(folder / name), cache=cache))
        took[name] = time.perf_counter() - start
    for slow, fast in (("one process", "two processes"), ("one process", "two workers of Dask"),
                       ("one worker of Dask", "two workers of Dask")):
        yield f"{slow} over {fast}", took[slow] / took[fast], "x", ">= 1.7"
    one = found.pop("one process").results
    for name, filled in found.items():
        equal = all(filled.results[key].metrics == result.metrics for key, result in one.items())
        yield f"numbers of {name} equal to the bit", float(equal), "", "1"
