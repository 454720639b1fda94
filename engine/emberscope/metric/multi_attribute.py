"""Multi-attribute metric: one direction per attribute of the pairs,
none of which can drown the others."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import svd

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.labels.side_info import SideInfo
from emberscope.metric.agreement import Agreement, agreement, metric_of
from emberscope.metric.choice import LINES, HeldOutPairs, chosen, in_order_of_values
from emberscope.metric.equivalence import COMPONENTS, PUSH
from emberscope.metric.learned import LinearMetric
from emberscope.metric.pairs import Pairs, read_pairs
from emberscope.metric.scores import principal_scores

_DISTINCT = 0.1  # singular value below which a direction is what is left of two nearly equal ones


class MultiAttributeMetric(LinearMetric):
    """Learn distances from pairs compared by several attributes,
    such as vehicle type and heat of the engine.

    It reads pairs: how far apart the marked pairs lie in its embedding says nothing.
    Judge it by `pair_agreement_`.

    Attributes
    ----------
    directions_ : (D, k) float64, unit vectors, the direction of each attribute.
        singular_values_ : (k,) of these.
    attribute_agreement_ : (k,) agreement of the held-out pairs of each attribute,
        NaN where none could be held out.
    attributes_ : (k,) of str.

    Notes
    -----
    Ghodsi 2005, section 3.3: v_a is the one direction that the pairs of attribute a ask for, in
    print the lowest eigenvector of M_S - push M_O, here that or the first of the ratio of
    M_O and M_S, whichever pairs that were held out support most (`choice.chosen`); the metric is
    the span of all v_a, by the singular vectors of [v_1 .. v_k] (in print: eigenvectors). These are
    taken where each principal component has the same spread, so that each direction counts alike
    however little the instances vary along it (in print: as they are). Singular values under 0.1
    are dropped: their directions are the noise between two attributes that the pairs cannot tell
    apart, and that is noted. A pair is judged in the direction of its own attribute. Principal
    components as in the equivalence metric. O(N D² + k (P r² + r³)).
    """

    n_components: int | None = COMPONENTS
    push: float = PUSH
    state = (*LinearMetric.state, "directions_", "singular_values_", "attribute_agreement_",
             "attributes_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: SideInfo | None = None, monitor: Monitor | None = None,
    ) -> Self:
        """Learn from the pairs of `side`; labels are ignored.
        Raises MissingLabels for fewer than two pairs."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        self._check_rank(X.shape)
        pairs, attribute = read_pairs(side, len(X))
        scores = principal_scores(X, self._most_components(len(X)),
                                  monitor=Portion(watch, 0.0, 0.6))
        watch.step(0.6, "Held-out pairs")
        assert side is not None  # read_pairs has refused it otherwise
        numbers = np.unique(attribute)
        self.attributes_ = np.array([side.attributes[a] for a in numbers], np.str_)
        own = [pairs.take(attribute == a) for a in numbers]
        ordered = [in_order_of_values(scores.T, some) for some in own]
        held = [HeldOutPairs.of(scores.T[order], some, push=self.push, shapes=LINES)
                for order, some in ordered]
        shapes = [chosen(some, LINES).shape for some in held]
        V = np.hstack([some.axes[shape.measured].map(shape)
                       for some, shape in zip(held, shapes, strict=True)])
        spread = scores.T.std(axis=0)
        even = spread[:, None] * V
        even /= np.linalg.norm(even, axis=0)
        U, self.singular_values_, _ = svd(even, full_matrices=False)
        kept = self.singular_values_ >= _DISTINCT
        lines = spread[:, None] * V / np.linalg.norm(V, axis=0)
        usual = np.sqrt(np.square(lines).sum(axis=0).mean())  # so that Z has the unit of X
        self._keep_map(X, scores, U[:, kept] / spread[:, None] * usual * scores.unit)
        axes = scores.axes @ V
        self.directions_ = axes / np.linalg.norm(axes, axis=0)
        watch.step(0.8, "Agreement")
        self._judge(scores.T, V, own, [a.agreement(b) for a, b in zip(held, shapes, strict=True)])
        self._note_attributes(even, int((~kept).sum()))
        self._note_few(len(pairs))
        return self

    def _judge(
        self, T: NDArray, V: NDArray, own: list[Pairs], held: list[Agreement]
    ) -> None:
        trained = [agreement(some, len(T), metric_of(T, V[:, a : a + 1])).share
                   for a, some in enumerate(own)]
        self.attribute_agreement_ = np.array([found.share for found in held])
        self._keep_agreement(_together(held), float(np.mean(trained)))

    def _note_attributes(self, V: NDArray, dropped: int) -> None:
        if not dropped:
            return
        near = np.abs(V.T @ V)
        np.fill_diagonal(near, 0)
        a, b = np.unravel_index(near.argmax(), near.shape)
        first, second = (str(self.attributes_[k]) or "(no name)" for k in sorted((int(a), int(b))))
        self.notes_.append(f"Attributes {first} and {second} cannot be separated with the present "
                           "pairs; they share a "
                           "direction.")


def _together(found: list[Agreement]) -> Agreement:
    """Mean agreement of several attributes, each counting alike,
    with the interval of independent ones."""
    known = [some for some in found if some.tested]
    if not known:
        return found[0]
    share = float(np.mean([some.share for some in known]))
    half = [np.sqrt(sum((some.share - some.interval[end]) ** 2 for some in known)) / len(known)
            for end in (0, 1)]
    interval = np.clip([share - half[0], share + half[1]], 0.0, 1.0)
    return Agreement(share, interval, sum(some.tested for some in known))
