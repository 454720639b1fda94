"""Action respecting embedding: unfold a track so that the same action is the same motion
everywhere."""

import time
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Several
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_NEIGHBORS, param
from emberscope.embedding.components import COMPONENTS, GraphMethod, Part
from emberscope.embedding.nonlinear import SPECTRAL_COMPONENTS
from emberscope.embedding.unfolding.composed import Way, composed, step_length, way_to
from emberscope.embedding.unfolding.held_out_steps import motion_dimensions
from emberscope.embedding.unfolding.localization import Located, locate
from emberscope.embedding.unfolding.mvu import own_order, path_start, principal_axes
from emberscope.embedding.unfolding.operators import (
    Inverse,
    Operator,
    Preview,
    inverse_pairs,
    next_rows,
    operators,
    preview,
)
from emberscope.embedding.unfolding.tracks import (
    Steps,
    ball_edges,
    moves_of,
    roughness_note,
    smoothness,
    tracks_of,
    with_common_neighbors,
)
from emberscope.embedding.unfolding.unfold import Edges, Moves, Unfolded, certificate, unfold
from emberscope.labels.side_info import Sequence, SideInfo
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.graph import Graph, Neighbors, graph_of_edges, listed_edges

_LIMIT = 5000
_PROVABLE = 2500  # instances, up to which the optimum is proved
_PROVED = -1e-3   # certificate that is good enough
# with 6 columns worse local optima were met on two paths of five, with 15 on none
_RANK, _EXTRA_RANK = 15, 3
_STARTS = 2
_LOOSE = 1e-3
_COLLAPSED = 0.05  # share of their length that steps should keep
_PREVIEW_EVERY = 0.2  # s


