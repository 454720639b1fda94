"""`emberscope embed`, called as a person calls it."""

import json

import numpy as np

from emberscope.cli import main


def test_embed_writes_coordinates_and_prints_json(point_file, tmp_path, capsys):
    out = tmp_path / "out.npz"
    asked = ["embed", str(point_file), "--method", "pca", "--set", "n_components=3"]
    assert main([*asked, "--out", str(out), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert {"method", "seconds", "peak_mb", "quality"} <= report.keys()
    assert np.load(out)["Z"].shape == (40, 3)


def test_an_error_of_a_method_names_no_class(tmp_path, capsys):
    path = tmp_path / "positive.npz"
    np.savez(path, X=np.random.default_rng(0).normal(size=(12, 3)), bag=np.arange(12) // 3, bag_y=np.ones(4, int))
    assert main(["embed", str(path), "--method", "mi-le", "--out", str(tmp_path / "out.npz")]) == 1
    error = "there is no negative bag with an instance. Label at least one negative bag."
    assert error in capsys.readouterr().err
