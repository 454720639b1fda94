"""Importing files without a window."""

import imagecodecs
import numpy as np
import pytest

from emberscope.base.errors import ProjectError
from emberscope.frames.holdings import SourceAt
from emberscope.project import Project
from emberscope.project.exchange.batch import Loosely, import_files
from emberscope.project.exchange.sources import add_sources
from emberscope.project.store.file import load
from emberscope.report.export import export


@pytest.fixture
def clip(tmp_path):
    np.save(
        tmp_path / "clip.npy", np.random.default_rng(0).integers(0, 4000, (4, 96, 128), np.uint16)
    )
    return tmp_path / "clip.npy"


@pytest.fixture
def truth(tmp_path):
    (tmp_path / "truth.csv").write_text("frame,x,y,w,h\n0,21,31,16,12\n2,31,31,16,12\n")
    return tmp_path / "truth.csv"


def test_truth_becomes_labels_of_its_source(tmp_path, clip, truth):
    how = Loosely(u=0, background=1)
    lines, failed = import_files(tmp_path / "p.ember", [clip], truths=[truth], how=how)
    assert not failed
    project = load(tmp_path / "p.ember")
    assert [(label.frame, label.class_id == 2) for label in project.labels] == [
        (0, False), (0, True), (2, False), (2, True)
    ]
    assert lines[-1] == f"{tmp_path / 'p.ember'}: 1 source, 4 labels"


def test_every_second_frame_is_taken_by_number(tmp_path, clip, truth):
    import_files(tmp_path / "p.ember", [clip], truths=[truth], how=Loosely(every=2, background=0))
    assert [label.frame for label in load(tmp_path / "p.ember").labels] == [0, 2]


def test_a_source_whose_truth_is_bad_is_left_out_and_the_others_stay(tmp_path, clip, truth):
    np.save(tmp_path / "other.npy", np.ones((2, 32, 32), np.uint16))
    (tmp_path / "bad.csv").write_text("no truth at all")
    sources, truths = [tmp_path / "other.npy", clip], [tmp_path / "bad.csv", truth]
    _, failed = import_files(tmp_path / "p.ember", sources, truths=truths)
    assert [error.where.split(",")[0] for error in failed] == [str(tmp_path / "bad.csv")]
    project = load(tmp_path / "p.ember")
    assert [ref.name for ref in project.sources.values()] == ["clip.npy"]
    assert {label.source for label in project.labels} == set(project.sources)


def test_nothing_is_written_where_everything_failed(tmp_path):
    _, failed = import_files(tmp_path / "p.ember", [tmp_path / "nowhere.npy"])
    assert len(failed) == 1
    assert not (tmp_path / "p.ember").exists()


def test_truth_may_come_after_its_source(tmp_path, clip, truth):
    place = tmp_path / "p.ember"
    import_files(place, [clip])
    lines, _ = import_files(place, [clip], truths=[truth], how=Loosely(background=0))
    assert lines[0].endswith("already in the project")
    assert len(load(place).labels) == 2


@pytest.mark.parametrize("others_there", [False, True])
def test_a_source_that_was_moved_is_found_again_where_it_is_named(tmp_path, clip, others_there):
    import_files(tmp_path / "p.ember", [clip])
    moved = tmp_path / "moved.npy"
    moved.write_bytes(clip.read_bytes())
    clip.unlink()
    if others_there:
        np.save(clip, np.zeros((4, 96, 128), np.uint16))
    lines, failed = import_files(tmp_path / "p.ember", [moved])
    assert not failed
    assert lines[0] == f"{moved}: clip.npy, which was not where it was added"
    assert [ref.path for ref in load(tmp_path / "p.ember").sources.values()] == [str(moved)]


def test_a_copy_of_a_source_that_is_where_it_was_is_no_other_place_of_it(tmp_path, clip):
    import_files(tmp_path / "p.ember", [clip])
    (tmp_path / "copy.npy").write_bytes(clip.read_bytes())
    import_files(tmp_path / "p.ember", [tmp_path / "copy.npy"])
    assert [ref.path for ref in load(tmp_path / "p.ember").sources.values()] == [
        str(clip), str(tmp_path / "copy.npy")]  # fmt: skip


def test_the_same_truth_again_is_passed_over_with_a_sentence(tmp_path, clip, truth):
    place = tmp_path / "p.ember"
    import_files(place, [clip], truths=[truth], how=Loosely(background=0))
    lines, failed = import_files(place, [clip], truths=[truth], how=Loosely(u=0, seed=7))
    assert not failed
    assert (
        "the labels of this truth on clip.npy are in the project already; nothing was imported"
        in lines[1]
    )
    assert len(load(place).labels) == 2


