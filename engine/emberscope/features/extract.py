"""Instances to the feature matrix X, as a `FeatureRecipe` says. Frames in raw counts, never the
display."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Instances
from emberscope.base.errors import ParamError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.features import changes as times
from emberscope.features import ehd as edges
from emberscope.features import infrared as ir
from emberscope.features import statistics as stats
from emberscope.features.backbone import backbone_of
from emberscope.features.chips import ChipShape, stream_chips
from emberscope.features.hog import COMPACT, SEED, SEED_SHAPE, hog, hog_length
from emberscope.features.pixels import pixels
from emberscope.features.recipe import FeatureRecipe
from emberscope.frames.bands import open_bands
from emberscope.frames.normalize import normalize
from emberscope.frames.source import FrameSource, RowSource

_SMALLEST = {
    "hog": COMPACT[1] * COMPACT[2], "statistics": stats.MIN_SIDE, "pixels": 1,
    "infrared": ir.MIN_SIDE, "ehd": edges.MIN_SIDE,
}
_LARGEST = 512  # px: 262144 pixels as features are a mistake, not a choice


def extract(
    instances: Instances,
    open_source: Callable[[int], FrameSource],
    recipe: FeatureRecipe,
    *,
    monitor: Monitor | None = None,
) -> NDArray[np.float32]:
    """Features of all instances.

    Parameters
    ----------
    instances : N pixel supports; they may leave the frame and may be smaller than a pixel.
    open_source : source id to an open FrameSource; called once per source; the caller closes.
    recipe : which features.

    Returns
    -------
    X : float32 array, shape (N, D), finite; D = len(feature_names(recipe)). Rows as in `instances`;
        a row depends on its own support and frame, of "infrared" on some frames before and after,
        and on nothing else.

    Notes
    -----
    Each frame is read once, normalized once and dropped: memory is X plus one frame and a batch of
    chips; "infrared" reads frames once more, with their neighbors (`changes`). Raises ParamError
    for a chip side that the features cannot use, and what `backbone_of` raises; Cancelled within a
    batch.
    """
    _check(recipe)
    if recipe.kind == "values":
        return _values(instances, open_source, recipe.width)
    if recipe.bands:
        return _of_bands(instances, open_source, recipe, monitored(monitor))
    watch, moves = monitored(monitor), recipe.kind == "infrared"
    X = np.empty((len(instances), n_features(recipe)), np.float32)
    own = X[:, : X.shape[1] - len(times.NAMES)] if moves else X
    seen = grown(instances, recipe.sees) if recipe.sees != 1 else instances
    for rows, chips in stream_chips(
        seen, open_source, shape=chip_shape(recipe), prepare=preparation(recipe),
        monitor=Portion(watch, 0.0, 0.6) if moves else watch,
    ):  # fmt: skip
        own[rows] = describe_chips(recipe, chips)
    if moves:
        X[:, own.shape[1] :] = times.changes(instances, open_source,
                                             monitor=Portion(watch, 0.6, 1.0))
    return X


def _of_bands(
    instances: Instances, open_source: Callable[[int], FrameSource], recipe: FeatureRecipe,
    monitor: Monitor,
) -> NDArray[np.float32]:
    """Features of each band, side by side, source by source."""
    one = recipe.of_one_band
    width, sources = n_features(one), np.unique(instances.source).tolist()
    X = np.empty((len(instances), recipe.bands * width), np.float32)
    for at, key in enumerate(sources):
        rows, parts = np.flatnonzero(instances.source == key), len(sources) * recipe.bands
        with open_bands(open_source(key), recipe.bands) as bands:
            for k, band in enumerate(bands):
                done = at * recipe.bands + k
                part = Portion(monitor, done / parts, (done + 1) / parts)
                X[rows, k * width : (k + 1) * width] = extract(
                    instances.take(rows), {key: band}.__getitem__, one, monitor=part
                )
    return X


def _values(
    instances: Instances, open_source: Callable[[int], FrameSource], width: int
) -> NDArray[np.float32]:
    """Rows of point sets. Raises ParamError where a source has none of this width."""
    X = np.empty((len(instances), width), np.float32)
    for key in np.unique(instances.source).tolist():
        rows, source = np.flatnonzero(instances.source == key), open_source(key)
        if not isinstance(source, RowSource) or source.shape[1] != width:
            raise ParamError(f"{source.uri} has no rows of {width} features",
                             hint="Choose features of its frames, or those of the point set.")
        X[rows] = source.values(instances.frame[rows], instances.box[rows, 1].astype(np.int64))
    return X


def chip_shape(recipe: FeatureRecipe) -> ChipShape:
    """The chip that these features look at. "hog-seed" stretches to 510 x 720 by a cubic, as
    McCurley 2020 does; "cnn" has the size that the network wants; "infrared" looks at the
    surround too."""
    if recipe.kind == "hog-seed":
        return ChipShape(*SEED_SHAPE, keep_aspect=False, kernel="cubic")
    if recipe.kind == "cnn":
        asked = backbone_of(recipe)
        return ChipShape(asked.rows or recipe.chip, asked.cols or recipe.chip,
                         keep_aspect=recipe.keep_aspect)
    if recipe.kind == "values":
        return ChipShape(1, max(recipe.width, 1), keep_aspect=False)
    side = round(recipe.chip * recipe.sees)
    return ChipShape(side, side, keep_aspect=recipe.keep_aspect)


def grown(instances: Instances, factor: float) -> Instances:
    """The same instances with supports `factor` times as wide and high, around the same centers."""
    box = instances.box.astype(np.float64)
    center, half = (box[:, :2] + box[:, 2:]) / 2, (box[:, 2:] - box[:, :2]) * (factor / 2)
    return replace(instances,
                   box=np.concatenate([center - half, center + half], axis=1).astype(np.float32))


def preparation(
    recipe: FeatureRecipe
) -> Callable[[NDArray, NDArray[np.bool_] | None], NDArray[np.float32]]:
    """What every frame goes through before chips are cut from it."""

    low, high = (0.0, 100.0) if recipe.kind == "infrared" else (recipe.low, recipe.high)

    def prepare(frame: NDArray, mask: NDArray[np.bool_] | None) -> NDArray[np.float32]:
        found = normalize(frame, low=low, high=high, mask=mask)
        return _from_zero_to_one(found) if recipe.kind == "cnn" else found

    return prepare


def _from_zero_to_one(frame: NDArray[np.float32]) -> NDArray[np.float32]:
    """A clipped frame as networks see images; 0 where it is the same everywhere."""
    low, high = float(frame.min()), float(frame.max())
    return (frame - np.float32(low)) / np.float32(high - low if high > low else 1.0)


def n_features(recipe: FeatureRecipe) -> int:
    """D, the number of columns of X. Of "cnn" it is asked of the network, see `backbone_of`."""
    if recipe.bands:
        return recipe.bands * n_features(recipe.of_one_band)
    if recipe.kind == "cnn":
        return backbone_of(recipe).width
    side = (recipe.chip, recipe.chip)
    lengths = {
        "hog": _hog_length(side, COMPACT),
        "hog-seed": _hog_length(SEED_SHAPE, SEED),
        "statistics": len(stats.NAMES),
        "pixels": recipe.chip**2,
        "hog+statistics": _hog_length(side, COMPACT) + len(stats.NAMES),
        "infrared": len(ir.NAMES) + len(times.NAMES),
        "ehd": len(edges.NAMES),
        "values": recipe.width,
    }
    return lengths[recipe.kind]


def feature_names(recipe: FeatureRecipe) -> list[str]:
    """One name per column of X: "hog block 0,1 cell 1,0 40 deg", "kurtosis", "pixel 3,17" (row,
    column), "ehd cell 0,3 diagonal", "cnn 17"; of bands "band 2: kurtosis"."""
    if recipe.bands:
        own = feature_names(recipe.of_one_band)
        return [f"band {k}: {name}" for k in range(1, recipe.bands + 1) for name in own]
    if recipe.kind == "statistics":
        return list(stats.NAMES)
    if recipe.kind == "infrared":
        return [*ir.NAMES, *times.NAMES]
    if recipe.kind == "ehd":
        return list(edges.NAMES)
    if recipe.kind == "cnn":
        return [f"cnn {k}" for k in range(n_features(recipe))]
    if recipe.kind == "pixels":
        return [f"pixel {r},{c}" for r in range(recipe.chip) for c in range(recipe.chip)]
    if recipe.kind == "values":
        return [f"feature {k}" for k in range(recipe.width)]
    if recipe.kind == "hog-seed":
        return _hog_names(SEED_SHAPE, SEED)
    names = _hog_names((recipe.chip, recipe.chip), COMPACT)
    return names if recipe.kind == "hog" else names + list(stats.NAMES)


def describe_chips(recipe: FeatureRecipe, chips: NDArray[np.float32]) -> NDArray[np.float32]:
    """(N, D) features of chips (N, rows, cols) alone: without what is new on a frame. Raises what
    `backbone_of` does."""
    kind = recipe.kind
    if kind == "cnn":
        return backbone_of(recipe).describe(chips)
    if kind == "statistics":
        return stats.statistics(chips)
    if kind == "infrared":
        return ir.infrared(chips)
    if kind == "ehd":
        return edges.ehd(chips)
    if kind == "pixels":
        return pixels(chips)
    orientations, cell, block = SEED if kind == "hog-seed" else COMPACT
    shapes = hog(chips, orientations=orientations, cell=cell, block=block)
    return shapes if kind != "hog+statistics" else np.concatenate([shapes, stats.statistics(chips)],
                                                                  axis=1)


def _check(recipe: FeatureRecipe) -> None:
    if recipe.bands and recipe.kind == "values":
        raise ParamError("rows of a point set have no bands", hint="Set bands to 0.")
    if recipe.kind in ("hog-seed", "values"):
        return
    if recipe.kind == "cnn":
        backbone_of(recipe)
        return
    smallest = max(_SMALLEST[part] for part in recipe.kind.split("+"))
    if not smallest <= recipe.chip <= _LARGEST:
        raise ParamError(f"chip is {recipe.chip} px",
                         hint=f"Give {smallest} - {_LARGEST} for {recipe.kind} features.")


def _hog_length(shape: tuple[int, int], preset: tuple[int, int, int]) -> int:
    orientations, cell, block = preset
    return hog_length(shape, orientations=orientations, cell=cell, block=block)


def _hog_names(shape: tuple[int, int], preset: tuple[int, int, int]) -> list[str]:
    orientations, cell, block = preset
    rows, cols = (range(side // cell - block + 1) for side in shape)
    places = product(rows, cols, range(block), range(block), range(orientations))
    return [f"hog block {r},{c} cell {y},{x} {180 * k / orientations:g} deg"
            for r, c, y, x, k in places]
