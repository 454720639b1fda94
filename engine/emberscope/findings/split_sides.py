"""The split of a run: how bags were held out, and how much there is on either side."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import NO_PART, sides_of
from emberscope.bags.split_recipe import BAGS, CLIP, COLUMN, HOLD_OUT
from emberscope.base.grouping import how_many
from emberscope.findings.headline import clip_name, kind_words, split_said
from emberscope.project.model.project import Project, Run
from emberscope.project.nouns import OF_FRAMES, nouns_of_run

FOLDS = "bag_fold"  # of the diagnostics of a run: (K,) int64
BY_CLIP, BY_BLOCK, BY_BAG = "clips", "blocks of frames", "bags"
_BY = {CLIP: BY_CLIP, HOLD_OUT: BY_CLIP, BAGS: BY_BAG}
NOTHING = "nothing is held out"


class Side(NamedTuple):
    """How many bags, of how many clips, on how many frames."""

    bags: int
    clips: int
    frames: int


class Fold(NamedTuple):
    """held, learned : its sides. shared : ids of sources that have frames on both; of point sets,
    whose bags are no neighbors in time, none."""

    held: Side
    learned: Side
    shared: list[int]


class Split(NamedTuple):
    """What is said of the split of a run: its folds, and as `split_head`, `shared_words` and
    `split_words` have it."""

    folds: list[Fold]
    head: str
    shared: str
    words: str


def folds_of_run(run: Run) -> list[Fold]:
    """The folds by which the embedding of a run was judged; [] where nothing was held out, or a
    version that kept no folds made the run."""
    fold = run.diagnostics.get(FOLDS)
    if fold is None or not (fold != NO_PART).any():
        return []
    of_member = fold[run.bags.bag_of_member]
    source, frame = (of[run.members].astype(np.int64) for of in (run.source, run.frame))
    place = np.unique(np.stack([source, frame], axis=1), axis=0, return_inverse=True)[1].reshape(-1)
    units = [sides_of(of_member, unit) for unit in (run.bags.bag_of_member, source, place)]
    held = [Side(*counts) for counts in zip(*(each.held.tolist() for each in units), strict=True)]
    left = zip(*(each.learned.tolist() for each in units), strict=True)
    learned = [Side(*counts) for counts in left]
    in_time = nouns_of_run(run) is OF_FRAMES
    shared = [clips.tolist() if in_time else [] for clips in units[1].shared]
    return [Fold(*each) for each in zip(held, learned, shared, strict=True)]


def split_record(project: Project, run: Run) -> dict[str, Any]:
    """The split of a run as plain data.

    "words", all in one sentence; "short", as it stands beside the held-out bag AUC, "" without
    one; "kind" as in the recipe; "held_out", what is held out together: "clips", "blocks of
    frames" or "bags"; "folds", each with its sides "held_out" and
    "learned_from" of "bags", "clips" and "frames", and "clips_on_both_sides", their names.
    """
    folds = folds_of_run(run)
    return {
        "words": split_words(run), "short": split_said(run, "method_bag_auc"),
        "kind": run.recipe.split.kind,
        "held_out": _unit(run) if folds else None,
        "folds": [
            {"held_out": fold.held._asdict(), "learned_from": fold.learned._asdict(),
             "clips_on_both_sides": [clip_name(project, source) for source in fold.shared]}
            for fold in folds
        ],
    }  # fmt: skip


def split_words(run: Run, folds: list[Fold] | None = None) -> str:
    """"default: 5 folds of blocks of frames; held out 8 to 10 bags, 1 clip, 8 frames; learned from
    40 bags, 1 clip, 40 frames; frames of 1 clip on both sides"."""
    folds, kind = _known(run, folds), kind_words(run.recipe.split)
    if not folds:
        return f"{kind}: {NOTHING}"
    held, learned = (_side_words(run, [fold[side] for fold in folds]) for side in (0, 1))
    words = [f"held out {held}", f"learned from {learned}"]
    if len(folds) > 1:
        words.insert(0, f"{len(folds)} folds of {_unit(run)}")
    if shared := {source for fold in folds for source in fold.shared}:
        words.append(f"frames of {_counted(len(shared), len(shared), 'clip')} on both sides")
    return f"{kind}: {'; '.join(words)}"


def split_head(run: Run, folds: list[Fold] | None = None) -> str:
    """What is held out, as short as can be: "5 folds of blocks of frames", "hold-out of night.arf",
    "column range, test 1500"; `NOTHING`."""
    folds = _known(run, folds)
    if not folds:
        return NOTHING
    several = len(folds) > 1 and not run.recipe.split.test
    return f"{len(folds)} folds of {_unit(run)}" if several else kind_words(run.recipe.split)


def shared_words(run: Run, folds: list[Fold] | None = None) -> str:
    """"2 clips on both sides", "no clip on both sides"; "" of points, whose bags are no
    neighbors in time, and where nothing is held out."""
    folds = _known(run, folds)
    if not folds or nouns_of_run(run) is not OF_FRAMES:
        return ""
    shared = {source for fold in folds for source in fold.shared}
    return f"{how_many(len(shared), 'clip') if shared else 'no clip'} on both sides"


def split_of(run: Run) -> Split:
    """All that is said of the split of a run. About 20 ms for 10 000 instances."""
    folds = folds_of_run(run)
    return Split(folds, split_head(run, folds), shared_words(run, folds), split_words(run, folds))


def _known(run: Run, folds: list[Fold] | None) -> list[Fold]:
    """Those of a run, where they are not counted yet."""
    return folds_of_run(run) if folds is None else folds


def dealt_words(
    folds: int, held: NDArray[np.bool_], groups: NDArray[np.int64], *, repeats: int = 1,
    of: str = "bag",
) -> str:
    """"10 folds of 200 bags, dealt 2 times", how bags of a table of points were held out; "5 folds
    of 12 groups of bags" where some of them stay together.

    held : (K,) which bags were. groups : (K,) bags that stay together. of : what they are called.
    """
    bags, together = int(held.sum()), len(np.unique(groups[held]))
    what = how_many(bags, of) if bags == together else f"{how_many(together, 'group')} of {of}s"
    again = f", dealt {repeats} times" if repeats > 1 else ""
    return f"{how_many(folds, 'fold')} of {what}{again}"


def _unit(run: Run) -> str:
    usual = BY_CLIP if run.metrics.get("method_bag_by_clip", 0) > 0 else BY_BLOCK
    split = run.recipe.split
    if split.kind == COLUMN:
        return f"values of {split.column}"
    return nouns_of_run(run).say(_BY.get(split.kind, usual))


def _side_words(run: Run, sides: Iterable[Iterable[int]]) -> str:
    """"8 to 10 bags, 1 clip, 8 to 10 frames"; of a point set "8 to 10 bags", and of which sets
    where they are several."""
    nouns = nouns_of_run(run)
    named = dict(zip(("bag", nouns.clip, nouns.frame), zip(*sides, strict=True), strict=True))
    if nouns is not OF_FRAMES and len(np.unique(run.source)) == 1:
        del named[nouns.clip]
    return ", ".join(_counted(min(each), max(each), unit) for unit, each in named.items())


def _counted(low: int, high: int, unit: str) -> str:
    number = str(low) if low == high else f"{low} to {high}"
    return f"{number} {unit}{'s' * (high != 1)}"
