"""`emberscope convert`, called as a person calls it."""

import json

import numpy as np

from emberscope.cli import main


def test_convert_makes_no_more_numbers_per_bag_than_there_are_features(point_file, tmp_path, capsys):
    assert main(["convert", str(point_file), str(tmp_path / "out.npz"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["dimensions"] == 4
    assert np.load(tmp_path / "out.npz")["X"].shape == (10, 4)


def test_convert_says_by_its_option_that_there_are_fewer_features(point_file, tmp_path, capsys):
    assert main(["convert", str(point_file), str(tmp_path / "out.npz"), "--dimensions", "9"]) == 1
    assert capsys.readouterr().err.strip().endswith(
        "9 numbers per bag are more than the 4 features there are. Ask for 4 dimensions at most."
    )
