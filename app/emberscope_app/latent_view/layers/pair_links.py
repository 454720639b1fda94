"""Links between paired chips on the maps; those that the embedding does not keep stand out."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from emberscope.labels.side_info import Pair
from emberscope.project import Run
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.latent_view.surfaces.surface import Surface
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.theme.look import current

MOST = 1000     # links that are drawn: the newest
_USUAL = 2000   # pairs of instances whose distances say what is far
_FAINT, _STRONG = 0.4, 0.95


class PairLinks(MapLayer):
    """The pairs of the project as lines on the map of the run whose points are on show. Violated
    links lie on top."""

    id = "pair_links"
    icon = "link"
    title = (
        "Pairs of chips: alike green, different red and dashed; thick where the map does not "
        "keep them"
    )
    on_at_first = True
    height = 2
    in_space = True
    reads = ("side",)

    def __init__(self, session: Session, surface: Surface) -> None:
        super().__init__(session, surface)
        self._of: tuple[Run | None, NDArray] | None = None  # the run, and where its points were
        self._kept = np.zeros((0, 2), np.int64), np.zeros(0, bool), np.zeros(0, bool)

    def read(self) -> None:
        self._of = None

    def why_not(self) -> str:
        return (
            ""
            if len(self.links()[0])
            else "No pairs of chips of this run: select two and press S or D"
        )

    def links(self) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Rows (P, 2) of the newest pairs, which are the same (P,), and which the map violates
        (P,)."""
        run, Z = self.cloud.run, self.cloud.Z
        if self._of is None or self._of[0] is not run or self._of[1] is not Z:
            index = RowIndex(run)
            pairs = [r for r in self.session.project.side.values() if isinstance(r, Pair)][-MOST:]
            found = [(index.row(r.a), index.row(r.b), r.same) for r in pairs]
            there = np.array([link for link in found if min(link[:2]) >= 0], np.int64).reshape(
                -1, 3
            )
            rows, same = there[:, :2], there[:, 2] > 0
            self._of, self._kept = (run, Z), (rows, same, violated(Z, rows, same))
        return self._kept

    def paint(self, painter: QPainter) -> None:
        rows, same, wrong = self.links()
        if not self.cloud.pickable or not len(rows):
            return
        ends = self.surface.spots(rows.ravel()).reshape(-1, 4)
        shown = self.cloud.visible[rows].all(axis=1) & np.isfinite(ends).all(axis=1)
        t = current()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for bad in (False, True):
            for alike, name in ((True, t.ok), (False, t.err)):
                chosen = ends[shown & (wrong == bad) & (same == alike)]
                color = QColor(name)
                color.setAlphaF(_STRONG if bad else _FAINT)
                style = Qt.PenStyle.SolidLine if alike else Qt.PenStyle.DashLine
                painter.setPen(QPen(color, 2.2 if bad else 1.0, style))
                painter.drawLines([QLineF(*line) for line in chosen.tolist()])


def violated(Z: NDArray, rows: NDArray, same: NDArray) -> NDArray[np.bool_]:
    """(P,) True for pairs that are the same and far on the map Z (N, d), or differ and are near.

    What parts near from far is the distance that has most of both kinds right, each kind counted
    alike; with pairs of one kind only, the median distance of any two instances. Pairs without a
    place are not violated. O(P log P).
    """
    Z = Z.astype(np.float64)
    here = np.isfinite(Z[rows].sum(axis=(1, 2))) if len(rows) else np.zeros(0, bool)
    out = np.zeros(len(rows), bool)
    if here.any():
        far = np.linalg.norm(Z[rows[here, 0]] - Z[rows[here, 1]], axis=1)
        out[here] = _violated(Z[np.isfinite(Z).all(axis=1)], far, same[here])
    return out


def _violated(Z: NDArray, far: NDArray, same: NDArray) -> NDArray[np.bool_]:
    """(P,) of pairs this far from each other (P,), among instances at Z (N, d)."""
    if same.all() or not same.any():
        draw = np.random.default_rng(0)
        a, b = draw.integers(0, len(Z), (2, _USUAL))
        cut = float(np.median(np.linalg.norm(Z[a] - Z[b], axis=1)[a != b])) if len(Z) > 1 else 0.0
    else:
        cut = _best_cut(far, same)
    return np.where(same, far > cut, far <= cut)


def _best_cut(far: NDArray, same: NDArray) -> float:
    order = np.argsort(far)
    alike = np.cumsum(same[order]) / same.sum()           # same pairs up to here are right
    apart = 1 - np.cumsum(~same[order]) / (~same).sum()   # different ones beyond it
    right = np.concatenate([[1.0], alike + apart])
    best = int(np.argmax(right))
    ends = np.concatenate([[0.0], far[order], [far.max()]])
    return float((ends[best] + ends[best + 1]) / 2)
