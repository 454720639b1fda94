"""MI-LE: supervised Laplacian eigenmaps of labels imputed from bags."""

from dataclasses import replace

from emberscope.base.param import RANDOM_STATE
from emberscope.embedding.supervised.s_le import SLE
from emberscope.mil.imputation.imputing import LOOP_PARAMS, LOOP_STATE, Imputing

_PARAMS = tuple(replace(param, default=0.5) if param.name == "coupling" else param for param in SLE.params)


class MILE(Imputing, SLE):
    """Find out which instances of positive bags are targets while embedding, and show them apart from the background.

    Rounds of S-LE on parts of the bags, each instance relabelled by its neighbors in an embedding made without its bag;
    see `imputation.loop.impute`. The embedding is S-LE of all instances with the labels of the best round. It uses the
    labels: judge it on bags it was not given.

    Attributes
    ----------
    labels_, score_, history_, changes_, criterion_, kept_round_ : see `Imputing`. Those of `SLE`.

    Notes
    -----
    `SLE` with labels from `imputing`. `y` with bags: instances with y != 0 keep that label, unless they lie in a
    negative bag. `y` without bags: S-LE itself. Instances of unlabeled bags, or of none, are neutral (label 0). The
    start is the mean of six rules that score bags they have not seen, each weighing as much as it agrees with the
    others (`rules.ensemble`). On surfaces, digits, infrared patches and generated scenes it ranked about as well as
    the best single rule; where targets are rare and lie within the background (crossing surfaces, 1 in 8) kernel
    regression alone ranks better (areas .92 to .95 against .82 to .89). With few bags of either kind labels of bags are
    the better start. `coupling` .5 keeps single instances from carrying an axis. The cost of S-LE, five times four
    fifths of it per round: above 3000 instances it works on nearest neighbors only. A large bag is no special case,
    only its instances count; 10^5 of them take minutes.
    """

    params = (*_PARAMS, *LOOP_PARAMS, RANDOM_STATE)  # type: ignore[assignment]  # more of them
    state = (*SLE.state, *LOOP_STATE)
    supervised = SLE

    def __init__(
        self,
        *,
        n_components: int = 2,
        gamma: float = 0.1,
        coupling: float = 0.5,
        neighborhood: str | None = None,
        n_neighbors: int = 30,
        weights: str = "even",
        beta: float | None = None,
        out_of_sample: str = "reconstruction",
        start: str = "ensemble",
        scorer: str = "votes",
        max_rounds: int = 4,
        min_witness: int = 1,
        n_votes: int = 9,
        anchored: bool = False,
        n_folds: int = 5,
        memory: float = 0.5,
        trust: float = 0.5,
        standardize: bool = False,
        soft: bool = True,
        cross_fit: bool = True,
        random_state: int = 0,
    ) -> None:
        super().__init__(
            n_components=n_components, gamma=gamma, coupling=coupling, neighborhood=neighborhood,
            n_neighbors=n_neighbors, weights=weights, beta=beta, out_of_sample=out_of_sample,
        )
        self.start = start
        self.scorer = scorer
        self.max_rounds = max_rounds
        self.min_witness = min_witness
        self.n_votes = n_votes
        self.anchored = anchored
        self.n_folds = n_folds
        self.memory = memory
        self.trust = trust
        self.standardize = standardize
        self.soft = soft
        self.cross_fit = cross_fit
        self.random_state = random_state
