"""What scoring writes into a folder."""

import csv
import json
from hashlib import sha256
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from emberscope.base.errors import ProjectError
from emberscope.labels import TargetClass
from emberscope.labels.jsonl import read_jsonl
from emberscope.labels.model import kind
from emberscope.labels.origins import MODEL, code_of
from emberscope.scoring.clips import Scoring, clips_at
from emberscope.scoring.detections import Block, Detections
from emberscope.scoring.earlier import labels_of_others
from emberscope.scoring.files import ALSO, write_folder
from emberscope.scoring.images import painted

from .conftest import clip_with_blob


@pytest.fixture
def folder(project, run, cache, unseen, tmp_path):
    """The unseen clip of five frames, scored and written in every way."""
    scoring, clips = Scoring(project, run, cache), clips_at(project, [unseen])
    scoring.score(clips)
    write_folder(scoring, clips, tmp_path / "out", ALSO)
    return tmp_path / "out"


def one(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def test_declarations_count_frames_and_pixels_from_1_and_hold_the_score(folder):
    told = json.loads(one(folder, "declarations/*.json").read_text())
    assert (told["fileUID"], sorted(told["frameDeclarations"])) == (
        "unseen.npy", ["f1", "f2", "f3", "f4", "f5"])  # fmt: skip
    rows = (folder / "detections.csv").read_text().splitlines()
    x0, y0, x1, y1 = map(float, rows[1].split(",")[2:6])
    first = told["frameDeclarations"]["f1"]["declarations"][0]
    assert first["class"] == "Target"
    assert first["shape"] == {"data": [x0 + 1, y0 + 1, x1 - x0, y1 - y0], "type": "bbox_xywh"}
    assert 0 < first["confidence"] <= 1
    assert 0 < first["probability"] <= 1


def test_labels_are_those_of_a_detector_and_can_be_read_again(folder):
    found = read_jsonl(folder / "detections.jsonl")
    assert [source.name for source in found.sources] == ["unseen.npy"]
    assert len(found.labels) > 0
    assert {code_of(label.origin) for label in found.labels} == {MODEL}
    assert {kind(label) for label in found.labels} == {"relaxed"}


def test_every_frame_has_an_image_of_its_size_in_color(folder):
    images = sorted(folder.glob("images/*/*.png"))
    assert [path.name for path in images] == [f"frame_{n:06d}.png" for n in range(5)]
    with Image.open(images[0]) as image:
        pixels = np.asarray(image)
    assert pixels.shape == (48, 64, 3)
    assert (pixels[..., 0] != pixels[..., 2]).any()


def test_the_video_has_every_frame(folder):
    with av.open(str(one(folder, "video/*.mp4"))) as video:
        frames = [frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)]
    assert len(frames) == 5
    assert frames[0].shape == (48, 64, 3)


def test_labels_of_another_program_are_not_replaced(folder, project, run, cache, unseen):
    (folder / "detections.jsonl").write_text('{"a": 1}\n')
    scoring, clips = Scoring(project, run, cache), clips_at(project, [unseen])
    with pytest.raises(ProjectError, match=r"detections\.jsonl: this file is not one"):
        write_folder(scoring, clips, folder)


def test_a_table_that_somebody_changed_is_not_replaced(folder, project, run, cache, unseen):
    table = folder / "detections.csv"
    mine = table.read_text() + "unseen.npy,4,1,2,3,4,Target,1,,,\n"
    table.write_text(mine)
    scoring, clips = Scoring(project, run, cache), clips_at(project, [unseen])
    with pytest.raises(ProjectError, match=r"detections\.csv: .* changed since, and it is not"):
        write_folder(scoring, clips, folder)
    assert table.read_text() == mine


def test_a_file_in_the_place_of_the_checksums_is_not_replaced(
    folder, project, run, cache, unseen
):
    (folder / "detections.sha256").write_text("my notes\n")
    scoring, clips = Scoring(project, run, cache), clips_at(project, [unseen])
    with pytest.raises(ProjectError, match="is not replaced"):
        write_folder(scoring, clips, folder)


