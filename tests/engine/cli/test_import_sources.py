"""`emberscope import`, called as a person calls it."""

import json

from emberscope.cli import main

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


def test_import_of_nothing_is_wrong_usage(tmp_path, capsys):
    assert main(["import", str(tmp_path / "p.ember")]) == 2
    assert "nothing to import" in capsys.readouterr().err
