"""`emberscope import`, called as a person calls it."""

import json

from emberscope.cli import main
from emberscope.cli.import_sources import folded

from .builders import a_clip_with_truth


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
    lines = [*(f"{k}.png: 1 frame of {k} x 9, png" for k in range(40, 46)), "a.ember: 6 sources, 0 labels"]
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
    assert main(["import", str(project), str(clip), "--truth", str(truth), "--actions", str(table)]) == 0
    assert "clip_actions.csv: 2 known actions" in capsys.readouterr().out
    main(["info", str(project), "--json"])
    assert json.loads(capsys.readouterr().out)["side information"]["actions"] == 1


def test_actions_of_no_frame_with_a_chip_are_one_sentence(tmp_path, capsys):
    clip, _ = a_clip_with_truth(tmp_path)
    table = tmp_path / "clip_actions.csv"
    table.write_text("frame,action\n0,right\n")
    assert main(["import", str(tmp_path / "p.ember"), str(clip), "--actions", str(table)]) == 1
    assert "0 of its 1 frames have a chip" in capsys.readouterr().err
