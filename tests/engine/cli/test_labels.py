"""`emberscope labels`, called as a person calls it."""

import json

import msgspec

from emberscope.cli import main
from emberscope.project import PutLabels
from emberscope.project.store.file import load, save


def test_where_no_label_is_doubtful_none_is_listed_and_that_is_said(labeled, capsys):
    assert main(["labels", labeled, "--doubtful", "--top", "5"]) == 0
    said = capsys.readouterr()
    assert "labels that were judged is doubtful" in said.err
    assert said.out.splitlines()[-1].endswith("doubtful: 0, listed: 0.")
    assert "%" not in said.out


def test_only_doubtful_labels_are_listed(labeled, capsys):
    opened = load(labeled)
    label = next(label for label in opened.labels if opened.role(label.class_id) < 0)
    target = next(key for key, info in opened.classes.items() if info.role > 0)
    opened.apply(PutLabels(before=[label], after=[msgspec.structs.replace(label, class_id=target)]))
    save(opened, labeled)
    assert main(["labels", labeled, "--doubtful", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["label"] for row in found["labels"]][:1] == [label.id]
    assert len(found["labels"]) == found["doubtful"] < found["judged"]
    assert min(row["wrong"] for row in found["labels"]) >= 0.05


def test_labels_of_points_are_judged_where_they_are(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    assert main(["generate", "two-concepts", "p.npz"]) == 0
    assert main(["import", "p.ember", "p.npz"]) == 0
    capsys.readouterr()
    assert main(["labels", "p.ember", "--doubtful", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["judged"] == 60
    assert "beside" not in {row["kind"] for row in found["labels"]}
