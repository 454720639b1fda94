"""Whatever shows a layer has it from the table: strip, menu, search, keys, both maps, and what is
remembered."""

import ast
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

import emberscope_app
from emberscope.labels.side_info import Pair
from emberscope.project import PutSide, mark
from emberscope_app.latent_view.layers import of_map, table
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.latent_view.layers.table import LAYERS, map_layers
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
from emberscope_app.latent_view.surfaces.map3d import Map3DPanel
from emberscope_app.shell.actions import MAP, all_keys
from emberscope_app.shell.search.search_entries import entries

from ....engine.test_rooms import imports_of, modules

FOLDER = Path(table.__file__).parent
IMPORTS = imports_of(modules(emberscope_app))
SHARED = {"layer", "of_map", "table", ""}  # what all layers have, and the folder itself


class Everywhere(MapLayer):
    """Green all over the map."""

    id, icon, title, key = "everywhere", "plus", "Green everywhere", "M"
    in_space = True
    reason = ""

    def why_not(self):
        return self.reason

    def words(self, run, row):
        return [f"Row {row} is green"]

    def paint(self, painter):
        painter.fillRect(self.surface.canvas.rect(), QColor("#00FF00"))


@pytest.fixture
def with_it(monkeypatch):
    """The table has one row more."""
    for module in (table, of_map):
        monkeypatch.setattr(module, "map_layers", lambda: (*map_layers(), Everywhere))


def shown(kind, session, qtbot):
    panel = kind(session)
    qtbot.addWidget(panel)
    panel.resize(700, 560)
    panel.show()
    return panel


def is_green(panel):
    return panel.surface.canvas.grab().toImage().pixelColor(350, 200).name() == "#00ff00"


def test_every_layer_of_the_folder_has_a_row():
    found = [
        f"{path.stem}:{node.name}"
        for path in sorted(FOLDER.glob("*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
        and "MapLayer" in [ast.unparse(base) for base in node.bases]
    ]
    assert sorted(LAYERS) == sorted(found)


def test_a_layer_is_called_by_one_name():
    assert len({layer.id for layer in map_layers()}) == len(LAYERS)


def test_no_module_beside_the_layers_knows_one_by_name():
    room = "emberscope_app.latent_view.layers"
    known = {
        (name, found)
        for name, all_found in IMPORTS.items()
        if not name.startswith(room)
        for found in all_found
        if found.startswith(room) and found.removeprefix(room).strip(".") not in SHARED
    }
    assert known == set()


def test_its_button_its_line_in_the_menu_and_its_key_switch_it(with_it, map_session, qtbot):
    panel = shown(Map2DPanel, map_session(n=30), qtbot)
    panel.toggles["everywhere"].click()
    assert is_green(panel)
    panel.resize(420, 500)
    menu = panel.all_layers.menu_of_hidden()
    line = next(action for action in menu.actions() if action.text() == "Green everywhere")
    line.trigger()
    assert not is_green(panel)
    QTest.keyClick(panel.surface, Qt.Key.Key_M)
    assert panel.toggles["everywhere"].isChecked()
    assert is_green(panel)


def test_one_switch_is_for_both_maps_and_for_maps_that_are_made_later(with_it, map_session, qtbot):
    session = map_session(n=30)
    session.layers.switch("everywhere", True)
    flat, space = (shown(kind, session, qtbot) for kind in (Map2DPanel, Map3DPanel))
    assert is_green(flat)
    assert is_green(space)
    QTest.keyClick(space.surface, Qt.Key.Key_M)
    assert not flat.toggles["everywhere"].isChecked()
    assert not is_green(flat)


def test_where_it_cannot_be_shown_the_button_and_the_key_say_why(
    with_it, map_session, qtbot, monkeypatch
):
    monkeypatch.setattr(Everywhere, "reason", "Nothing is green here")
    panel, said = shown(Map2DPanel, map_session(n=30), qtbot), []
    panel.session.message.connect(lambda message: said.append(message.words))
    assert panel.toggles["everywhere"].toolTip() == "Nothing is green here"
    assert not panel.toggles["everywhere"].isEnabled()
    QTest.keyClick(panel.surface, Qt.Key.Key_M)
    assert said == ["Nothing is green here."]
    assert not is_green(panel)


def color_of_a_point(panel):
    x, y = panel.surface.spots(np.array([0])).round().astype(int)[0].tolist()
    return panel.surface.canvas.grab().toImage().pixelColor(x, y).name()


@pytest.mark.parametrize(("height", "covers"), [(-1, False), (1, True)])
def test_below_0_it_lies_under_the_points_above_0_over_them(
    with_it, map_session, qtbot, monkeypatch, height, covers
):
    monkeypatch.setattr(Everywhere, "height", height)
    panel = shown(Map2DPanel, map_session(n=30), qtbot)
    panel.session.layers.switch("everywhere", True)
    assert (color_of_a_point(panel) == "#00ff00") == covers


def test_of_two_the_higher_lies_on_top(map_session, qtbot, monkeypatch):
    higher = type(
        "Higher",
        (Everywhere,),
        {
            "id": "higher",
            "height": 99,
            "paint": lambda self, painter: painter.fillRect(
                self.surface.canvas.rect(), QColor("#0000FF")
            ),
        },
    )
    monkeypatch.setattr(of_map, "map_layers", lambda: (higher, Everywhere))
    panel = shown(Map2DPanel, map_session(n=30), qtbot)
    for name in ("higher", "everywhere"):
        panel.session.layers.switch(name, True)
    assert color_of_a_point(panel) == "#0000ff"


def test_a_layer_reads_again_after_edits_of_what_it_reads_and_of_nothing_else(
    with_it, map_session, qtbot, monkeypatch
):
    read = []
    monkeypatch.setattr(Everywhere, "reads", ("marks",))
    monkeypatch.setattr(Everywhere, "read", lambda self: read.append(1))
    session = shown(Map2DPanel, map_session(n=30), qtbot).session
    read.clear()
    session.do(PutSide(after=[Pair(id=900, a=1, b=2, same=True)]))
    assert read == []
    session.do(mark(session.project, [int(session.run.ids[0])], 1))
    assert read == [1]


def test_the_card_of_an_instance_says_what_layers_that_are_on_say(with_it, map_session, qtbot):
    panel = shown(Map2DPanel, map_session(n=30), qtbot)
    assert panel.pointer.card.also(panel.session.run, 7) == []
    panel.session.layers.switch("everywhere", True)
    assert panel.pointer.card.also(panel.session.run, 7) == ["Row 7 is green"]


def test_the_search_finds_it_and_puts_it_on_the_maps(with_it, used_window):
    found = entries(used_window, "green everywhere")[0]
    assert (found.title, found.where, found.keys) == ("Green everywhere", "On the maps", "M")
    found.choose()
    assert used_window.session.layers.is_on("everywhere")
    assert used_window.panels["map2d"].isVisible()


def test_the_sheet_of_shortcuts_lists_its_key(with_it):
    assert (MAP, "M", "Green everywhere") in all_keys()
