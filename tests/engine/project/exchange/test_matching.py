"""Which truth goes with which source, and why."""

import unicodedata
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from emberscope.base.errors import ProjectError
from emberscope.project import SourceRef
from emberscope.project.exchange.truth_look import match_truths

TABLE = "frame,x,y,w,h\n0,1,1,2,2\n"


def refs(folder, *names):
    """Clips of three frames; a name that ends in a slash is a folder of images, as it is on the
    disk."""
    return [
        SourceRef(
            id=k + 1,
            path=str(folder / name),
            name=Path(name).name,
            fingerprint="",
            n_frames=3,
            rows=2,
            cols=2,
            format="folder" if name.endswith("/") else "npy",
        )
        for k, name in enumerate(names)
    ]


def files(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("<annotation/>" if name.endswith("xml") else TABLE)
    return [folder / name for name in names]


def pictures(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.zeros((2, 2), np.uint8)).save(folder / name)


def voc(file, *, folder="", name="", path=""):
    file.parent.mkdir(parents=True, exist_ok=True)
    inside = "".join(f"<{tag}>{text}</{tag}>" for tag, text in
                     (("folder", folder), ("filename", name), ("path", path)) if text)
    file.write_text(f"<annotation>{inside}</annotation>")


def table(folder, sources, truths, **order):
    """Source -> names of its truth, "tie" and "none" -> those of the others; in the words of the
    file system."""
    found = {}
    for row in match_truths(refs(folder, *sources), truths, **order):
        key = sources[row.source] if row.state == "given" else row.state
        found.setdefault(key, []).append(row.truth.relative_to(folder).as_posix())
    return found


def frames(folder, sources, truths):
    """Box file -> source and number of its frame."""
    return {named.truth.relative_to(folder).as_posix(): (sources[row.source], frame)
            for row in match_truths(refs(folder, *sources), truths) if row.state == "given"
            for named, frame in row.frames.items()}


# ---- truth about clips


def test_a_whole_name_counts_before_one_that_goes_on(tmp_path):
    truths = files(tmp_path, "ir_1_2_boxes.csv", "IR_1.csv")
    found = table(tmp_path, ["ir_1.mp4", "ir_1_2.mp4"], truths)
    assert found == {"ir_1.mp4": ["IR_1.csv"], "ir_1_2.mp4": ["ir_1_2_boxes.csv"]}


def test_a_number_is_not_the_beginning_of_a_longer_one(tmp_path):
    truths = files(tmp_path, "clip10.csv", "clip1.csv")
    assert table(tmp_path, ["clip1.mp4", "clip10.mp4"], truths) == {"clip1.mp4": ["clip1.csv"],
                                                                    "clip10.mp4": ["clip10.csv"]}


def test_truth_of_a_clip_that_is_not_there_goes_to_no_other(tmp_path):
    assert table(tmp_path, ["clip_1.mp4", "clip_3.mp4"], files(tmp_path, "clip_1_2.csv")) == {
        "none": ["clip_1_2.csv"]
    }


def test_a_folder_of_truth_files_is_shared_out_and_other_files_in_it_are_passed_over(tmp_path):
    files(tmp_path, "truth/b.csv", "truth/a.csv")
    (tmp_path / "truth" / "readme.txt").write_text("rain")
    found = table(tmp_path, ["a.mp4", "b.mp4"], [tmp_path / "truth"])
    assert found == {"a.mp4": ["truth/a.csv"], "b.mp4": ["truth/b.csv"]}


def test_of_two_sensors_with_clips_of_one_name_each_gets_the_truth_of_its_folder(tmp_path):
    files(tmp_path, "sensor_a/agt/clip.csv", "sensor_b/agt/clip.csv")
    found = table(tmp_path, ["sensor_a/arf/clip.arf", "sensor_b/arf/clip.arf"], [tmp_path])
    assert found == {"sensor_a/arf/clip.arf": ["sensor_a/agt/clip.csv"],
                     "sensor_b/arf/clip.arf": ["sensor_b/agt/clip.csv"]}


def test_truth_that_is_left_out_says_for_which_and_by_what(tmp_path):
    truths = files(tmp_path, "near/clip.csv", "far/away/clip.csv")
    rows = match_truths(refs(tmp_path, "near/clip.arf"), truths)
    assert [row.why for row in rows if row.state == "none"] == [
        "left for near/clip.csv, whose name or folder is nearer to the clip"]


def test_truth_of_a_folder_of_frames_beside_it_is_not_that_of_the_only_clip(tmp_path):
    pictures(tmp_path, "night/1.png", "day/1.png")
    (row,) = match_truths(refs(tmp_path, "day/"), files(tmp_path, "night.csv"))
    assert (row.state, row.why) == (
        "none", f"it is of {tmp_path.name}/night, which is not among the sources")


@pytest.mark.parametrize("name", ["night_boxes.csv", "gt night.csv"])
def test_a_word_for_truth_in_its_name_leaves_it_with_the_clip_beside_it(name, tmp_path):
    files(tmp_path, "night.npy", name)
    (row,) = match_truths(refs(tmp_path, "day.npy"), [tmp_path / name])
    assert row.why == f"it is of {tmp_path.name}/night.npy, which is not among the sources"


@pytest.mark.parametrize("name", ["truth.csv", "_boxes.csv"])
def test_a_name_of_no_clip_is_that_of_no_folder_beside_it(name, tmp_path):
    pictures(tmp_path, "truth/1.png", "day/1.png")
    assert table(tmp_path, ["day/"], files(tmp_path, name)) == {"day/": [name]}


def test_truth_called_like_a_folder_around_the_only_clip_is_its_own(tmp_path):
    pictures(tmp_path, "night/thermal/1.png")
    assert table(tmp_path, ["night/thermal/"], files(tmp_path, "night.csv")) == {
        "night/thermal/": ["night.csv"]}


@pytest.mark.parametrize(("truth", "why"), [
    ("rain/boxes_a.csv", "it lies in another folder than sun/clip.npy"),
    ("sun/clip_2.csv", "its name is that of a clip beside clip"),
])
def test_truth_that_the_only_clip_does_not_take_says_why(truth, why, tmp_path):
    (row,) = match_truths(refs(tmp_path, "sun/clip.npy"), files(tmp_path, truth))
    assert (row.state, row.why) == ("none", why)


def test_truth_of_another_sensor_alone_is_not_taken_for_that_of_this_one(tmp_path):
    files(tmp_path, "sensor_b/agt/clip.csv")
    (tmp_path / "sensor_b" / "arf").mkdir()
    (tmp_path / "sensor_b" / "arf" / "clip.arf").write_bytes(b"frames")
    found = table(tmp_path, ["sensor_a/arf/clip.arf", "sensor_a/arf/more.arf"], [tmp_path])
    assert found == {"none": ["sensor_b/agt/clip.csv"]}


def test_folders_of_one_name_on_both_sides_tell_clips_of_one_name_apart(tmp_path):
    files(tmp_path, "truth/day/clip.csv", "truth/night/clip.csv")
    found = table(tmp_path, ["clips/night/clip.npy", "clips/day/clip.npy"], [tmp_path / "truth"])
    assert found == {
        "clips/night/clip.npy": ["truth/night/clip.csv"],
        "clips/day/clip.npy": ["truth/day/clip.csv"],
    }


def test_truth_that_fits_two_clips_equally_well_is_given_to_none(tmp_path):
    assert table(tmp_path, ["a/clip.npy", "b/clip.npy"], files(tmp_path, "clip.csv")) == {
        "tie": ["clip.csv"]
    }


def test_an_exact_name_far_away_and_a_similar_one_near_by_are_a_tie(tmp_path):
    assert table(tmp_path, ["a/Clip.npy", "b/clip.npy"], files(tmp_path, "a/clip.csv")) == {
        "tie": ["a/clip.csv"]
    }


def test_names_that_differ_in_the_case_of_letters_alone_are_two_names(tmp_path):
    found = table(tmp_path, ["A1.npy", "a1.npy"], files(tmp_path, "a1.csv", "A1.csv"))
    assert found == {"A1.npy": ["A1.csv"], "a1.npy": ["a1.csv"]}


def test_names_without_latin_letters_are_names(tmp_path):
    truth = files(tmp_path, "目标二.csv", "目标一_boxes.csv")
    found = table(tmp_path, ["目标一.npy", "目标二.npy"], truth)
    assert found == {"目标一.npy": ["目标一_boxes.csv"], "目标二.npy": ["目标二.csv"]}


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_an_accent_is_the_same_however_it_is_stored(tmp_path, form):
    truths = files(tmp_path, unicodedata.normalize(form, "forêt.csv"))
    assert "forêt.npy" in table(tmp_path, ["forêt.npy", "foret.npy"], truths)


def test_a_truth_of_a_file_of_frames_may_have_its_whole_name(tmp_path):
    assert table(tmp_path, ["c.npy", "c.tif"], files(tmp_path, "c.tif.csv")) == {
        "c.tif": ["c.tif.csv"]
    }


def test_a_name_that_says_nothing_goes_with_the_only_clip_of_its_folder(tmp_path):
    truths = files(tmp_path, "a/gt/gt.csv", "b/truth.csv")
    found = table(tmp_path, ["a/video.npy", "b/x.npy"], truths)
    assert found == {"a/video.npy": ["a/gt/gt.csv"], "b/x.npy": ["b/truth.csv"]}


def test_truth_in_a_folder_of_the_name_of_a_clip_is_of_that_clip(tmp_path):
    truths = files(tmp_path, "labels/b/gt.csv", "labels/a/gt.csv")
    found = table(tmp_path, ["clips/a.npy", "clips/b.npy"], truths)
    assert found == {"clips/a.npy": ["labels/a/gt.csv"], "clips/b.npy": ["labels/b/gt.csv"]}


def test_two_truths_of_one_clip_in_a_folder_are_a_tie_and_by_name_both_are_meant(tmp_path):
    truths = files(tmp_path, "t/a.csv", "t/a.json")
    truths[1].write_text('{"tracks": []}')
    assert table(tmp_path, ["a.npy", "b.npy"], [tmp_path / "t"]) == {"tie": ["t/a.csv", "t/a.json"]}
    assert table(tmp_path, ["a.npy", "b.npy"], truths) == {"a.npy": ["t/a.csv", "t/a.json"]}


def test_agt_goes_with_the_arf_of_its_name_not_with_a_video_of_it(tmp_path):
    (tmp_path / "c.agt").write_text("Agt { TgtSect { } }")
    assert table(tmp_path, ["c.mp4", "c.arf"], [tmp_path / "c.agt"]) == {"c.arf": ["c.agt"]}


def test_names_that_say_nothing_go_by_order(tmp_path):
    found = table(
        tmp_path,
        ["a.mp4", "b.mp4"],
        files(tmp_path, "x.csv", "y.csv"),
        arguments=[0, 1],
        n_arguments=2,
    )
    assert found == {"a.mp4": ["x.csv"], "b.mp4": ["y.csv"]}


def test_names_of_other_clips_do_not_go_by_order(tmp_path):
    truths = files(tmp_path, "clip_8.csv", "clip_9.csv")
    found = table(tmp_path, ["clip_6.mp4", "clip_7.mp4"], truths, arguments=[0, 1], n_arguments=2)
    assert found == {"none": ["clip_8.csv", "clip_9.csv"]}


def test_nothing_goes_by_order_where_a_name_stands_elsewhere(tmp_path):
    truths = files(tmp_path, "b.csv", "x.csv")
    found = table(tmp_path, ["a.mp4", "b.mp4"], truths, arguments=[0, 1], n_arguments=2)
    assert found == {"b.mp4": ["b.csv"], "none": ["x.csv"]}


def test_what_could_not_be_opened_keeps_its_place_in_the_order(tmp_path):
    truths = files(tmp_path, "x.csv", "y.csv")
    both = ["b.mp4", "c.mp4"]
    found = table(
        tmp_path, both, [*truths, *files(tmp_path, "z.csv")], arguments=[1, 2], n_arguments=3
    )
    assert found == {"none": ["x.csv"], "b.mp4": ["y.csv"], "c.mp4": ["z.csv"]}


def test_one_source_takes_all_truth_that_is_named(tmp_path):
    found = table(tmp_path, ["a.mp4"], files(tmp_path, "cars.csv", "persons.csv"))
    assert found == {"a.mp4": ["cars.csv", "persons.csv"]}


def test_one_source_takes_no_truth_that_is_named_like_another_clip(tmp_path):
    assert table(tmp_path, ["clip_7.mp4"], files(tmp_path, "clip_8.csv")) == {
        "none": ["clip_8.csv"]
    }


def test_one_source_takes_of_a_folder_of_truth_only_its_own(tmp_path):
    files(tmp_path, "t/clip_7.csv", "t/clip_8.csv")
    found = table(tmp_path, ["clip_7.mp4"], [tmp_path / "t"])
    assert found == {"clip_7.mp4": ["t/clip_7.csv"], "none": ["t/clip_8.csv"]}


def test_truth_that_is_not_there_says_so_and_not_that_its_name_goes_with_no_source(tmp_path):
    with pytest.raises(ProjectError, match="there is no such file"):
        match_truths(refs(tmp_path, "a.mp4", "b.mp4"), [tmp_path / "truth.csv"])


def test_a_name_that_several_sources_begin_with_is_no_match(tmp_path):
    assert table(tmp_path, ["run_1.mp4", "run_2.mp4"], files(tmp_path, "run.csv")) == {
        "none": ["run.csv"]
    }


def test_the_table_says_why(tmp_path):
    truths = files(tmp_path, "a.csv", "b_boxes.csv")
    rows = match_truths(refs(tmp_path, "a.mp4", "b.mp4"), truths)
    assert [row.why for row in rows] == [
        "the name of the clip",
        "the name of the clip, and a word for truth",
    ]


# ---- truth about pictures


def test_box_files_go_with_the_frames_of_the_nearest_folder(tmp_path):
    pictures(tmp_path, "night/frames/1.png", "day/frames/1.png")
    files(tmp_path, "night/boxes_xml/1.xml", "day/boxes_xml/1.xml")
    found = frames(tmp_path, ["night/frames/", "day/frames/"], [tmp_path])
    assert found == {
        "night/boxes_xml/1.xml": ("night/frames/", 0),
        "day/boxes_xml/1.xml": ("day/frames/", 0),
    }


def test_nested_folders_of_box_files_go_with_frames_in_folders_of_their_names(tmp_path):
    pictures(tmp_path, "frames/day/1.png", "frames/night/1.png")
    files(tmp_path, "xml/day/1.xml", "xml/night/1.xml")
    found = frames(tmp_path, ["frames/night/", "frames/day/"], [tmp_path / "xml"])
    assert found == {"xml/day/1.xml": ("frames/day/", 0), "xml/night/1.xml": ("frames/night/", 0)}


@pytest.mark.parametrize(
    "written", [{"folder": "night"}, {"path": "C:\\data\\night\\1.png"}, {"name": "night/1.png"}]
)
def test_the_folder_that_a_box_file_writes_tells_frames_of_one_name_apart(tmp_path, written):
    pictures(tmp_path, "day/1.png", "night/1.png")
    voc(tmp_path / "all" / "a.xml", **{"name": "1.png", **written})
    assert frames(tmp_path, ["day/", "night/"], [tmp_path / "all"]) == {"all/a.xml": ("night/", 0)}


def test_a_box_file_of_frames_of_one_name_that_says_no_more_is_given_to_neither(tmp_path):
    pictures(tmp_path, "day/1.png", "night/1.png")
    files(tmp_path, "all/1.xml")
    (row,) = match_truths(refs(tmp_path, "day/", "night/"), [tmp_path / "all"])
    assert (row.state, sorted(row.could_be), row.why) == (
        "tie",
        [0, 1],
        "1.xml may be about day/1.png or night/1.png",
    )


def test_masks_beside_box_files_of_the_same_images_are_left_for_these(tmp_path):
    pictures(tmp_path, "JPEGImages/1.jpg", "SegmentationClass/1.png", "SegmentationObject/1.png")
    voc(tmp_path / "Annotations" / "1.xml", name="1.jpg")
    (why,) = (row.why for row in match_truths(refs(tmp_path, "JPEGImages/"), [tmp_path])
              if row.state == "none")
    assert why == "left for Annotations/1.xml, whose name or folder is nearer to 1.png"


def test_the_file_name_inside_tells_a_png_from_a_tif_of_one_name(tmp_path):
    pictures(tmp_path, "f/img.tif", "f/img.png", "f/other.png")
    voc(tmp_path / "xml" / "img.xml", name="img.png")
    assert frames(tmp_path, ["f/"], [tmp_path / "xml"]) == {"xml/img.xml": ("f/", 0)}
    voc(tmp_path / "xml" / "img.xml", name="img.tif")
    assert frames(tmp_path, ["f/"], [tmp_path / "xml"]) == {"xml/img.xml": ("f/", 1)}


def test_frames_whose_names_differ_in_the_case_of_letters_get_their_own_box_files(tmp_path):
    pictures(tmp_path, "f/A1.png", "f/a1.png")
    voc(tmp_path / "xml" / "A1.xml", name="A1.png")
    voc(tmp_path / "xml" / "a1.xml", name="a1.png")
    assert frames(tmp_path, ["f/"], [tmp_path / "xml"]) == {
        "xml/A1.xml": ("f/", 0),
        "xml/a1.xml": ("f/", 1),
    }


def test_a_box_file_whose_two_names_are_of_two_frames_is_given_to_neither(tmp_path):
    pictures(tmp_path, "f/1.png", "f/2.png")
    voc(tmp_path / "xml" / "1.xml", name="2.png")
    assert table(tmp_path, ["f/"], [tmp_path / "xml"]) == {"tie": ["xml"]}


def test_a_file_name_inside_that_no_frame_has_does_not_count(tmp_path):
    pictures(tmp_path, "f/1.png", "f/2.png")
    voc(tmp_path / "xml" / "2.xml", name="old_name.bmp")
    assert frames(tmp_path, ["f/"], [tmp_path / "xml"]) == {"xml/2.xml": ("f/", 1)}


def test_one_folder_of_box_files_serves_several_sources(tmp_path):
    pictures(tmp_path, "a/1.png", "b/2.png")
    files(tmp_path, "xml/1.xml", "xml/2.xml", "xml/3.xml")
    found = table(tmp_path, ["a/", "b/"], [tmp_path / "xml"])
    assert found == {"a/": ["xml"], "b/": ["xml"], "none": ["xml"]}


def test_box_files_that_lie_with_their_own_frames_are_not_for_others_of_their_names(tmp_path):
    pictures(tmp_path, "day/frames/1.png", "night/frames/1.png")
    files(tmp_path, "night/xml/1.xml")
    assert table(tmp_path, ["day/frames/", "clip.npy"], [tmp_path / "night"]) == {
        "none": ["night/xml"]
    }


def test_two_folders_of_box_files_for_the_same_frames_are_a_tie(tmp_path):
    pictures(tmp_path, "a/frames/1.png")
    files(tmp_path, "a/boxes_xml/1.xml", "a/rotated_boxes_xml/1.xml")
    found = table(tmp_path, ["a/frames/", "b.npy"], [tmp_path / "a"])
    assert found == {"tie": ["a/boxes_xml", "a/rotated_boxes_xml"]}


def test_box_files_named_by_the_frames_of_a_video_go_with_the_clip_beside_them(tmp_path):
    files(tmp_path, "c/voc/frame_000000.xml", "c/voc/frame_000007.xml")
    assert table(tmp_path, ["c/clip.mp4", "d/clip.mp4"], [tmp_path / "c" / "voc"]) == {
        "c/clip.mp4": ["c/voc"]
    }


def test_truth_about_a_clip_goes_not_to_pictures_that_other_truth_names(tmp_path):
    pictures(tmp_path, "images/a.png", "images/b.png")
    (tmp_path / "pictures.csv").write_text(
        "filename,xmin,ymin,xmax,ymax\na.png,0,0,1,1\nb.png,0,0,1,1\n"
    )
    files(tmp_path, "boxes.csv")
    found = table(tmp_path, ["images/", "pass.npy"], [tmp_path])
    assert found == {"images/": ["pictures.csv"], "pass.npy": ["boxes.csv"]}


def test_truth_about_a_clip_that_is_not_there_goes_not_to_the_pictures_beside_it(tmp_path):
    pictures(tmp_path, "images/a.png", "images/b.png")
    (tmp_path / "pictures.csv").write_text(
        "filename,xmin,ymin,xmax,ymax\na.png,0,0,1,1\nb.png,0,0,1,1\n"
    )
    files(tmp_path, "boxes.csv")
    found = table(tmp_path, ["images/"], [tmp_path])
    assert found == {"images/": ["pictures.csv"], "none": ["boxes.csv"]}
