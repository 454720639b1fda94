"""The loop at 10 000 instances: first embedding of the demo, a label changed to the updated map,
saving."""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from emberscope import pipeline
from emberscope.base.monitor import Watch
from emberscope.demo import make_demo
from emberscope.labels import Box
from emberscope.project import BagRecipe, Project, PutLabels, PutRuns, Recipe
from emberscope.project.store.file import load, save

Row = tuple[str, float, str, str]


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EMBERSCOPE_CACHE"] = str(Path(folder) / "cache")
        project = load(make_demo(Path(folder) / "demo"))
        yield from _first_embedding(project)
        yield from _label_to_map(project)
        yield from _file(project, Path(folder) / "p.ember")


def _first_embedding(project: Project) -> Iterator[Row]:
    for method in ("mida", "s-le"):
        recipe = msgspec.structs.replace(project.recipe, method=method, params={"n_components": 2})
        run = pipeline.run(project, recipe)
        yield (
            f"demo, {method}, {len(run.ids)} instances, features cached",
            run.seconds,
            "s",
            "<= 2 s after Run",
        )


def _label_to_map(project: Project) -> Iterator[Row]:
    wide = BagRecipe(level="instance", patch=24, stride=9)
    for method in ("pca", "mida", "laplacian-eigenmaps"):
        recipe = Recipe(bags=wide, method=method, params={"n_components": 2})
        first = pipeline.run(project, recipe)
        shown, done = [], []
        for i in range(3):
            project.apply(PutLabels(after=[_one_more(project, i)]))
            at_map, total = _timed(
                lambda watch, recipe=recipe: pipeline.run(project, recipe, monitor=watch)
            )
            shown.append(at_map)
            done.append(total)
        name = f"label changed to map, {method}, {len(first.ids)} instances"
        yield name, statistics.median(shown), "s", "<= 1 s"
        yield f"the same to the last score, {method}", statistics.median(done), "s", ""


def _timed(run: Callable[[Watch], object]) -> tuple[float, float]:
    """Seconds to the first complete map and to the end."""
    maps: list[float] = []
    start = time.perf_counter()
    run(Watch(on_partial=lambda Z: maps.append(time.perf_counter() - start)))
    total = time.perf_counter() - start
    return (maps[-1] if maps else total), total


def _one_more(project: Project, i: int) -> Box:
    source = min(project.sources)
    new_id = project.new_label_ids()[0]
    return Box(
        id=new_id,
        source=source,
        frame=1 + 2 * i,
        x0=200.0,
        y0=180.0,
        x1=300.0,
        y1=240.0,
        looseness=1.0,
    )


def _file(project: Project, path: Path) -> Iterator[Row]:
    recipe = Recipe(bags=BagRecipe(level="instance", patch=24, stride=9), method="pca")
    project.apply(PutRuns(after=[pipeline.run(project, recipe)]))
    start = time.perf_counter()
    save(project, path)
    yield "save the project", time.perf_counter() - start, "s", ""
    start = time.perf_counter()
    load(path)
    yield "load the project", time.perf_counter() - start, "s", ""
