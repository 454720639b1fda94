"""Parts of the window by themselves: palette search, workspaces, the table of actions."""

from importlib import resources

from PySide6.QtWidgets import QApplication

from emberscope_app.lists.layout import words_width
from emberscope_app.shell.actions import ACTIONS, all_keys
from emberscope_app.shell.dock_areas import DOCKS
from emberscope_app.shell.search.matching import match
from emberscope_app.shell.workspaces import WORKSPACES, dock_names


def test_letters_at_word_starts_count_more():
    assert match("sa", "Save as") > 0
    assert match("sa", "Previous area") == 0
    assert match("save", "Save as") > match("save", "Keep and save")
    assert match("xyz", "Save as") == 0


def test_no_layout_shows_a_dock_twice_or_one_that_does_not_exist():
    for workspace in WORKSPACES.values():
        for layout in workspace.layouts().values():
            names = dock_names(layout)
            assert len(set(names)) == len(names)
            assert set(names) <= set(DOCKS)


def test_narrower_layouts_keep_every_dock():
    for workspace in WORKSPACES.values():
        for _, layout in workspace.below:
            assert set(dock_names(layout)) == set(dock_names(workspace.layout))
        flat = workspace.flat or workspace.layout
        assert set(dock_names(flat)) == set(dock_names(workspace.layout))


def test_a_project_of_points_keeps_every_dock_that_needs_no_frame():
    of_frames = {"frame", "timeline", "preview"}
    for workspace in WORKSPACES.values():
        for_points = workspace.points or workspace.layout
        missing = set(dock_names(workspace.layout)) - set(dock_names(for_points))
        assert missing <= of_frames


def test_every_action_has_an_icon_that_exists_or_none():
    icons = {
        path.name.removesuffix(".svg")
        for path in (resources.files("emberscope_resources") / "icons").iterdir()
    }
    assert {row.icon for row in ACTIONS} - {""} <= icons


def test_the_sheet_of_keys_groups_by_scope():
    scopes = [scope for scope, _, _ in all_keys()]
    assert scopes == sorted(scopes, key=list(dict.fromkeys(scopes)).index)


def test_in_the_sheet_of_keys_no_title_runs_into_its_keys(full_window, screenshot):
    full_window.actions_by_id["help.shortcuts"].trigger()
    QApplication.processEvents()
    view = full_window.sheet.view
    for row in range(view.model().rowCount()):
        index = view.model().index(row, 0)
        written = [(cell, place) for cell, place in view.delegate.cells(index) if cell.text]
        (_, title), keys = written[0], written[1:]
        for cell, place in keys:
            assert title.right() < place.right() - words_width(cell.text, cell.px, cell.weight)
        assert view.visualRect(index).contains(title)
    screenshot(full_window, "shortcuts")
