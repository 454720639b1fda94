"""`emberscope import`, called as a person calls it."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from emberscope.cli import main
from emberscope.cli.import_sources import folded
from emberscope.project.store.file import load

from .builders import a_clip_with_truth


def test_clips_and_truth_of_one_parent_folder_go_together_however_it_is_named(
    tmp_path, monkeypatch, capsys
):
    box = "<bndbox><xmin>4</xmin><ymin>5</ymin><xmax>14</xmax><ymax>15</ymax></bndbox>"
    for clip in ("day", "night"):
        for part in ("frames", "boxes_xml"):
            (tmp_path / "campaign" / clip / part).mkdir(parents=True)
        Image.fromarray(np.full((40, 50), ord(clip[0]), np.uint8)).save(
            tmp_path / "campaign" / clip / "frames" / f"{clip}_0.png")
        (tmp_path / "campaign" / clip / "boxes_xml" / f"{clip}_0.xml").write_text(
            f"<a><object><name>Car</name>{box}</object></a>")
    monkeypatch.chdir(tmp_path)
    assert main(["import", "p.ember", "campaign", "--truth", "campaign", "--background", "0"]) == 0
    assert "2 sources, 2 labels" in capsys.readouterr().out


def test_import_keeps_the_good_sources_and_names_the_bad_one(tmp_path, capsys):
    clip, _ = a_clip_with_truth(tmp_path)
    bad = tmp_path / "bad.tif"
    bad.write_text("not an image")
    assert main(["import", str(tmp_path / "p.ember"), str(bad), str(clip)]) == 1
    printed = capsys.readouterr()
    assert "bad.tif" in printed.err
    assert "6 frames" in printed.out
    assert main(["info", str(tmp_path / "p.ember"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sources"] == ["clip.npy"]


def test_many_lines_that_differ_in_place_and_numbers_are_counted():
    lines = [
        *(f"{k}.png: 1 frame of {k} x 9, png" for k in range(40, 46)),
        "a.ember: 6 sources, 0 labels",
    ]
    assert folded(lines) == [
        *lines[:3], "  and 3 more like this; --verbose shows them", "a.ember: 6 sources, 0 labels",
    ]  # fmt: skip


def test_many_damaged_files_are_named_in_part_and_counted(tmp_path, capsys):
    files = [tmp_path / f"{k}.png" for k in range(20)]
    for path in files:
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    assert main(["import", str(tmp_path / "p.ember"), *map(str, files)]) == 1
    printed = capsys.readouterr().err.splitlines()
    assert len(printed) == 4
    assert printed[3] == "emberscope: and 17 more like this; --verbose shows them"


def test_four_lines_of_a_kind_are_all_shown():
    lines = [f"{k}.png: 1 frame" for k in range(4)]
    assert folded(lines) == lines


def test_import_of_nothing_is_wrong_usage(tmp_path, capsys):
    assert main(["import", str(tmp_path / "p.ember")]) == 2
    assert "nothing to import" in capsys.readouterr().err


def test_actions_go_along_the_chips_of_their_clip(tmp_path, capsys):
    clip, truth = a_clip_with_truth(tmp_path)
    table = tmp_path / "clip_actions.csv"
    table.write_text("frame,action\n0,right\n1,right\n2,stay\n")
    project = tmp_path / "p.ember"
    assert (
        main(["import", str(project), str(clip), "--truth", str(truth), "--actions", str(table)])
        == 0
    )
    assert "clip_actions.csv: 2 known actions" in capsys.readouterr().out
    main(["info", str(project), "--json"])
    assert json.loads(capsys.readouterr().out)["side information"]["actions"] == 1


def test_actions_of_no_frame_with_a_chip_are_one_sentence(tmp_path, capsys):
    clip, _ = a_clip_with_truth(tmp_path)
    table = tmp_path / "clip_actions.csv"
    table.write_text("frame,action\n0,right\n")
    assert main(["import", str(tmp_path / "p.ember"), str(clip), "--actions", str(table)]) == 1
    assert "0 of its 1 frames have a chip" in capsys.readouterr().err


def two_sensors(folder):
    """sensor_a/clip.npy with sensor_a/clip.csv, and likewise of sensor_b."""
    for number, sensor in enumerate(("sensor_a", "sensor_b")):
        (folder / sensor).mkdir()
        np.save(folder / sensor / "clip.npy", np.full((2, 48, 64), number, np.uint16))
        (folder / sensor / "clip.csv").write_text(
            f"frame,x,y,w,h\n0,{11 + 30 * number},11,10,10\n1,99,11,10,10\n"
        )
    return folder


def test_a_dry_run_says_which_truth_is_whose_and_writes_nothing(tmp_path, capsys):
    data, project = two_sensors(tmp_path), tmp_path / "p.ember"
    assert (
        main(["import", str(project), str(data), "--truth", str(data), "--dry-run", "--json"]) == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert found["dry_run"] is True
    assert [(row["truth"], row["sources"], row["state"]) for row in found["truth"]] == [
        (str(data / name / "clip.csv"), [str(data / name / "clip.npy")], "given")
        for name in ("sensor_a", "sensor_b")
    ]
    assert found["truth"][0]["why"] == "the name of the clip, nearest folder"
    assert (found["truth"][0]["objects"], found["truth"][0]["frames"]) == ({"Target": 1}, 1)
    assert found["truth"][0]["notes"] == ["1 box outside the frame left out."]
    assert not project.exists()


def test_the_table_of_a_dry_run_is_for_people_too(tmp_path, capsys):
    data = two_sensors(tmp_path)
    assert (
        main(["import", str(tmp_path / "p.ember"), str(data), "--truth", str(data), "--dry-run"])
        == 0
    )
    printed = capsys.readouterr().out
    assert all(
        word in printed for word in ("source", "truth", "why", "1 on 1 frames", "nearest folder")
    )


def test_truth_that_ties_is_refused_and_nothing_is_written(tmp_path, capsys):
    data, project = two_sensors(tmp_path), tmp_path / "p.ember"
    stray = tmp_path / "clip.csv"
    stray.write_text("frame,x,y,w,h\n0,11,11,10,10\n")
    arguments = ["import", str(project), str(data), "--truth", str(stray)]
    assert main(arguments) == 1
    said = "clip.csv: it fits several clips equally well: sensor_a/clip.npy, sensor_b/clip.npy"
    assert said in capsys.readouterr().err
    assert not project.exists()
    assert main([*arguments, "--dry-run", "--json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)["truth"]
    assert (row["state"], len(row["sources"])) == ("tie", 2)


def test_truth_without_sources_is_that_of_the_sources_of_the_project(tmp_path, capsys):
    data, project = two_sensors(tmp_path), tmp_path / "p.ember"
    assert main(["import", str(project), str(data)]) == 0
    assert main(["import", str(project), "--truth", str(data), "--background", "0"]) == 0
    assert "2 sources, 2 labels" in capsys.readouterr().out
    assert main(["import", str(tmp_path / "empty.ember"), "--truth", str(data)]) == 1
    assert "there is no source that truth could be of" in capsys.readouterr().err


def test_a_dry_run_says_what_was_found_and_what_lies_beside_it(tmp_path, capsys):
    data = two_sensors(tmp_path)
    (data / "stills").mkdir()
    for number in range(2):
        Image.fromarray(np.full((6, 8), number, np.uint8)).save(data / "stills" / f"{number}.png")
    assert main(["import", str(tmp_path / "p.ember"), str(data), "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["sources"]
    assert [
        (row["kind"], row["frames"], row["cols"], row["rows"], row["depth"], row["truth"])
        for row in found
    ] == [
        ("clip", 2, 64, 48, "uint16", str(data / "sensor_a" / "clip.csv")),
        ("clip", 2, 64, 48, "uint16", str(data / "sensor_b" / "clip.csv")),
        ("sequence", 2, 8, 6, "uint8", ""),
    ]
    assert (
        found[2]["why"] == "images of one size and type in one folder, in the order of their names"
    )


def test_what_a_dry_run_found_is_printed_for_people(tmp_path, capsys):
    data = two_sensors(tmp_path)
    assert main(["import", str(tmp_path / "p.ember"), str(data), "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert all(
        word in printed for word in ("truth beside it", "64 x 48", "uint16", "frames of one file")
    )


def test_a_table_of_what_is_known_is_kept_and_listed(tmp_path, capsys):
    clip, truth = a_clip_with_truth(tmp_path)
    (tmp_path / "known.csv").write_text("clip,light,range\nclip,night,1500\n")
    project = str(tmp_path / "p.ember")
    table = str(tmp_path / "known.csv")
    assert main(["import", project, str(clip), "--truth", str(truth), "--table", table]) == 0
    assert "columns of 1 clip" in capsys.readouterr().out
    assert main(["info", project, "--columns", "--json"]) == 0
    found = {row["column"]: row for row in json.loads(capsys.readouterr().out)["columns"]}
    assert found["range"]["range"] == [1500.0, 1500.0]
    assert found["light"]["clips"] == 1
    assert main(["info", project, "--columns"]) == 0
    assert "1500 m" in capsys.readouterr().out


def test_a_source_has_no_columns(tmp_path, capsys):
    clip, _ = a_clip_with_truth(tmp_path)
    assert main(["info", str(clip), "--columns"]) == 1
    assert "is no project" in capsys.readouterr().err


def test_how_frames_are_read_goes_with_a_source(tmp_path, capsys):
    assert main(["import", str(tmp_path / "p.ember"), "--axis", "0", "--done", "all"]) == 2
    assert "--axis says how a source is read. Name the source too." in capsys.readouterr().err


def test_boxes_have_the_size_and_the_number_that_were_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.save("clip.npy", np.zeros((2, 100, 100), np.uint16))
    Path("clip.csv").write_text("frame,x,y,w,h\n0,40,40,8,6\n1,50,50,8,6\n")
    wanted = ["--box-size", "20x10", "--per-frame", "3", "--background", "0"]
    assert main(["import", "p.ember", "clip.npy", "--truth", "clip.csv", *wanted]) == 0
    boxes = load(Path("p.ember")).labels
    assert [(box.x1 - box.x0, box.y1 - box.y0) for box in boxes] == [(20, 10)] * 6


def test_a_size_of_boxes_that_is_none_is_said(tmp_path, capsys):
    project = str(tmp_path / "p.ember")
    with pytest.raises(SystemExit):
        main(["import", project, "clip.npy", "--box-size", "9000x2"])
    assert "the size of boxes is 9000 x 2 px" in capsys.readouterr().err


def test_outlines_of_truth_are_kept_where_that_is_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "frames").mkdir()
    Image.fromarray(np.zeros((40, 50), np.uint8)).save("frames/f0.png")
    shapes = [
        {"label": "car", "shape_type": "polygon", "points": [[4, 5], [24, 6], [9, 25]]},
        {"label": "road", "shape_type": "linestrip", "points": [[0, 30], [49, 31]]},
        {"label": "car", "shape_type": "circle", "points": [[30, 20], [34, 20]]},
    ]
    found = {"shapes": shapes, "imagePath": "f0.png", "imageWidth": 50, "imageHeight": 40}
    Path("frames/f0.json").write_text(json.dumps(found))
    common = ["frames", "--truth", "frames/f0.json", "--background", "0"]
    assert main(["import", "kept.ember", *common, "--outlines"]) == 0
    assert main(["import", "boxes.ember", *common, "--weaken", "0"]) == 0
    assert "3 boxes were put around outlines" in capsys.readouterr().out
    kinds = []
    for project in ("kept.ember", "boxes.ember"):
        assert main(["info", project, "--json"]) == 0
        kinds.append(json.loads(capsys.readouterr().out)["labels by kind"])
    assert kinds == [{"polygon": 1, "line": 1, "ellipse": 1}, {"box": 3}]


def test_files_that_are_imported_as_truth_are_not_called_left_out(tmp_path, monkeypatch, capsys):
    np.save(tmp_path / "pass.npy", np.ones((4, 40, 50), np.uint16))
    (tmp_path / "pass.csv").write_text("frame,x,y,w,h\n0,5,6,10,10\n")
    monkeypatch.chdir(tmp_path)
    assert main(["import", "p.ember", ".", "--truth", ".", "--dry-run"]) == 0
    assert "left out" not in capsys.readouterr().out


def test_stills_are_single_images_where_that_is_asked(tmp_path, capsys):
    (tmp_path / "day").mkdir()
    for k in range(3):
        Image.fromarray(np.full((40, 50), k, np.uint8)).save(tmp_path / "day" / f"{k}.png")
    project, day = str(tmp_path / "p.ember"), str(tmp_path / "day")
    assert main(["import", project, str(tmp_path), "--single-images", day]) == 0
    assert "3 sources" in capsys.readouterr().out


def test_labels_of_instances_only_judge_where_bags_alone_are_asked_for(tmp_path):
    path = tmp_path / "p.ember"
    np.savez(tmp_path / "a.npz", X=np.eye(4), bag=[0, 0, 1, 1], bag_y=[1, -1], y=[1, -1, -1, -1])
    assert main(["import", str(path), str(tmp_path / "a.npz"), "--bags-only"]) == 0
    assert not len(load(path).marks)


def test_bags_only_of_rows_without_bags_is_refused(tmp_path, capsys):
    np.savez(tmp_path / "a.npz", X=np.eye(4), y=[1, -1, 1, -1])
    assert main(["import", str(tmp_path / "p.ember"), str(tmp_path / "a.npz"), "--bags-only"]) == 1
    assert "there are no bags to learn from alone" in capsys.readouterr().err


def test_bags_only_without_a_source_is_refused(tmp_path, capsys):
    assert main(["import", str(tmp_path / "p.ember"), "--done", "all", "--bags-only"]) == 2
    assert "--bags-only says how a source is read" in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["--box-size all", "--per-frame 3"])
def test_how_truth_becomes_labels_goes_with_truth(flag, tmp_path, capsys):
    clip, _ = a_clip_with_truth(tmp_path)
    assert main(["import", str(tmp_path / "p.ember"), str(clip), *flag.split()]) == 2
    said = f"{flag.split()[0]} says how truth becomes labels. Name the truth too, with --truth."
    assert said in capsys.readouterr().err
    assert not (tmp_path / "p.ember").exists()


def test_a_hint_at_the_help_of_a_command_ends_no_sentence_twice(capsys):
    with pytest.raises(SystemExit):
        main(["import", "p.ember", "--box-size", "12by"])
    assert "as 121x51. See: emberscope import --help" in capsys.readouterr().err
