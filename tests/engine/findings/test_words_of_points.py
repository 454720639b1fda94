"""What a run on a point set says speaks of bags and instances, and of nothing that frames have."""

import json
import re

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import ParamError, ProjectError
from emberscope.cli import main
from emberscope.findings.headline import headline
from emberscope.findings.notes import notes_of
from emberscope.findings.point_looks import style_points
from emberscope.findings.split_sides import split_words
from emberscope.judging.judge import judge_run
from emberscope.pipeline.project_run import run
from emberscope.project import Project, PutRuns
from emberscope.project.exchange.labels_out import Way, check_export
from emberscope.project.exchange.sources import add_source
from emberscope.project.exchange.truth import import_truth
from emberscope.project.model.study import Study
from emberscope.project.store.file import save
from emberscope.report.drawing import chips_of
from emberscope.scoring.clips import Scoring
from emberscope.studies.cells import cells_of

OF_FRAMES = re.compile(r"\b(frames?|clips?|patch(es)?|box(es)?)\b", re.IGNORECASE)


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A project of twenty bags of three instances of four features, targets shifted; its run."""
    rng = np.random.default_rng(5)
    bag = np.repeat(np.arange(20), 3)
    X = rng.normal(size=(60, 4)) + 3.0 * (bag % 2)[:, None]
    folder = tmp_path_factory.mktemp("points")
    np.savez(folder / "drawn.npz", X=X, bag=bag, bag_y=np.where(np.arange(20) % 2, 1, -1))
    project = Project()
    project.apply(add_source(project, folder / "drawn.npz"))
    recipe = msgspec.structs.replace(project.recipe, method="pca")
    made = run(project, recipe, cache=folder / "cache")
    project.apply(PutRuns(after=[made]))
    path = folder / "drawn.ember"
    save(project, path)
    return project, made, path


def test_its_split_is_of_bags(judged):
    words = split_words(judged[1])
    assert words.startswith("default: 5 folds of bags; held out 4 bags; learned from 16 bags")
    assert not OF_FRAMES.search(words)


def test_its_headline_rests_on_bags(judged):
    beside = " ".join(line.beside for line in headline(*judged[:2]))
    assert "held out by bag, 20 bags" in beside
    assert not OF_FRAMES.search(beside)


def test_its_notes_name_no_frame(judged):
    found = judged[1]
    told = [*found.notes, "Bags are not held out: label on 2 frames more."]
    notes = notes_of(msgspec.structs.replace(found, notes=told))
    assert "Bags are not held out: label on 2 bags more." in [note.text for note in notes]
    assert not [note.text for note in notes if OF_FRAMES.search(note.text)]


def test_no_question_is_asked_about_places(judged):
    assert not [note for note in judged[1].notes if "AUC rests on" in note]


def test_bags_have_no_looseness(judged):
    assert "label_looseness" not in judged[1].metrics


def test_the_legend_of_its_map_counts_bags(judged):
    says = [entry.says for entry in style_points(*judged[:2], "class", "dark").legend]
    assert "Instances in 10 bags of Target" in says


def test_what_its_bags_are_judged_by_names_no_frame(judged):
    rests_on = judge_run(*judged[:2]).level("bag").rests_on
    assert "20 bags by their labels, 1 point set, intervals by 20 bags" in rests_on


def test_info_tells_bags_and_features(judged, capsys):
    assert main(["info", str(judged[2])]) == 0
    out = capsys.readouterr().out
    assert "20 bags of 4 features" in out
    assert not OF_FRAMES.search(out.replace(str(judged[2]), ""))


def test_info_says_to_machines_that_a_project_has_points(judged, capsys):
    assert main(["info", str(judged[2]), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["points"] is True


def test_features_of_points_are_drawn_as_no_chip(judged):
    project, run, *_ = judged
    assert chips_of(project, run, np.arange(3)) == {}


def test_points_are_not_scored_as_clips(judged):
    with pytest.raises(ProjectError, match="scored clips need frames, and this project has points"):
        Scoring(*judged[:2])


def test_labels_of_points_are_not_written_for_programs_of_images(judged, tmp_path):
    with pytest.raises(ProjectError, match="need frames"):
        check_export(judged[0], tmp_path, Way("coco"))


def test_boxes_of_truth_do_not_come_into_points(judged, tmp_path):
    with pytest.raises(ProjectError, match="need frames"):
        import_truth(judged[0], next(iter(judged[0].sources)), tmp_path / "truth.csv")


@pytest.mark.parametrize("axis", ["patch", "u", "features"])
def test_a_study_of_points_refuses_what_only_frames_have(judged, axis):
    with pytest.raises(ParamError, match=f"the axis {axis} is of frames"):
        cells_of(Study(axes={axis: [16, 24]}), judged[0])


def test_bags_of_a_point_set_are_not_sliced_by_their_order(judged):
    assert not [axis.id for axis in judge_run(*judged[:2]).level("bag").axes]
