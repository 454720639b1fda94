"""`emberscope replay`, called as a person calls it."""

import json

import msgspec
import numpy as np
import pytest

from emberscope.cli import main
from emberscope.project import PutRuns
from emberscope.project.store.file import load, save

from .builders import a_clip_with_truth


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A project with one run of PCA."""
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = a_clip_with_truth(tmp_path)
    recipe = tmp_path / "r.toml"
    recipe.write_text('method = "pca"\n[bags]\npatch = 12\nstride = 12\n')
    path = str(tmp_path / "p.ember")
    assert main(["import", path, str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    assert main(["run", str(recipe), "--project", path]) == 0
    return path


def test_a_saved_run_is_equal_to_the_bit(path, capsys):
    capsys.readouterr()
    assert main(["replay", path, "--run", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["equal"], found["differs"], found["other"]) == (True, "", [])


def test_a_run_that_differs_ends_with_1_and_names_the_first_stage(path, capsys):
    project = load(path)
    moved = msgspec.structs.replace(project.runs[1], Z=project.runs[1].Z + np.float32(1))
    project.apply(PutRuns(title="Move", before=[project.runs[1]], after=[moved]))
    save(project, path)
    assert main(["replay", path]) == 1
    assert "Run 1 differs: the first stage with another result is coordinates." \
        in capsys.readouterr().out


def test_a_run_that_is_not_there_is_named(path, capsys):
    assert main(["replay", path, "--run", "7"]) == 1
    assert "there is no run 7. Its runs: 1." in capsys.readouterr().err
