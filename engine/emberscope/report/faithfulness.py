"""Faithfulness of a run in numbers, each with its meaning."""

from collections.abc import Sequence

import numpy as np

from emberscope.findings.headline import made_from_words
from emberscope.findings.shown_axes import FIRST, is_part, of_axes
from emberscope.project.model.project import Run

_NUMBERS = (
    ("trustworthiness", "Trustworthiness", "neighbors on the map that are neighbors in the features"),
    ("continuity", "Continuity", "neighbors in the features that are neighbors on the map"),
    ("r_nx_auc", "Agreement, all scales", "neighbors kept above chance, small neighborhoods counting more"),
    ("q_nx", "Agreement, 15 nearest", "share of the 15 nearest that stay"),
    ("spearman_global", "Rank correlation, far", "of distances of random pairs"),
    ("spearman_local", "Rank correlation, near", "of distances of neighbors"),
    ("stress", "Stress", "relative error of distances of random pairs; 0 is perfect"),
    ("purity", "Purity", "equal labels among the nearest of other bags"),
    ("spread", "Spread", "how far instances move between fits, in radii of the map"),
    ("intrinsic_dimension", "Intrinsic dimension", "coordinates that the features need"),
)


def number_rows(run: Run) -> Sequence[tuple[str, str, str]]:
    """(title, value, meaning) of the numbers that a run has; estimates with their standard error.

    What rests on the labels the embedding was made from says so.
    """
    rows, made_from = [], made_from_words(run.metrics)
    flat = [(of_axes(key, FIRST), f"{title}, axes 1 and 2", words) for key, title, words in _NUMBERS
            if is_part(run, FIRST) and of_axes(key, FIRST) in run.metrics]
    for key, title, words in (*flat, *_NUMBERS):
        value = run.metrics.get(key)
        if value is not None and np.isfinite(value):
            error = run.metrics.get(f"{key}_error")
            words += f"; {made_from}" * (key == "purity" and bool(made_from))
            rows.append((title, f"{value:.3f}" + (f" \u00b1 {error:.3f}" if error else ""), words))
    return rows
