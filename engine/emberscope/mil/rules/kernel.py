"""The rule of kernel regression: a smooth surface through the labels of bags."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, monitored
from emberscope.mil.rules.held_out import connected_fold, held_out
from emberscope.mil.scaling import z_score

_LANDMARKS = 300  # of the kernel
_WIDE = 0.3  # over the number of standardized features: exponent of the kernel
_RIDGE = 0.1


def kernel(
    X: NDArray, bags: Bags, Q: NDArray | None = None, *, monitor: Monitor | None = None,
    used: NDArray | None = None
) -> NDArray[np.float64]:
    """Ridge regression of the labels of bags, both weighing alike, by a Gaussian kernel (Saunders
    et al. 1998).

    The kernel, exp(-0.3 d² / D) of standardized features, stands on 300 landmarks (Nyström;
    Williams and Seeger 2001). Smooth, it finds rare targets where their surface crosses that of the
    background, which trees cut into pieces. Instances of X are scored as by `trees`. used : (D,),
    see `Rule`. O(N 300²).
    """
    if Q is None:
        return held_out([("kernel", kernel, bags)], X, connected_fold(bags, len(X)),
                        monitored(monitor))[0]
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge

    label = bags.instance_labels(len(X))
    known = np.flatnonzero(label)
    watch = monitored(monitor)
    watch.step(0.0, "Rule kernel")
    mean, scale = z_score(X[known])
    landmarks = Nystroem(gamma=_WIDE / X.shape[1], n_components=min(_LANDMARKS, len(known)),
                         random_state=0)
    A = landmarks.fit_transform((X[known] - mean) / scale)
    side = label[known].astype(np.float64)
    weight = len(known) / (2 * np.where(side > 0, (side > 0).sum(), (side < 0).sum()))
    watch.step(0.5, "Rule kernel")
    found = Ridge(_RIDGE).fit(A, side, sample_weight=weight)
    watch.step(0.8, "Rule kernel")
    return found.predict(landmarks.transform((Q - mean) / scale))
