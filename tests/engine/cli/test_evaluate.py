"""`emberscope evaluate`, called as a person calls it."""

import json
from pathlib import Path

import pytest

from emberscope.cli import main
from emberscope.project.store.file import load, save

from .builders import a_clip_with_truth


@pytest.fixture
def project(tmp_path, monkeypatch, few_trees, capsys):
    """A project of a clip with a run, in the current folder."""
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    clip, truth = a_clip_with_truth(tmp_path)
    assert main(["import", "p.ember", str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    make_run("statistics")
    capsys.readouterr()
    return "p.ember"


def make_run(features):
    Path("r.toml").write_text('method = "pca"\n[bags]\npatch = 16\nstride = 8\n'
                              f'[features]\nkind = "{features}"\n')
    assert main(["run", "r.toml", "--project", "p.ember"]) == 0


def said(capsys, *words):
    assert main(["evaluate", *words]) == 0
    return capsys.readouterr().out


def test_the_last_run_is_judged_at_every_level(project, capsys):
    out = said(capsys, project)
    for words in ("Run 1 finds", "positive bags", "false alarms per frame", "truth / said"):
        assert words in out


def test_two_runs_are_compared_in_words(project, capsys):
    make_run("pixels")
    out = said(capsys, project, "--runs", "1,2", "--level", "bag")
    assert "Run 2 against run 1:" in out
    assert "statistics" in out


def test_a_program_gets_numbers_and_curves(project, capsys):
    found = json.loads(said(capsys, project, "--json"))["runs"][0]
    levels = {level["level"]: level for level in found["levels"]}
    assert set(levels) == {"instance", "bag", "detection"}
    bag = levels["bag"]
    assert bag["auc"]["low"] <= bag["auc"]["value"] <= bag["auc"]["high"]
    assert sum(map(sum, bag["confusion"])) == bag["entries"]
    assert len(bag["curve"]["x"]) == len(bag["curve"]["low"])


def test_a_threshold_that_nothing_reaches_finds_nothing(project, capsys):
    found = json.loads(said(capsys, project, "--json", "--level", "bag", "--threshold", "9"))
    assert found["runs"][0]["levels"][0]["found"]["value"] == 0.0


def test_without_scored_clips_detections_are_said_to_be_patches(project, capsys):
    assert "Detections are patches of labels" in said(capsys, project, "--level", "detection")


def test_detections_are_those_on_a_clip_that_the_run_scored_and_has_not_seen(project, capsys):
    folder = Path("unseen")
    folder.mkdir()
    clip, truth = a_clip_with_truth(folder)
    clip = clip.rename(folder / "second.npy")
    assert main(["import", project, str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    assert main(["score", project, "--to", "out", "second.npy"]) == 0
    capsys.readouterr()
    found = json.loads(said(capsys, project, "--json", "--level", "detection"))
    (level,) = found["runs"][0]["levels"]
    assert level["note"].startswith(
        "Detections on 6 frames with truth of 1 clip that run 1 has scored and not seen."
    )
    assert level["frames"] == 6
    assert level["note"] in said(capsys, project, "--level", "detection")


def test_slices_are_named_by_their_values(project, capsys):
    assert "first quarter" in said(capsys, project, "--slice", "part", "--level", "instance")


def test_slices_say_what_is_found_there_at_the_threshold(project, capsys):
    found = json.loads(said(capsys, project, "--json", "--slice", "part", "--threshold", "-9"))
    rows = found["runs"][0]["slices"]
    assert {row["level"] for row in rows} == {"instance", "detection"}
    assert all(row["found"] == 1.0 for row in rows if row["targets"])


def test_slices_of_detections_have_shares_and_no_areas(project, capsys):
    out = said(capsys, project, "--slice", "part", "--level", "detection")
    assert "Slices of run 1, detections; found from a score of" in out
    assert "AUC" not in out.partition("Slices of run 1")[2]


@pytest.mark.parametrize(("words", "what"), [
    (["--runs", "7"], "there is no run 7. Its runs: 1."),
    (["--runs", "one"], "--runs one is no list of numbers"),
    (["--runs", "\N{SUPERSCRIPT TWO}"], "is no list of numbers"),
    (["--runs", "9" * 5000], "is no list of numbers"),
    (["--runs", "1,2,3,4,5"], "5 runs are too many"),
    (["--slice", "range"], "there is nothing to slice by called range"),
    (["--slice", "size"], "what is judged does not differ in size. This run has: part."),
    (["--slice", "class,part,clip"], "is not one name or two"),
])
def test_what_cannot_be_evaluated_is_refused_in_one_line(words, what, project, capsys):
    assert main(["evaluate", project, *words]) == 1
    err = capsys.readouterr().err
    assert what in err
    assert len(err.splitlines()) == 1


def test_a_project_without_a_run_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    clip, _ = a_clip_with_truth(tmp_path)
    assert main(["import", "q.ember", str(clip)]) == 0
    assert main(["evaluate", "q.ember"]) == 1
    assert "q.ember: the project has no run. Make one" in capsys.readouterr().err


def test_a_run_that_held_nothing_out_for_its_time_says_what_makes_one_that_does(project, capsys):
    kept = load(project)
    run = kept.runs[1]
    run.notes.append("Bags are not held out: the method would have to be fitted 5 times more.")
    run.metrics["method_bag_auc_seconds"] = 99.0
    run.diagnostics.pop("held_score")
    save(kept, project)
    assert main(["evaluate", project]) == 1
    assert "--measure" in capsys.readouterr().err


def test_beside_a_run_that_is_judged_one_that_lacks_it_says_what_makes_it(project, capsys):
    make_run("hog")
    kept = load(project)
    kept.runs[1].notes.append("Bags are not held out: the method would have to be fitted 5 times.")
    kept.runs[1].metrics["method_bag_auc_seconds"] = 99.0
    kept.runs[1].diagnostics.pop("held_score")
    save(kept, project)
    assert "--measure" in said(capsys, project, "--runs", "1,2")


def test_a_study_says_what_runs_say_of_one_setting(project, capsys):
    make_run("pixels")
    capsys.readouterr()
    out = said(capsys, project, "--runs", "2", "--study")
    assert "Features" in out
    assert "Within one standard error of it" in out


def test_a_study_of_a_run_alone_says_what_to_do(project, capsys):
    assert "Run it again with another dimension" in said(capsys, project, "--study")


def test_a_program_gets_studies_as_lists(project, capsys):
    make_run("pixels")
    capsys.readouterr()
    found = json.loads(said(capsys, project, "--study", "--json"))["studies"][0]
    assert [value["runs"] for value in found["settings"][0]["values"]] in ([[1], [2]], [[2], [1]])
