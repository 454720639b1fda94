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
