"""Two runs on what both were judged by."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, monitored
from emberscope.evaluate.paired import Difference, area_difference, corrected_mean, mcnemar
from emberscope.evaluate.scores import auc
from emberscope.findings.judged.levels import (
    BAG,
    GROUND,
    INSTANCE,
    METHOD,
    Estimate,
    WhyNot,
    balanced_threshold,
)
from emberscope.findings.judged.pair import (
    Compared,
    Paired,
    changes_of,
    left_out_words,
    pair_words,
)
from emberscope.judging.evidence import Entries, Evidence
from emberscope.judging.judge import entries_of
from emberscope.project.model.project import Project, Run


def compare_runs(
    project: Project, first: Run, second: Run, *, by: str = METHOD, monitor: Monitor | None = None
) -> Compared:
    """What is set otherwise in the second run, and whether it is better on the same instances and
    bags, each run at its balanced threshold. by : whose scores, as `judge_run`."""
    watch = monitored(monitor)
    both = [Evidence(project, run, by) for run in (first, second)]
    pairs, words = list[Paired](), list[str]()
    for at, name in enumerate((INSTANCE, BAG)):
        watch.step(at / 2, f"Comparing by {name}")
        found = [each.why_not or entries_of(each, name) for each in both]
        why = next((each.words for each in found if isinstance(each, WhyNot)), None)
        if why is not None:
            words += [why] if why not in words else []
            continue
        pair = _paired(name, both, found)  # type: ignore[arg-type]
        if pair is None:
            words.append(_apart_words(name, first, second))
        else:
            pairs.append(pair)
            words += pair_words(first.id, second.id, pair)
            words += left_out_words(name, (first.id, second.id), pair.left_out)
    return Compared(first.id, second.id, changes_of(first, second), pairs, words)


def _paired(name: str, both: list[Evidence], found: list[Entries]) -> Paired | None:
    ids, *rows = np.intersect1d(found[0].ids, found[1].ids, return_indices=True)
    truth = found[1].truth[rows[1]]
    same = (found[0].truth[rows[0]] != GROUND) == (truth != GROUND)
    ids, truth, rows = ids[same], truth[same], [row[same] for row in rows]
    if not len(ids):
        return None
    target = truth != GROUND
    right = [(each.score[row] >= _start(each)) == target
             for each, row in zip(found, rows, strict=True)]
    known = mcnemar(*right)
    chance = known.chance if name == BAG else float("nan")  # instances of a bag are no trials
    scores = [each.score[row] for each, row in zip(found, rows, strict=True)]
    none = Difference(float("nan"), -1.0, 1.0, float("nan"))
    area, folds = none, none
    try:
        group = found[1].group[rows[1]]
        area = area_difference(target, scores[0], scores[1], group)
        folds = _by_fold(both[1], found[1].bag[rows[1]], target, scores)
    except DataError:  # one kind alone is left
        pass
    won, lost = ids[right[1] & ~right[0]], ids[right[0] & ~right[1]]
    alone = len(found[0]) - len(same), len(found[1]) - len(same)
    return Paired(
        name, len(ids), known.only_first, known.only_second, chance, Estimate(*area[:3]),
        Estimate(*folds[:3]), area.chance, folds.chance, won, lost,
        (*alone, int((~same).sum())),
    )  # fmt: skip


def _apart_words(name: str, first: Run, second: Run) -> str:
    """That they have nothing in common to be compared on, and why."""
    words = f"Runs {first.id} and {second.id} share no {name} that both held out"
    others = name == INSTANCE and first.recipe.bags != second.recipe.bags
    return f"{words}: their patches are others." if others else f"{words}."


def _start(entries: Entries) -> float:
    return balanced_threshold(entries.score, entries.truth != GROUND)


def _by_fold(
    evidence: Evidence, bag: NDArray, target: NDArray, scores: list[NDArray]
) -> Difference:
    """The mean difference of areas over the folds of the split."""
    fold = evidence.fold[bag]
    numbers = [number for number in np.unique(fold) if number >= 0]
    y = np.where(target, 1, -1)
    differences = [auc(y[fold == k], scores[1][fold == k]) - auc(y[fold == k], scores[0][fold == k])
                   for k in numbers]
    return corrected_mean(np.array(differences), 1 / max(len(numbers), 2))
