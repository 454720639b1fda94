"""Clips with truth, loosely labeled: what the first picture of a project is judged on.

Frames are read where they lie (see the README beside them for licenses), never copied.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import connected_groups
from emberscope.bags.make import MadeBags
from emberscope.base.monitor import monitored
from emberscope.catalogue.usual import usual_recipe
from emberscope.course.inputs import features as extract_features
from emberscope.course.inputs import prepare
from emberscope.evaluate.knn import knn_cross_validated
from emberscope.evaluate.scores import auc
from emberscope.features.recipe import FeatureRecipe
from emberscope.frames.scene.generated import write_range
from emberscope.labels.geometry import centers
from emberscope.project import Project, Recipe
from emberscope.project.exchange.sources import add_sources
from emberscope.project.exchange.truth import import_truth, truth_of

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "ir"
REACH = 8.0  # px: an instance whose center is that near to a truth box shows the target
K = 5  # neighbors that vote on the map


@dataclass(frozen=True, slots=True)
class Clip:
    """Frames and their truth. every : of every n-th frame; background : boxes per labeled frame."""

    name: str
    sources: tuple[Path, ...]
    truths: tuple[Path | None, ...]
    every: int = 1
    background: int = 4
    u: int = 1

    @property
    def there(self) -> bool:
        return all(path.exists() for path in self.sources)


def hit_uav(folder: str, name: str, *, u: int = 1, every: int = 1, background: int = 4) -> Clip:
    base = DATA / "hit_uav" / folder
    return Clip(
        name, (base / "frames",), (base / "boxes_xml",), every=every, background=background, u=u
    )


def drone(stem: str, *, u: int = 1) -> Clip:
    base = DATA / "drone_ir_video"
    truth = base / "derived" / f"{stem}_boxes.csv"
    name = f"{stem.removeprefix('IR_').lower()} u={u}"
    return Clip(name, (base / f"{stem}.mp4",), (truth,), every=6, background=2, u=u)


def together(name: str, *clips: Clip, u: int, every: int, background: int) -> Clip:
    """Clips as one project of several classes, labeled alike."""
    sources = tuple(path for clip in clips for path in clip.sources)
    truths = tuple(path for clip in clips for path in clip.truths)
    return Clip(name, sources, truths, every=every, background=background, u=u)


DEVELOPMENT = (
    hit_uav("night_130m_30deg_09949-09977", "night 130 m, cars"),
    hit_uav("night_60m_30deg_00000-00149", "night 60 m, persons", every=3),
    hit_uav("night_130m_30deg_09949-09977", "night 130 m, cars u=2", u=2, background=3),
    hit_uav("night_130m_30deg_09949-09977", "night 130 m, cars u=4, crowded", u=4, every=2,
            background=3),
    drone("IR_DRONE_001", u=3), drone("IR_HELICOPTER_001", u=2), drone("IR_AIRPLANE_001", u=3),
    drone("IR_BIRD_013", u=3),
    together(
        "cars and persons", hit_uav("night_130m_30deg_09949-09977", ""),
        hit_uav("night_60m_30deg_00000-00149", ""),
        u=1, every=3, background=3,
    ),
    together(
        "four flying classes",
        *map(drone, ("IR_DRONE_001", "IR_HELICOPTER_001", "IR_AIRPLANE_001", "IR_BIRD_013")),
        u=2, every=12, background=2,
    ),
)  # fmt: skip
# Looked at after everything was decided. The steep clip, drone 060 and bird 006 were opened since,
# to see why rules fail there and whether they notice: what weights and doubts of the ensemble say
# of them is not untouched any more.
UNTOUCHED = (
    hit_uav("night_130m_50deg_07191-07223", "night 130 m steep, two classes"),
    hit_uav("night_130m_50deg_07191-07223", "night 130 m steep, two classes u=2", u=2,
            background=3),
    drone("IR_DRONE_060", u=3), drone("IR_HELICOPTER_010", u=2), drone("IR_AIRPLANE_006", u=3),
    drone("IR_BIRD_006", u=3),
    together(
        "four other flights",
        *map(drone, ("IR_DRONE_060", "IR_HELICOPTER_010", "IR_AIRPLANE_006", "IR_BIRD_006")),
        u=2, every=12, background=2,
    ),
)  # fmt: skip


def scene_clips(folder: Path, *, seed: int = 0) -> Iterator[Clip]:
    """The generated range by night and by day, each with three vehicles, loosely labeled."""
    for night, distance in ((True, 1000), (False, 1500)):
        out = folder / ("night" if night else "day")
        paths = write_range(out, ranges=(distance,), nights=(night,), n_frames=24, seed=seed)
        name = f"scene by {'night' if night else 'day'}, {distance} m"
        yield Clip(name, tuple(paths), (None,) * len(paths), background=2, u=2)


def labeled(clip: Clip, *, seed: int = 0, **options: object) -> Project:
    """A project with the clip's frames, and its truth as loose labels."""
    project = Project()
    operation, errors = add_sources(project, clip.sources)
    if operation is None:
        raise errors[0]
    project.apply(operation)
    for ref, truth in zip(list(project.sources.values()), clip.truths, strict=True):
        project.apply(import_truth(
            project, ref.id, truth, kind="relaxed", u=clip.u, every=clip.every,
            n_background=clip.background,
            seed=seed, **options,
        ))  # fmt: skip
    return project


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a method gets of a clip, and the truth. X (N, D); shown (N,) ids of the classes of
    targets, 0 of ground."""

    project: Project
    made: MadeBags
    X: NDArray[np.float32]
    shown: NDArray[np.int64]

    @property
    def target(self) -> NDArray[np.bool_]:
        return self.shown > 0

    def only(self, class_id: int) -> "Inputs":
        """With the positive bags and the targets of one class."""
        bags = self.made.bags
        kept = bags.take(np.flatnonzero((bags.labels < 0) | (bags.classes == class_id)))
        own = np.where(self.shown == class_id, class_id, 0)
        return replace(self, made=replace(self.made, bags=kept), shown=own)


def inputs_of(clip: Clip, features: FeatureRecipe, *, seed: int = 0, **options: object) -> Inputs:
    """Labels of the clip become bags of the patches that fit them, their features, and whether each
    shows a target."""
    project = labeled(clip, seed=seed, **options)
    recipe = usual_recipe(project)[0]
    recipe = Recipe(bags=recipe.bags, features=features)
    with TemporaryDirectory() as cache:
        found = prepare(project, recipe, Path(cache))
        X = extract_features(project.sources, found, recipe, monitored(None))
    return Inputs(project, found.made, X, shown(clip, project, found.made))


def shown(clip: Clip, project: Project, made: MadeBags) -> NDArray[np.int64]:
    """(N,) id of the class of the target that an instance shows, of the nearest one; 0 of none.

    It shows a target where its center lies in a truth box grown by 8 px.
    """
    out, gap = np.zeros(len(made.instances), np.int64), np.full(len(made.instances), np.inf)
    at = centers(made.instances.box)
    ids = {info.name: key for key, info in project.classes.items()}
    for ref, path in zip(project.sources.values(), clip.truths, strict=True):
        for t in truth_of(ref, path):
            if t.ignore:
                continue
            rows = np.flatnonzero(
                (made.instances.source == ref.id) & (made.instances.frame == t.frame)
            )
            x, y = at[rows].T
            near = (
                (x >= t.x0 - REACH) & (x < t.x1 + REACH) & (y >= t.y0 - REACH) & (y < t.y1 + REACH)
            )
            away = np.hypot(x - (t.x0 + t.x1) / 2, y - (t.y0 + t.y1) / 2)
            nearer = near & (away < gap[rows])
            out[rows[nearer]], gap[rows[nearer]] = ids[t.name], away[nearer]
    return out


def pointing(score: NDArray, made: MadeBags, target: NDArray) -> tuple[float, float]:
    """Share of positive bags whose best-scored instance is a target, and that of an instance drawn
    at random.

    Bags without a target (their patches miss it) have no right answer and take no part.
    """
    hits, chance = [], []
    for k in np.flatnonzero(made.bags.labels > 0):
        rows = made.bags.of(int(k))
        if target[rows].any():
            best = score[rows] == score[rows].max()
            hits.append(target[rows][best].mean())
            chance.append(target[rows].mean())
    return float(np.mean(hits)), float(np.mean(chance))


def inside_auc(score: NDArray, made: MadeBags, target: NDArray) -> float:
    """Area under the ROC curve of the scores of instances in positive bags."""
    rows = np.unique(made.bags.members[np.repeat(made.bags.labels > 0, made.bags.sizes)])
    return auc(np.where(target[rows], 1, -1), score[rows])


def blocks(made: MadeBags) -> NDArray[np.int64]:
    """(N,) number of the block of frames that an instance lies in."""
    return connected_groups(made.bags, len(made.instances))


def map_accuracy(Z: NDArray, target: NDArray, block: NDArray) -> float:
    """Balanced accuracy of 5-NN on the picture, targets against ground, neighbors of other blocks
    only."""
    y = np.where(target, 1, -1)
    predicted = knn_cross_validated(np.ascontiguousarray(Z), y, block, k=K).predictions
    return float(np.mean([(predicted[y == side] == side).mean() for side in (-1, 1)]))
