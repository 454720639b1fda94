"""What every map shows its points on, in the plane or in space."""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, SignalInstance
from PySide6.QtGui import QPainter, QTransform
from PySide6.QtWidgets import QWidget

Layer = Callable[[QPainter], None]  # paints in logical px of the canvas


class Surface(Protocol):
    """Points of a cloud and the view on them. Places are logical px of `canvas`, screen positions
    device px."""

    in_space: bool
    # Painted below the points, in this order; in space above them, before the others
    under: list[Layer]
    over: list[Layer]   # painted above the points, in this order

    @property
    def viewed(self) -> SignalInstance:
        """Emitted when the view moved."""
        ...

    @property
    def widget(self) -> QWidget:
        """What a layout takes; it has the keys."""
        ...

    @property
    def canvas(self) -> QWidget:
        """What takes the mouse and carries the plates."""
        ...

    @property
    def ratio(self) -> float:
        """Device px in a logical px."""
        ...

    @property
    def fitted(self) -> bool:
        """The view is as `fit` made it."""
        ...

    @property
    def outside(self) -> int:
        """Outliers that the fit left out of the view."""
        ...

    def positions(self) -> NDArray[np.float32]:
        """Positions of all points, (N, 2) or with their depth (N, 3), device px. Of very many they
        take their time: `spots` are of those that are asked for."""
        ...

    def find_positions(self) -> Callable[[], NDArray[np.float32]]:
        """What finds them, as the view is now; a thread may call it."""
        ...

    def spots(self, rows: NDArray) -> NDArray:
        """Where the points of some rows are (M, 2); NaN where they are out of sight."""
        ...

    def from_space(self, places: NDArray) -> NDArray:
        """Where places of the cloud (P, 3) are (P, 2); NaN where they are out of sight."""
        ...

    def pick(self, at: QPointF) -> int:
        """The row of the point at a place, -1 where there is none."""
        ...

    def drag(self, step: QPointF, *, pan: bool) -> None:
        """Move the view by a step of the mouse; `pan`: shift it, where a plain drag would turn
        it."""
        ...

    def zoom(self, at: QPointF, factor: float) -> None:
        """Zoom by a factor about a place."""
        ...

    def to_map(self, outline: NDArray) -> NDArray | None:
        """Corners (C, 2) in units that stay with the points when the view moves; None where there
        are none."""
        ...

    def from_map(self, outline: NDArray) -> NDArray:
        """Where such corners are now."""
        ...

    def keep_free(self, top: int, bottom: int) -> None:
        """Px above and below that a fit leaves to plates and legend; a view that is fitted is
        fitted again."""
        ...

    def fit(self, rows: NDArray | None = None, *, everything: bool = False) -> None:
        """Show nearly all visible points, all with their outliers (`everything`), or some rows."""
        ...


class Flat(Surface, Protocol):
    """The plane of the flat map."""

    @property
    def places(self) -> NDArray[np.float32]:
        """(N, 3) where the points are in the plane, map units."""
        ...

    @property
    def magnification(self) -> float:
        """How many times larger the map is than where all of it is in view."""
        ...

    @property
    def free_below(self) -> int:
        """Px below that a fit leaves to what stands there."""
        ...

    def to_map(self, outline: NDArray) -> NDArray:
        """Corners (C, 2) in map units."""
        ...

    @property
    def is_strip(self) -> bool:
        """One axis is on show, with a band for each group of points."""
        ...

    def transform(self) -> QTransform:
        """Map units to logical px of the canvas."""
        ...
