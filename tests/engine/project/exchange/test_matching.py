"""Which truth goes with which source."""

from pathlib import Path

import pytest

from emberscope.base.errors import ProjectError
from emberscope.project import SourceRef
from emberscope.project.exchange.matching import match_truths


def refs(folder, *names):
    return [
        SourceRef(id=k, path=str(folder / name), name=Path(name).name, fingerprint="", n_frames=1, rows=2, cols=2)
        for k, name in enumerate(names)
    ]


def files(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("<annotation/>" if name.endswith("xml") else "frame,x,y,w,h\n")
    return [folder / name for name in names]


def matched(folder, sources, truths):
    return [[path.name for path in mine] for mine in match_truths(refs(folder, *sources), truths)]


def test_the_longest_name_counts(tmp_path):
    truths = files(tmp_path, "ir_1_2_boxes.csv", "IR_1.csv")
    assert matched(tmp_path, ["ir_1.mp4", "ir_1_2.mp4"], truths) == [["IR_1.csv"], ["ir_1_2_boxes.csv"]]


def test_a_number_is_not_the_beginning_of_a_longer_one(tmp_path):
    truths = files(tmp_path, "clip10.csv", "clip1.csv")
    assert matched(tmp_path, ["clip1.mp4", "clip10.mp4"], truths) == [["clip1.csv"], ["clip10.csv"]]


def test_a_folder_of_truth_files_is_shared_out_and_other_files_in_it_are_passed_over(tmp_path):
    files(tmp_path, "truth/b.csv", "truth/a.csv")
    (tmp_path / "truth" / "readme.txt").write_text("rain")
    assert matched(tmp_path, ["a.mp4", "b.mp4"], [tmp_path / "truth"]) == [["a.csv"], ["b.csv"]]


def test_box_files_go_with_the_frames_beside_them(tmp_path):
    files(tmp_path, "night/boxes_xml/1.xml", "day/boxes_xml/1.xml")
    truths = [tmp_path / "day" / "boxes_xml", tmp_path / "night" / "boxes_xml"]
    found = match_truths(refs(tmp_path, "night/frames", "day/frames"), truths)
    assert found == [[truths[1]], [truths[0]]]


def test_names_that_say_nothing_go_by_order(tmp_path):
    assert matched(tmp_path, ["a.mp4", "b.mp4"], files(tmp_path, "x.csv", "y.csv")) == [["x.csv"], ["y.csv"]]


def test_what_could_not_be_opened_keeps_its_place_in_the_order(tmp_path):
    truths = files(tmp_path, "x.csv", "y.csv")
    assert match_truths(refs(tmp_path, "b.mp4"), truths, arguments=[1], n_arguments=2) == [[truths[1]]]


def test_one_source_takes_all_truth(tmp_path):
    assert matched(tmp_path, ["a.mp4"], files(tmp_path, "cars.csv", "persons.csv")) == [["cars.csv", "persons.csv"]]


def test_truth_that_is_not_there_says_so_and_not_that_its_name_goes_with_no_source(tmp_path):
    with pytest.raises(ProjectError, match="there is no such file"):
        match_truths(refs(tmp_path, "a.mp4", "b.mp4"), [tmp_path / "truth.csv"])


def test_a_name_that_several_sources_begin_with_is_no_match(tmp_path):
    with pytest.raises(ProjectError, match=r"ir\.csv goes with none of the 2 sources"):
        matched(tmp_path, ["ir_1.mp4", "ir_2.mp4"], files(tmp_path, "ir.csv"))
