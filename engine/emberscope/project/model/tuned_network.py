"""A network tuned on bag labels: how it is to be tuned, and what came of it. Imports light: the
window reads it."""

from typing import Annotated, Literal

import msgspec

Head = Literal["attention", "noisy-or"]
SMALLEST, LARGEST = 16, 512  # px, sides of chips


class Tuning(msgspec.Struct, frozen=True, kw_only=True):
    """How a network is tuned.

    head : what makes a bag of its chips. epochs : passes over the bags at most. rate : step of
    Adam; 0: 1e-4 where weights are given, else 1e-3. width : outputs of the first layer where none
    are given, 64 in print; the inner layer has 8 times as many. side : px of the chips. start :
    path of weights to begin with, "" for random ones. seed : of all that is drawn.
    """

    head: Head = "attention"
    epochs: Annotated[int, msgspec.Meta(ge=1)] = 30
    rate: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0
    width: Annotated[int, msgspec.Meta(ge=1)] = 64
    side: Annotated[int, msgspec.Meta(ge=SMALLEST, le=LARGEST)] = 64
    start: str = ""
    seed: int = 0


class TunedNetwork(msgspec.Struct, frozen=True, kw_only=True):
    """What came of tuning.

    path : the network. features : numbers per chip. epoch : the one it was taken from, from 1.
    epochs : how many there were at most. learned, held, judged : how many bags taught, said when to
    stop, and judge. area, low, high : area under the ROC curve of those that judge, by the network
    itself, and its 95 % interval; NaN, 0, 1 where none do. notes : sentences.
    """

    path: str
    features: int
    epoch: int
    epochs: int
    learned: int
    held: int
    judged: int
    area: float
    low: float
    high: float
    notes: list[str]
