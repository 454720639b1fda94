"""A network tuned on the labels of a project: its chips and bags to a file of features "cnn"."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import LEARNED, NO_PART
from emberscope.bags.model import Bags, Instances
from emberscope.base.errors import ParamError, TooLarge
from emberscope.base.folders import cache_folder
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.inputs import content_of, prepare
from emberscope.course.labels import Labels
from emberscope.course.split import Split
from emberscope.evaluate.held_out import Parts, bag_clips
from emberscope.evaluate.within_clips import NONE, Value, within_clips
from emberscope.features.backbone import TAUGHT
from emberscope.features.chips import ChipShape, stream_chips
from emberscope.features.extract import preparation
from emberscope.features.recipe import FeatureRecipe
from emberscope.project.exchange.sources import for_features, open_ref
from emberscope.project.model.project import Project, SourceRef
from emberscope.project.model.recipe import Recipe
from emberscope.project.model.tuned_network import LARGEST, SMALLEST, TunedNetwork, Tuning
from emberscope.tuning.network_file import check_room, read_weights, write_network
from emberscope.tuning.residual import STEM
from emberscope.tuning.tune import Tuned, bag_log_odds, tune

_MOST_BYTES = 4 << 30  # of chips
NOTHING_JUDGES = (
    "Every labeled bag taught the network: scores of bags of these clips prove nothing once it "
    "makes their features. Hold out clips, with --split hold-out:NAME or by a column."
)


def tune_on(
    project: Project, recipe: Recipe, path: Path, settings: Tuning, *,
    monitor: Monitor | None = None,
) -> TunedNetwork:
    """Tune a network on the bags of a project, and write it for features of kind "cnn".

    Parameters
    ----------
    recipe : of its bags, its split, and what becomes of frames before chips are cut. Where the
        split names what judges, that side teaches nothing; else all labeled bags teach.
    path : where the network goes, each time it is better than before: one that is stopped leaves
        the best so far.

    Raises
    ------
    MissingLabels, ParamError, FormatError and DataError of files, TooLarge for more chips than 4 GB
    hold, Cancelled.
    """
    watch, side = monitored(monitor), settings.side
    if not SMALLEST <= side <= LARGEST:
        raise ParamError(f"chips of {side} px", hint=f"Choose {SMALLEST} to {LARGEST} px.")
    chips_of = FeatureRecipe(kind="pixels", chip=side, low=recipe.features.low,
                             high=recipe.features.high, units=recipe.features.units,
                             keep_aspect=recipe.features.keep_aspect)
    check_room(path)
    weights = read_weights(Path(settings.start)) if settings.start else None
    split = Split.of(recipe.split, project, recipe.seed)
    made = prepare(project, msgspec.structs.replace(recipe, features=chips_of),
                   cache_folder()).made
    sides = _sides(made.bags, split.parts(Labels.of(made)), named=recipe.split.names_judges)
    rows, bags = _together(made.bags.take(np.flatnonzero(sides.teach | sides.judge)))
    teach, judge = (side[sides.teach | sides.judge] for side in (sides.teach, sides.judge))
    if len(rows) * side * side * 4 > _MOST_BYTES:
        raise TooLarge(f"{how_many(len(rows), 'chip')} of {side} px take more than 4 GB",
                       hint="Choose smaller chips, or a larger stride.")
    instances = made.instances.take(rows)
    chips = _chips(project.sources, instances, chips_of, Portion(watch, 0.0, 0.1))
    clips = bag_clips(instances, bags)
    said = {TAUGHT: ",".join(sorted(content_of(project.sources[int(key)])
                                    for key in np.unique(clips[teach])))}

    def keep(found: Tuned) -> None:
        write_network(path, found.weights, side=side, mean=found.mean, std=found.std, said=said)

    found = tune(chips, replace(bags, labels=bags.labels * teach), settings, start=weights,
                 reached=keep, monitor=Portion(watch, 0.1, 0.95))
    area = _judged(found, chips, bags, clips, np.flatnonzero(judge), Portion(watch, 0.95, 1.0))
    return TunedNetwork(
        path=str(path), features=8 * len(found.weights[STEM.weight]), epoch=found.epoch + 1,
        epochs=settings.epochs, learned=int((teach & ~found.held).sum()),
        held=int(found.held.sum()), judged=int(judge.sum()), area=area.value, low=area.low,
        high=area.high, notes=[] if judge.any() else [NOTHING_JUDGES],
    )  # fmt: skip


class _Sides(NamedTuple):
    """(K,) bool: which bags teach, and which judge what is learned from these."""

    teach: NDArray[np.bool_]
    judge: NDArray[np.bool_]


def _sides(bags: Bags, parts: Parts | None, *, named: bool) -> _Sides:
    """A bag with an instance of one that judges does not teach."""
    known = (bags.labels != 0) & (bags.sizes > 0)
    if not named or parts is None:
        return _Sides(known, np.zeros(len(bags), bool))
    judge = known & (parts.fold != LEARNED) & (parts.fold != NO_PART)
    shared = np.isin(bags.members, bags.take(np.flatnonzero(judge)).members)
    touched = np.isin(np.arange(len(bags)), bags.bag_of_member[shared])
    return _Sides(known & (parts.fold == LEARNED) & ~touched, judge)


def _together(bags: Bags) -> tuple[NDArray[np.int64], Bags]:
    """Rows (N,) of the instances in some bags, ascending, and the bags of these alone."""
    rows, place = np.unique(bags.members, return_inverse=True)
    return rows, replace(bags, members=place.reshape(-1).astype(np.int64))


def _chips(
    sources: Mapping[int, SourceRef], instances: Instances, recipe: FeatureRecipe, monitor: Monitor
) -> NDArray[np.float32]:
    """(N, side, side), 0 to 1, as features of kind "cnn" look at them."""
    shape = ChipShape(recipe.chip, recipe.chip, keep_aspect=recipe.keep_aspect)
    prepare_frame = preparation(msgspec.structs.replace(recipe, kind="cnn"))
    chips, done = np.empty((len(instances), recipe.chip, recipe.chip), np.float32), 0
    for key in np.unique(instances.source).tolist():
        own = np.flatnonzero(instances.source == key)
        part = Portion(monitor, done / len(chips), (done + len(own)) / len(chips))
        with open_ref(for_features(sources[key], recipe.units)) as opened:
            for some, cut in stream_chips(instances.take(own), {key: opened}.__getitem__,
                                          shape=shape, prepare=prepare_frame, monitor=part):
                chips[own[some]] = cut
        done += len(own)
    return chips


def _judged(
    found: Tuned, chips: NDArray[np.float32], bags: Bags, clips: NDArray[np.int64],
    judge: NDArray[np.int64], monitor: Monitor,
) -> Value:
    """Area under the ROC curve of the bags that judge, inside their clips."""
    if len(np.unique(bags.labels[judge])) < 2:
        return NONE
    some = bags.take(judge)
    assert some.groups is not None  # of a project
    f = bag_log_odds(found.network(), chips, some, monitor)
    return within_clips(some.labels, f, some.groups, clips[judge]).mean
