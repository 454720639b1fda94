"""`emberscope embed`, called as a person calls it."""

import json
import os
import subprocess
import sys

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
    np.savez(
        path,
        X=np.random.default_rng(0).normal(size=(12, 3)),
        bag=np.arange(12) // 3,
        bag_y=np.ones(4, int),
    )
    assert main(["embed", str(path), "--method", "mi-le", "--out", str(tmp_path / "out.npz")]) == 1
    error = "there is no negative bag with an instance. Label at least one negative bag."
    assert error in capsys.readouterr().err


def test_distances_from_a_file_take_the_place_of_those_of_x(tmp_path, capsys):
    line = np.arange(20.0)
    np.save(tmp_path / "d.npy", np.abs(line[:, None] - line))
    np.savez(tmp_path / "p.npz", X=np.random.default_rng(0).normal(size=(20, 3)))
    asked = [
        "embed",
        str(tmp_path / "p.npz"),
        "--method",
        "mds",
        "--out",
        str(tmp_path / "out.npz"),
    ]
    assert main([*asked, "--distances", str(tmp_path / "d.npy")]) == 0
    np.testing.assert_allclose(
        np.abs(np.load(tmp_path / "out.npz")["Z"][:, 0]), np.abs(line - 9.5), atol=1e-5
    )
    assert main([*asked, "--distances", str(tmp_path / "p.npz")]) == 1
    assert (
        "an archive of arrays (X), not one table. Write it with numpy.save(path, D)."
        in capsys.readouterr().err
    )


def test_a_table_of_distances_alone_is_its_own_point_set(tmp_path):
    line = np.arange(20.0)
    np.save(tmp_path / "d.npy", np.abs(line[:, None] - line))
    table, out = str(tmp_path / "d.npy"), tmp_path / "out.npz"
    assert (
        main(["embed", table, "--distances", table, "--method", "isomap", "--out", str(out)]) == 0
    )
    steps = np.diff(np.load(out)["Z"][:, 0])
    np.testing.assert_array_equal(np.sign(steps), np.sign(steps[0]))


def test_numbers_of_threads_that_are_none_are_a_line_each_and_stop_nothing(point_file, tmp_path):
    counts = {"OMP": "abc", "OPENBLAS": "-1", "MKL": "99999", "NUMBA": "0"}
    wrong = {f"{library}_NUM_THREADS": count for library, count in counts.items()}
    words = [
        sys.executable,
        "-m",
        "emberscope",
        "embed",
        point_file,
        "--method",
        "isomap",
        "--out",
        tmp_path / "o.npz",
    ]
    done = subprocess.run(
        words, env=os.environ | wrong, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert [line.split(",")[0] for line in done.stderr.splitlines()] == [
        f"emberscope: {name} is {value!r}" for name, value in wrong.items()
    ]


def test_embed_prints_a_line_for_every_concept(point_file, tmp_path, capsys):
    asked = ["embed", str(point_file), "--method", "fcmi", "--set", "n_concepts=1"]
    assert main([*asked, "--out", str(tmp_path / "out.npz")]) == 0
    assert "coverage" in capsys.readouterr().out
