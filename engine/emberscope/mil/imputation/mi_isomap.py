"""MI-Isomap: SE-Isomap of labels imputed from bags."""

from dataclasses import replace

from emberscope.embedding.supervised.se_isomap import SEIsomap
from emberscope.mil.imputation.imputing import LOOP_PARAMS, LOOP_STATE, Imputing

_PARAMS = tuple(replace(param, default=True) if param.name == "anchored" else param for param in LOOP_PARAMS)


class MIIsomap(Imputing, SEIsomap):
    """Unroll the data along a graph that labels imputed from bags have shrunk and stretched.

    Rounds of SE-Isomap on parts of the bags, each instance relabelled by its neighbors in an embedding made without its
    bag; see `imputation.loop.impute`. The embedding is SE-Isomap of all instances with the labels of the best round. It
    uses the labels: judge it on bags it was not given.

    Attributes
    ----------
    labels_, score_, history_, changes_, criterion_, kept_round_ : see `Imputing`. Those of `SEIsomap`.

    Notes
    -----
    `SEIsomap` with labels from `imputing`. `y` with bags: instances with y != 0 keep that label, unless they lie in a
    negative bag. `y` without bags: SE-Isomap itself. Instances of unlabeled bags, or of none, are neutral (label 0).
    Without `anchored`, lengths of edges that trust every label made lost targets spread (Swiss roll: worse than bag
    labels). With another start than labels of bags `anchored` off was better on infrared patches (its ranking of
    instances stayed as good as that of the start) and worse where that start was no better than chance. The cost of
    SE-Isomap, five times four fifths of the instances per round; landmarks above 5000.
    """

    params = (*SEIsomap.params, *_PARAMS)  # type: ignore[assignment]  # more of them
    state = (*SEIsomap.state, *LOOP_STATE)
    supervised = SEIsomap

    def __init__(
        self,
        *,
        n_components: int = 2,
        n_neighbors: int = 30,
        alpha: float = 0.3,
        neighbors: str = "dissimilarity",
        scale: str | None = None,
        beta: float | None = None,
        n_landmarks: int | None = None,
        out_of_sample: str = "reconstruction",
        random_state: int = 0,
        start: str = "ensemble",
        scorer: str = "votes",
        max_rounds: int = 4,
        min_witness: int = 1,
        n_votes: int = 9,
        anchored: bool = True,
        n_folds: int = 5,
        memory: float = 0.5,
        trust: float = 0.5,
        standardize: bool = False,
        soft: bool = True,
        cross_fit: bool = True,
    ) -> None:
        super().__init__(
            n_components=n_components, n_neighbors=n_neighbors, alpha=alpha, neighbors=neighbors, scale=scale,
            beta=beta, n_landmarks=n_landmarks, out_of_sample=out_of_sample, random_state=random_state,
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
