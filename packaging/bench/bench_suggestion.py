"""Recipes tried within the time a user sees: how long it takes with nothing cached, and what it
loses against the best.

Beside the time stands by how much the recipe that was chosen on the sample, in that time, tells
held-out bags apart worse than the best of the same recipes on all bags, however long that takes.

Why the area of the one chosen is corrected (`evaluate.selection`): four recipes of noise on 5, 10
and 20 groups have a corrected area of .50, .49 and .50, the best of them alone .59, .58 and .54;
where all have an area of .63 it is .63, of the best alone .67 to .71. Choosing on the other folds
instead varies 1.04 to 1.6 times as much.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from clips import DEVELOPMENT, Clip, labeled, scene_clips

from emberscope.course.inputs import prepare
from emberscope.pipeline import suggest as suggestions
from emberscope.project import Project

NAMES = (
    "night 130 m, cars",
    "night 60 m, persons",
    "drone_001 u=3",
    "cars and persons",
    "four flying classes",
)


def rows() -> Iterator[tuple[str, float, str, str]]:
    with TemporaryDirectory() as folder:
        for clip in (
            *(clip for clip in DEVELOPMENT if clip.name in NAMES),
            *scene_clips(Path(folder)),
        ):
            if clip.there:
                yield from _rows_of(clip, Path(folder) / "cache" / clip.name.replace(" ", "-"))


def _rows_of(clip: Clip, cache: Path) -> Iterator[tuple[str, float, str, str]]:
    project = labeled(clip)
    start = time.perf_counter()
    found = suggestions.suggest(project, cache=cache)
    seconds = time.perf_counter() - start
    count = len(prepare(project, found.recipe, cache).made.instances)
    wanted = len(list(suggestions.candidates(found.recipe)))
    yield f"{clip.name}, {count} instances: recipes tried", len(found.tried), f"of {wanted}", ""
    yield f"{clip.name}: time with nothing cached", seconds, "s", "<= 10 s"
    areas = _areas_of_all(project, cache)
    lost = max(areas.values()) - areas[_key(found.recipe)]
    yield f"{clip.name}: area lost to the best on all bags", lost, "", "<= .02"


def _areas_of_all(project: Project, cache: Path) -> dict[str, float]:
    """Area of every recipe on all bags, however long that takes."""
    with patch.object(suggestions, "sampled", lambda inputs: inputs):
        found = suggestions.suggest(project, seconds=1e9, cache=cache)
    return {_key(one.recipe): one.area for one in found.tried}


def _key(recipe) -> str:
    return f"{recipe.method} {recipe.features.kind}"
