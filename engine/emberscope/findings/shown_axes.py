"""What is on show of a run of more dimensions: two of its axes, or one, and how faithful these
are."""

import math
import re
from collections.abc import Iterator

from numpy.typing import NDArray

from emberscope.project.model.project import Run

Axes = tuple[int, int]  # the same one twice: that alone, as a strip
FIRST: Axes = (0, 1)
# Scores of an instance
FAITH = ("trustworthiness", "continuity", "preservation", "stretch", "anisotropy")
# Numbers of a run
NUMBERS = ("trustworthiness", "continuity", "r_nx_auc", "map_accuracy")
_NAME = re.compile(r"(.+)_axes_(\d+)_(\d+)(_low|_high|_error)?")


def of_axes(name: str, axes: Axes) -> str:
    """What a score or a number of a run is called of two of its axes:
    "trustworthiness_axes_1_3"."""
    return f"{name}_axes_{axes[0] + 1}_{axes[1] + 1}"


def plain(name: str) -> str:
    """"trustworthiness" of "trustworthiness_axes_1_3"; other names as they are."""
    found = _NAME.fullmatch(name)
    return found[1] + (found[4] or "") if found else name


def is_of_axes(name: str) -> bool:
    """Whether a name is one of `of_axes`."""
    return _NAME.fullmatch(name) is not None


def axes_of(name: str) -> Axes:
    """The two axes that such a name is about; the first two for other names."""
    found = _NAME.fullmatch(name)
    return (int(found[2]) - 1, int(found[3]) - 1) if found else FIRST


def dimensions(run: Run) -> int:
    """How many axes a run has."""
    return int(run.Z.shape[1])


def alone(axes: Axes) -> bool:
    """Whether one axis is on show, as a strip."""
    return axes[0] == axes[1]


def axes_words(axes: Axes) -> str:
    """"axes 1 and 3", "axis 2"."""
    first, second = axes[0] + 1, axes[1] + 1
    return f"axis {first}" if alone(axes) else f"axes {first} and {second}"


def columns(Z: NDArray, axes: Axes) -> NDArray:
    """(N, 2) two axes of Z (N, d), or one (N, 1); all of Z where it has no more, or does not have
    these."""
    own = sorted(set(axes)) if alone(axes) else list(axes)
    return Z[:, own] if max(axes) < Z.shape[1] and Z.shape[1] > len(own) else Z


def is_part(run: Run, axes: Axes) -> bool:
    """Whether the axes on show are less than all there is of a run: then what holds for it need
    not hold for them."""
    return len(set(axes)) < dimensions(run)


def shown_name(run: Run, name: str, axes: Axes = FIRST) -> str:
    """The name under which a run keeps a score or number of what is on show."""
    return of_axes(name, axes) if is_part(run, axes) and name in (*FAITH, *NUMBERS) else name


def is_measured(run: Run, axes: Axes) -> bool:
    """Whether it is known how faithful these two axes are."""
    return math.isfinite(run.metrics.get(shown_name(run, FAITH[0], axes), math.nan))


def singles(run: Run) -> list[Axes]:
    """Every axis alone, of a run that has more than one."""
    return [(k, k) for k in range(dimensions(run))] if dimensions(run) > 1 else []


def pairs(run: Run) -> Iterator[Axes]:
    """Every two axes, in order."""
    for first in range(dimensions(run)):
        for second in range(first + 1, dimensions(run)):
            yield first, second
