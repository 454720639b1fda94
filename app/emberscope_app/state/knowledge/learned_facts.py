"""What a run learned from labels: verdicts on bags, rounds of imputed labels, what axes are made
of. No Qt."""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.csv_cells import Digits, write_rows
from emberscope.base.plain_text import showable
from emberscope.catalogue.classifier_title import classifier_title
from emberscope.findings.headline import split_said
from emberscope.findings.learned import FeatureGroup
from emberscope.project import Run
from emberscope_app.words import counted, method_title

_CHOSEN = ", chosen inside the training folds: "  # a note of the run
_NO_VERDICT = "No classification of bags: "
_SIZE = "Positive and negative bags differ in size"  # how another begins
STRONGEST = 12    # features shown of an axis
MOST_AXES = 8     # that can be chosen
_HOG = re.compile(r"hog block (\d+),(\d+) cell (\d+),(\d+) ([\d.]+) deg")
_EHD = re.compile(r"ehd (cell \d+,\d+) (\w+)")
# Of gradients at 0, 45, 90, 135 degrees, y down
_EDGES = ("vertical", "diagonal", "horizontal", "antidiagonal")
_PIXEL = re.compile(r"pixel (\d+),(\d+)")


# --- bags


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its interval in words, "" where it has none."""

    title: str
    value: str
    interval: str = ""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a classifier said of the labeled bags it was not fitted on.

    bags : (B,) numbers of the bags. labels : (B,) -1 or +1. score : (B,), above 0 = positive. fpr,
    tpr : ROC curve from (0, 0) to (1, 1). at_zero : where the threshold 0 lies on it.
    """

    title: str
    bags: NDArray[np.int64]
    labels: NDArray[np.int8]
    score: NDArray[np.float64]
    fpr: NDArray[np.float64]
    tpr: NDArray[np.float64]
    at_zero: tuple[float, float]
    figures: tuple[Figure, ...]
    majority: Figure

    def cell(self, label: int, judged: int) -> NDArray[np.int64]:
        """Numbers of the bags of a label of which that was said."""
        return self.bags[(self.labels == label) & (np.where(self.score > 0, 1, -1) == judged)]


