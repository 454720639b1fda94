"""X (N, D): a row of features of every instance, kept row by row."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.course.inputs import features, features_key
from emberscope.course.plan import Plan
from emberscope.course.stage import Cost, Given, Size, Stage
from emberscope.course.stages.given import INPUTS, SOURCES
from emberscope.features.backbone import backbone_of
from emberscope.features.extract import chip_shape
from emberscope.features.recipe import FeatureRecipe

# Seconds on two ordinary cores, measured; only their proportion matters to the progress bar.
PER_FRAME = 6e-3
_PER_CHANGES = {"infrared": 3e-2}  # a labeled frame beside up to six others, those read too
_PER_CHIP = 1e-5  # to cut it
_PER_PIXEL = {"hog": 3e-8, "statistics": 1.2e-7, "pixels": 3e-8, "hog-seed": 1.2e-8,
              "infrared": 1.5e-7, "ehd": 1.6e-8, "values": 1e-9}  # of a chip, to describe it


class Features(Stage[NDArray[np.float32]]):
    """Reads the frames of instances that no store knows."""

    inputs = (SOURCES, INPUTS)

    def key(self, plan: Plan, given: Given) -> str:
        return features_key(given[INPUTS])

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> NDArray[np.float32]:
        return features(given[SOURCES], given[INPUTS], plan.recipe, monitor)

    def cost(self, plan: Plan, size: Size) -> Cost:
        per_frame = PER_FRAME + _PER_CHANGES.get(plan.recipe.features.kind, 0.0)
        return Cost(size.new * seconds_per_instance(plan.recipe.features) + size.frames * per_frame)


def seconds_per_instance(features: FeatureRecipe) -> float:
    """What the features of one instance take, once its frame is there."""
    if features.bands:
        return features.bands * seconds_per_instance(features.of_one_band)
    shape = chip_shape(features)
    if features.kind == "cnn":
        return _PER_CHIP + backbone_of(features).seconds
    per_pixel = sum(_PER_PIXEL[part] for part in features.kind.split("+"))
    return _PER_CHIP + shape.rows * shape.cols * per_pixel


FEATURES = Features("features")
