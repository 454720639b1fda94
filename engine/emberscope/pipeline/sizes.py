"""Sizes of patches judged by bags that were held out: where labels are loose, how they are drawn
says little."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.bags.make import MadeBags
from emberscope.bags.model import Bags, Instances
from emberscope.bags.recipe import BagRecipe
from emberscope.bags.sizes import (
    FittingSizes,
    JudgedSide,
    OpenSize,
    fitting_sizes,
    open_sizes,
    step_of,
)
from emberscope.base.errors import EmberscopeError
from emberscope.base.folders import cache_folder
from emberscope.base.ids import label_of_bag
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.inputs import Inputs, content_of, features, prepare
from emberscope.course.record_cache import cached_record
from emberscope.course.versions import code_version
from emberscope.evaluate.places import NEAR, Look, agreed_places, filled, smoothed, standing_out
from emberscope.features.recipe import FeatureRecipe
from emberscope.labels.geometry import centers
from emberscope.labels.model import Box, FrameLabel, Ignore, Label, Spot
from emberscope.labels.table import LabelTable
from emberscope.mil.rules.ensemble import rule_scores
from emberscope.mil.training_bags import training_bags
from emberscope.project.model.project import Project
from emberscope.project.model.recipe import Recipe

_RULES = ("density", "clustering", "kernel")
_LABELS = 60       # of targets of all classes that sizes are judged on, and of background
_OF_CLASS = 30     # of them at most
_FEWEST = 12       # of a class, where bags are large
# Of one size in positive bags, about: fewer labels are taken where the smallest patches make more
_INSTANCES = 600
_MOST = 2000       # of one size: patches that make more of so few labels are not judged
_LEAST_SIZES = 3
_CLEAR = 0.75      # area from which a place stands out of its box
# Area beside background from which the rest of a box is target too: tight boxes have .93 to 1,
_FILLED = 0.92
# boxes of one to four times the sides of the largest target .88 and less
_BETTER = 0.02     # area by which another size must be ahead of the one that labels suggest
_AS_GOOD = 0.01    # area within which the larger patch is taken, which makes fewer instances


def judged_sizes(
    project: Project, *, monitor: Monitor | None = None, cache: str | Path | None = None
) -> FittingSizes:
    """Sides of patches for the targets that are labeled, judged by held-out bags where labels leave
    them open.

    A box that a person drew says how loosely one draws: of its target only that it is inside. So
    patches of several sizes are laid over the same bags, some of each kind; three rules score the
    instances of bags they have not learned from (`rule_scores`); and the size whose scores tell
    targets from the ground of their own bags best is taken. Targets are where a spot says, else
    where the other sizes agree that they are.

    Returns
    -------
    sizes : as `bags.sizes.fitting_sizes` has them. It alone decides where every class has labels
        that know their targets, where only one kind of bags is labeled, where nothing stands out of
        its bag, and where targets fill boxes that were drawn as tight ones. Always the same for the
        same labels and frames; kept in the cache.

    Notes
    -----
    Areas are means of a size and its two neighbors, 2 : 1 : 1, so that one draw of bags decides
    less. What labels suggest stays unless another is ahead by more than 0.02; of sizes within 0.01
    of the best the largest is taken, which makes the fewest instances. The area of all scores of
    bags, which other numbers here are of, does not tell sizes apart: it is highest where patches
    see most ground. At most 60 labels of either kind and 2000 instances of each size are looked at,
    whatever the project holds. Raises FormatError where a source is gone, Cancelled.
    """
    folder = Path(cache) if cache is not None else cache_folder()
    table, classes, frame_sizes = project.labels.table(), project.classes, project.frame_sizes
    asked = [
        one for one in open_sizes(table, classes, frame_sizes) if project.role(one.class_id) > 0
    ]
    background = [label.id for label in project.labels if _is_background(project, label)]
    if not asked or not background or project.of_points:
        return fitting_sizes(table, classes, frame_sizes)
    key: dict[str, object] = {
        "sizes": asked,
        "content": _content(project, table),
        "code": code_version(),
    }
    found = cached_record(
        folder / "stages",
        key,
        lambda: _judged(project, asked, background, folder, monitored(monitor)),
        kind=_Judged,
    )
    return fitting_sizes(table, classes, frame_sizes, judged=found.sides)


class _Judged(msgspec.Struct, frozen=True):
    """What is kept."""

    sides: list[JudgedSide]


def _is_background(project: Project, label: Label) -> bool:
    if isinstance(label, FrameLabel):
        return label.says == "empty"
    return not isinstance(label, Ignore) and project.role(label.class_id) < 0


def _content(project: Project, table: LabelTable) -> dict[str, object]:
    """What the answer depends on."""
    columns = (
        table.ids,
        table.sources,
        table.frames,
        table.classes,
        table.kinds,
        table.corners,
        table.tight,
    )
    return {
        "labels": [
            *columns,
            [label.says for label in table.labels if isinstance(label, FrameLabel)],
        ],
        "roles": {str(key): info.role for key, info in project.classes.items()},
        "sources": {
            str(key): [content_of(ref), ref.options] for key, ref in project.sources.items()
        },
    }


def _judged(
    project: Project,
    asked: Sequence[OpenSize],
    background: Sequence[int],
    folder: Path,
    watch: Monitor,
) -> _Judged:
    """Each class by itself: boxes of one may be of many patches that are right for another."""
    each = min(max(_LABELS // len(asked), _FEWEST), _OF_CLASS)
    shares = [Portion(watch, k / len(asked), (k + 1) / len(asked)) for k in range(len(asked))]
    found = [_best(project, one, _looks(project, one, background, each, folder, share))
             for one, share in zip(asked, shares, strict=True)]
    return _Judged([one for one in found if one is not None])


def _looks(
    project: Project,
    asked: OpenSize,
    background: Sequence[int],
    each: int,
    folder: Path,
    watch: Monitor,
) -> dict[int, Look]:
    """What patches of the sizes of a class say of the same bags, by their side."""
    looked_at = _some_labels(project, asked, background, each, folder)
    inputs = {side: _bags_of(project, looked_at, side, folder) for side in asked.sides}
    inputs = {
        side: found for side, found in inputs.items() if 0 < len(found.made.instances) <= _MOST
    }
    if len(inputs) < _LEAST_SIZES:
        return {}
    rows = _features_of_all(project, list(inputs.values()), folder, Portion(watch, 0.0, 0.4))
    looks: dict[int, Look] = {}
    for at, ((side, found), X) in enumerate(zip(inputs.items(), rows, strict=True)):
        share = Portion(watch, 0.4 + 0.6 * at / len(inputs), 0.4 + 0.6 * (at + 1) / len(inputs))
        share.step(0.0, f"Patches of {side} px")
        look = _look(found.made, X, side, share)
        if look is not None:
            looks[side] = look
    return looks


def _best(project: Project, asked: OpenSize, looks: Mapping[int, Look]) -> JudgedSide | None:
    """The size that tells targets of a class from their ground best; None where bags do not say."""
    own = [label for label in project.labels if label.class_id == asked.class_id]
    spots = {
        label.id: np.array([label.x, label.y])
        for label in own
        if isinstance(label, Spot) and label.rho <= NEAR
    }
    sides, only = list(looks), [label.id for label in own]
    agreed = agreed_places(list(looks.values()))
    places = {side: {**found, **spots} for side, found in zip(sides, agreed, strict=True)}
    area = smoothed(
        np.array([standing_out(looks[side], places[side], only=only) for side in sides])
    )
    rest = np.array([filled(looks[side], places[side], only=only) for side in sides])
    known = np.flatnonzero(np.isfinite(area))
    if len(known) < _LEAST_SIZES:
        return None
    highest = float(area[known].max())
    if highest < _CLEAR or (asked.claimed and rest[known].min() > _FILLED):
        return None
    best = int(known[area[known] >= highest - _AS_GOOD][-1])
    said = sides.index(asked.said) if asked.said in sides else best
    if said in known and highest - area[said] <= _BETTER:
        best = said
    others = known[known != best]
    beside = said if said in others else int(others[np.argmax(area[others])])
    return JudgedSide(
        asked.class_id, sides[best], float(area[best]), sides[beside], float(area[beside])
    )


def _some_labels(
    project: Project, asked: OpenSize, background: Sequence[int], each: int, folder: Path
) -> set[int]:
    """Ids of labels of a class and of background from all over the frames, fewer where the smallest
    patches make many.
    """
    own = [label.id for label in project.labels
           if label.class_id == asked.class_id and isinstance(label, Box | Spot)]
    made = _bags_of(project, set(_spread(project, own, each)), asked.sides[0], folder).made
    inside = int(made.bags.sizes[made.bags.labels > 0].sum())
    fewer = min(max(round(each * _INSTANCES / max(inside, 1)), _FEWEST), each)
    return {*_spread(project, own, fewer), *_spread(project, background, fewer)}


def _spread(project: Project, ids: Sequence[int], most: int) -> list[int]:
    """At most so many of the labels, evenly spaced in order of source and frame."""
    found = sorted(
        (project.labels[key] for key in ids),
        key=lambda label: (label.source, label.frame, label.id),
    )
    count = min(most, len(found))
    return [found[k * len(found) // count].id for k in range(count)]


def _bags_of(project: Project, looked_at: set[int], side: int, folder: Path) -> Inputs:
    """The bags of these labels with patches of one size; negative ones of a mean size of the
    positive ones at most.

    All labels of their frames are there while bags are made: patches keep clear of the targets of
    the others.
    """
    frames = {(project.labels[key].source, project.labels[key].frame) for key in looked_at}
    labels = (label for frame in sorted(frames) for label in project.labels.on_frame(*frame))
    part = project.with_labels(labels)
    recipe = Recipe(
        bags=BagRecipe(patch=side, stride=step_of(side)), features=FeatureRecipe(kind="infrared")
    )
    found = prepare(part, recipe, folder)
    bags = found.made.bags
    bags = bags.take(np.flatnonzero([label_of_bag(key) in looked_at for key in bags.ids.tolist()]))
    positive = bags.labels > 0
    most = max(round(float(bags.sizes[positive].mean())), 1) if positive.any() else 1
    kept = [bags.of(k) if positive[k] else _spaced(bags.of(k), most) for k in range(len(bags))]
    lengths = np.array([len(rows) for rows in kept], np.int64)
    members = np.concatenate([np.empty(0, np.int64), *kept])
    bags = bags.sharing(np.concatenate([[0], np.cumsum(lengths)]), members, np.arange(len(bags)))
    rows = np.unique(members)
    made, n = found.made, len(found.made.instances)
    return replace(found, made=MadeBags(
        made.instances.take(rows), bags.among(rows, n), made.y[rows], np.empty(0, np.int64), [],
        made.marked[rows]
    ))  # fmt: skip


def _spaced(rows: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    return rows[np.arange(min(most, len(rows))) * len(rows) // min(most, len(rows))]


def _features_of_all(
    project: Project, inputs: Sequence[Inputs], folder: Path, watch: Monitor
) -> list[NDArray[np.float32]]:
    """X of each, (N, D); every frame is read once for all sizes."""
    tables = [found.made.instances for found in inputs]
    every = Instances(*(np.concatenate([getattr(table, name) for table in tables])
                        for name in ("ids", "source", "frame", "box")))
    ids, first = np.unique(every.ids, return_index=True)
    every = every.take(np.sort(first))
    n, no_bags = len(every), Bags.from_lists([], np.empty(0))
    unlabeled = MadeBags(
        every, no_bags, np.zeros(n, np.int8), np.empty(0, np.int64), [], np.zeros(n, bool)
    )
    stores = {key: store for found in inputs for key, store in found.stores.items()}
    keys = {key: name for found in inputs for key, name in found.keys.items()}
    recipe = Recipe(features=FeatureRecipe(kind="infrared"))
    X = features(project.sources, Inputs(unlabeled, stores, keys, folder), recipe, watch)
    order = np.argsort(every.ids)
    return [X[order[np.searchsorted(ids, table.ids)]] for table in tables]


def _look(made: MadeBags, X: NDArray, side: int, watch: Monitor) -> Look | None:
    """What the rules say of the instances of bags they have not learned from; None where nothing
    can be learned."""
    labels = np.where(made.certain, made.y, 0).astype(np.int8)
    try:
        score = rule_scores(
            _RULES, X, training_bags(labels, made.bags, len(X)).bags, monitor=watch
        ).mean(axis=0)
    except EmberscopeError:
        return None
    bags = {
        label_of_bag(int(made.bags.ids[k])): made.bags.of(k)
        for k in np.flatnonzero(made.bags.labels > 0).tolist()
    }
    background = score[made.bags.instance_labels(len(X)) < 0]
    return Look(centers(made.instances.box), score, float(step_of(side)), bags, background)
