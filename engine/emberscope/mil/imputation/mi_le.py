"""MI-LE: supervised Laplacian eigenmaps of labels imputed from bags."""

from dataclasses import replace

from emberscope.base.param import RANDOM_STATE
from emberscope.embedding.supervised.s_le import COUPLING, SLE
from emberscope.mil.imputation.imputing import LOOP_STATE, Imputing


class MILE(Imputing, SLE):
    """Find out which instances of positive bags are targets while embedding,
    and show them apart from the background.

    Rounds of S-LE on parts of the bags, each instance relabelled by its neighbors in an embedding
    made without its bag; see `imputation.loop.impute`. The embedding is S-LE of all instances with
    the labels of the best round. It uses the labels: judge it on bags it was not given.

    Attributes
    ----------
    labels_, score_, history_, changes_, criterion_, kept_round_ : see `Imputing`. Those of `SLE`.

    Notes
    -----
    `SLE` with labels from `imputing`. `y` with bags: instances with y != 0 keep that label, unless
    they lie in a negative bag. `y` without bags: S-LE itself. Instances of unlabeled bags, or of
    none, are neutral (label 0). The start is the mean of six rules that score bags they have not
    seen, each weighing as much as it agrees with the others (`rules.ensemble`). On surfaces,
    digits, infrared patches and generated scenes it ranked about as well as the best single rule;
    where targets are rare and lie within the background (crossing surfaces, 1 in 8) kernel
    regression alone ranks better. With few bags of either kind labels of bags are the better start.
    `coupling` keeps single instances from carrying an axis. The cost of S-LE, five times four
    fifths of it per round: above 3000 instances it works on nearest neighbors only. A large bag is
    no special case, only its instances count; 10^5 of them take minutes.
    """

    coupling: float = replace(COUPLING, default=0.5)
    random_state: int = RANDOM_STATE
    state = (*SLE.state, *LOOP_STATE)
    supervised = SLE
