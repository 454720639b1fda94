"""What the class of an instance rests on: that it lies in a label of that class, or a mark. Most
patches of a loose label are ground, so no color and no legend says more than that."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from emberscope.base.grouping import spaced
from emberscope.base.ids import BAG_ORDINAL_BITS
from emberscope.labels.model import (
    Box,
    Ellipse,
    FrameLabel,
    Label,
    Polygon,
    Polyline,
    Scribble,
    Spot,
)
from emberscope.project.model.project import Project, Run
from emberscope.project.nouns import nouns_of_run

# Of one label, of several, and what joins them to the class
_WORDS: dict[type[Label] | None, tuple[str, str, str]] = {
    Box: ("box", "boxes", "of"),
    FrameLabel: ("frame", "frames", "with"),
    Scribble: ("scribble", "scribbles", "of"),
    Spot: ("spot", "spots", "of"),
    Polygon: ("polygon", "polygons", "of"),
    Ellipse: ("ellipse", "ellipses", "of"),
    Polyline: ("line", "lines", "of"),
}
_BAG = ("bag", "bags", "of")
_LEAST = 0.25  # weight from which the hue of a class is seen


def bag_weights(project: Project, run: Run) -> NDArray[np.float64]:
    """(N,) 0.25 .. 1: how much of its color an instance gets that is of a class because a positive
    bag holds it.

    All of it in a bag of the usual size of its class or a smaller one, the less the larger the bag:
    a label of a whole frame says of none of its patches as much as a box does. 1 of marked
    instances and of those in no positive bag. O(N + members).
    """
    bags, n = run.bags, len(run.ids)
    positive = np.flatnonzero(bags.labels > 0)
    share = np.ones(len(bags))
    share[positive] = np.clip(
        _usual_sizes(project, run, positive) / np.maximum(bags.sizes[positive], 1), _LEAST, 1.0
    )
    if (share == 1).all():
        return np.ones(n)
    use = bags.labels[bags.bag_of_member] > 0
    out = np.zeros(n)
    np.maximum.at(out, bags.members[use], share[bags.bag_of_member[use]])
    out[(out == 0) | (_marks(project, run) >= 0)] = 1.0
    return out


def _usual_sizes(project: Project, run: Run, bags: NDArray[np.int64]) -> NDArray[np.float64]:
    """(P,) for each of some bags the median size of those of its class. Bags of whole frames do not
    count, unless there is nothing else; a class that has only these takes the median of all
    classes."""
    sizes, classes = run.bags.sizes[bags], run.bag_classes[bags]
    of_label = (run.bag_ids[bags] >> BAG_ORDINAL_BITS).tolist()
    whole = np.array([isinstance(project.labels.get(key), FrameLabel) for key in of_label], bool)
    if whole.all():
        whole[:] = False
    usual = np.full(len(bags), np.median(sizes[~whole]) if len(bags) else 1.0)
    for class_id in np.unique(classes[~whole]):
        own = classes == class_id
        usual[own] = np.median(sizes[own & ~whole])
    return usual


def class_words(project: Project, run: Run, class_id: int, classes: NDArray[np.int64]) -> str:
    """"Patches in 39 boxes of Car, 12 marked", "Background, 40 bags, 3 marked"; "" of what is no
    class.

    classes : (N,), as `coloring.instance_classes`. O(N + bags of the class).
    """
    info = project.classes.get(class_id)
    if info is None:
        return ""
    marked = int(np.count_nonzero((classes == class_id) & (_marks(project, run) == class_id)))
    of_class = np.flatnonzero((run.bag_classes == class_id) & (run.bag_labels == info.role))
    if not len(of_class):
        return f"{info.name}, {marked} marked" if marked else ""
    words = f"{info.name}, {_counted(len(of_class), 'bag', 'bags')}"
    if info.role > 0:
        count, joined = _words_of(project, run.bag_ids[of_class] >> BAG_ORDINAL_BITS)
        single = (run.bags.sizes[of_class] <= 1).all()
        nouns = nouns_of_run(run)
        words = (
            f"{info.name}, {nouns.say(count)}"
            if single
            else f"{nouns.say(f'Patches in {count} {joined}')} {info.name}"
        )
    return f"{words}, {marked} marked" if marked else words


def _words_of(project: Project, label_of_bag: NDArray[np.int64]) -> tuple[str, str]:
    """How many labels of each kind bags (B,) are made of, and what joins that to the class: "39
    boxes", "of"; "2 boxes and 1 frame label", "of". Bags of labels that are not in the project any
    more are counted as bags."""
    labels, bags = np.unique(label_of_bag, return_counts=True)
    counts: Counter[type[Label] | None] = Counter()
    for key, of_label in zip(labels.tolist(), bags.tolist(), strict=True):
        kind = type(project.labels[key]) if key in project.labels else None
        counts[kind] += of_label if kind is None else 1
    if len(counts) == 1:
        (kind, count), = counts.items()
        one, several, joined = _WORDS.get(kind, _BAG)
        return _counted(count, one, several), joined
    words = {**_WORDS, FrameLabel: ("frame label", "frame labels", "of")}
    parts = [_counted(count, *words.get(kind, _BAG)[:2]) for kind, count in counts.most_common()]
    return f"{', '.join(parts[:-1])} and {parts[-1]}", "of"


def _counted(count: int, one: str, several: str) -> str:
    return f"{spaced(count)} {one if count == 1 else several}"


def _marks(project: Project, run: Run) -> NDArray[np.int64]:
    """(N,) class ids of marks; -1 without."""
    return project.marks.of(run.ids) if project.marks else np.full(len(run.ids), -1, np.int64)
