"""Which methods fit the labels there are, and what the others lack."""

from emberscope.catalogue import BACKGROUND, PAIRS, TARGET
from emberscope.catalogue import EMBEDDERS as METHODS
from emberscope.catalogue.usual import labeled_kinds
from emberscope.project import PutLabels, mark
from emberscope_app.state.runs.method_choices import choices, classifier_lacks


def test_labels_of_both_signs_fit_every_method(session):
    found = choices(labeled_kinds(session.project))
    assert {choice.method.needs for choice in found if choice.missing} <= {
        "classes",
        "pairs",
        "distances",
        "actions",
    }
    assert next(choice for choice in found if choice.suggested).method.id == "mi-umap"


def test_with_one_chip_per_label_the_label_is_known_and_no_bag_need_be_read(session):
    found = choices(labeled_kinds(session.project), level="chip")
    assert next(choice for choice in found if choice.suggested).method.id == "s-le"


def test_without_background_supervised_methods_say_what_they_need():
    found = choices({TARGET})
    lacking = [choice for choice in found if choice.missing]
    assert {choice.method.id for choice in lacking} == {
        row.id for row in METHODS if row.needs not in ("none", "positive")
    }
    assert "Needs a background label" in {choice.about for choice in lacking}
    assert found[0].method.id == "pca"
    assert found[0].suggested


def test_a_mark_counts_as_a_label(session):
    project = session.project
    session.do(
        PutLabels(title="Delete", before=[label for label in project.labels if label.class_id == 2])
    )
    assert labeled_kinds(project) == {TARGET}
    session.do(mark(project, [int(session.run.ids[0])], 2))
    # Bags of both say something of pairs
    assert labeled_kinds(project) == {TARGET, BACKGROUND, PAIRS}


def test_a_classifier_without_background_says_what_it_needs():
    assert classifier_lacks("knn", {TARGET}) == "The bag classifier needs a background label."
    assert classifier_lacks("knn", {TARGET, BACKGROUND}) == classifier_lacks("", {TARGET}) == ""
