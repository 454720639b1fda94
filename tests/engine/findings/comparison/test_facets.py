"""A map in parts."""

import numpy as np
import pytest

from emberscope.findings.comparison.facets import MOST, facets_of
from emberscope.project import Project, PutSources

from ...project.builders import a_run, a_source


@pytest.fixture
def project():
    project = Project()
    project.apply(PutSources(after=[a_source(10), a_source(11, "/frames/b.arf")]))
    return project


def test_clips_are_parts_the_largest_first(project):
    run = a_run(n=5, source=np.array([10, 11, 11, 10, 11]))
    found = facets_of(project, run, "source", "dark")
    assert [facet.rows.tolist() for facet in found] == [
        [False, True, True, False, True], [True, False, False, True, False]]


def test_a_part_has_the_name_and_glyph_of_its_class(project):
    found = facets_of(project, a_run(n=5), "class", "dark")
    assert [(facet.title, facet.count) for facet in found] == [("Target", 5)]
    assert found[0].slot == 1


def test_a_number_is_cut_into_quarters_from_the_lowest_on(project):
    run = a_run(n=8, point_scores={"score": np.arange(8.0)})
    found = facets_of(project, run, "score", "dark")
    assert [np.flatnonzero(facet.rows).tolist() for facet in found] == [
        [0, 1], [2, 3], [4, 5], [6, 7]]
    assert found[0].title == "0.00 \N{EN DASH} 1.75"


def test_instances_without_the_number_are_in_no_part(project):
    values = np.array([0.0, 1.0, 2.0, np.nan])
    found = facets_of(project, a_run(n=4, point_scores={"score": values}), "score", "dark")
    assert not any(facet.rows[3] for facet in found)


def test_a_number_that_all_share_is_one_part(project):
    run = a_run(n=4, point_scores={"score": np.ones(4)})
    assert [facet.count for facet in facets_of(project, run, "score", "dark")] == [4]


def test_of_very_many_clips_the_largest_are_shown(project):
    run = a_run(n=40, source=np.arange(40) // 2)
    assert len(facets_of(project, run, "source", "dark")) == MOST


def test_frames_are_cut_into_quarters_of_a_clip(project):
    run = a_run(n=8, source=np.full(8, 10), frame=np.arange(8) * 10)
    found = facets_of(project, run, "frame", "dark")
    assert [np.flatnonzero(facet.rows).tolist() for facet in found] == [
        [0, 1], [2, 3], [4, 5], [6, 7]]
    assert found[0].title == "frames 1 \N{EN DASH} 11"


def test_few_numbers_of_a_column_are_a_part_each(project):
    project.sources[10].columns["range"] = 1000.0
    project.sources[11].columns["range"] = 2000.0
    run = a_run(n=4, source=np.array([10, 11, 11, 10]))
    found = facets_of(project, run, "column:range", "dark")
    assert [np.flatnonzero(facet.rows).tolist() for facet in found] == [[0, 3], [1, 2]]
