"""`emberscope labels`, called as a person calls it."""

import json

import msgspec
import pytest

from emberscope.cli import main
from emberscope.project import PutLabels
from emberscope.project.store.file import load, save

from .builders import a_clip_with_truth


@pytest.fixture
def project(tmp_path, monkeypatch, capsys):
    """A project of ten frames with a target each, and background beside it, all labeled well."""
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    clip, truth = a_clip_with_truth(tmp_path, count=10)
    assert main(["import", "p.ember", str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    capsys.readouterr()
    return "p.ember"


def test_where_no_label_is_doubtful_none_is_listed_and_that_is_said(project, capsys):
    assert main(["labels", project, "--doubtful", "--top", "5"]) == 0
    said = capsys.readouterr()
    assert "labels that were judged is doubtful" in said.err
    assert said.out.splitlines()[-1].endswith("doubtful: 0, listed: 0.")
    assert "%" not in said.out


def test_only_doubtful_labels_are_listed(project, capsys):
    opened = load(project)
    label = next(label for label in opened.labels if opened.role(label.class_id) < 0)
    target = next(key for key, info in opened.classes.items() if info.role > 0)
    opened.apply(PutLabels(before=[label], after=[msgspec.structs.replace(label, class_id=target)]))
    save(opened, project)
    assert main(["labels", project, "--doubtful", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["label"] for row in found["labels"]][:1] == [label.id]
    assert len(found["labels"]) == found["doubtful"] < found["judged"]
    assert min(row["wrong"] for row in found["labels"]) >= 0.05
