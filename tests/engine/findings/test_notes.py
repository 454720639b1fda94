"""Notes of a run and their weight."""

import pytest

from emberscope.findings.notes import (
    _KINDS,
    WEIGHTS,
    beside,
    heaviest,
    notes_of,
    weighed,
    without_number,
)

from ..project.builders import a_run

GROUND_TELLS = (
    "Bag AUC 0.97 by randomized trees; without any patch that shows a target 0.92 (chance .5): "
    "background alone tells the bags apart; draw background elsewhere."
)
ABOUT_GROUND = (
    "The rules agreed about ground that only positive bags hold, instead of targets. "
    "Draw boxes closer."
)
DIMENSIONS = (
    "Locally the data have about 17 dimensions (16 to 18): an embedding in 2 or 3 must "
    "fold some of them."
)
METRICS = {"bag_auc_without_targets": 0.92}
TRUTH = {"witness_found": 1.0, "witness_found_bags": 151.0}


def test_the_heaviest_note_comes_first_and_the_lightest_last():
    notes = weighed(
        [DIMENSIONS, GROUND_TELLS, "In 2 of 9 positive bags no patch lies on the target."], METRICS
    )
    assert [note.weight for note in notes] == list(WEIGHTS)
    assert notes[0].text == GROUND_TELLS


def test_a_note_that_spoils_a_number_has_a_few_words_to_stand_beside_it():
    run = a_run(notes=[DIMENSIONS, GROUND_TELLS], metrics=METRICS)
    (note,) = beside(run, "method_bag_auc")
    assert (note.id, note.short) == ("background-tells", "background alone 0.92")
    assert note.actions == ("label.background",)
    assert beside(run, "trustworthiness") == []


def test_targets_that_patches_cut_are_not_said_to_have_no_patch():
    cut = (
        "In 22 of 63 positive bags the best patch sees less than half of the target; larger "
        "patches help."
    )
    run = a_run(notes=[cut], metrics={"bags_missed": 0.0, "bags_cut": 22.0})
    assert [note.short for note in beside(run, "witness_found")] == ["22 targets cut by patches"]


def test_a_sentence_that_nobody_described_is_a_remark_of_the_method():
    (note,) = weighed(["Shortest paths start from 300 landmarks."], {})
    assert (note.id, note.weight, note.spoils) == ("of-method", "remark", "")


def test_that_the_witness_is_often_ground_yields_to_truth():
    assert [note.id for note in weighed([ABOUT_GROUND], {})] == ["rules-about-ground"]
    assert weighed([ABOUT_GROUND], TRUTH) == []
    assert len(weighed([ABOUT_GROUND], TRUTH | {"witness_found": 0.4})) == 1
    assert len(weighed([ABOUT_GROUND], TRUTH | {"witness_found_bags": 2.0})) == 1


def test_what_is_said_twice_is_one_note():
    assert len(weighed([DIMENSIONS, DIMENSIONS], {})) == 1


def test_a_note_whose_number_an_older_run_does_not_have_stands_beside_without_it():
    run = a_run(notes=[GROUND_TELLS], metrics={})
    assert [note.short for note in beside(run, "method_bag_auc")] == ["background alone"]
    assert notes_of(run)[0].weight == "decisive"


@pytest.mark.parametrize(
    "kind", [kind for kind in _KINDS if kind.weight == "decisive"], ids=lambda kind: kind.id
)
def test_what_is_decisive_has_a_number_that_it_spoils_few_words_and_a_button(kind):
    assert kind.spoils
    assert kind.short
    assert kind.actions


@pytest.mark.parametrize(
    "kind", [kind for kind in _KINDS if kind.weight == "warning"], ids=lambda kind: kind.id
)
def test_what_warns_has_a_button(kind):
    assert kind.actions


def test_few_words_stand_beside_a_number_only():
    assert [kind.id for kind in _KINDS if kind.short and not kind.spoils] == []
    assert {kind.weight for kind in _KINDS} == set(WEIGHTS)


def test_of_several_notes_about_a_number_all_that_are_decisive_stand_there_else_the_first():
    little, missed = (
        "The rules agree little.",
        "In 2 of 9 positive bags no patch lies on the target.",
    )
    assert [note.id for note in heaviest(weighed([little, missed], {}))] == ["rules-agree-little"]
    assert [note.id for note in heaviest(weighed([little, ABOUT_GROUND], {}))] == [
        "rules-about-ground"
    ]


def test_what_is_decisive_about_a_number_that_is_not_shown_stands_by_itself():
    run = a_run(notes=[GROUND_TELLS, ABOUT_GROUND], metrics=METRICS)
    assert [note.id for note in without_number(run, {"method_bag_auc"})] == ["rules-about-ground"]


@pytest.mark.parametrize(("sentence", "actions"), [
    ("Axis 2 is the place: it tells clips apart (AUC 0.88). Color by clip or frame.",
     ("view.by-clip", "view.by-frame")),
    (ABOUT_GROUND, ("label.boxes", "label.background")),
    ("Concepts still moved in the last round: ask for more rounds.", ("run.settings",)),
    ("6 positive bags for 3 concepts: label three or more of each kind, or ask for fewer.",
     ("label.more",)),
    ("Shortest paths start from 300 landmarks.", ()), (
        "k was lowered from 15 to 9: there are 10 instances.", ()),
    ("Coordinates were given; labels took no part.", ()),
])  # fmt: skip
def test_advice_has_the_button_that_does_it_and_a_fact_has_none(sentence, actions):
    assert weighed([sentence], {})[0].actions == actions


def test_a_note_as_data_has_its_id_and_weight():
    (note,) = weighed([GROUND_TELLS], METRICS)
    assert note.to_dict() == {"id": "background-tells", "weight": "decisive", "text": GROUND_TELLS,
                              "spoils": "method_bag_auc", "action": "label.background",
                              "actions": ["label.background"]}
    assert weighed([DIMENSIONS], {})[0].to_dict()["spoils"] is None
