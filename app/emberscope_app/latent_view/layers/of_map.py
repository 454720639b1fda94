"""The layers of one map: laid over and under its points, read when what they show changed, switched
by buttons."""

from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeySequence, QPainter
from PySide6.QtWidgets import QWidget

from emberscope.project import Changes, Run
from emberscope.project.nouns import nouns_of
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.latent_view.layers.table import map_layers
from emberscope_app.latent_view.surfaces.surface import Surface
from emberscope_app.state.core.session import Session
from emberscope_app.theme.controls import IconButton


class LayersOfMap(QObject):
    """Those of the table that a surface takes. changed() : one was switched, has another plate, or
    can be shown now, or no longer."""

    changed = Signal()

    def __init__(self, session: Session, surface: Surface) -> None:
        super().__init__(surface.canvas)
        self._session, self._surface = session, surface
        kinds = [kind for kind in map_layers() if kind.in_space or not surface.in_space]
        self._layers = {kind.id: kind(session, surface) for kind in kinds}
        self._toggles: dict[str, IconButton] = {}
        for layer in sorted(self._layers.values(), key=lambda layer: layer.height):
            (surface.under if layer.height < 0 else surface.over).append(
                partial(self._paint, layer)
            )
            layer.changed.connect(partial(self._read, layer))
        session.layers.changed.connect(self._on_switch)
        session.changed.connect(self._on_project)

    def __getitem__(self, name: str) -> MapLayer:
        return self._layers[name]

    @property
    def plates(self) -> list[QWidget]:
        return [layer.plate for layer in self._layers.values() if layer.plate is not None]

    @property
    def below(self) -> int:
        """Px above the legend that those that are on take."""
        return max((layer.needs_below for layer in self._layers.values() if layer.on), default=0)

    def look(self) -> dict[str, Any]:
        """What `SaveFigure` hears of those that are on."""
        on = [layer for layer in self._layers.values() if layer.on and not layer.why_not()]
        return {name: value for layer in on for name, value in layer.look().items()}

    @property
    def keys(self) -> dict[Qt.Key, str]:
        """Which keys of a map switch which layers."""
        keyed = [layer for layer in self._layers.values() if layer.key]
        return {QKeySequence(layer.key)[0].key(): layer.id for layer in keyed}  # type: ignore[index]

    def words(self, run: Run, row: int) -> list[str]:
        """What those that are on say of an instance."""
        return [
            words for layer in self._layers.values() if layer.on for words in layer.words(run, row)
        ]

    def toggles(self) -> dict[str, IconButton]:
        """A button for each that has an icon, made at the first call."""
        say = nouns_of(self._session.project).say
        for layer in self._layers.values():
            if layer.icon and layer.id not in self._toggles:
                button = self._toggles[layer.id] = IconButton(
                    layer.icon, say(layer.title), checkable=True, key=layer.key
                )
                button.setChecked(layer.on)
                button.toggled.connect(partial(self._session.layers.switch, layer.id))
        return self._toggles

    def switch(self, name: str) -> None:
        """Put a layer on the maps, or take it away; where it cannot be shown now, say why."""
        why_not, on = self._layers[name].why_not(), self._session.layers.is_on(name)
        if why_not and not on:
            say = nouns_of(self._session.project).say
            self._session.say(say(f"{why_not.removesuffix('.')}."))
        else:
            self._session.layers.switch(name, not on)

    def read(self) -> None:
        """Other points are on show."""
        for layer in self._layers.values():
            layer.read()
            self._read(layer)

    def _read(self, layer: MapLayer) -> None:
        other = layer.plate is not None
        if layer.id in self._toggles:
            why_not, key = layer.why_not(), f" ({layer.key})" if layer.key else ""
            button = self._toggles[layer.id]
            bar = button.parentWidget()
            other |= bar is not None and button.isEnabledTo(bar) == bool(why_not)
            button.setEnabled(not why_not)
            say = nouns_of(self._session.project).say
            button.setToolTip(say(why_not or layer.title) + ("" if why_not else key))
        self._surface.canvas.update()
        if other:
            self.changed.emit()

    def _on_switch(self, name: str) -> None:
        if name in self._toggles:
            self._toggles[name].setChecked(self._session.layers.is_on(name))
        self._surface.canvas.update()
        self.changed.emit()

    def _on_project(self, changes: Changes) -> None:
        for layer in self._layers.values():
            if changes.touch(*layer.reads):
                layer.read()
                self._read(layer)

    def _paint(self, layer: MapLayer, painter: QPainter) -> None:
        if layer.on:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            layer.paint(painter)
