from collections import Counter

import pytest

from emberscope.base.errors import FormatError
from emberscope.frames.truth.agt import Agt, SensorUpdate, Target, TargetUpdate
from emberscope.frames.truth.agt_boxes import (
    boxes_from_agt,
    companions,
    projected_size,
    target_size,
)
from emberscope.frames.truth.bbox_met import MetRow, read_bbox_met

LINE = "site,na,base,cegr,02003,{frame},{ply},12.5,NULL,{x},{y},100,5,300,290,80,4,0.9"


def boxes(*targets, shape=(512, 640), bbox_met=None, **options):
    agt = Agt(target_updates=(TargetUpdate(targets=targets, hint=1),), **options)
    return boxes_from_agt(agt, shape=shape, n_frames=1, bbox_met=bbox_met)


@pytest.mark.parametrize(
    ("range_m", "aspect", "width", "height"),
    [(1000, 90, 71.07, 24.94), (2000, 0, 19.36, 12.47), (5000, 0, 7.74, 4.99)],
)
def test_projected_sizes_are_the_vectors_of_the_spec(range_m, aspect, width, height):
    found = projected_size("T72", range_m=range_m, aspect=aspect, shape=(512, 640), fov=(3.4, 2.6))
    assert found == pytest.approx((width, height), abs=0.005)


def test_a_target_size_is_found_whatever_the_punctuation():
    assert target_size("ZSU23-4") == target_size("zsu-23") == (5.94, 2.88, 2.34)
    assert target_size("Zeppelin") == (6.4, 2.3, 2.3)


def test_pix_box_comes_first_and_becomes_half_open():
    (found,) = boxes(Target(x=15, y=25, pix_box=(10, 20, 19, 29), range_m=1000, aspect=0))
    assert (found.how, found.box) == ("pixbox", (10, 20, 20, 30))


def test_the_metric_comes_second_and_is_centered_on_the_place():
    (found,) = boxes(
        Target(ply_id="054", x=100, y=200, range_m=1000, aspect=0),
        bbox_met=[MetRow(0, "54", 90, 195)],
    )
    assert (found.how, found.box) == ("bbox_met", (90, 195, 110, 205))


@pytest.mark.parametrize(
    "row",
    [
        MetRow(0, "7", 101, 195),
        MetRow(0, "8", 90, 195),
        MetRow(1, "7", 90, 195),
        MetRow(0, "7", float("nan"), 195),
    ],
)
def test_a_metric_of_another_target_or_without_size_is_passed_over(row):
    (found,) = boxes(
        Target(ply_id="7", x=100, y=200, range_m=1000, aspect=0, type="T72"), bbox_met=[row]
    )
    assert found.how == "geometry"


def test_geometry_comes_third_and_is_centered_on_the_place():
    (found,) = boxes(Target(type="T72", x=320, y=256, range_m=1000, aspect=90))
    assert found.how == "geometry"
    assert found.box == pytest.approx(
        (320 - 35.535, 256 - 12.47, 320 + 35.535, 256 + 12.47), abs=0.005
    )


def test_the_field_of_view_of_the_sensor_update_counts_for_frames_after_it_too():
    target = Target(type="T72", x=320, y=256, range_m=1000, aspect=90)
    agt = Agt(
        fov=(3.4, 2.6), sensor_updates=(SensorUpdate(hint=2, fov=(6.8, 5.2)),),
        target_updates=tuple(TargetUpdate(targets=(target,), hint=n) for n in (1, 2, 3)),
    )
    widths = [found.x1 - found.x0 for found in boxes_from_agt(agt, shape=(512, 640), n_frames=3)]
    assert widths == pytest.approx([71.07, 35.53, 35.53], abs=0.01)


@pytest.mark.parametrize(
    "facts",
    [{}, {"range_m": 0.0, "aspect": 0.0}, {"range_m": -1.0, "aspect": 0.0}, {"range_m": 9.0}],
)
def test_without_range_or_aspect_there_is_a_spot_and_no_box(facts):
    (found,) = boxes(Target(type="T72", x=320, y=256, **facts))
    assert (found.how, found.box, found.x, found.y) == ("spot", None, 320, 256)


def test_targets_outside_the_frame_or_without_a_place_are_left_out():
    beyond = Target(x=-3, y=197)
    partly = Target(ply_id="9", x=-3, y=197, range_m=1000, aspect=90, type="T72")
    assert [found.ply_id for found in boxes(beyond, partly, Target(ply_id="1"))] == ["9"]


