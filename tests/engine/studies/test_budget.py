"""Minutes of a label budget that are more than all labels take."""

import pytest

from emberscope.project.store.cell_folder import Result
from emberscope.studies.budget import gain_words, spare_words
from emberscope.studies.cells import cells_of
from emberscope.studies.label_times import USUAL
from emberscope.studies.summary import places_of

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


def found(asked, project, worth):
    """Places of a study whose cells have this worth, by how labels are drawn and their minutes."""
    cells = cells_of(asked, project)
    results = dict[str, Result]()
    for cell in cells:
        number = worth.get((cell.values["drawn"], cell.values["minutes"]))
        metrics = {} if number is None else {"method_bag_auc": number}
        results[cell.key] = Result(key=cell.key, values=cell.values, metrics=metrics)
    return places_of(asked, cells, results, "method_bag_auc")


def test_what_the_next_minutes_bring_is_said_for_each_way_to_draw(project):
    asked = study(drawn=["spot", "box"], minutes=[10, 2, 5])
    worth = {("spot", 2): 0.7, ("spot", 5): 0.75, ("spot", 10): 0.74, ("box", 2): 0.6,
             ("box", 10): 0.9}
    assert gain_words(found(asked, project, worth), "method_bag_auc") == [
        "drawn spot: held-out bag AUC 0.70 after 2 min; 3 more bring +0.05, "
        "5 more -0.01.",
        "drawn box: held-out bag AUC 0.60 after 2 min; 8 more bring +0.30."]


def test_one_budget_has_nothing_that_more_of_it_brings(project):
    asked = study(drawn=["spot"], minutes=[2])
    assert gain_words(found(asked, project, {("spot", 2): 0.7}), "method_bag_auc") == []
