"""Clips that nobody labeled are scored with what a run learned."""

import csv
from pathlib import Path

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import Cancelled, DataError, FormatError, ProjectError
from emberscope.base.monitor import Watch
from emberscope.pipeline import run as make_run
from emberscope.project.model.operations import PutLabels, PutSources
from emberscope.scoring import clips, grids, scan
from emberscope.scoring.clips import Scoring, clips_at
from emberscope.scoring.files import write_folder

from .conftest import RECIPE, clip_with_blob


class Done:
    """What a call of `score` left: the clips, the folder, the notes."""

    def __init__(self, scoring, made, folder):
        written = write_folder(scoring, [clip.ref for clip in made], folder)
        self.clips, self.table, self.heat = made, written.table, written.heat
        self.note = scoring.probability()[1]
        self.kept = [block.path for clip in made for block in scoring.blocks_at(clip.ref)]


@pytest.fixture
def score(project, run, cache, tmp_path):
    """Score clips into one folder."""

    def score(*asked, run=run, **more):
        scoring = Scoring(project, run, cache)
        return Done(scoring, scoring.score(clips_at(project, asked), **more), tmp_path / "out")

    return score


@pytest.fixture
def blocks_of_two(monkeypatch):
    """Blocks of two frames."""
    monkeypatch.setattr(grids, "_MOST_FRAMES", 2)


@pytest.fixture
def scanned(monkeypatch):
    """The frames of each block that is scored from now on, labeled ones for probabilities left
    out."""
    seen = []

    def scan_and_tell(*asked):
        for block in scan.scan(*asked):
            seen.append(block.frames.tolist())
            yield block

    monkeypatch.setattr(clips, "scan", scan_and_tell)
    return seen


def rows_in(scored):
    with Path(scored.table).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def highest(rows):
    """The highest detection of each frame."""
    return {int(row["frame"]): row for row in reversed(rows)}


def test_a_hot_blob_is_found_on_every_frame_of_a_clip_that_nobody_labeled(score, unseen):
    found = highest(rows_in(score(unseen)))
    middle = {n: ((float(r["x0"]) + float(r["x1"])) / 2, (float(r["y0"]) + float(r["y1"])) / 2)
              for n, r in found.items()}
    assert sorted(middle) == [0, 1, 2, 3, 4]
    assert all(abs(x - 36) <= 8 and abs(y - 10 - 6 * n) <= 8 for n, (x, y) in middle.items())
    assert {row["class"] for row in found.values()} == {"Target"}


def test_the_heat_of_every_frame_is_written_by_side_of_the_patch(score, unseen):
    (folder,) = score(unseen).heat
    (path,) = sorted(Path(folder).iterdir())
    with np.load(path) as kept:
        heat, step = kept["heat_12"], float(kept["step_12"])
    assert heat.shape == (5, 10, 14)
    assert step == 4
    assert np.unravel_index(heat[0].argmax(), heat[0].shape) in [(1, 7), (1, 8), (0, 7), (0, 8)]


def test_a_call_that_was_stopped_goes_on_with_the_frames_that_are_not_there(
    score, unseen, blocks_of_two, scanned
):
    def stop():
        return len(scanned) == 1

    with pytest.raises(Cancelled):
        score(unseen, monitor=Watch(stop=stop))
    scored = score(unseen)
    assert scanned == [[0, 1], [2, 3], [4]]
    assert scored.clips[0].computed == 3


def test_a_second_call_computes_nothing_and_writes_the_same_table(score, unseen, scanned):
    first = rows_in(score(unseen))
    scanned.clear()
    assert rows_in(score(unseen)) == first
    assert scanned == []


def test_blocks_make_no_difference_to_what_is_found(score, unseen, monkeypatch):
    whole = rows_in(score(unseen))
    monkeypatch.setattr(grids, "_MOST_FRAMES", 2)
    assert rows_in(score(unseen)) == whole


def test_a_file_that_changed_is_scored_again(score, unseen):
    score(unseen)
    clip_with_blob(unseen, [(4, 4)] * 5, seed=2)
    assert score(unseen).clips[0].computed == 5


def test_a_damaged_block_in_the_cache_is_made_again(score, unseen):
    for path in score(unseen).kept:
        path.write_bytes(path.read_bytes()[:100])
    assert score(unseen).clips[0].computed == 5


