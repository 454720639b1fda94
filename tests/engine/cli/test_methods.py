"""`emberscope methods`, called as a person calls it."""

import json

from emberscope.cli import main


def test_methods_lists_every_id(capsys):
    assert main(["methods"]) == 0
    printed = capsys.readouterr().out
    for name in ("pca", "lda", "laplacian-eigenmaps", "isomap", "s-le", "mida", "tsne"):
        assert name in printed


def test_methods_of_one_id_shows_its_parameters(capsys):
    assert main(["methods", "s-le"]) == 0
    assert "n_components" in capsys.readouterr().out


def test_methods_of_a_classifier_shows_the_values_that_auto_tries(capsys):
    assert main(["methods", "citation-knn"]) == 0
    assert "tried" in (printed := capsys.readouterr().out)
    assert "min, max, average" in printed


def test_methods_as_json_carries_the_parameter_specs(capsys):
    assert main(["methods", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert all(row["params"] and row["params"][0]["name"] for row in rows)


def test_one_id_prints_its_page_with_the_table_of_parameters_inside(capsys):
    assert main(["methods", "pole"]) == 0
    printed = capsys.readouterr().out
    parts = ("Idea", "W'A'D A W = I", "same_bag", "What to distrust", "Elbeleidy 2018")
    order = [printed.index(part) for part in parts]
    assert order == sorted(order)
    assert "](" not in printed


def test_one_id_as_json_carries_its_page(capsys):
    assert main(["methods", "pole", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["page"].startswith(
        "# pOLE, p-order Laplacian embedding\n"
    )


def test_one_id_says_that_it_takes_distances_of_chips_and_another_one_nothing(capsys):
    assert main(["methods", "isomap"]) == 0
    assert "Distances. Takes distances of chips" in capsys.readouterr().out
    assert main(["methods", "pca"]) == 0
    assert "distances of chips" not in capsys.readouterr().out
