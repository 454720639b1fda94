"""How much each of several rules is to be trusted, by how they agree and what stands out; no label
is needed."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags

_WIDER = 0.15  # area by which standing out must spread positive bags wider than agreement does
_LITTLE = 0.3  # mean rank correlation of rules below which they are not to be trusted
ABOUT_GROUND = (
    "The rules agreed about ground that only positive bags hold, instead of targets. They weigh "
    "otherwise here, and "
    "still the instance that a bag points at is often ground. Draw boxes closer to targets, put "
    "spots on them, or "
    "label background between them."
)
AGREE_LITTLE = (
    "The rules agree little about which instances are targets (mean rank correlation {mean}): the "
    "instance that a bag "
    "points at may be ground. Look at the chips; draw boxes closer to targets, or label more of "
    "both kinds."
)


def agreement(scores: NDArray) -> NDArray[np.float64]:
    """Weights (R,) of R rules that scored the same n instances, (R, n): mean rank correlation with
    the other rules.

    Where the errors of rules are independent, agreement grows with accuracy, so that no label is
    needed (Parisi et al. 2014). Negative ones count 0; all equal where no two rules agree. They sum
    to 1.
    """
    weight = np.maximum(alike(scores).sum(axis=1), 0.0)
    return weight / weight.sum() if weight.sum() > 0 else np.full(len(scores), 1 / len(scores))


def alike(scores: NDArray) -> NDArray[np.float64]:
    """Rank correlations (R, R) of R rules that scored the same n instances, (R, n); 0 on the
    diagonal."""
    from scipy.stats import rankdata

    ranks = rankdata(scores, axis=1)
    spread = np.maximum(ranks.std(axis=1, keepdims=True), 1e-12)
    standard = (ranks - ranks.mean(axis=1, keepdims=True)) / spread
    out = standard @ standard.T / max(scores.shape[1], 1)
    np.fill_diagonal(out, 0.0)
    return out


def weights_of(scores: NDArray, bags: Bags) -> tuple[NDArray[np.float64], bool]:
    """Weights (R,) of R rules with scores (R, N), and whether it is targets that they agree about.

    Rules that tell the ground of positive bags from the labeled background agree with each other as
    well as rules that know targets do: crowded scenes leave background at the rim of the frame
    only. Such scores raise a positive bag as a whole, while a target stands out of its own bag. So
    where weights by how surely the best instance exceeds the median of its bag, in positive bags
    against negative ones, spread positive bags clearly wider than weights by agreement do (by 0.15
    of the area under the ROC curve of the standard deviation within bags), these are taken.

    Notes
    -----
    Where rules agree about targets, weights by standing out are the worse ones, most where nearly
    all of a bag is target: the limit lies between both kinds of sets. O(R M log M) for M members.
    """
    agreed = agreement(scores[:, bags.instance_labels(scores.shape[1]) > 0])
    clear = np.maximum([_ahead(_tops(score, bags), bags) - 0.5 for score in scores], 0.0)
    if not clear.sum():
        return agreed, True
    clear /= clear.sum()
    before, after = (_ahead(_spreads(weight @ scores, bags), bags) for weight in (agreed, clear))
    return (clear, False) if after - before > _WIDER else (agreed, True)


def _tops(score: NDArray, bags: Bags) -> NDArray[np.float64]:
    """(K,) by how much the best instance of a bag exceeds its median; 0 of an empty bag."""
    ordered = score[bags.members][np.lexsort((score[bags.members], bags.bag_of_member))]
    out, held = np.zeros(len(bags)), bags.sizes > 0
    first, size = bags.indptr[:-1][held], bags.sizes[held]
    out[held] = ordered[first + size - 1] - (ordered[first + (size - 1) // 2]
                                             + ordered[first + size // 2]) / 2
    return out


def _spreads(score: NDArray, bags: Bags) -> NDArray[np.float64]:
    """(K,) standard deviation within every bag; 0 of an empty one."""
    owner, size, own = bags.bag_of_member, np.maximum(bags.sizes, 1), score[bags.members]
    middle = np.bincount(owner, own, minlength=len(bags)) / size
    return np.sqrt(np.bincount(owner, (own - middle[owner]) ** 2, minlength=len(bags)) / size)


def _ahead(value: NDArray, bags: Bags) -> float:
    """Area under the ROC curve of a value (K,) per bag, positive bags against negative ones."""
    from scipy.stats import rankdata

    positive, negative = ((bags.labels == side) & (bags.sizes > 0) for side in (1, -1))
    n, m = int(positive.sum()), int(negative.sum())
    ranks = rankdata(value[positive | negative])[positive[positive | negative]]
    return (float(ranks.sum()) - n * (n + 1) / 2) / (n * m) if n and m else 0.5


def doubts(scores: NDArray, bags: Bags) -> list[str]:
    """Say how far R rules with scores (R, N) are to be trusted, in a sentence or none; no truth is
    needed.

    There is one where they agreed about ground (`weights_of`), or where their mean rank correlation
    inside positive bags is below 0.3. The held-out bag AUC does not tell such cases apart: ground
    alone may tell bags apart.
    """
    if not weights_of(scores, bags)[1]:
        return [ABOUT_GROUND]
    mean = _agreement(scores, bags)
    return [AGREE_LITTLE.format(mean=f"{mean:.2f}".replace("0.", "."))] if mean < _LITTLE else []


def agree_little(scores: NDArray, bags: Bags) -> bool:
    """Whether R rules with scores (R, N) are not to be trusted: they do not agree about ground, nor
    much about anything else."""
    return weights_of(scores, bags)[1] and _agreement(scores, bags) < _LITTLE


def _agreement(scores: NDArray, bags: Bags) -> float:
    """Mean rank correlation of rules inside positive bags."""
    inside = scores[:, bags.instance_labels(scores.shape[1]) > 0]
    return float(alike(inside).sum()) / max(len(scores) * (len(scores) - 1), 1)