def test_metrics_are_read_with_frames_counted_from_zero(tmp_path):
    path = tmp_path / "a.bbox_met"
    lines = [
        LINE.format(frame=1, ply="054", x=90.5, y=195),
        LINE.format(frame=2, ply=7, x="NULL", y=1),
    ]
    path.write_text("\n".join(lines))
    first, second = read_bbox_met(path).rows
    assert (first.frame, first.ply_id, first.upper_left_x, first.snr, first.pob) == (
        0,
        "054",
        90.5,
        12.5,
        0.9,
    )
    assert second.frame == 1
    assert second.upper_left_x != second.upper_left_x


def test_rows_longer_than_18_columns_count_and_other_lines_are_skipped(tmp_path):
    path = tmp_path / "a.bbox_met"
    path.write_text(LINE.format(frame=1, ply=7, x=1, y=2) + ",more,columns\n\nnot a row\n")
    found = read_bbox_met(path)
    assert (len(found.rows), found.skipped) == (1, 1)


def test_an_empty_metric_file_has_no_rows(tmp_path):
    (tmp_path / "a.bbox_met").write_text("")
    assert read_bbox_met(tmp_path / "a.bbox_met").rows == ()


def test_a_file_that_is_no_metric_file_is_refused(tmp_path):
    (tmp_path / "a.bbox_met").write_text("Dear diary,\ntoday it rained.\n")
    with pytest.raises(FormatError, match=r"this is not a \.bbox_met file"):
        read_bbox_met(tmp_path / "a.bbox_met")


def test_metrics_may_be_given_as_a_path(tmp_path):
    path = tmp_path / "a.bbox_met"
    path.write_text(LINE.format(frame=1, ply=7, x=90, y=195))
    (found,) = boxes(Target(ply_id="7", x=100, y=200), bbox_met=path)
    assert found.how == "bbox_met"


def test_companions_are_found_in_the_folders_of_the_range_data(tmp_path):
    for name in (
        "cegr/arf/cegr02003_0011.arf",
        "cegr/agt/CEGR02003_0011.AGT",
        "Metric/cegr02003_0011.bbox_met",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    arf, agt = tmp_path / "cegr/arf/cegr02003_0011.arf", tmp_path / "cegr/agt/CEGR02003_0011.AGT"
    met = tmp_path / "Metric/cegr02003_0011.bbox_met"
    assert companions(arf) == {"agt": agt, "bbox_met": met}
    assert companions(agt)["bbox_met"] == met


def test_companions_in_the_same_folder_come_first(tmp_path):
    for name in ("arf/a.arf", "arf/a.agt", "agt/a.agt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert companions(tmp_path / "arf/a.arf") == {"agt": tmp_path / "arf/a.agt", "bbox_met": None}


def test_box_metrics_that_two_agt_files_of_one_name_could_mean_go_to_neither(tmp_path):
    for name in ("sensor_a/agt/a.agt", "sensor_b/agt/a.agt", "Metric/a.bbox_met"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    shared = []
    assert companions(tmp_path / "sensor_a/agt/a.agt", shared=shared)["bbox_met"] is None
    assert shared == [tmp_path / "Metric/a.bbox_met"]


def test_each_of_two_agt_files_of_one_name_has_the_box_metrics_of_its_own_folder(tmp_path):
    for name in (
        "sensor_a/agt/a.agt",
        "sensor_b/agt/a.agt",
        "sensor_a/Metric/a.bbox_met",
        "Metric/a.bbox_met",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert (
        companions(tmp_path / "sensor_a/agt/a.agt")["bbox_met"]
        == tmp_path / "sensor_a/Metric/a.bbox_met"
    )


def test_a_path_that_is_not_there_has_no_companions(tmp_path):
    assert companions(tmp_path / "none/a.arf") == {"agt": None, "bbox_met": None}


def test_a_box_with_its_corners_the_other_way_round_is_the_same_box():
    target = Target(type="T72", ply_id="1", x=15.0, y=15.0, pix_box=(20, 20, 10, 10))
    (found,) = boxes(target)
    assert (found.box, found.how) == ((10, 10, 21, 21), "pixbox")


def test_targets_outside_the_frame_or_without_a_place_are_counted():
    left = Counter()
    agt = Agt(
        target_updates=(
            TargetUpdate(targets=(Target(ply_id="1", x=-3.0, y=5.0), Target(ply_id="2")), hint=1),
        )
    )
    assert boxes_from_agt(agt, shape=(48, 64), n_frames=1, left=left) == []
    assert left == {"outside the frame": 1, "without a place": 1}
