"""From a run to what an image of it needs."""

import numpy as np

from emberscope.project import mark
from emberscope.project.coloring import IGNORED_SLOT
from emberscope.report import drawing
from emberscope.report.drawing import CHIP, chips_of, map_data, run_name, short_title


def test_the_legend_counts_the_classes_that_are_there(project):
    data = map_data(project, project.runs[1])
    n = len(project.runs[1].ids)
    assert [(slot, title) for slot, title, _ in data.legend] == [(1, "Target"), (2, "Background")]
    assert sum(count for _, _, count in data.legend) == n
    assert data.title == "PCA, run 1"
    assert data.subtitle.startswith(f"{n} instances, 24 bags, trustworthiness ")


def test_a_marked_instance_changes_its_glyph(project):
    first = int(project.runs[1].ids[0])
    project.apply(mark(project, [first], 0))
    data = map_data(project, project.runs[1])
    assert data.slots[0] == IGNORED_SLOT
    assert data.legend[-1] == (IGNORED_SLOT, "Ignored", 1)


def test_chips_are_cut_of_some_instances_of_every_class(project, monkeypatch):
    monkeypatch.setattr(drawing, "_CANDIDATES", 6)
    data = map_data(project, project.runs[1])
    assert sorted(data.slots[list(data.chips)]) == [1, 1, 1, 2, 2, 2]
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
