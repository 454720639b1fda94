"""Minutes of a label budget that are more than all labels take."""

import pytest

from emberscope.studies.budget import spare_words
from emberscope.studies.cells import cells_of
from emberscope.studies.label_times import USUAL

from .conftest import study


def drawn_in(project, kind):
    """Minutes for all labels where targets are drawn as this kind."""
    targets = sum(project.role(label.class_id) > 0 for label in project.labels)
    others = len(project.labels) - targets
    return (targets * USUAL[kind] + others * USUAL["box"]) / 60


def test_minutes_that_are_more_than_all_labels_take_are_named(project):
    spots, boxes = drawn_in(project, "spot"), drawn_in(project, "box")
    between = (spots + boxes) / 2
    asked = study(drawn=["spot", "box"], minutes=[between, 99.0], seed=[0, 1])
    assert spare_words(cells_of(asked, project), project) == [
        f"drawn box: all labels are drawn in {boxes:.1f} min, so 99 min bring no more of them.",
        f"drawn spot: all labels are drawn in {spots:.1f} min, so {between:g} and 99 min bring no "
        "more of them."]


def test_minutes_that_labels_fill_are_not_spoken_of(project):
    asked = study(minutes=[drawn_in(project, "box") / 2])
    assert spare_words(cells_of(asked, project), project) == []


@pytest.mark.parametrize("axes", [{"d": [2]}, {"share": [0.5]}], ids=["d", "share"])
def test_a_study_without_minutes_has_none_to_spare(project, axes):
    assert spare_words(cells_of(study(**axes), project), project) == []
