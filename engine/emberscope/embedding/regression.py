"""Out-of-sample regression of coordinates on features: radial basis functions that know classes,
or a network."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.base.monitor import Monitor, monitored, slices
from emberscope.base.param import param
from emberscope.embedding.nonlinear import Nonlinear
from emberscope.embedding.out_of_sample import Rule, reconstruct
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.threads import thread_pool

OUT_OF_SAMPLE = param(
    "reconstruction", choices=("reconstruction", "rbf", "mlp"), title="New instances",
    group="Computation", advanced=True, grid=("reconstruction", "rbf"),
    help="Reconstruction: the nearest training instances are combined as they are in the "
    "features. Rbf: a smooth function for each class, mixed by how probable the classes are. Mlp: "
    "a small network learns the embedding.",
)
_DECIDED = 4  # power of the probabilities: the likeliest class decides, unless two are nearly equal
_HIDDEN = (128, 64)
_EPOCHS = 400
_PATIENCE = 30  # epochs without a smaller error on what was held back
_BETTER = 0.999
_HELD = 0.1
_FEW = 20  # nothing is held back of fewer instances
_PIECE = 16_384  # instances between two looks at the monitor


class Regressed(Nonlinear):
    """Base of nonlinear methods that let the person choose how new instances are placed:
    the Param `OUT_OF_SAMPLE`.

    `novelty` is that of reconstruction whatever the choice: a regression goes on everywhere and
    does not know where it has seen nothing. A regression is a function of the features, also of a
    method that was given other distances.

    Attributes
    ----------
    instance_labels_, instance_weights_ : (U,) labels of `instances_` and how far they were trusted;
        0 = unknown.
    layers_ : sizes of the layers of the network, empty without one.
        network_ : its numbers, one after the other.
    """

    out_of_sample: str
    state: ClassVar[tuple[str, ...]] = (
        *Nonlinear.state, "instance_labels_", "instance_weights_", "layers_", "network_",
    )

    def transform(  # type: ignore[override]
        self, X: ArrayLike, *, rule: Rule | None = None, n_neighbors: int | None = None
    ) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d), as `out_of_sample` says.

        With a `rule` given: `out_of_sample.reconstruct` with it.
        Look at `novelty` before trusting them.
        """
        if rule is not None or not self._goes_by_features:
            return super().transform(X, rule=rule, n_neighbors=n_neighbors)
        X = self._validate_new(X)
        if self.out_of_sample == "mlp":
            Z = Perceptron.unpack(self.layers_, self.network_)(X)
        else:
            Z = class_rbf(
                self.instances_, self.coordinates_, X, self.instance_labels_,
                self.instance_weights_, n_neighbors=n_neighbors,
            )
        return Z.astype(X.dtype)

    @property
    def _goes_by_features(self) -> bool:
        return self.out_of_sample != "reconstruction"

    def _fitted_at(self) -> float:
        """Share of the progress bar when the embedding is there; a network takes the rest."""
        return 0.5 if self.out_of_sample == "mlp" else 1.0

    def _finish_regressed(
        self, X: NDArray, distinct: Distinct, Z: NDArray, labels: NDArray, weights: NDArray,
        watch: Monitor
    ) -> Self:
        """`_finish`, and what the chosen rule needs; labels and weights of all instances."""
        self.instance_labels_, self.instance_weights_ = (
            labels[distinct.rows], weights[distinct.rows]
        )
        self.layers_, self.network_ = np.empty(0, np.int64), np.empty(0)
        if self.out_of_sample == "mlp":
            seed = int(getattr(self, "random_state", 0))
            self.layers_, self.network_ = Perceptron.fit(
                distinct.select(X), Z, seed=seed, monitor=watch
            ).pack()
        return self._finish(X, distinct, Z)


def class_rbf(
    X: NDArray, Z: NDArray, Q: NDArray, y: NDArray, weight: NDArray, *,
    n_neighbors: int | None = None
) -> NDArray[np.float64]:
    """Coordinates (M, d) of Q: for each class a radial basis function of its own,
    mixed by the classes' probabilities.

    1. p_c(q) is the interpolated indicator of class c (times the weight of the label) over the 50
    nearest instances of known label, clipped to [0, 1]. 2. f_c interpolates the coordinates of the
    50 nearest instances of class c or unknown. 3. z = sum_c p_c^4 f_c / sum_c p_c^4: the likeliest
    class decides, and only where two are nearly equally likely does z go from the one to the other.
    Interpolation is `reconstruct` with the rule "rbf".

    Notes
    -----
    A simplification of Vural and Guillemot 2016. What is kept: a supervised embedding is smooth
    within a class and jumps between classes, so one smooth function for all classes is steep where
    classes meet and rings; the label comes first and the coordinates from instances of that label.
    What is not: there all new instances are labeled together, the surest first, and the widths of
    Gaussians are optimized; here every instance is labeled alone, so that its place does not depend
    on which others come with it, and the function -r has no width. Where there are no labels, or
    none is probable, it is one function for all. A training instance whose label is known lies on
    its own place. O(M N D) for the searches, O(M C k³) for the weights.
    """
    known = (y != 0) & (weight > 0)
    classes = np.unique(y[known])
    if len(classes) < 2:
        return reconstruct(X, Z, Q, rule="rbf", n_neighbors=n_neighbors).coordinates
    membership = (y[known][:, None] == classes) * weight[known][:, None]
    p = reconstruct(np.ascontiguousarray(X[known]), membership, Q, rule="rbf",
                    n_neighbors=n_neighbors).coordinates
    p = np.clip(p, 0, 1) ** _DECIDED
    out, total = np.zeros((len(Q), Z.shape[1])), p.sum(axis=1)
    for column, c in enumerate(classes):
        rows, own = np.flatnonzero(p[:, column] > 0), (y == c) | ~known
        if len(rows):
            placed = reconstruct(
                np.ascontiguousarray(X[own]), Z[own], np.ascontiguousarray(Q[rows]), rule="rbf",
                n_neighbors=n_neighbors
            )
            out[rows] += (p[rows, column] / total[rows])[:, None] * placed.coordinates
    if len(lost := np.flatnonzero(total == 0)):
        out[lost] = reconstruct(X, Z, np.ascontiguousarray(Q[lost]), rule="rbf",
                                n_neighbors=n_neighbors).coordinates
    return out


