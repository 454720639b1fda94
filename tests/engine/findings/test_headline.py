"""The first numbers of a run in words."""

import msgspec
import numpy as np
import pytest

from emberscope.bags.split_recipe import SplitRecipe
from emberscope.findings.describe import describe_project
from emberscope.findings.headline import (
    NOTHING,
    beside_words,
    chance_words,
    doubt_words,
    headline,
    held_out_words,
    made_from_words,
    named,
    part_records,
    part_rows,
    split_said,
    with_interval,
    worst,
)
from emberscope.labels import TargetClass
from emberscope.project import Project, PutClasses, PutRuns
from emberscope.project.model.parts import ALL, Part, packed
from emberscope.project.nouns import OF_FRAMES
from emberscope.report.page import Report, write_html

from ..project.builders import a_run, a_source

FOUND = {
    "method_bag_auc": 0.84,
    "method_bag_auc_low": 0.612,
    "method_bag_auc_high": 0.94,
    "method_bag_groups": 12.0,
    "method_bag_by_clip": 0.0,
}
CLIPS = {"method_bag_clips": 2.0, "method_bag_clips_not_judged": 0.0, "method_bag_pooled": 0.0}
WITNESS = {"witness_found": 1.0, "witness_found_chance": 0.44, "witness_found_bags": 120.0}
DAY, NIGHT, CAR, PERSON = 10, 11, 1, 4


@pytest.fixture
def project():
    project = Project()
    for source, name in ((DAY, "day"), (NIGHT, "night")):
        project.sources[source] = msgspec.structs.replace(a_source(source), name=name)
    project.apply(PutClasses(after=[TargetClass(id=PERSON, name="Person", role=1, slot=3)]))
    return project


def a_run_of_clips(**areas):
    """Areas by clip; ten bags of both kinds each, but of the clip "other", which has no
    background."""
    ids = {"day": DAY, "night": NIGHT, "other": 12}
    rows = [Part(ALL, ALL, {"method_bag_auc": 0.84})]
    for name, area in areas.items():
        own = {"method_bag_auc": area} if area is not None else {}
        counts = {"positive_bags": 10.0, "negative_bags": 0.0 if area is None else 10.0}
        rows.append(Part(ids[name], ALL, own | counts))
    return a_run(metrics=FOUND | CLIPS, diagnostics=packed("areas", rows))


def test_a_number_is_said_with_its_interval_where_that_is_known():
    assert with_interval(FOUND, "method_bag_auc") == "0.84 (0.61 – 0.94)"
    assert with_interval({"spread": 0.1}, "spread") == "0.10"
    assert with_interval(FOUND, "knn_balanced") == with_interval({"a": float("nan")}, "a") == ""


TRIAL = {"chosen_bag_auc": 0.93, "chosen_bag_auc_low": 0.88, "chosen_bag_auc_high": 0.97}


def test_the_number_a_recipe_was_chosen_by_is_named_as_that(project):
    (line,) = headline(project, a_run(metrics=TRIAL))
    assert (line.title, line.value) == ("Bag AUC of the trial", "0.93 (0.88 \u2013 0.97)")
    assert line.beside == "chose this recipe, so optimistic"


def test_it_is_not_named_beside_the_number_of_the_run_itself(project):
    assert [line.key for line in headline(project, a_run(metrics=TRIAL | FOUND))] == [
        "method_bag_auc"
    ]


@pytest.mark.parametrize("key", ["witness_found", "inside_auc", "map_accuracy"])
def test_the_truth_of_fewer_than_five_bags_says_nothing_but_that(key):
    few = {key: 0.0, f"{key}_low": 0.0, f"{key}_high": 0.79, "witness_found_bags": 1.0}
    assert with_interval(few, key) == "too few to judge (1)"
    assert with_interval({**few, "witness_found_bags": 5.0}, key) == "0.00 (0.00 – 0.79)"


ALL_TARGET = {
    "witness_found": 1.0,
    "witness_found_low": 0.94,
    "witness_found_high": 1.0,
    "witness_found_chance": 1.0,
    "witness_found_bags": 63.0,
}
NO_BETTER = {**ALL_TARGET, "witness_found": 0.33, "witness_found_chance": 0.36}


def test_where_every_patch_is_target_no_witness_was_found():
    assert with_interval(ALL_TARGET, "witness_found") == NOTHING
    assert chance_words(ALL_TARGET) == beside_words(ALL_TARGET, "witness_found", OF_FRAMES) == ""
    assert (
        with_interval({**ALL_TARGET, "witness_found_chance": 0.99}, "witness_found")
        == "1.00 (0.94 – 1.00)"
    )


