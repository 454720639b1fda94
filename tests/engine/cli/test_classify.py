"""`emberscope classify`, called as a person calls it."""

import json

from emberscope.cli import main


def test_classify_prints_the_promised_keys(point_file, capsys):
    assert main(["classify", str(point_file), "--method", "knn", "--folds", "5", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    keys = {
        "accuracy",
        "accuracy_interval",
        "auc",
        "auc_interval",
        "instance_auc",
        "instance_auc_interval",
        "seconds",
        "folds",
    }
    assert keys <= report.keys()
    assert report["accuracy"] == 1.0


def test_classify_says_in_words_which_values_were_chosen(point_file, capsys):
    assert (
        main(["classify", str(point_file), "--method", "knn", "--folds", "2", "--set", "k=auto"])
        == 0
    )
    assert "in 2 folds" in capsys.readouterr().out


def test_every_held_out_number_names_how_bags_were_held_out(point_file, capsys):
    assert main(["classify", str(point_file), "--method", "knn", "--folds", "5"]) == 0
    rows = [row for row in capsys.readouterr().out.splitlines() if "1.000" in row]
    assert len(rows) == 3  # accuracy, AUC, AUC of instances
    assert all("held out in 5 folds of 10 bags" in row for row in rows)


def test_the_record_says_how_often_bags_were_dealt(point_file, capsys):
    main(["classify", str(point_file), "--method", "knn", "--folds", "5", "--repeats", "2",
          "--json"])
    assert json.loads(capsys.readouterr().out)["split"] == "5 folds of 10 bags, dealt 2 times"


def test_a_map_of_points_names_how_bags_were_held_out(point_file, tmp_path, capsys):
    main(["embed", str(point_file), "--method", "midr", "--held-out", "--out",
          str(tmp_path / "out.npz")])
    row = next(row for row in capsys.readouterr().out.splitlines() if "method_bag_auc" in row)
    assert "held out in" in row
    assert "folds of 10 bags" in row
