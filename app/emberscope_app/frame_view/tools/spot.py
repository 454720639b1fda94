"""Spot: click on a target; dragging outward sets rho, the uncertainty of its place."""

import math

from emberscope.labels import Spot
from emberscope_app.frame_view.tools.gesture import DRAFT, Gesture, Place, Pointer, Tool

_CLICK = 4.0  # px on screen


class SpotGesture(Gesture):
    def __init__(self, place: Place, pointer: Pointer) -> None:
        self._place, self._start = place, pointer
        self.drafts = (self._spot(pointer),)

    def move(self, pointer: Pointer) -> None:
        spot = self._spot(pointer)
        self.drafts = (spot,)
        self.words = f"ρ {spot.rho:.1f} px"

    def release(self, pointer: Pointer) -> None:
        self._place.add(self._spot(pointer), title="Draw spot")

    def _spot(self, pointer: Pointer) -> Spot:
        far = pointer.at - self._start.at
        rho = self._place.settings.rho
        if math.hypot(far.x(), far.y()) >= _CLICK:
            rho = round(math.dist((self._start.x, self._start.y), (pointer.x, pointer.y)), 1)
        return Spot(id=DRAFT, x=self._start.x, y=self._start.y, rho=rho, **self._place.where())


class SpotTool(Tool):
    id, title, key, icon = "spot", "Spot", "P", "spot"
    hint = "Click on a target; drag outward for its uncertainty."

    def press(self, place: Place, pointer: Pointer) -> Gesture | None:
        return SpotGesture(place, pointer)
