"""Parts of the window by themselves: palette search, preferences, workspaces, thumbnails, icons, sheet of keys."""

from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from emberscope_app.pixels.thumbnails import SIZE, Thumbnails, _small
from emberscope_app.shell.actions import ACTIONS, all_keys
from emberscope_app.shell.dock_areas import DOCKS
from emberscope_app.shell.palette import fuzzy
from emberscope_app.shell.project_files import frozen
from emberscope_app.shell.workspaces import WORKSPACES, dock_names
from emberscope_app.state.preferences import Preferences
from emberscope_app.theme.icons import pixmap

ICONS = sorted(path.name[:-4] for path in (resources.files("emberscope_resources") / "icons").iterdir())


def test_letters_at_word_starts_count_more():
    assert fuzzy("sa", "Save as") > fuzzy("sa", "Previous area")
    assert fuzzy("xyz", "Save as") == 0


def test_no_layout_shows_a_dock_twice_or_one_that_does_not_exist():
    for workspace in WORKSPACES.values():
        for layout in workspace.layouts().values():
            names = dock_names(layout)
            assert len(set(names)) == len(names)
            assert set(names) <= set(DOCKS)


def test_narrower_layouts_keep_every_dock():
    for workspace in WORKSPACES.values():
        for layout in workspace.layouts().values():
            assert set(dock_names(layout)) == set(dock_names(workspace.layout))


def test_the_newest_project_is_the_first_of_the_recent_ones(tmp_path):
    preferences = Preferences()
    for name in ("a.ember", "b.ember", "a.ember"):
        (tmp_path / name).write_bytes(b"")
        preferences.add_recent(tmp_path / name)
    (tmp_path / "b.ember").unlink()
    preferences.add_recent(tmp_path / "c.ember")
    assert [path.name for path in Preferences().recent] == ["a.ember"]


@pytest.mark.parametrize("name", ICONS)
def test_every_icon_draws_something_in_its_color(qapp, name):
    image = pixmap(name, "#E69F00", 20).toImage()
    pixels = [image.pixelColor(x, y) for x in range(20) for y in range(20)]
    inked = [color for color in pixels if color.alpha() > 128]
    assert len(inked) > 5
    assert all(abs(color.red() - 0xE6) < 12 and abs(color.blue()) < 12 for color in inked)


def test_every_action_has_an_icon_that_exists_or_none():
    assert {row.icon for row in ACTIONS} - {""} <= set(ICONS)


def test_the_sheet_of_keys_groups_by_scope():
    scopes = [scope for scope, _, _ in all_keys()]
    assert scopes == sorted(scopes, key=list(dict.fromkeys(scopes)).index)


def test_a_thumbnail_is_gray_between_its_percentiles_even_with_nan():
    frame = np.linspace(0, 1000, 600 * 800, dtype=np.float32).reshape(600, 800)
    frame[0, 0] = np.nan
    small = _small(frame)
    assert small.shape == (SIZE[1], SIZE[0])
    assert (small.min(), small.max()) == (0, 255)


def test_thumbnails_come_from_a_thread_and_errors_are_kept(qtbot, small_project):
    ref = small_project.sources[10]
    thumbnails = Thumbnails()
    assert thumbnails.get(ref, [0, 5]) == [None, None]
    qtbot.waitUntil(lambda: None not in thumbnails.get(ref, [0, 5]))
    Path(ref.path).unlink()
    thumbnails.forget({10})
    thumbnails.get(ref, [0])
    qtbot.waitUntil(lambda: "not there" in thumbnails.errors.get(10, ""))
    thumbnails.wait()


def test_a_frozen_project_does_not_see_later_edits(small_project):
    copy = frozen(small_project)
    small_project.labels.drop(100)
    small_project.marks[5] = 1
    assert 100 in copy.labels
    assert not copy.marks