def test_other_truth_of_the_same_source_comes_beside_it(tmp_path, clip, truth):
    (tmp_path / "more.csv").write_text("frame,x,y,w,h\n0,81,71,16,12\n")
    import_files(
        tmp_path / "p.ember",
        [clip],
        truths=[truth, tmp_path / "more.csv"],
        how=Loosely(background=0),
    )
    assert [label.frame for label in load(tmp_path / "p.ember").labels] == [0, 2, 0]


def test_a_folder_of_clips_comes_in_as_its_clips(tmp_path, clip):
    (tmp_path / "clips").mkdir()
    for name in ("a.npy", "b.npy"):
        np.save(tmp_path / "clips" / name, np.full((2, 32, 32), ord(name[0]), np.uint16))
    (tmp_path / "clips" / "notes.txt").write_text("rain")
    lines, _ = import_files(tmp_path / "p.ember", [tmp_path / "clips"])
    assert [ref.name for ref in load(tmp_path / "p.ember").sources.values()] == ["a.npy", "b.npy"]
    assert any("1 file is left out, which no reader knows: notes.txt." in line for line in lines)


def test_what_a_folder_leaves_out_is_said_of_the_folder_and_not_of_a_clip_in_it(tmp_path):
    campaign = tmp_path / "campaign"
    for name in ("day", "night"):
        (campaign / name / "frames").mkdir(parents=True)
        np.save(
            campaign / name / "frames" / "clip.npy", np.full((2, 32, 32), ord(name[0]), np.uint16)
        )
    (campaign / "night" / "log.xyz").write_bytes(b"log")
    lines, _ = import_files(tmp_path / "p.ember", [campaign])
    assert f"{campaign}: 1 file is left out, which no reader knows: night/log.xyz." in lines
    notes = []
    add_sources(Project(), [campaign], notes=notes)
    assert notes == ["campaign: 1 file is left out, which no reader knows: night/log.xyz."]


def test_what_a_folder_leaves_out_is_said_of_its_path_however_it_is_to_be_read(tmp_path, clip):
    (tmp_path / "log.txt").write_text("rain")
    lines, _ = import_files(tmp_path / "p.ember", [SourceAt(tmp_path, {})], dry_run=True)
    assert f"{tmp_path}: 1 file is left out, which no reader knows: log.txt." in lines


def test_truth_goes_with_the_clip_of_its_name_whatever_the_order(tmp_path):
    for name in ("a.npy", "b.npy"):
        np.save(tmp_path / name, np.full((2, 64, 64), ord(name[0]), np.uint16))
        (tmp_path / f"{name[0]}_boxes.csv").write_text(
            f"frame,x,y,w,h,name\n0,21,31,16,12,{name[0]}\n"
        )
    sources, truths = (
        [tmp_path / "a.npy", tmp_path / "b.npy"],
        [tmp_path / "b_boxes.csv", tmp_path / "a_boxes.csv"],
    )
    import_files(tmp_path / "p.ember", sources, truths=truths, how=Loosely(background=0))
    project = load(tmp_path / "p.ember")
    found = {
        project.sources[label.source].name: project.classes[label.class_id].name
        for label in project.labels
    }
    assert found == {"a.npy": "a", "b.npy": "b"}


def test_one_folder_of_box_files_serves_images_of_every_size(tmp_path):
    (tmp_path / "images").mkdir()
    (tmp_path / "boxes").mkdir()
    corners = "<xmin>3</xmin><ymin>4</ymin><xmax>9</xmax><ymax>8</ymax>"
    box = f"<annotation><object><bndbox>{corners}</bndbox></object>"
    for number, rows in enumerate((32, 40, 48, 40)):
        (tmp_path / "images" / f"{number}.png").write_bytes(
            imagecodecs.png_encode(np.zeros((rows, 64), np.uint8))
        )
        (tmp_path / "boxes" / f"{number}.xml").write_text(box + "</annotation>")
    how = Loosely(u=0, background=0)
    lines, failed = import_files(
        tmp_path / "p.ember", [tmp_path / "images"], truths=[tmp_path / "boxes"], how=how
    )
    assert not failed
    assert len(load(tmp_path / "p.ember").labels) == 4
    assert not any("match no frame" in line for line in lines)


def test_truth_outside_the_frame_is_no_silent_success(tmp_path, clip):
    (tmp_path / "far.csv").write_text("frame,x,y,w,h\n0,900,900,16,12\n")
    lines, _ = import_files(
        tmp_path / "p.ember", [clip], truths=[tmp_path / "far.csv"], how=Loosely(background=0)
    )
    assert any("outside the frame" in line for line in lines)


def test_truth_between_the_frames_that_are_taken_is_no_silent_success(tmp_path, clip):
    (tmp_path / "odd.csv").write_text("frame,x,y,w,h\n1,21,31,16,12\n")
    how = Loosely(every=2, background=0)
    lines, _ = import_files(tmp_path / "p.ember", [clip], truths=[tmp_path / "odd.csv"], how=how)
    assert any("None of its boxes" in line for line in lines)


