"""What is done, said from the command line and told by it."""

import json

import pytest

from emberscope.cli import main
from emberscope.cli.info import spans

from .builders import a_clip_with_truth


@pytest.fixture
def path(tmp_path, capsys):
    """A project of one clip of six frames, `clip.npy`."""
    clip, _ = a_clip_with_truth(tmp_path)
    path = tmp_path / "p.ember"
    assert main(["import", str(path), str(clip)]) == 0
    capsys.readouterr()
    return str(path)


@pytest.fixture
def told(path, capsys):
    """`told()`: counts and records of what is done."""

    def ask():
        capsys.readouterr()  # of calls before
        assert main(["info", path, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        return found["done"], found["done by source"]

    return ask


def test_at_first_nothing_is_done(told):
    assert told() == ({"clips": 0, "frames": 0, "clips left": 1}, [])


@pytest.mark.parametrize("name", ["clip.npy", "clip", "all"])
def test_a_clip_is_done(path, told, capsys, name):
    assert main(["import", path, "--done", name]) == 0
    assert capsys.readouterr().out == f"{path}: clip.npy is done\n"
    assert told() == ({"clips": 1, "frames": 0, "clips left": 0},
                      [{"source": "clip.npy", "clip": True, "frames": []}])


def test_frames_are_done_and_counted_from_one(path, told):
    assert main(["import", path, "--done", "clip:1-3,6"]) == 0
    counts, (record,) = told()
    assert counts["frames"] == 4
    assert record == {"source": "clip.npy", "clip": False, "frames": [0, 1, 2, 5]}


def test_it_is_taken_back(path, told):
    main(["import", path, "--done", "clip", "clip:2,3"])
    assert main(["import", path, "--not-done", "clip", "clip:3"]) == 0
    assert told()[1] == [{"source": "clip.npy", "clip": False, "frames": [1]}]


def test_a_clip_that_comes_with_the_same_call_can_be_done(tmp_path, capsys):
    clip, _ = a_clip_with_truth(tmp_path)
    assert main(["import", str(tmp_path / "q.ember"), str(clip), "--done", "clip"]) == 0
    assert "clip.npy is done" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("clop", "there is no clip 'clop'"),
        ("clip:7", "clip.npy has no frames 7"),
        ("clip:0-2", "has no frames 0-2"),
        ("clip:4-2", "has no frames 4-2"),
        ("clip:x", "there is no clip 'clip:x'"),
        ("", "there is no clip ''"),
    ],
)
def test_what_is_not_there_is_said_and_nothing_is_marked(path, told, capsys, words, said):
    assert main(["import", path, "--done", "clip", words]) == 1
    assert said in capsys.readouterr().err
    assert told()[1] == []


def test_the_table_says_which_frames(path, capsys):
    main(["import", path, "--done", "clip:1-3,6"])
    capsys.readouterr()
    assert main(["info", path]) == 0
    assert "1-3, 6" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("frames", "words"), [([], ""), ([4], "5"), ([0, 1], "1-2"), ([0, 2, 3, 4, 9], "1, 3-5, 10")]
)
def test_frames_in_a_row_are_a_stretch(frames, words):
    assert spans(frames) == words