def test_where_a_draw_finds_as_many_the_number_says_that_it_is_no_better(project):
    run = a_run(metrics=NO_BETTER)
    assert doubt_words(run, "witness_found") == "no better than chance"
    assert [line.beside for line in headline(project, run)] == [
        "chance 0.36, 63 bags, no better than chance"
    ]
    assert doubt_words(a_run(metrics={**NO_BETTER, "witness_found": 0.4}), "witness_found") == ""


def test_where_every_patch_is_target_none_is_ranked_among_ground():
    few = {**ALL_TARGET, "inside_auc": 1.0, "inside_auc_low": 0.39, "inside_auc_high": 1.0}
    assert with_interval(few, "inside_auc") == NOTHING
    assert (
        with_interval({**few, "witness_found_chance": 0.6}, "inside_auc")
        == "1.00 (0.39 \u2013 1.00)"
    )


@pytest.mark.parametrize("key", ["method_bag_auc", "inside_auc", "map_accuracy", "knn_balanced"])
def test_one_half_of_an_area_or_an_accuracy_is_no_better_than_chance(key):
    assert doubt_words(a_run(metrics={key: 0.5}), key) == "no better than chance"
    assert doubt_words(a_run(metrics={key: 0.51}), key) == ""


def test_no_place_presents_a_target_that_is_everywhere_as_found(project):
    run = a_run(
        metrics=ALL_TARGET,
        diagnostics=packed(
            "truths",
            [Part(ALL, ALL, ALL_TARGET), Part(10, ALL, ALL_TARGET), Part(11, ALL, ALL_TARGET)],
        ),
    )
    project.apply(PutRuns(after=[run]))
    (line,) = headline(project, run)
    rows = part_rows(part_records(project, run), OF_FRAMES)
    assert (line.value, line.beside) == (NOTHING, "")
    assert [row[4:6] for row in rows] == [(NOTHING, "")] * 3
    assert all("1.00" not in " ".join(row) for row in rows)
    assert NOTHING in write_html(project, Report(title="t"))
    (facts,) = describe_project(project)["runs"]
    assert (facts["metrics"]["witness_found"], facts["metrics"]["witness_found_chance"]) == (
        1.0,
        1.0,
    )


def test_what_was_held_out_is_named():
    assert held_out_words(FOUND) == "held out by blocks of frames, 12 blocks"
    assert (
        held_out_words({**FOUND, "method_bag_by_clip": 1.0, "method_bag_groups": 4.0})
        == "held out by clip, 4 clips, interval by blocks of frames"
    )
    assert held_out_words({**FOUND, "method_bag_by_bag": 1.0}) == (
        "held out by bag, 12 bags, interval by blocks of frames")
    assert held_out_words({}) == ""


@pytest.mark.parametrize(("key", "metrics", "split", "words"), [
    ("method_bag_auc", {}, SplitRecipe(), "held out by blocks of frames"),
    ("method_bag_auc", {"method_bag_by_clip": 1.0}, SplitRecipe(), "held out by clip"),
    ("method_bag_auc", {"method_bag_by_clip": 1.0}, SplitRecipe(kind="clip"), "split by clip"),
    ("bag_auc", {"bag_auc": 0.9, "method_bag_by_clip": 1.0}, SplitRecipe(),
     "held out by blocks of frames"),
    ("bag_accuracy", {"bag_accuracy": 0.9}, SplitRecipe(kind="bags"), "split by bags"),
    ("bag_auc", {}, SplitRecipe(), ""),
    ("trustworthiness", {"trustworthiness": 0.9}, SplitRecipe(kind="clip"), ""),
])  # fmt: skip
def test_a_number_of_held_out_bags_says_its_split_in_few_words(key, metrics, split, words):
    run = a_run(metrics=FOUND | metrics)
    run = msgspec.structs.replace(run, recipe=msgspec.structs.replace(run.recipe, split=split))
    assert split_said(run, key) == words


def test_the_list_of_runs_names_the_split_of_each(project):
    project.runs[3] = a_run(metrics=FOUND)
    assert describe_project(project)["runs"][0]["split"]["short"] == "held out by blocks of frames"


def test_a_number_of_held_out_bags_names_the_split_that_a_person_chose(project):
    run = a_run(metrics=FOUND | WITNESS | {"witness_found_chance": 0.2})
    split = SplitRecipe(kind="column", column="range", test=("1500",))
    told = msgspec.structs.replace(
        run, recipe=msgspec.structs.replace(run.recipe, split=split))
    lines = {line.key: line for line in headline(project, told)}
    assert lines["method_bag_auc"].beside.endswith("split by column range, test 1500")
    assert "split by" not in lines["witness_found"].beside


def test_an_area_says_of_how_many_clips_it_is_the_mean_and_how_many_are_not_judged():
    blocks = "held out by blocks of frames, 12 blocks"
    assert held_out_words(FOUND | CLIPS) == f"mean of 2 clips, {blocks}"
    one_more = {"method_bag_clips_not_judged": 1.0}
    assert (
        held_out_words(FOUND | CLIPS | one_more) == f"mean of 2 clips, 1 more not judged, {blocks}"
    )
    assert held_out_words(FOUND | CLIPS | one_more | {"method_bag_clips": 1.0}) == (
        f"of 1 clip, 1 more not judged, {blocks}")
    assert held_out_words(FOUND | CLIPS | {"method_bag_clips": 1.0}) == blocks  # there is no other


