"""Where commands write: folders are made, and a file goes to a folder that is there."""

import numpy as np
import pytest

from emberscope.cli import main
from emberscope.project import Project, PutRuns
from emberscope.project.store.file import save

from ..project.builders import a_run

_STUDY = '[axes]\nd = [2, 3, 4]\n'
# Calls that write a file, or into a folder, below the folder `nowhere`, which is absent.
FILES = [
    "embed in.npz --method pca --out nowhere/o.npz",
    "classify in.npz --method knn --out nowhere/o.npz",
    "convert in.npz nowhere/o.npz",
    "generate moons nowhere/o.npz",
    "reproduce surfaces --only nothing --out nowhere/o.csv",
    "compare p.ember 1 2 --to nowhere/o.csv",
    "info p.ember --questions 3 --out nowhere/o.csv",
    "recover p.ember --out nowhere/o.ember",
    "import nowhere/o.ember clip.npy",
    "export p.ember --figure map-2d nowhere/o.svg",
    "study s.toml --project p.ember --out o --figure nowhere/o.svg",
]
FOLDERS = [
    "export p.ember --to csv nowhere/o",
    "export p.ember --to png nowhere/o",
    "export p.ember --to coco nowhere/o",
    "reproduce surfaces --only nothing --to nowhere/o",
    "study s.toml --project p.ember --out nowhere/o",
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The current folder, with a point set, a clip, a project of two runs and a study."""
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(20, 4))
    np.savez("in.npz", X=X, y=[1, -1] * 10, bag=np.arange(20) // 2, bag_y=[1, -1] * 5)
    np.save("clip.npy", np.full((2, 32, 32), 7000, np.uint16))
    (tmp_path / "s.toml").write_text(_STUDY)
    project = Project()
    project.apply(PutRuns(after=[a_run(1, 20), a_run(2, 20)]))
    save(project, "p.ember")
    return tmp_path


@pytest.mark.parametrize("call", FILES)
def test_no_command_writes_a_file_to_a_folder_that_is_absent(here, capsys, call):
    assert main(call.split()) == 1
    said = capsys.readouterr().err
    assert said == "emberscope: nowhere: there is no such folder. Make it first.\n"


@pytest.mark.parametrize("call", FOLDERS)
def test_every_command_makes_the_folder_it_writes_into_with_those_above(here, call):
    main(call.split())
    assert (here / "nowhere" / "o").is_dir()


@pytest.mark.parametrize("call", FOLDERS)
def test_every_command_says_that_a_file_is_where_its_folder_goes(here, capsys, call):
    (here / "nowhere").touch()
    assert main(call.split()) == 1
    assert "the folder cannot be made" in capsys.readouterr().err


def test_a_study_goes_to_a_folder_that_a_link_leads_to(here):
    (here / "disk").mkdir()
    (here / "scratch").symlink_to("disk")
    main(["study", "s.toml", "--project", "p.ember", "--out", "scratch/o"])
    assert (here / "disk" / "o" / "cells").is_dir()