def test_a_heat_map_that_is_gone_from_the_folder_is_written_from_what_is_kept(score, unseen):
    (folder,) = score(unseen).heat
    for path in Path(folder).iterdir():
        path.unlink()
    assert score(unseen).clips[0].computed == 0
    assert len(list(Path(folder).iterdir())) == 1


def test_a_file_of_another_program_among_the_heat_maps_stays(score, unseen):
    (folder,) = score(unseen).heat
    theirs = Path(folder) / "frames_of_mine.npz"
    np.savez(theirs, x=np.zeros(3))
    score(unseen)
    assert theirs.exists()


@pytest.mark.parametrize("text", ["frame,x,y\n", "", "source,frame,x0,y0,x1,y1,class\n"])
def test_a_table_of_another_program_is_not_replaced(score, unseen, tmp_path, text):
    theirs = tmp_path / "out" / "detections.csv"
    theirs.parent.mkdir()
    theirs.write_text(text)
    with pytest.raises(
        ProjectError, match=r"detections\.csv: this file is not one that `score` wrote"
    ):
        score(unseen)
    assert theirs.read_text() == text


def test_a_link_in_the_place_of_the_table_is_not_followed(score, unseen, tmp_path):
    table = Path(score(unseen).table)
    elsewhere = table.rename(tmp_path / "elsewhere.csv")
    table.symlink_to(elsewhere)
    with pytest.raises(ProjectError, match="is not replaced"):
        score(unseen)


def test_a_source_of_the_project_is_scored_by_its_name(score):
    assert [clip.ref.name for clip in score("train.npy").clips] == ["train.npy"]


def test_the_probability_of_what_lies_on_the_blob_is_high_and_of_the_rest_low(score, unseen):
    scored = score(unseen)
    rows = rows_in(scored)
    best = {id(row) for row in highest(rows).values()}
    assert min(float(row["probability"]) for row in rows if id(row) in best) > 0.7
    assert "labeled frames for wholly labeled" in scored.note


def test_a_probability_lies_in_its_interval(score, unseen):
    for row in rows_in(score(unseen)):
        low, middle, high = (float(row[f"probability{end}"]) for end in ("_low", "", "_high"))
        assert 0 <= low <= middle <= high <= 1


def test_probabilities_are_left_empty_where_too_few_frames_are_labeled(
    score, project, cache, unseen
):
    project.apply(PutLabels(before=[label for label in project.labels if label.frame > 3]))
    few = make_run(project, RECIPE, cache=cache)
    scored = score(unseen, run=few)
    ends = ("probability", "probability_low", "probability_high")
    assert {row[name] for row in rows_in(scored) for name in ends} == {""}
    assert scored.note.startswith("Probabilities are left out")


def test_a_run_that_says_nothing_of_targets_is_refused(score, run, unseen):
    silent = msgspec.structs.replace(run, point_scores={}, state={})
    with pytest.raises(DataError, match="does not say which instances are targets"):
        score(unseen, run=silent)


def test_a_clip_smaller_than_a_patch_is_refused_before_anything_is_scored(
    score, tmp_path, unseen, scanned
):
    np.save(tmp_path / "tiny.npy", np.zeros((3, 8, 10), np.uint16))
    with pytest.raises(
        DataError, match=r"tiny\.npy: frames of 10 x 8 px are smaller than the patches of run 1, 12"
    ):
        score(unseen, tmp_path / "tiny.npy")
    assert scanned == []


def test_a_run_whose_source_is_no_longer_in_the_project_is_refused(project, score, unseen):
    project.apply(PutSources(before=list(project.sources.values())))
    with pytest.raises(
        ProjectError, match="run 1 has instances of a source that is not in the project any more"
    ):
        score(unseen)


def test_a_clip_that_is_not_there_is_refused(score):
    with pytest.raises(FormatError, match=r"nowhere\.npy"):
        score("nowhere.npy")


def test_a_clip_like_those_of_the_run_is_near_and_another_sensor_is_far(
    project, run, cache, tmp_path, unseen
):
    strange = np.random.default_rng(0).integers(0, 2, (3, 48, 64)) * 60000
    np.save(tmp_path / "strange.npy", strange.astype(np.uint16))
    found = clips_at(project, [unseen, tmp_path / "strange.npy"])
    near, far = Scoring(project, run, cache).look(found)
    assert near < 0.3
    assert far > 0.8