def test_a_pooled_area_is_said_to_be_pooled():
    pooled = {"method_bag_clips": 0.0, "method_bag_clips_not_judged": 3.0, "method_bag_pooled": 1.0}
    assert held_out_words(FOUND | pooled).startswith(
        "pooled over 3 clips, none of which has bags of both kinds, held"
    )


def test_an_area_of_a_version_that_pooled_clips_says_so(project):
    run = a_run(n=2, source=np.array([DAY, NIGHT]), metrics=FOUND)
    assert headline(project, run)[0].beside.startswith("pooled over 2 clips by an older version")
    assert "pooled" not in headline(project, a_run(metrics=FOUND))[0].beside


def test_the_clip_that_is_far_below_the_mean_is_named(project):
    far = a_run_of_clips(day=0.69, night=0.99)
    assert worst(far, "method_bag_auc").source == DAY
    assert headline(project, far)[0].beside.endswith("worst day 0.69")
    assert worst(a_run_of_clips(day=0.8, night=0.88), "method_bag_auc") is None


def test_what_spoils_a_number_is_said_in_a_few_words_the_heaviest_first():
    run = a_run_of_clips(day=0.69)
    told = "Bag AUC 0.95: background alone tells the bags apart."
    run = msgspec.structs.replace(
        run, notes=[told], metrics={**run.metrics, "bag_auc_without_targets": 0.92}
    )
    assert doubt_words(run, "method_bag_auc") == "background alone 0.92, worst clip 0.69"
    assert doubt_words(run, "trustworthiness") == ""


def test_that_a_number_is_missing_does_not_spoil_it():
    left_out = "Bags are not held out: the method would have to be fitted 5 times."
    run = a_run(metrics={"map_accuracy": 0.8}, notes=[left_out])
    assert doubt_words(run, "method_bag_auc") == ""


def test_a_clip_that_is_not_judged_is_no_worst_one_and_has_its_row(project):
    run = a_run_of_clips(night=0.84, other=None)
    assert worst(run, "method_bag_auc") is None
    assert [row[2] for row in part_rows(part_records(project, run), OF_FRAMES)] == [
        "0.84",
        "0.84",
        "not judged",
    ]


def test_the_chance_of_a_witness_is_said_where_truth_is_known():
    assert chance_words(WITNESS) == "chance 0.44, 120 bags"
    assert chance_words(FOUND) == chance_words(WITNESS | {"witness_found_bags": 4.0}) == ""


def test_parts_go_by_the_names_of_clips_and_classes(project):
    day = {"witness_found": 0.33, "witness_found_chance": 0.17, "witness_found_bags": 9.0}
    run = a_run(
        diagnostics=packed(
            "truths", [Part(ALL, ALL, WITNESS), Part(DAY, PERSON, day), Part(99, CAR, day)]
        )
    )
    whole, person, gone = part_records(project, run)
    assert (whole["clip"], whole["class"], whole["witness_found"]) == (None, None, 1.0)
    assert (person["clip"], person["class"], person["witness_found_chance"]) == (
        "day",
        "Person",
        0.17,
    )
    assert person["method_bag_auc"] is None
    assert not person["judged"]
    assert (gone["clip"], gone["class"]) == ("clip 99", "Target")


def test_one_clip_of_one_class_has_no_table_beside_the_headline(project):
    assert part_rows(part_records(project, a_run_of_clips(day=0.84)), OF_FRAMES) == []


def test_a_picture_made_from_labels_says_so():
    assert made_from_words({"made_from_labels": 1.0}) == "made from these labels"
    assert made_from_words({"made_from_labels": 0.0}) == made_from_words({}) == ""


def test_a_number_goes_by_its_plain_name_with_its_term_beside_it():
    assert named("r_nx_auc") == "agreement (r_nx_auc)"
    assert named("stress") == "stress"
    assert named("inside_auc") == "AUC inside positive bags (inside_auc)"
    assert named("knn_balanced_features") == "k-NN in the features (knn_balanced_features)"
    assert named("phase_of_the_moon") == "phase_of_the_moon"


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_counts_that_are_no_numbers_are_none(value):
    found = {"witness_found": 1.0, "witness_found_chance": 0.44, "witness_found_bags": value}
    assert chance_words(found) == "chance 0.44, 0 bags"
    assert chance_words({**found, "witness_found": value}) == ""
    assert (
        held_out_words({**FOUND, "method_bag_groups": value})
        == "held out by blocks of frames, 0 blocks"
    )
