"""Faithfulness of a run in numbers, each with its meaning."""

from collections.abc import Sequence

import numpy as np

from emberscope.findings.headline import made_from_words
from emberscope.findings.measures import MEASURES, title_of
from emberscope.findings.shown_axes import FIRST, is_part, of_axes, plain
from emberscope.project.model.project import Run

_NUMBERS = (
    "trustworthiness",
    "continuity",
    "r_nx_auc",
    "q_nx",
    "spearman_global",
    "spearman_local",
    "stress",
    "purity",
    "spread",
    "intrinsic_dimension",
)


def number_rows(run: Run) -> Sequence[tuple[str, str, str]]:
    """(title, value, meaning) of the numbers that a run has; estimates with their standard error.

    What rests on the labels the embedding was made from says so.
    """
    rows, made_from = [], made_from_words(run.metrics)
    flat = [
        of_axes(key, FIRST)
        for key in _NUMBERS
        if is_part(run, FIRST) and of_axes(key, FIRST) in run.metrics
    ]
    for key in (*flat, *_NUMBERS):
        value, measure = run.metrics.get(key), MEASURES[plain(key)]
        if value is not None and np.isfinite(value):
            error = run.metrics.get(f"{key}_error")
            unit = f" {measure.unit}" if measure.counted else ""
            words = "; ".join(filter(None, (measure.means, "" if measure.counted else measure.unit,
                                            made_from if key == "purity" else "")))
            rows.append(
                (
                    title_of(key),
                    f"{value:.3f}" + (f" \u00b1 {error:.3f}" if error else "") + unit,
                    words,
                )
            )
    return rows
