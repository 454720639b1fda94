"""The features of a run as a point set, with its labels and bags: what `embed`, `classify` and
programs of others read."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor, monitored
from emberscope.course.inputs import features, inputs_of, numbers_of_bags
from emberscope.evaluate.held_out import bag_blocks
from emberscope.features.extract import feature_names
from emberscope.project.model.project import Project, Run


def point_set_of(
    project: Project, run: Run, *, monitor: Monitor | None = None
) -> dict[str, NDArray]:
    """The arrays of a point set, as `datasets.points` reads them, of a run of N instances with D
    features in K bags.

    X (N, D) float32, the features of the recipe, before principal components and a metric; y (N,)
    int8, what is known of single instances: a mark, and what lies in a negative bag or alone in a
    positive one, 0 elsewhere, where a run gives its methods the label of the bag; indptr (K + 1,),
    members, bag_y (K,) int8, or numbers where bags have such, and bag_class (K,): the bags; group
    (K,), bags of one stretch of frames have one number. Besides, for who reads the arrays:
    feature_names (D,), ids, source, frame, box (N, ...) and bag_ids (K,) as in the run; bag_fold
    (K,) where bags were held out: the fold that judged a bag, -1 for none, -2 for a bag that was
    only learned from.

    Features that are not kept any more are computed again, O(N D) and more by their kind: then
    FormatError where a file is gone. Raises ProjectError where a source left the project,
    Cancelled.
    """
    inputs = inputs_of(project, run, cache_folder())
    X = features(project.sources, inputs, run.recipe, monitored(monitor))
    bags, numbers = run.bags, numbers_of_bags(project, run.bag_ids)
    # Of bags with numbers, those below the median have no label that holds for what is in them
    known = inputs.made.certain if numbers is None else inputs.made.marked
    arrays: dict[str, NDArray] = {
        "X": X, "y": np.where(known, run.y, 0).astype(np.int8),
        "indptr": bags.indptr, "members": bags.members,
        "bag_y": bags.labels if numbers is None else numbers, "bag_class": bags.classes,
        "group": bag_blocks(run.instances, bags),
        "feature_names": np.array(feature_names(run.recipe.features), np.str_),
        "ids": run.ids, "source": run.source, "frame": run.frame, "box": run.box,
        "bag_ids": run.bag_ids,
    }  # fmt: skip
    if "bag_fold" in run.diagnostics:
        arrays["bag_fold"] = run.diagnostics["bag_fold"]
    return arrays
