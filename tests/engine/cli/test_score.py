"""`emberscope score`, called as a person calls it."""

import json
from pathlib import Path

import numpy as np
import pytest

from emberscope.cli import main

from .builders import a_clip_with_truth


@pytest.fixture
def project(tmp_path, monkeypatch, few_trees, capsys):
    """A project of a clip with a run, in the current folder."""
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    clip, truth = a_clip_with_truth(tmp_path)
    assert main(["import", "p.ember", str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    (tmp_path / "r.toml").write_text(
        'method = "pca"\n[bags]\npatch = 16\nstride = 8\n[features]\nkind = "statistics"\n')
    assert main(["run", "r.toml", "--project", "p.ember"]) == 0
    capsys.readouterr()
    return "p.ember"


@pytest.fixture
def unseen(tmp_path):
    """Three frames with the bright square of the clip somewhere else."""
    frames = np.random.default_rng(1).normal(1000, 5, (3, 96, 128))
    frames[:, 60:72, 80:96] += 200
    np.save(tmp_path / "unseen.npy", frames.astype(np.uint16))
    return "unseen.npy"


def test_a_clip_that_is_not_of_the_project_is_scored(project, unseen, tmp_path, capsys):
    assert main(["score", project, unseen, "--to", "out"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert Path(said[-1]) == Path("out/detections.csv")
    first = (tmp_path / "out" / "detections.csv").read_text().splitlines()[:2]
    assert first[0] == ("source,frame,x0,y0,x1,y1,class,score,probability,"
                        "probability_low,probability_high")
    x0, y0 = map(float, first[1].split(",")[2:4])
    assert abs(x0 - 80) <= 8
    assert abs(y0 - 58) <= 8


def test_a_second_call_says_that_nothing_was_computed(project, unseen, capsys):
    assert main(["score", project, unseen, "--to", "out", "--json"]) == 0
    assert main(["score", project, unseen, "--to", "out", "--json"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert [facts["clips"][0]["computed"] for facts in (first, second)] == [3, 0]


def truth_on(tmp_path, *frames):
    """Truth of the bright square of the unseen clip on some of its frames."""
    rows = [f"{frame},81,61,16,12" for frame in frames]
    (tmp_path / "truth.csv").write_text("\n".join(["frame,x,y,w,h", *rows]) + "\n")
    return "truth.csv"


def test_truth_that_cannot_be_read_is_refused_before_anything_is_scored(project, unseen, capsys):
    assert main(["score", project, unseen, "--to", "out", "--truth", "gone.csv"]) == 1
    assert main(["score", project, unseen, "--to", "out", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["clips"][0]["computed"] == 3


def test_truth_of_another_clip_judges_nothing(project, unseen, capsys):
    assert main(["score", project, unseen, "--to", "out", "--truth", "clip_boxes.csv"]) == 1
    assert "clip.npy, which is not among the sources" in capsys.readouterr().err
    assert not Path("out").exists()


def test_truth_of_some_frames_judges_those_alone(project, unseen, tmp_path, capsys):
    truth = truth_on(tmp_path, 0, 2)
    assert main(["score", project, unseen, "--to", "out", "--truth", truth, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["notes"][0] == ("Found is of 2 targets on 2 of 3 frames of unseen.npy. Frames "
                                 "without a box of truth are left out.")
    assert [row["false_alarms"] for row in facts["reached"]] == [0.5, 1, 2, 5]
    assert facts["reached"][-1]["found"] == 1


def test_that_a_clip_taught_the_run_is_said_beside_what_is_found_there(project, capsys):
    assert main(["score", project, "clip.npy", "--to", "out", "--truth", "clip_boxes.csv"]) == 0
    assert ("clip.npy taught run 1: what is found there says nothing of clips that it has not "
            "seen.") in capsys.readouterr().out


def test_truth_of_several_clips_at_once_is_refused(project, unseen, tmp_path, capsys):
    words = ["score", project, unseen, "clip.npy", "--to", "out"]
    assert main([*words, "--truth", truth_on(tmp_path, 0)]) == 1
    assert "truth is of one clip, 2 are to be scored" in capsys.readouterr().err


def test_a_clip_that_is_unlike_the_run_is_said_to_be_far(project, tmp_path, capsys):
    strange = np.random.default_rng(0).integers(0, 2, (3, 96, 128)) * 60000
    np.save(tmp_path / "strange.npy", strange.astype(np.uint16))
    assert main(["score", project, "strange.npy", "--to", "out"]) == 0
    assert "strange.npy is far from the training clips" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "said"), [
    (["unseen.npy", "--run", "7"], "p.ember: there is no run 7. Its runs: 1."),
    (["nowhere.npy"], "nowhere.npy"),
])
def test_what_cannot_be_scored_is_refused_in_one_line(words, said, project, unseen, capsys):
    assert main(["score", project, *words, "--to", "out"]) == 1
    err = capsys.readouterr().err
    assert said in err
    assert len(err.splitlines()) == 1


def test_a_project_without_a_run_is_refused(tmp_path, monkeypatch, unseen, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["import", "q.ember", unseen]) == 0
    assert main(["score", "q.ember", unseen, "--to", "out"]) == 1
    assert "q.ember: the project has no run. Make one" in capsys.readouterr().err


def test_other_sizes_write_heat_of_three_sides_of_patches(project, unseen, tmp_path, capsys):
    assert main(["score", project, unseen, "--to", "out", "--other-sizes"]) == 0
    (path,) = (tmp_path / "out").glob("heat/*/*.npz")
    with np.load(path) as kept:
        assert {name for name in kept if name.startswith("heat_")} == {
            "heat_11", "heat_16", "heat_22"}


def test_a_clip_of_another_size_and_depth_is_said_so_and_scored(project, tmp_path, capsys):
    small = np.random.default_rng(1).normal(100, 5, (3, 48, 64))
    np.save(tmp_path / "small.npy", small.astype(np.uint8))
    assert main(["score", project, "small.npy", "--to", "out"]) == 0
    err = capsys.readouterr().err
    assert ("small.npy is of another kind: frames are 64 x 48 px, those that the run has seen "
            "128 x 96 px: targets may be of another size; pixels have 8 bits") in err


def test_a_clip_of_the_project_that_is_gone_is_refused_in_one_line(project, tmp_path, capsys):
    (tmp_path / "clip.npy").unlink()
    assert main(["score", project, "clip.npy", "--to", "out"]) == 1
    err = capsys.readouterr().err
    assert "clip.npy" in err
    assert len(err.splitlines()) == 1


def test_where_a_clip_that_taught_the_run_is_gone_others_are_not_scored(
    project, unseen, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "another cache"))
    (tmp_path / "clip.npy").unlink()
    assert main(["score", project, unseen, "--to", "out"]) == 1
    err = capsys.readouterr().err
    assert "clip.npy" in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("rows", ["", "0,900,900,16,12\n", "7,81,61,16,12\n"])
def test_truth_that_holds_no_target_on_the_clip_is_refused(
    rows, project, unseen, tmp_path, capsys
):
    (tmp_path / "truth.csv").write_text("frame,x,y,w,h\n" + rows)
    assert main(["score", project, unseen, "--to", "out", "--truth", "truth.csv"]) == 1
    err = capsys.readouterr().err
    assert "truth.csv" in err
    assert len(err.splitlines()) == 1


def test_a_plan_counts_blocks_and_tasks_and_scores_nothing(project, unseen, tmp_path, capsys):
    assert main(["score", project, unseen, "clip.npy", "--plan", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    frames = 3 + len(np.load(tmp_path / "clip.npy", mmap_mode="r"))
    assert (plan["clips"], plan["frames"], plan["blocks"]) == (2, frames, 2)
    size = sum((tmp_path / name).stat().st_size for name in ("clip.npy", unseen))
    assert plan["bytes"] == size
    assert main(["score", project, unseen, "--to", "out", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["clips"][0]["computed"] == 3


def test_a_plan_of_a_folder_reads_headers_alone(project, tmp_path, capsys):
    """A file with holes is as long as it says, and takes nothing on the disk."""
    (tmp_path / "many").mkdir()
    header = tmp_path / "header.npy"
    np.lib.format.open_memmap(header, "w+", np.uint16, (50, 512, 640)).flush()
    for name in ("a", "b", "c"):
        with (tmp_path / "many" / f"{name}.npy").open("wb") as file:
            file.write(header.read_bytes()[:128])
            file.truncate(header.stat().st_size)
    (tmp_path / "many" / "small.npy").write_bytes(b"")
    np.save(tmp_path / "many" / "small.npy", np.zeros((2, 8, 8), np.uint16))
    assert main(["score", project, "many", "--plan"]) == 0
    said = capsys.readouterr()
    assert "3 tasks, one a clip, of 150 frames in " in said.out
    assert "93.75 MiB are read" in said.out
    assert "1 clip cannot be scored, as small.npy" in said.err


def test_without_a_folder_to_write_to_nothing_is_scored(project, unseen, capsys):
    assert main(["score", project, unseen]) == 1
    assert "--to is missing" in capsys.readouterr().err
