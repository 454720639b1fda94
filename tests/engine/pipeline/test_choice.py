"""The number that a recipe was chosen by, on a run of it."""

from emberscope.findings.notes import beside
from emberscope.pipeline.choice import with_choice

from ..project.builders import a_run

AREA = (0.93, 0.88, 0.97)
TRIAL = {"chosen_bag_auc": 0.93, "chosen_bag_auc_low": 0.88, "chosen_bag_auc_high": 0.97}


def test_a_run_without_a_number_of_its_own_carries_that_of_the_choice():
    assert with_choice(a_run(metrics={"spread": 0.1}), AREA).metrics == {"spread": 0.1} | TRIAL


def test_a_run_that_held_bags_out_itself_keeps_its_number_and_says_that_it_is_optimistic():
    found = with_choice(a_run(metrics={"method_bag_auc": 0.9}), AREA)
    assert found.metrics == {"method_bag_auc": 0.9}
    assert [note.short for note in beside(found, "method_bag_auc")] == [
        "recipe chosen by held-out bags"
    ]


def test_a_recipe_that_nothing_was_tried_for_changes_nothing():
    run = a_run()
    assert with_choice(run, None) is run