class ARE(GraphMethod):
    """Unfold tracks of frames so that every action is one rotation and shift, wherever it is taken.

    Attributes
    ----------
    before_, after_, action_ : (Q,) int64. Rows of the steps whose action is known, and the action's
        index in `actions_` (A,), its name. smoothness_ : (M,) mean distance 1, 2, ... steps apart
        on a track, in steps.
    model_ : (N, r), all dimensions of the unfolded track, of which the embedding shows the first;
        the embedding itself where parts are embedded apart. known_ : (N,) int64, row of each
        instance in `instances_`. motion_dimensions_ : int, m, see `places`.
    spectrum_ : (r,) descending, the variance in each dimension.
        eigenvalues_ : (d,) the first d of them.
    violation_ : float, rms misfit of squared distances as a share of their mean. n_iter_ : int.
        certificate_ : float, 0 where this is proved to be the optimum, see `unfold.certificate`;
        NaN above 2500 instances, or with slack.

    Notes
    -----
    Ghodsi 2005, chapter 4; Bowling, Ghodsi and Wilkinson 2005: max tr(K) with squared distances of
    neighbors at most those of the data, and equal squared distances before and after the same
    action. Neighbors: `ball_edges`, and instances with a neighbor in common; around instances
    outside all tracks the k nearest. Factored, K = Y Y' with 15 columns or d + 3, and solved as MVU
    is; see `unfold`. Two starts, unless the first is proved to be the best.

    Differs from print: (4.1) with <=. Tracks are joined by neighbors only; a pair of rows across a
    break is no step. O((E + 2 P + N) r) per step for P pairs. A track of 2000 frames takes seconds.
    """

    n_components: int = SPECTRAL_COMPONENTS
    window: int = param(
        1, low=1, high=100, unit="steps", group="Graph",
        help="Instances so many steps apart on a track are neighbors; more is stiffer.",
    )
    common_neighbors: bool = param(
        True, group="Graph", advanced=True,
        help="Instances with a neighbor in common may not move apart either.",
    )
    n_neighbors: int = replace(
        N_NEIGHBORS, default=6, high=50, group="Graph", advanced=True,
        help="Neighbors of the instances that lie on no track.",
    )
    max_pairs: int = param(
        3000, low=1, high=1_000_000, title="Pairs of steps", group="Computation", advanced=True,
        help="Pairs of steps by the same action that are held; of more, neighbors on the track "
        "and a draw.",
    )
    slack: float = param(
        0.0, low=0, high=1, group="Embedding", advanced=True,
        help="How far a typical squared distance may be missed, as a share; above 0 noise gives "
        "way.",
    )
    max_iter: int = param(
        5000, low=1, high=1_000_000, title="Iterations", group="Computation",
        help="Steps at most; it stops earlier when distances are kept and nothing moves.",
    )
    tolerance: float = param(
        1e-4, low=0, high=0.1, group="Computation", advanced=True,
        help="Misfit of squared distances, as a share, at which it stops.",
    )
    motion_dimensions: int | None = param(
        None, low=1, high=100, title="Dimensions of motions", group="Embedding", advanced=True,
        auto="as many as tell best where steps lead that were left out, those of the map at least",
        help="Motions, ways and places of new views are found in so many of the dimensions that "
        "the track unfolds into, of which the map shows the first.",
    )
    components: str = COMPONENTS
    state = (
        "model_", "known_", "motion_dimensions_",
        *GraphMethod.state, "before_", "after_", "action_", "actions_", "smoothness_", "spectrum_",
        "eigenvalues_", "violation_", "n_iter_", "certificate_",
    )

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates; labels are ignored, the tracks of `side` (a `SideInfo`) are not.

        Raises MissingLabels where no action is known, TooLarge above 5000 instances.
        """
        watch = monitored(monitor)
        X, _ = self._validate(X)
        distinct = self._distinct(X, self.n_components)
        known = tracks_of(side, len(X))
        if len(distinct) > _LIMIT:
            raise TooLarge(f"unfolding {len(distinct)} instances along tracks takes hours",
                           hint="Embed the instances of the tracks only.")
        self._read_tracks(known, X)
        U = distinct.select(X)
        tracks = tuple(replace(track, rows=distinct.inverse[track.rows])
                       for track in known.sequences)
        steps = Steps.of(tracks)
        neighbors = self._neighbors(U, self.n_neighbors, Portion(watch, 0.0, 0.05))
        graph = self._graph(U, neighbors, tracks, Portion(watch, 0.05, 0.1))

        whole_model: list[NDArray] = []

        def embed(part: Part, inner: Monitor) -> NDArray:
            whole = len(part.rows) == len(U)
            show = (
                lambda Z: inner.partial(distinct.restore(Z.astype(X.dtype)))
            ) if whole else (lambda Z: None)
            Y = self._unfold(part, steps.among(part.rows, len(U)), inner, show)
            whole_model[:] = [Y] if whole else []
            return Y[:, : self.n_components]

        Z = self._by_component(
            U, distinct, neighbors, embed, n_components=self.n_components, graph=graph, units=True,
            monitor=Portion(watch, 0.1, 1.0),
        )
        self._finish(X, distinct, Z)
        self._keep_model(X, distinct, whole_model[0] if whole_model else Z)
        self._note_collapse(X)
        return self

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """As that of every method; states of versions that kept the map alone are read too."""
        if "model_" not in state:
            Z = np.asarray(state["embedding_"])
            state = {**state, "model_": Z, "motion_dimensions_": np.int64(Z.shape[1]),
                     "known_": cdist(Z, state["coordinates_"]).argmin(axis=1)}
        return super().from_state(state)

    @property
    def places(self) -> NDArray:
        """Where motions act, (N, m): the first dimensions of the model, those of the map first."""
        return np.ascontiguousarray(self.model_[:, : self.motion_dimensions_])

    def operators(self, *, reflections: bool | None = None) -> tuple[Operator, ...]:
        """The motion that each action is on `places`; see `operators.operators`."""
        return operators(self.places, self._steps(), self._names(), reflections=reflections)

    def inverses(self) -> tuple[Inverse, ...]:
        """Pairs of actions of which the second undoes the first, best first."""
        return inverse_pairs(self.places, self._steps(), self.operators())

    def next_rows(self, rows: ArrayLike, action: str) -> NDArray[np.int64]:
        """The training instances (M,) that an action is expected to lead to from rows (M,);
        in all dimensions of the model; see `next_rows`."""
        return next_rows(self.model_, self._steps(), np.asarray(rows, np.int64),
                         self._index(action))

    def preview(self, row: int, action: str) -> Preview:
        """Say where an action leads from a training instance,
        and which chips show what is seen there."""
        at = self._index(action)
        row = int(row)
        follow = int(self.next_rows([row], action)[0])
        return preview(self.places, self._steps(), self.operators()[at], row, (at, follow))

    def plan(self, start: int, goal: int, *, most: int = 60) -> tuple[str, ...] | None:
        """The fewest actions that lead from one training instance to within half a step of another;
        see `plan`."""
        found = self.way(start, goal, most=most)
        return None if found is None else found.actions

    def way(self, start: int, goal: int, *, most: int = 60) -> Way | None:
        """The same with the places along it; see `way_to`."""
        places = self.places
        step = step_length(places, self._steps())
        return way_to(places, self.operators(), step, (start, goal), most=most)

    def composed(self, *actions: str) -> Operator:
        """The one motion that actions are in turn; see `composed`."""
        return composed(self.operators(), actions)

    def locate(
        self, X: ArrayLike, actions: Several[str], *, monitor: Monitor | None = None
    ) -> Located:
        """Where new views (T, D) are, each an action ("" where unknown) after the one before; rows
        are those of training instances. See `locate`."""
        X = self._validate_new(X)
        numbers = np.array([self._index(name) if name else -1 for name in actions], np.int64)
        known, first = self.instances_.astype(np.float64), np.unique(
            self.known_, return_index=True)[1]
        before, after = self.known_[self.before_], self.known_[self.after_]
        change = float(np.square(known[after] - known[before]).sum(axis=1).mean())
        found = locate(
            self.places[first], self.operators(), cdist(X, known, "sqeuclidean"), numbers,
            change=change, step=step_length(self.places, self._steps()), monitor=monitor,
        )
        return replace(found, rows=first[found.rows])

    def _keep_model(self, X: NDArray, distinct: Distinct, Y: NDArray) -> None:
        """Keep all dimensions Y (U, r), and how many of them motions act in."""
        self.model_ = distinct.restore(np.ascontiguousarray(Y, X.dtype))
        self.known_ = distinct.inverse.astype(np.int64)
        most = self.model_.shape[1]
        wanted = self.motion_dimensions
        self.motion_dimensions_ = min(wanted, most) if wanted is not None else motion_dimensions(
            X, self.model_, self._steps(), self.n_components)

    def _index(self, action: str) -> int:
        names = self._names()
        if action not in names:
            raise DataError(f"there is no action {action!r}", hint=f"Choose {', '.join(names)}.")
        return names.index(action)

    def _names(self) -> tuple[str, ...]:
        return tuple(str(name) for name in self.actions_)

    def _steps(self) -> Steps:
        return Steps(self.before_, self.after_, self.action_)

    def _read_tracks(self, known: SideInfo, X: NDArray) -> None:
        steps = Steps.of(known.sequences)
        self.before_, self.after_, self.action_ = steps.before, steps.after, steps.action
        self.actions_ = np.array(known.actions, np.str_)
        self.smoothness_ = smoothness(X, known.sequences)
        if rough := roughness_note(self.smoothness_):
            self.notes_.append(rough)
        counts = np.bincount(steps.action, minlength=len(known.actions))
        if single := [name for name, count in zip(known.actions, counts) if count == 1]:
            self.notes_.append(f"Taken once only, and so without a say: {', '.join(single)}.")
        if unknown := sum(int((track.actions < 0).sum()) for track in known.sequences):
            self.notes_.append(f"{unknown} steps of the tracks have no known action; they join "
                               "neighbors only.")

    def _graph(
        self, U: NDArray, neighbors: Neighbors, tracks: tuple[Sequence, ...], watch: Monitor
    ) -> Graph:
        """Balls along the tracks; the nearest neighbors of instances on no track."""
        edges = ball_edges(U, tracks, self.window, monitor=Portion(watch, 0.0, 0.5))
        off = np.ones(len(U), bool)
        off[np.concatenate([track.rows for track in tracks])] = False
        if off.any():
            self.notes_.append(f"{int(off.sum())} instances lie on no track; they are held by "
                               "their neighbors only.")
            idx = np.where(off[:, None], neighbors.idx, np.arange(len(U), dtype=np.int32)[:, None])
            listed = listed_edges(replace(neighbors, idx=idx))[0]
            edges = np.unique(np.concatenate([edges, listed[listed[:, 0] != listed[:, 1]]]), axis=0)
        ends = U[edges].astype(np.float64)
        return graph_of_edges(
            U, neighbors, edges, np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1),
            components="bridge" if self.components == "bridge" else "keep",
            monitor=Portion(watch, 0.5, 1.0),
        )

    def _unfold(
        self, part: Part, steps: Steps, watch: Monitor, show: Callable[[NDArray], None]
    ) -> NDArray:
        order, back = own_order(part.X, part.graph.lengths)
        X = part.X[order].astype(np.float64)
        X -= X.mean(axis=0)
        lengths = csr_array(part.graph.lengths[order][:, order])
        lengths.sort_indices()
        edges = self._edges(X, lengths)
        moves, clashes = moves_of(
            Steps(back[steps.before], back[steps.after], steps.action), len(self.actions_),
            most=self.max_pairs
        )
        if clashes:
            self.notes_.append(f"Steps that contradict each other: {clashes} pairs, in which one "
                               "action leads from an "
                               "instance to two, or from two to one. They are left out.")
        found = self._best(X, lengths, edges, moves, watch, lambda Z: show(Z[back]))
        self.spectrum_, Z = principal_axes(found.Y, found.Y.shape[1])
        self.eigenvalues_ = self.spectrum_[: self.n_components]
        self.violation_, self.n_iter_ = found.violation, found.n_iter
        self._note(
            float(self.spectrum_[: self.n_components].sum() / max(self.spectrum_.sum(), 1e-300))
        )
        return Z[back]

    def _edges(self, X: NDArray, lengths: csr_array) -> Edges:
        if self.common_neighbors:
            pairs = with_common_neighbors(lengths)
        else:
            coo = lengths.tocoo()
            pairs = np.stack(coo.coords, axis=1).astype(np.int64)
            pairs = pairs[pairs[:, 0] < pairs[:, 1]]
        i, j = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
        return Edges(i, j, np.square(X[i] - X[j]).sum(axis=1))

    def _best(
        self, X: NDArray, lengths: csr_array, edges: Edges, moves: Moves, watch: Monitor,
        show: Callable[[NDArray], None],
    ) -> Unfolded:
        """The best of two starts, or the first one that is proved to be the best there is."""
        rank = min(max(_RANK, self.n_components + _EXTRA_RANK), len(X) - 1)
        best, self.certificate_ = None, np.nan
        for start in range(_STARTS):
            inner = Portion(watch, start / _STARTS, (start + 1) / _STARTS)
            Y = path_start(X, lengths, rank, Portion(inner, 0.0, 0.1), seed=start)
            found = unfold(
                Y, edges, moves=moves, shrink=True, slack=float(self.slack), max_iter=self.max_iter,
                tolerance=float(self.tolerance), show=self._shown(inner, show),
            )
            proved = certificate(found, edges,
                                 moves) if len(X) <= _PROVABLE and not self.slack else np.nan
            if best is None or self._rank_of(found) > self._rank_of(best):
                best, self.certificate_ = found, proved
            if proved >= _PROVED:
                break
        assert best is not None
        return best

    def _rank_of(self, found: Unfolded) -> tuple[bool, float]:
        return found.violation <= max(_LOOSE, self.tolerance), float(np.square(found.Y).sum())

    def _shown(
        self, watch: Monitor, show: Callable[[NDArray], None]
    ) -> Callable[[int, NDArray], None]:
        shown = time.monotonic()

        def step(done: int, Y: NDArray) -> None:
            nonlocal shown
            watch.step(0.1 + 0.9 * done / self.max_iter, f"Step {done} of {self.max_iter}")
            if time.monotonic() - shown > _PREVIEW_EVERY:
                show(principal_axes(Y, self.n_components)[1])
                shown = time.monotonic()

        return step

    def _note(self, share: float) -> None:
        self.notes_.append(f"{self.n_components} dimensions hold {share:.1%} of the unfolded "
                           "variance.")
        if self.violation_ > max(_LOOSE, self.tolerance):
            self.notes_.append(
                f"Squared distances are kept to {self.violation_:.1%} only; more iterations keep "
                "them."
            )
        if not np.isnan(self.certificate_):
            proof = "is" if self.certificate_ >= _PROVED else "is not"
            self.notes_.append(f"The optimum {proof} proved: certificate {self.certificate_:.2g}, "
                               "at best 0.")

    def _note_collapse(self, X: NDArray) -> None:
        """Note that actions contradict each other:
        points obey all of them by lying on one place."""
        apart, was = (np.linalg.norm(V[self.after_].astype(np.float64) - V[self.before_],
                                     axis=1).mean()
                      for V in (self.embedding_, X))
        if apart < _COLLAPSED * was:
            self.notes_.append(f"Steps kept {apart / was:.1%} of their length: the actions "
                               "contradict each other, or "
                               f"need more than {self.n_components} dimensions.")
