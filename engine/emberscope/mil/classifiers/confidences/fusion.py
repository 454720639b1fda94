"""Two confidences of one thing, by two groups of its features, made one."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.base.errors import DataError, ParamError

Rule = Literal["geometric", "weighted"]


def fused(
    first: ArrayLike, second: ArrayLike, *, rule: Rule = "geometric", share: float = 0.5
) -> NDArray[np.float64]:
    """One confidence of two, (M,) each.

    rule : "geometric", the root of their product: both must be sure (Karem 2019, section 5.5, of
    EHD-KNN and EHD-ONS, window by window); "weighted", first + share second (of classifiers behind
    concepts, bag by bag). Raises ParamError for another rule, DataError where lengths differ, or
    where a confidence below 0 is to be multiplied.
    """
    one, two = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if one.shape != two.shape:
        raise DataError(f"confidences of shape {one.shape} and {two.shape} are not of the same",
                        hint="Give one of either kind for each.")
    if rule not in get_args(Rule):
        raise ParamError(f"rule is {rule!r}", hint=f"Choose among {', '.join(get_args(Rule))}.")
    if rule == "weighted":
        return one + share * two
    if min(one.min(initial=0.0), two.min(initial=0.0)) < 0:
        raise DataError("a confidence below 0 has no geometric mean",
                        hint="Give confidences from 0 to 1, or fuse by weights.")
    return np.sqrt(one * two)
