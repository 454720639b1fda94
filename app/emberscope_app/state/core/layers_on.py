"""Which layers are painted over the maps: what a person switched, of the others what is on at
first."""

from PySide6.QtCore import QObject, Signal

# Those that others than the maps switch.
CHIPS_ON_MAP, GROUND_SQUARES = "chips_on_map", "ground_squares"


class LayersOn(QObject):
    """Layers by their ids, for all maps at once. They stay as they are when another project
    opens."""

    changed = Signal(str)  # the layer that was switched

    def __init__(self) -> None:
        super().__init__()
        self._on: dict[str, bool] = {}

    def begin(self, layer: str, on: bool) -> None:
        """There is such a layer, which is `on` unless it was switched before."""
        self._on.setdefault(layer, on)

    def is_on(self, layer: str) -> bool:
        return self._on.get(layer, False)

    def switch(self, layer: str, on: bool) -> None:
        if on != self.is_on(layer):
            self._on[layer] = on
            self.changed.emit(layer)