@dataclass(frozen=True, slots=True)
class Perceptron:
    """A network D - 128 - 64 - d with rectified layers;
    features and coordinates standardized inside.

    weights : per layer, (n_in, n_out). biases : per layer, (n_out,).
    mean, scale : (D,) of the features. middle, spread : (d,) of the coordinates.
    """

    weights: list[NDArray]
    biases: list[NDArray]
    mean: NDArray
    scale: NDArray
    middle: NDArray
    spread: NDArray

    @classmethod
    def fit(
        cls, X: NDArray, Z: NDArray, *, seed: int = 0, monitor: Monitor | None = None
    ) -> "Perceptron":
        """Adam on squared errors; the epoch with the least on a tenth of the instances held back is
        kept."""
        from sklearn.neural_network import MLPRegressor

        mean, scale = _standard(X)
        middle, spread = _standard(Z)
        A, B = (X - mean) / scale, (Z - middle) / spread
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(A))
        n_held = int(_HELD * len(A)) if len(A) >= _FEW else 0
        held, inside = order[:n_held], order[n_held:]
        judged = held if n_held else inside
        net = MLPRegressor(
            hidden_layer_sizes=_HIDDEN, alpha=1e-5, learning_rate_init=2e-3, random_state=seed,
            batch_size=min(len(inside), max(8, min(len(inside) // 20, 200))),
        )
        watch, best, waited = monitored(monitor), np.inf, 0
        kept: tuple[list[NDArray], list[NDArray]] = ([], [])
        with thread_pool():
            for epoch in range(_EPOCHS):
                rng.shuffle(inside)
                for some in np.array_split(inside, -(-len(inside) // _PIECE)):
                    watch.step(epoch / _EPOCHS, f"Learning the embedding, epoch {epoch + 1}")
                    net.partial_fit(A[some], B[some] if B.shape[1] > 1 else B[some, 0])
                guess = _forward(net.coefs_, net.intercepts_, A[judged])
                error = float(np.square(guess - B[judged]).mean())
                waited = 0 if error < _BETTER * best else waited + 1
                if error < best:
                    best, kept = (
                        error, ([W.copy() for W in net.coefs_], [b.copy() for b in net.intercepts_])
                    )
                if waited >= _PATIENCE:
                    break
        return cls(*kept, mean, scale, middle, spread)

    def __call__(self, X: NDArray) -> NDArray[np.float64]:
        """Coordinates (M, d) of features (M, D)."""
        out = np.empty((len(X), len(self.middle)))
        for part in slices(len(X), _PIECE):
            out[part] = _forward(self.weights, self.biases, (X[part] - self.mean) / self.scale)
        return out * self.spread + self.middle

    def pack(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Sizes of the layers, and all numbers."""
        sizes = np.array([len(self.mean), *(len(b) for b in self.biases)], np.int64)
        parts = [*self.weights, *self.biases, self.mean, self.scale, self.middle, self.spread]
        return sizes, np.concatenate([part.ravel() for part in parts])

    @classmethod
    def unpack(cls, sizes: NDArray, numbers: NDArray) -> "Perceptron":
        """The network that `pack` wrote."""
        n_in, n_out = sizes[:-1], sizes[1:]
        ends = np.cumsum([*(n_in * n_out), *n_out, *([sizes[0]] * 2), *([sizes[-1]] * 2)])
        parts = np.split(numbers, ends[:-1])
        layers = len(n_out)
        weights = [part.reshape(a, b) for part, a, b in zip(parts, n_in, n_out)]
        return cls(weights, parts[layers : 2 * layers], *parts[2 * layers :])


def _standard(A: NDArray) -> tuple[NDArray, NDArray]:
    """Mean and standard deviation of columns in double precision; 1 for constant ones."""
    spread = A.std(axis=0, dtype=np.float64)
    return A.mean(axis=0, dtype=np.float64), np.where(spread > 0, spread, 1.0)


def _forward(weights: list[NDArray], biases: list[NDArray], A: NDArray) -> NDArray:
    for W, b in zip(weights[:-1], biases[:-1]):
        A = np.maximum(A @ W + b, 0)
    return A @ weights[-1] + biases[-1]
