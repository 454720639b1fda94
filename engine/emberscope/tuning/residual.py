"""The residual network with 18 layers as data: its weights, by the names that torchvision and timm
give them, and the nodes that read them, in order."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError

Weights = dict[str, NDArray[np.float32]]

_STAGES, _BLOCKS = (1, 2, 3, 4), (0, 1)
_MOMENTS = ("running_mean", "running_var")  # of a normalization: kept, not learned
_HINT = "Choose a ResNet-18 in safetensors, as timm or torchvision name its weights."


class Convolution(NamedTuple):
    """A convolution and the normalization behind it, by the names of their weights. side : of the
    kernel, px; it is padded so that stride 1 keeps the size of an image."""

    name: str
    norm: str
    stride: int
    side: int

    @property
    def weight(self) -> str:
        """Its kernel, (outputs, inputs, side, side)."""
        return f"{self.name}.weight"

    @property
    def moments(self) -> tuple[str, str, str, str]:
        """Scale, shift, mean and variance of each output."""
        scale, shift, mean, variance = (
            f"{self.norm}.{part}" for part in ("weight", "bias", *_MOMENTS)
        )
        return scale, shift, mean, variance


class Block(NamedTuple):
    """Two convolutions; what goes into them is added behind, by `beside` where that differs in
    size."""

    first: Convolution
    second: Convolution
    beside: Convolution | None


STEM = Convolution("conv1", "bn1", 2, 7)


def blocks() -> Iterator[Block]:
    """The eight blocks behind the stem and its pooling."""
    for stage in _STAGES:
        for block in _BLOCKS:
            at, shrinks = f"layer{stage}.{block}", stage > 1 and block == 0
            stride = 2 if shrinks else 1
            yield Block(
                Convolution(f"{at}.conv1", f"{at}.bn1", stride, 3),
                Convolution(f"{at}.conv2", f"{at}.bn2", 1, 3),
                Convolution(f"{at}.downsample.0", f"{at}.downsample.1", 2, 1) if shrinks else None,
            )


def convolutions() -> Iterator[Convolution]:
    """All of them."""
    yield STEM
    for block in blocks():
        yield from (one for one in block if one is not None)


def shapes(width: int, channels: int) -> dict[str, tuple[int, ...]]:
    """What each array measures. width : outputs of the first layer, 64 in print; the last one has
    8 times as many. channels : of an image."""
    out: dict[str, tuple[int, ...]] = {}
    for one in convolutions():
        stage = int(one.name[5]) if one.name.startswith("layer") else 1
        wide = width << (stage - 1)
        narrow = wide >> 1 if one.stride == 2 and one is not STEM else wide
        inputs = channels if one is STEM else narrow
        out[one.weight] = (wide, inputs, one.side, one.side)
        out.update(dict.fromkeys(one.moments, (wide,)))
    return out


def is_learned(name: str) -> bool:
    """Whether gradients change an array: all but the mean and variance of a normalization."""
    return not name.endswith(_MOMENTS)


def drawn(width: int, channels: int, rng: np.random.Generator) -> Weights:
    """Random weights: variance 2 / (outputs side²) before a rectifier (He, Zhang, Ren and Sun
    2015); normalizations change nothing."""
    out: Weights = {}
    for name, shape in shapes(width, channels).items():
        if len(shape) == 4:
            spread = np.sqrt(2 / (shape[0] * shape[2] * shape[3]))
            out[name] = (rng.standard_normal(shape) * spread).astype(np.float32)
        else:
            ones = name.endswith((".weight", "running_var"))
            out[name] = np.full(shape, float(ones), np.float32)
    return out


def checked(found: Mapping[str, NDArray], file: str) -> Weights:
    """The weights of the network among those of a file, shapes as of `shapes`; others, as of its
    last layer, are left.

    Raises DataError for a file of another network, or with numbers that are not finite.
    """
    stem = found.get(STEM.weight)
    if stem is None or stem.ndim != 4 or stem.shape[1] not in (1, 3):
        raise DataError("this is no residual network with 18 layers", where=file, hint=_HINT)
    wanted = shapes(len(stem), stem.shape[1])
    for name, shape in wanted.items():
        if name not in found:
            raise DataError(f"the network has no {name}", where=file, hint=_HINT)
        if found[name].shape != shape:
            raise DataError(f"{name} is {found[name].shape}, of 18 layers it is {shape}",
                            where=file, hint=_HINT)
        if not np.isfinite(found[name]).all():
            raise DataError(f"{name} has numbers that are not finite", where=file,
                            hint="Download the file again.")
    return {name: np.array(found[name], np.float32) for name in wanted}