def test_what_was_written_is_written_again(folder, project, run, cache, unseen):
    before = (folder / "detections.csv").read_bytes()
    scoring, clips = Scoring(project, run, cache), clips_at(project, [unseen])
    write_folder(scoring, clips, folder, ALSO)
    assert (folder / "detections.csv").read_bytes() == before


@pytest.fixture
def score_second(project, run, cache, tmp_path):
    """Scores another clip into a folder."""
    path = tmp_path / "second.npy"
    clip_with_blob(path, [(20, 10)], seed=2)

    def score(folder):
        scoring, clips = Scoring(project, run, cache), clips_at(project, [path])
        scoring.score(clips)
        return write_folder(scoring, clips, folder, ["labels"])

    return score


def rows_in(folder):
    with (folder / "detections.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_checksums_are_of_the_files_as_they_are_after_a_second_call(folder, score_second):
    score_second(folder)
    lines = (folder / "detections.sha256").read_text().splitlines()
    assert sorted(lines) == sorted(
        f"{sha256((folder / name).read_bytes()).hexdigest()}  {name}"
        for name in ("detections.csv", "detections.jsonl"))


def test_a_table_keeps_the_rows_of_clips_that_were_scored_before(folder, score_second):
    before = rows_in(folder)
    assert score_second(folder).note == (
        "The table keeps what was found before on unseen.npy.")
    after = rows_in(folder)
    assert after[: len(before)] == before
    assert {row["source"] for row in after[len(before) :]} == {"second.npy"}


def test_rows_that_are_others_now_are_said_to_be_replaced(folder, score_second, tmp_path):
    score_second(folder)
    clip_with_blob(tmp_path / "second.npy", [(40, 30)], seed=3)
    assert score_second(folder).note == (
        "The table keeps what was found before on unseen.npy. What was found before on second.npy "
        "is replaced there.")


def test_a_clip_that_had_another_name_beside_one_called_alike_has_no_rows_twice(
    project, run, cache, tmp_path
):
    paths = [tmp_path / name / "clip_9.npy" for name in ("a", "b")]
    for path in paths:
        path.parent.mkdir()
        clip_with_blob(path, [(20, 10)])

    def rows(*asked):
        scoring, clips = Scoring(project, run, cache), clips_at(project, asked)
        scoring.score(clips)
        write_folder(scoring, clips, tmp_path / "out")
        return [row["source"] for row in rows_in(tmp_path / "out")]

    both = rows(*paths)
    alone = rows(paths[0])
    assert (set(both), set(alone)) == (set(map(str, paths)), {"clip_9.npy", str(paths[1])})
    assert len(alone) == len(both) == len(rows(*paths))


def test_a_layer_keeps_the_labels_of_clips_that_were_scored_before(folder, score_second):
    before = read_jsonl(folder / "detections.jsonl")
    score_second(folder)
    after = read_jsonl(folder / "detections.jsonl")
    assert [source.name for source in after.sources] == ["unseen.npy", "second.npy"]
    names = {source.id: source.name for source in after.sources}
    assert sum(names[label.source] == "unseen.npy" for label in after.labels) == len(before.labels)
    assert len({label.id for label in after.labels}) == len(after.labels) > len(before.labels)


def test_a_layer_of_other_classes_is_not_mixed_with_this_one(folder):
    other = TargetClass(id=1, name="Tank", role=1, slot=0)
    path = folder / "detections.jsonl"
    assert labels_of_others(path, [], [other], 1) == ([], [])
    assert labels_of_others(path, [], read_jsonl(path).classes, 1)[1]


def test_words_of_boxes_side_by_side_are_not_painted_over_each_other():
    boxes = np.array([[10, 10, 22, 22], [14, 10, 26, 22]], np.float32)

    def words(*rows):
        rows = list(rows)
        found = Detections(np.zeros(len(rows), np.int32), boxes[rows],
                           np.ones(len(rows), np.int64), np.full(len(rows), 0.9, np.float32))
        block = Block(np.zeros(1, np.int32), {12: np.zeros((1, 5, 5), np.float32)}, {12: 12.0},
                      found)
        image = np.asarray(painted(np.zeros((60, 60), np.uint8), block, 0, {}))
        return image[24:]

    np.testing.assert_array_equal(words(0, 1), words(0))
