"""Features of sources that are shown in other units."""

import msgspec
import numpy as np
import pytest

from emberscope.base.monitor import Silent
from emberscope.course.inputs import features, prepare
from emberscope.labels.model import Box
from emberscope.project import Project, PutLabels, Recipe
from emberscope.project.exchange.sources import add_source, for_features

from ..flir_files import fff

COUNTS = (14000 + np.add.outer(np.arange(60) ** 2, 5 * np.arange(80))).astype(np.uint16)


@pytest.fixture
def project(tmp_path):
    (tmp_path / "a.fff").write_bytes(fff(COUNTS))
    project = Project()
    project.apply(add_source(project, tmp_path / "a.fff", units="degC", emissivity=0.8))
    source = next(iter(project.sources))
    label = Box(
        id=project.new_ids()[0], source=source, frame=0, class_id=1, x0=10, y0=10, x1=50, y1=50
    )
    project.apply(PutLabels(title="Add", after=[label]))
    return project


def features_of(project, folder, units):
    usual = Recipe()
    recipe = msgspec.structs.replace(
        usual, features=msgspec.structs.replace(usual.features, kind="statistics", units=units))
    return features(project.sources, prepare(project, recipe, folder), recipe, Silent())


def test_features_are_made_of_counts_whatever_a_source_is_shown_in(project, tmp_path):
    shown = features_of(project, tmp_path / "cache", "counts")
    (key,) = project.sources
    project.sources[key] = for_features(project.sources[key], "counts")
    np.testing.assert_array_equal(shown, features_of(project, tmp_path / "other", "counts"))


def test_a_recipe_can_ask_for_the_units_of_the_source(project, tmp_path):
    counts, degrees = (
        features_of(project, tmp_path / "cache", units) for units in ("counts", "source")
    )
    assert not np.array_equal(counts, degrees)
