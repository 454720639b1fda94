"""`emberscope compare`, called as a person calls it."""

import csv
import json

import numpy as np
import pytest

from emberscope.cli import main
from emberscope.project import Project, PutRuns
from emberscope.project.model.run_notes import put_run_note
from emberscope.project.store.file import load, save

from ..project.builders import a_run

PLANE = np.random.default_rng(0).normal(size=(60, 2))
MIRRORED = -3 * PLANE[:, ::-1]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Run 1; run 2, the same mirrored, where the first instance went far off; run 3, of others."""
    monkeypatch.chdir(tmp_path)
    away = MIRRORED.copy()
    away[0] += 9
    project = Project()
    runs = [a_run(1, 60, Z=PLANE), a_run(2, 60, Z=away)]
    runs.append(a_run(3, 60, Z=PLANE, ids=np.arange(100, 160)))
    project.apply(PutRuns(after=runs))
    save(project, tmp_path / "p.ember")


def test_the_instance_that_moved_is_named_first(project, capsys):
    assert main(["compare", "p.ember", "1", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["shared"], found["only_first"], found["movers"][0]["instance"]) == (60, 0, 1)


def test_a_person_reads_how_equal_the_maps_are(project, capsys):
    assert main(["compare", "p.ember", "1", "2"]) == 0
    said = capsys.readouterr().out
    assert "Runs 1 and 2 have 60 instances in common." in said
    assert "000001" in said


def test_a_table_has_both_places_of_every_instance(project, tmp_path, capsys):
    assert main(["compare", "p.ember", "1", "2", "--to", "both.csv"]) == 0
    with (tmp_path / "both.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 60
    assert rows[5]["first_z1"] == f"{PLANE[5, 0]:.7g}"
    assert rows[5].keys() >= {"kept", "moved", "second_z1", "second_z2"}


def test_json_goes_to_a_file_too(project, tmp_path, capsys):
    assert main(["compare", "p.ember", "1", "2", "--to", "both.json"]) == 0
    assert json.loads((tmp_path / "both.json").read_text())["shared"] == 60


def test_runs_without_instances_in_common_are_refused(project, capsys):
    assert main(["compare", "p.ember", "1", "3"]) == 1
    assert "runs 1 and 3 have 0 instances in common" in capsys.readouterr().err


def test_a_run_that_is_not_there_is_refused_with_those_that_are(project, capsys):
    assert main(["compare", "p.ember", "1", "7"]) == 1
    assert "there is no run 7. Its runs: 1, 2, 3." in capsys.readouterr().err


def test_a_run_is_not_compared_with_itself(project, capsys):
    assert main(["compare", "p.ember", "1", "1"]) == 1
    assert "run 1 was named twice. Name two runs to compare." in capsys.readouterr().err


def test_a_file_of_another_kind_is_refused_before_anything_is_read(capsys):
    assert main(["compare", "nowhere.ember", "1", "2", "--to", "both.txt"]) == 1
    assert "neither a table nor JSON" in capsys.readouterr().err


def test_what_is_written_beside_a_run_is_told_with_the_project(project, tmp_path, capsys):
    opened = load(tmp_path / "p.ember")
    opened.apply(put_run_note(opened, 2, title="", name="mirrored", note="try night", pinned=True))
    save(opened, tmp_path / "p.ember")
    assert main(["info", "p.ember"]) == 0
    assert "Run 2, pinned: mirrored. try night" in capsys.readouterr().out
