"""Which class the bags of a point set are of, out of fold, as a report."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, ParamError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.evaluate.bag_validation import Model
from emberscope.evaluate.class_validation import validate_classes


def class_report(
    model: Model, X: NDArray, bags: Bags | None, *, groups: NDArray, folds: int = 10,
    seeds: Sequence[int] = (0,), monitor: Monitor | None = None,
) -> tuple[dict[str, NDArray], dict[str, Any]]:
    """Name the classes of bags of X (N, D), see `evaluate.class_validation`.

    groups : (K,) bags that stay in one fold. seeds : of the folds, once for each; accuracy is the
    mean.
    Arrays: class_said (K,) of the last repeat, 0 background, -1 for bags that take no part; truth
    (K,). Report: class_accuracy with its interval, class_majority, confusion, by true class, of the
    last repeat, seconds, folds, repeats. Raises DataError without bags, ParamError without seeds,
    MissingLabels for one class.
    """
    if not len(seeds):
        raise ParamError("bags are dealt 0 times", hint="Give 1 repeat or more.")
    if bags is None:
        raise DataError("there are no bags whose class could be named",
                        hint="Give bag, bag_y and bag_class.")
    watch, start, right = monitored(monitor), time.perf_counter(), []
    for at, seed in enumerate(seeds):
        part = Portion(watch, at / len(seeds), (at + 1) / len(seeds))
        found = validate_classes(model, X, bags, folds=folds, seed=seed, groups=groups,
                                 monitor=part)
        right.append(found.measured["class_accuracy"])
    report = {**found.measured, "class_accuracy": float(np.mean(right))}
    if len(seeds) > 1:
        report["class_accuracy_sd"] = round(float(np.std(right, ddof=1)), 12)
    report["confusion"] = {str(kind): {str(other): count for other, count in row.items()}
                           for kind, row in found.confusion.items()}
    report |= {"seconds": round(time.perf_counter() - start, 4), "folds": folds,
               "repeats": len(seeds), "notes": []}
    return {"class_said": found.said, "truth": found.truth}, report
