"""From a run to what an image of it needs."""

import numpy as np
import pytest

from emberscope.findings.coloring import IGNORED_SLOT
from emberscope.findings.point_looks import style_points
from emberscope.project import mark
from emberscope.report import drawing
from emberscope.report.drawing import CHIP, MapLook, chips_of, map_data, run_name, short_title


def test_the_legend_counts_the_classes_that_are_there(project):
    data = map_data(project, project.runs[1])
    n = len(project.runs[1].ids)
    assert [(entry.slot, entry.title) for entry in data.look.legend] == [
        (1, "Target"),
        (2, "Background"),
    ]
    assert sum(entry.count for entry in data.look.legend) == n
    assert data.title == "PCA, run 1"
    assert data.subtitle.startswith(f"{n} instances, 24 bags, trustworthiness ")


def test_a_marked_instance_changes_its_glyph(project):
    first = int(project.runs[1].ids[0])
    project.apply(mark(project, [first], 0))
    data = map_data(project, project.runs[1])
    assert data.look.slot[0] == IGNORED_SLOT
    assert (data.look.legend[-1].slot, data.look.legend[-1].count) == (IGNORED_SLOT, 1)


@pytest.mark.parametrize("color", ["class", "bag", "score"])
def test_instances_have_the_colors_that_the_window_gives_them(project, color):
    run = project.runs[1]
    look = map_data(project, run, MapLook(color=color, theme="dark"), with_chips=False).look
    np.testing.assert_array_equal(look.rgb, style_points(project, run, color, "dark").rgb)
    assert len(np.unique(look.rgb, axis=0)) > 1


def test_what_is_selected_is_ringed(project):
    run = project.runs[1]
    data = map_data(project, run, MapLook(selected=run.ids[[0, 3]]), with_chips=False)
    assert np.flatnonzero(data.ringed).tolist() == [0, 3]


def test_chips_are_cut_of_some_instances_of_every_class(project, monkeypatch):
    monkeypatch.setattr(drawing, "_CANDIDATES", 6)
    data = map_data(project, project.runs[1])
    assert sorted(data.look.slot[list(data.chips)]) == [1, 1, 1, 2, 2, 2]
    assert {chip.shape for chip in data.chips.values()} == {(CHIP, CHIP)}


def test_sources_are_stretched_each_by_itself(project):
    run = project.runs[1]
    rows = np.flatnonzero(run.y == -1)
    chips = chips_of(project, run, rows)
    for source in project.sources:
        own = np.stack([chips[row] for row in rows.tolist() if run.source[row] == source])
        assert np.ptp(own) == 255


def test_no_chips_where_a_source_is_gone(project, tmp_path):
    (tmp_path / "night.npy").unlink()
    assert map_data(project, project.runs[1]).chips == {}


def test_a_method_of_another_version_is_called_by_its_id(project):
    assert short_title("s-le") == "S-LE"
    assert short_title("from-the-future") == "from-the-future"
    assert run_name(project.runs[1]) == "PCA, run 1"
