"""`emberscope classify`, called as a person calls it."""

import json

import numpy as np

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


def test_classify_names_the_classes_of_bags(tmp_path, capsys):
    rng, kind = np.random.default_rng(0), np.arange(24) % 3
    X = rng.normal(size=(48, 2)) * 0.3
    X[::2] += np.array([[4.0, 0], [0, 4], [-4, -4]])[kind]
    np.savez(tmp_path / "points.npz", X=X, bag=np.repeat(np.arange(24), 2),
             bag_y=np.ones(24, int), bag_class=kind + 1)
    asked = ["classify", str(tmp_path / "points.npz"), "--method", "prototype-knn", "--classes",
             "--folds", "4", "--out", str(tmp_path / "said.npz")]
    assert main(asked) == 0
    printed = capsys.readouterr().out
    assert "truth / said" in printed
    assert "held out in 4 folds of 24 bags" in printed
    with np.load(tmp_path / "said.npz") as found:
        assert (found["class_said"] == kind + 1).mean() > 0.9
        assert (found["novelty"].shape, found["bag_novelty"].shape) == ((48,), (24,))
    assert main([*asked, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["class_accuracy"] > 0.9
    assert report["class_accuracy_interval"][0] < report["class_accuracy"]
    assert report["split"] == "4 folds of 24 bags"
    assert sum(sum(row.values()) for row in report["confusion"].values()) == 24


def test_bags_without_a_label_say_how_unlike_labeled_ones_they_are(tmp_path, capsys):
    X = np.random.default_rng(0).normal(size=(44, 3))
    X[20::2] += 3
    X[40:] += 60
    np.savez(tmp_path / "p.npz", X=X, bag=np.arange(44) // 2,
             bag_y=np.array([-1] * 10 + [1] * 10 + [0] * 2))
    assert main(["classify", str(tmp_path / "p.npz"), "--method", "knn", "--folds", "2",
                 "--out", str(tmp_path / "out.npz"), "--json"]) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert any(note.startswith("2 of 2 bags without a label lie farther") for note in notes)
    with np.load(tmp_path / "out.npz") as found:
        assert found["bag_novelty"][-2:].min() > 1
        assert np.median(found["novelty"][:40]) < 1
