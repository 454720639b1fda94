"""MI-LE: supervised Laplacian eigenmaps of labels imputed from bags."""

from emberscope.base.param import RANDOM_STATE
from emberscope.embedding.supervised.s_le import SLE
from emberscope.mil.imputation.imputing import LOOP_PARAMS, LOOP_STATE, Imputing


class MILE(Imputing, SLE):
    """Find out which instances of positive bags are targets while embedding, and show them apart from the background.

    Rounds of S-LE on parts of the bags, each instance relabelled by its neighbors in an embedding made without its bag;
    see `imputation.loop.impute`. The picture is S-LE of all instances with the labels of the best round. It uses the
    labels: judge it on bags it was not given.

    Attributes
    ----------
    labels_, score_, history_, changes_, criterion_, kept_round_ : see `Imputing`. Those of `SLE`.

    Notes
    -----
    Spec 01 sections 5.1 and 5.4. `y` with bags: instances with y != 0 keep that label, unless they lie in a negative
    bag. `y` without bags: S-LE itself. Instances of unlabelled bags, or of none, are neutral (label 0).
    Where targets are few in their bags (2 in 10 patches of loose boxes), the start from bag labels learns backgrounds
    of positive bags instead (measured on generated scenes and on video of drones); start "density" there. Where they
    are many (3 in 4 on the quadratic surfaces) bag labels are the better start. Bags cannot choose between the two:
    those of infrared patches are told apart better by the wrong labels.
    The cost of S-LE, five times four fifths of it per round: above 3000 instances it works on nearest neighbors only.
    A large bag is no special case, only its instances count; 10^5 of them take minutes.
    """

    params = (*SLE.params, *LOOP_PARAMS, RANDOM_STATE)  # type: ignore[assignment]  # more of them
    state = (*SLE.state, *LOOP_STATE)
    cousin = SLE

    def __init__(
        self,
        *,
        n_components: int = 2,
        gamma: float = 0.1,
        neighborhood: str | None = None,
        n_neighbors: int = 30,
        weights: str = "even",
        beta: float | None = None,
        out_of_sample: str = "reconstruction",
        start: str = "bag-label",
        scorer: str = "votes",
        max_rounds: int = 8,
        min_witness: int = 1,
        n_votes: int = 9,
        anchored: bool = False,
        n_folds: int = 5,
        memory: float = 0.5,
        soft: bool = True,
        cross_fit: bool = True,
        random_state: int = 0,
    ) -> None:
        super().__init__(
            n_components=n_components, gamma=gamma, neighborhood=neighborhood, n_neighbors=n_neighbors,
            weights=weights, beta=beta, out_of_sample=out_of_sample,
        )
        self.start = start
        self.scorer = scorer
        self.max_rounds = max_rounds
        self.min_witness = min_witness
        self.n_votes = n_votes
        self.anchored = anchored
        self.n_folds = n_folds
        self.memory = memory
        self.soft = soft
        self.cross_fit = cross_fit
        self.random_state = random_state