def roc(labels: NDArray, score: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """False- and true-positive rates, both (T + 1,), from (0, 0) to (1, 1): thresholds fall over
    the distinct scores.

    labels : (N,) in {-1, +1}, both there. The twin of `emberscope.evaluate.scores.roc`, which a
    window does not load.
    """
    order = np.argsort(-score, kind="stable")
    labels, score = labels[order], score[order]
    last = np.append(np.flatnonzero(np.diff(score)), len(score) - 1)
    true, false = np.cumsum(labels > 0)[last], np.cumsum(labels < 0)[last]
    return np.append(0, false / false[-1]), np.append(0, true / true[-1])


def verdicts(run: Run) -> Verdicts | None:
    """None where the run has no classifier, or its verdicts are on bags of one kind only."""
    score = run.diagnostics.get("bag_score")
    if score is None:
        return None
    bags = np.flatnonzero((run.bag_labels != 0) & np.isfinite(score))
    labels, score = run.bag_labels[bags], np.asarray(score[bags], np.float64)
    if not (labels > 0).any() or not (labels < 0).any():
        return None
    fpr, tpr = roc(labels, score)
    at_zero = float((score[labels < 0] > 0).mean()), float((score[labels > 0] > 0).mean())
    rows = [
        _figure(run, "Bag accuracy", "bag_accuracy"),
        _figure(run, "Area under the curve", "bag_auc"),
        _figure(run, "R² of numbers of bags", "bag_r2"),
        _figure(run, "RMSE of numbers of bags", "bag_rmse"),
        _figure(
            run,
            "Area by size of bag alone",
            "bag_size_auc",
            about=f"of {counted(len(bags), 'bag')}",
        ),
    ]
    found = tuple(row for row in rows if row is not None)
    count = f"of {counted(len(bags), 'bag')}, {split_said(run, 'bag_auc')}".removesuffix(", ")
    share = max(float((labels > 0).mean()), float((labels < 0).mean()))
    majority = Figure(
        "Always the same answer", f"{run.metrics.get('bag_majority', share):.2f}", count
    )
    title = classifier_title(run.recipe)
    return Verdicts(title, bags.astype(np.int64), labels, score, fpr, tpr, at_zero, found, majority)


def chosen_words(run: Run) -> str:
    """Which values of the classifier were chosen inside the training folds, in how many of them; ""
    where none."""
    choice = next((note for note in run.notes if _CHOSEN in note), "")
    return f"Values{_CHOSEN[1:]}{choice.partition(_CHOSEN)[2]}" if choice else ""


def size_words(run: Run) -> str:
    """The note that the size of bags alone tells them apart; "" where it does not."""
    return next((note for note in run.notes if note.startswith(_SIZE)), "")


def without_verdict(run: Run) -> str:
    """Why the classifier that was asked for says nothing of bags, a note; "" where it does, or none
    was asked for."""
    return next((note for note in run.notes if note.startswith(_NO_VERDICT)), "")


def rows_of_bags(run: Run, bags: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows of the instances of some bags."""
    inside = np.isin(run.bags.bag_of_member, bags)
    return np.unique(run.members[inside])


def _figure(run: Run, title: str, key: str, *, about: str = "") -> Figure | None:
    value = run.metrics.get(key, np.nan)
    if not np.isfinite(value):
        return None
    low, high = (run.metrics.get(f"{key}_{end}", np.nan) for end in ("low", "high"))
    interval = f"{low:.2f} \u2013 {high:.2f}" if np.isfinite(low + high) else about
    return Figure(title, f"{value:.2f}", interval)


# --- axes


@dataclass(frozen=True, slots=True)
class Loadings:
    """values : (D, d) correlations of features with axes. names : D, as the features call
    themselves."""

    values: NDArray[np.float64]
    names: list[str]

    @property
    def axes(self) -> int:
        return min(self.values.shape[1], MOST_AXES)

    def strongest(self, axis: int, count: int = STRONGEST) -> list[tuple[str, float]]:
        """Features that go most with an axis, either way; the strongest first, those without any
        part left out."""
        column = self.values[:, axis]
        order = np.argsort(-np.abs(column), kind="stable")[:count]
        return [(self.names[i], float(column[i])) for i in order.tolist() if column[i]]

    def table(self) -> str:
        """Every feature with its correlations, as CSV."""
        out = io.StringIO()
        rows: list[list[str]] = [
            ["feature", *(f"axis {i + 1}" for i in range(self.values.shape[1]))]
        ]
        for name, values in zip(self.names, self.values.tolist(), strict=True):
            rows.append([name, *(Digits(f"{value:.4f}") for value in values)])
        write_rows(out, rows, ends="\n")
        return out.getvalue()


def loadings_of(run: Run) -> Loadings | None:
    """None where the method is not linear."""
    values, names = run.diagnostics.get("loadings"), run.state.get("feature_names")
    if (
        values is None
        or names is None
        or values.ndim != 2
        or len(names) != len(values)
        or not values.size
    ):
        return None
    return Loadings(
        np.nan_to_num(np.asarray(values, np.float64)), [showable(str(name)) for name in names]
    )


def short_names(features: list[str]) -> list[str]:
    """"hog block 0,1 cell 1,0 40 deg" -> "cell 1,1 40\u00b0", the cell counted over the whole chip.

    Where two would be called the same, the block of each is added.
    """
    short = [_short_name(feature, False) for feature in features]
    return [
        _short_name(feature, short.count(name) > 1)
        for feature, name in zip(features, short, strict=True)
    ]


def _short_name(feature: str, with_block: bool) -> str:
    found = _HOG.fullmatch(feature)
    if found is None:
        return feature.removeprefix("ehd ")
    r, c, y, x = (int(part) for part in found.groups()[:4])
    return f"cell {r + y},{c + x} {found[5]}\u00b0" + (f" block {r},{c}" if with_block else "")


def strokes(names: list[str], values: NDArray) -> NDArray[np.float64] | None:
    """(rows, columns, angles): the mean value of every cell and orientation over the blocks that
    hold it.

    Angle k is the direction of gradients from 180 k / angles degrees on; an edge lies across. None
    without HOG.
    """
    found = [
        (match, value)
        for name, value in zip(names, values, strict=True)
        if (match := _HOG.fullmatch(name))
    ]
    if not found:
        return None
    where = np.array([[int(part) for part in match.groups()[:4]] for match, _ in found])
    cells = where[:, :2] + where[:, 2:]
    angles, turn = np.unique([float(match[5]) for match, _ in found], return_inverse=True)
    shape = (int(cells[:, 0].max()) + 1, int(cells[:, 1].max()) + 1, len(angles))
    total, count = np.zeros(shape), np.zeros(shape)
    at = (cells[:, 0], cells[:, 1], turn)
    np.add.at(total, at, [value for _, value in found])
    np.add.at(count, at, 1)
    return np.divide(total, count, out=total, where=count > 0)


def edge_strokes(names: list[str], values: NDArray) -> NDArray[np.float64] | None:
    """(rows, columns, 4) values of the edges of an edge histogram, as `strokes`, but each angle is
    that of its edges, not the begin of a range; the share without an edge is left out. None without
    such features."""
    found = [(match, value) for name, value in zip(names, values, strict=True)
             if (match := _EHD.fullmatch(name)) and match[2] in _EDGES]
    if not found:
        return None
    cells = np.array([match[1].removeprefix("cell ").split(",") for match, _ in found], int)
    out = np.zeros((*(cells.max(axis=0) + 1), len(_EDGES)))
    out[cells[:, 0], cells[:, 1], [_EDGES.index(match[2]) for match, _ in found]] = [
        value for _, value in found
    ]
    return out


def pixel_values(names: list[str], values: NDArray) -> NDArray[np.float64] | None:
    """(rows, columns) values of pixels; None where the features are no pixels."""
    found = [
        (match, value)
        for name, value in zip(names, values, strict=True)
        if (match := _PIXEL.fullmatch(name))
    ]
    if not found:
        return None
    where = np.array([[int(part) for part in match.groups()] for match, _ in found])
    out = np.zeros(where.max(axis=0) + 1)
    out[where[:, 0], where[:, 1]] = [value for _, value in found]
    return out


# --- witnesses


def groups_table(groups: Sequence[FeatureGroup]) -> str:
    """Groups of features with their shares, as CSV."""
    out = io.StringIO()
    rows: list[list[str]] = [
        ["family", "channel", "share", "share of features", "correlation", "most"]
    ]
    for group in groups:
        values = (group.share, group.usual, group.goes)
        numbers = [Digits(f"{value:.4f}") if np.isfinite(value) else "" for value in values]
        rows.append([group.family, group.channel, *numbers, " | ".join(group.strongest)])
    write_rows(out, rows, ends="\n")
    return out.getvalue()


def witness_words(run: Run) -> str:
    """Where the witness scores come from; "" where the run has none."""
    if "witness" not in run.point_scores:
        return ""
    judge, beside = classifier_title(run.recipe), "classifier" in run.point_scores
    if "bag_score" in run.diagnostics and not beside:
        return f"Ranks of the scores of {judge}, each on frames it was not fitted on."
    own = f"Ranks of the scores of {method_title(run.recipe.method)}"
    own += ("; each rests on rules that have not seen its bag." if "held_score_" in run.state else
            ", which has seen the labels of these bags.")
    return (
        f"{own} Those of {judge}, on frames it was not fitted on: color by classifier."
        if beside
        else own
    )
