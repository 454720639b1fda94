"""MI-Isomap: SE-Isomap of labels imputed from bags."""

from dataclasses import replace

from emberscope.embedding.supervised.se_isomap import SEIsomap
from emberscope.mil.imputation.imputing import ANCHORED, LOOP_STATE, Imputing


class MIIsomap(Imputing, SEIsomap):
    """Unroll the data along a graph that labels imputed from bags have shrunk and stretched.

    Rounds of SE-Isomap on parts of the bags, each instance relabelled by its neighbors in an
    embedding made without its bag; see `imputation.loop.impute`. The embedding is SE-Isomap of all
    instances with the labels of the best round. It uses the labels: judge it on bags it was not
    given.

    Attributes
    ----------
    labels_, score_, history_, changes_, criterion_, kept_round_ : see `Imputing`.
        Those of `SEIsomap`.

    Notes
    -----
    `SEIsomap` with labels from `imputing`. `y` with bags: instances with y != 0 keep that label,
    unless they lie in a negative bag. `y` without bags: SE-Isomap itself. Instances of unlabeled
    bags, or of none, are neutral (label 0). Without `anchored`, lengths of edges that trust every
    label made lost targets spread (Swiss roll: worse than bag labels). With another start than
    labels of bags `anchored` off was better on infrared patches (its ranking of instances stayed as
    good as that of the start) and worse where that start was no better than chance. The cost of
    SE-Isomap, five times four fifths of the instances per round; landmarks above 5000.
    """

    anchored: bool = replace(ANCHORED, default=True)
    state = (*SEIsomap.state, *LOOP_STATE)
    supervised = SEIsomap
