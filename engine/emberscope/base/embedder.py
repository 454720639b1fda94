"""The method contract: every method that gives rows of X coordinates is an `Embedder`."""

from typing import ClassVar

from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags

from emberscope.base.errors import NoOutOfSample
from emberscope.base.estimator import Estimator


class Embedder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Base of all embeddings: writes `fit` and, where it has a rule for new instances, `transform`.

    Attributes
    ----------
    embedding_ : ndarray, shape (N, d), precision of X. Coordinates of the training instances.

    holds_back : whether the method scores instances by fits that have not seen their bag, nor any
        other of its group: then it leaves these scores (N,) as `held_score_`.
    """

    holds_back: ClassVar[bool] = False

    @property
    def reads_labels(self) -> bool:
        """Whether `fit` looks at labels, with these parameters; then its embedding of them proves
        nothing."""
        return False

    def fit_transform(
        self, X: ArrayLike, y: ArrayLike | None = None, **fit_params: object
    ) -> NDArray:
        """Fit and return `embedding_`."""
        return self.fit(X, y, **fit_params).embedding_  # type: ignore[attr-defined]

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d). Raises NoOutOfSample where the method has
        no rule."""
        raise NoOutOfSample(
            "there is no rule for new instances",
            hint="Run the method again with the new instances included."
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.allow_nan = self.takes_missing
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]
