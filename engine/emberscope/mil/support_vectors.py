"""Support vector machines of scikit-learn, in the words used here:
kernels and classes of equal weight are given.

One fit cannot be stopped in the middle, so it ends after some seconds, settled or not.
A worker that does not answer is replaced.
"""

import warnings

import numpy as np
from numpy.typing import NDArray

HALFWAY = ("The machine had not settled when its time was over: a smaller penalty C may "
           "classify better.")
_FEATURES_READ = 10**10  # by the sparse machine, some 20 s
_MOST_ROUNDS = 20_000
_MOST_STEPS = 2_000_000  # of the machine with a kernel, each of which looks at every row
_ROWS_READ = 5 * 10**9


def balanced(C: float, y: NDArray) -> NDArray[np.float64]:
    """Cost of an error, per row: C on average, the same in sum for both classes."""
    return C * len(y) / (2 * np.where(y > 0, (y > 0).sum(), (y < 0).sum()))


def support_vectors(
    gram: NDArray, y: NDArray, cost: NDArray, *, tolerance: float
) -> tuple[NDArray[np.float64], float, bool]:
    """argmin over f = gram @ dual + b of |f|² / 2 + sum_i cost_i max(0, 1 - y_i f_i):
    dual (n,) and b, and whether they had settled within some seconds, by libsvm.

    Parameters
    ----------
    gram : (n, n), the kernel. y : (n,) in {-1, +1}, both present.
        cost : (n,) > 0, of an error in each row.
    tolerance : by how much the optimality conditions may be violated.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import SVC

    machine = SVC(C=1.0, kernel="precomputed", tol=tolerance, cache_size=500,
                  max_iter=min(_MOST_STEPS, max(10_000, _ROWS_READ // len(y))))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        machine.fit(gram, y, sample_weight=cost)
    dual = np.zeros(len(y))
    dual[machine.support_] = machine.dual_coef_[0]
    return dual, float(machine.intercept_[0]), not caught


def sparse_weights(
    F: NDArray, y: NDArray, cost: NDArray
) -> tuple[NDArray[np.float64], float, bool]:
    """argmin over w, b of |w|_1 + |b| / 10 + sum_i cost_i max(0, 1 - y_i (f_i w + b))²,
    by liblinear.

    Parameters
    ----------
    F : (n, m), rows are feature vectors f. y : (n,) in {-1, +1}, both present. cost : (n,) > 0.

    Returns
    -------
    w : (m,), b, and whether they had settled within 10^10 features read.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    rounds = min(_MOST_ROUNDS, max(100, _FEATURES_READ // F.size))
    machine = LinearSVC(penalty="l1", dual=False, C=1.0, max_iter=rounds, random_state=0,
                        intercept_scaling=10.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        machine.fit(F, y, sample_weight=cost)
    return machine.coef_[0], float(machine.intercept_[0]), not caught
