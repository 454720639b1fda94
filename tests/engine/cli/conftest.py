"""A point set and a project for the commands that take one."""

import numpy as np
import pytest

from emberscope.cli import main

from .builders import a_clip_with_truth


@pytest.fixture
def point_file(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat([1, -1], 20)
    X = rng.normal(size=(40, 4)) + 3 * y[:, None]
    np.savez(tmp_path / "in.npz", X=X, y=y, bag=np.arange(40) // 4, bag_y=[1] * 5 + [-1] * 5)
    return tmp_path / "in.npz"


@pytest.fixture
def labeled(tmp_path, monkeypatch, capsys):
    """A project of ten frames with a target each, and background beside it, all labeled well, in
    the current folder."""
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    clip, truth = a_clip_with_truth(tmp_path, count=10)
    assert main(["import", "p.ember", str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    capsys.readouterr()
    return "p.ember"
