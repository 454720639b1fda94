"""`emberscope convert`, called as a person calls it."""

import json

import numpy as np

from emberscope.cli import main


def test_convert_makes_no_more_numbers_per_bag_than_there_are_features(
    point_file, tmp_path, capsys
):
    assert main(["convert", str(point_file), str(tmp_path / "out.npz"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["dimensions"] == 4
    assert np.load(tmp_path / "out.npz")["X"].shape == (10, 4)


def test_convert_says_by_its_option_that_there_are_fewer_features(point_file, tmp_path, capsys):
    assert main(["convert", str(point_file), str(tmp_path / "out.npz"), "--dimensions", "9"]) == 1
    assert capsys.readouterr().err.strip().endswith(
        "9 numbers per bag are more than the 4 features there are. Ask for 4 dimensions at most."
    )


def test_convert_to_distances_to_concepts(point_file, tmp_path, capsys):
    out = tmp_path / "out.npz"
    concepts = [
        "--variant",
        "concepts",
        "--set",
        "n_concepts=2",
        "--set",
        "prune=false",
        "--set",
        "features=nearest",
    ]
    assert main(["convert", str(point_file), str(out), *concepts, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["dimensions"] == 2
    assert np.load(out)["X"].shape == (10, 2)


def test_convert_to_concepts_names_the_parameters_there_are(point_file, tmp_path, capsys):
    arguments = [
        "convert",
        str(point_file),
        str(tmp_path / "out.npz"),
        "--variant",
        "concepts",
        "--set",
        "k=2",
    ]
    assert main(arguments) == 1
    assert "have no parameter k. They have: features, n_concepts," in capsys.readouterr().err


def test_a_map_has_no_parameters_of_concepts(point_file, tmp_path, capsys):
    assert (
        main(["convert", str(point_file), str(tmp_path / "out.npz"), "--set", "n_concepts=2"]) == 1
    )
    assert "variant global has no parameter n_concepts. Leave --set out." in capsys.readouterr().err


def test_concepts_have_no_projection(point_file, tmp_path, capsys):
    arguments = [
        "convert",
        str(point_file),
        str(tmp_path / "out.npz"),
        "--variant",
        "concepts",
        "--dimensions",
        "3",
    ]
    assert main(arguments) == 1
    assert "vectors of concepts have no projection" in capsys.readouterr().err


def test_convert_says_how_a_project_gives_vectors_of_bags(tmp_path, capsys):
    (tmp_path / "p.ember").write_bytes(b"\x89HDF\r\n\x1a\n\0")
    assert main(["convert", str(tmp_path / "p.ember"), str(tmp_path / "out.npz")]) == 1
    assert "it is a project. `emberscope export PROJECT --to bags DIR`" in capsys.readouterr().err