def test_what_a_reader_warns_of_is_said(tmp_path):
    np.save(tmp_path / "nan.npy", np.full((2, 8, 8), np.nan, np.float32))
    lines, _ = import_files(tmp_path / "p.ember", [tmp_path / "nan.npy"])
    assert any("NaN" in line for line in lines)


@pytest.fixture
def labels(tmp_path, clip, truth):
    """Labels that were exported, with the path of their source in them, in a folder of their
    own."""
    import_files(tmp_path / "first.ember", [clip], truths=[truth], how=Loosely(background=0))
    (path,) = export(load(tmp_path / "first.ember"), "jsonl", tmp_path / "mail")
    return path


def names(path):
    return [ref.name for ref in load(path).sources.values()] if path.exists() else []


def test_labels_bring_a_source_that_lies_with_the_project(tmp_path, labels):
    import_files(tmp_path / "p.ember", [], truths=[labels])
    assert names(tmp_path / "p.ember") == ["clip.npy"]


def test_a_source_outside_that_labels_name_is_not_opened(tmp_path, labels, monkeypatch):
    monkeypatch.setattr("emberscope.project.exchange.desk.describe",
                        lambda *args, **options: pytest.fail("it was opened"))
    (tmp_path / "home").mkdir()
    _, failed = import_files(tmp_path / "home" / "p.ember", [], truths=[labels])
    assert f"outside of its folder, not read: {tmp_path / 'clip.npy'}" in str(failed[0])
    assert "--read-sources" in str(failed[0])
    assert names(tmp_path / "home" / "p.ember") == []


def test_a_source_outside_that_is_imported_too_is_no_news(tmp_path, labels, clip):
    (tmp_path / "home").mkdir()
    lines, failed = import_files(tmp_path / "home" / "p.ember", [clip], truths=[labels])
    assert failed == []
    assert lines[-1].endswith("1 source, 2 labels")


def test_a_source_outside_is_read_on_a_persons_word(tmp_path, labels):
    (tmp_path / "home").mkdir()
    import_files(tmp_path / "home" / "p.ember", [], truths=[labels], read_sources=True)
    assert names(tmp_path / "home" / "p.ember") == ["clip.npy"]


def test_truth_that_goes_with_no_source_is_an_error_before_anything_is_done(tmp_path, clip, truth):
    np.save(tmp_path / "other.npy", np.ones((2, 32, 32), np.uint16))
    with pytest.raises(
        ProjectError, match=r"truth\.csv: it fits several .*/clip\.npy.* one --truth per"
    ):
        import_files(tmp_path / "p.ember", [clip, tmp_path / "other.npy"], truths=[truth])
    assert not (tmp_path / "p.ember").exists()


def test_of_two_clips_of_one_name_each_has_the_truth_of_the_folder_that_was_named_for_it(tmp_path):
    for sensor, x in (("sensor_a", 10), ("sensor_b", 40)):
        (tmp_path / sensor / "truth").mkdir(parents=True)
        np.save(tmp_path / sensor / "clip.npy", np.full((2, 48, 64), x, np.uint16))
        (tmp_path / sensor / "truth" / "clip.csv").write_text(f"frame,x,y,w,h\n0,{x},10,10,10\n")
    sources = [tmp_path / "sensor_a" / "clip.npy", tmp_path / "sensor_b" / "clip.npy"]
    truths = [tmp_path / "sensor_b" / "truth", tmp_path / "sensor_a" / "truth"]
    _, failed = import_files(
        tmp_path / "p.ember", sources, truths=truths, how=Loosely(u=0, background=0)
    )
    assert not failed
    project = load(tmp_path / "p.ember")
    where = {ref.path: ref.id for ref in project.sources.values()}
    assert {where[str(source)]: x for source, x in zip(sources, (10, 40), strict=True)} == {
        label.source: round(label.x0) + 1 for label in project.labels
    }


def test_what_is_said_of_a_folder_begins_with_its_path(tmp_path, clip, truth):
    folder = SourceAt(tmp_path, {"axis": 0})
    lines, _ = import_files(tmp_path / "p.ember", [folder], dry_run=True)
    assert next(line for line in lines if "truth.csv" in line).startswith(f"{tmp_path}: ")


def test_boxes_between_two_frames_are_counted_and_not_put_on_the_one_before(tmp_path, clip):
    (tmp_path / "clip.csv").write_text("frame,x,y,w,h\n0.5,11,11,10,10\n1.0,11,11,10,10\n")
    lines, _ = import_files(
        tmp_path / "p.ember", [clip], truths=[tmp_path / "clip.csv"], how=Loosely(background=0)
    )
    assert [label.frame for label in load(tmp_path / "p.ember").labels] == [1]
    assert f"{tmp_path / 'clip.csv'}: 1 box between two frames left out." in lines
