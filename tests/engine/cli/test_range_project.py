"""A range project from end to end: clips at 1000, 1500 and 2000 m with loose boxes; what the near
and the far ones teach is tried on those in between."""

import csv
import json
from pathlib import Path

import pytest

from emberscope.cli import main
from emberscope.frames.scene.generated import write_range

RECIPE = """
method = "mi-le"
[bags]
patch = 24
stride = 16
"""
SPLIT = "column:range test=1500 train=1000,2000"


@pytest.fixture(scope="module")
def folder(tmp_path_factory, few_trees_in_fixtures):
    """Six clips by night, a pickup and an SUV at each range, imported with boxes that are loose;
    one run with the ranges apart, and what it finds on the two clips at 1500 m."""
    folder = tmp_path_factory.mktemp("range")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        patched.setenv("EMBERSCOPE_CACHE", str(folder / "cache"))
        write_range(Path("range"), vehicles=("PICKUP", "SUV"), ranges=(1000, 1500, 2000),
                    nights=(True,), n_frames=4, seed=0)
        Path("recipe.toml").write_text(RECIPE)
        called("import", "p.ember", "range/cegr/arf", "--truth", "range/cegr/agt", "--weaken", "1")
        called("run", "recipe.toml", "--project", "p.ember", "--split", SPLIT, "--measure")
        called("score", "p.ember", *CLIPS_BETWEEN, "--to", "scored")
    return folder


CLIPS_BETWEEN = ("cegr01925_0001.arf", "cegr01925_0002.arf")


def called(*words):
    assert main(list(words)) == 0


@pytest.fixture
def said(folder, monkeypatch, capsys):
    """What a command prints, read as JSON."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(folder / "cache"))

    def said(*words):
        capsys.readouterr()
        called(*words, "--json")
        return json.loads(capsys.readouterr().out)

    return said


def test_every_label_knows_its_range(said):
    columns = {row["column"]: row for row in said("info", "p.ember", "--columns")["columns"]}
    assert columns["nominal range"]["range"] == [1000, 2000]
    assert columns["range"]["unit"] == "m"


def test_the_clips_in_between_judge_and_teach_nothing(said):
    (fold,) = said("info", "p.ember")["runs"][0]["split"]["folds"]
    assert (fold["held_out"]["clips"], fold["learned_from"]["clips"]) == (2, 4)
    assert fold["clips_on_both_sides"] == []


def test_targets_are_found_in_between_and_a_sentence_says_how_sure_that_is(said):
    (run,) = said("evaluate", "p.ember", "--level", "detection")["runs"]
    (level,) = run["levels"]
    assert level["note"].startswith("Detections on 8 frames with truth of 2 clips that run 1 has "
                                    "scored and not seen.")
    assert level["found"]["value"] >= 0.9
    assert level["found"]["low"] < level["found"]["value"]


def test_truth_of_one_of_them_says_the_same(said):
    found = said("score", "p.ember", CLIPS_BETWEEN[1], "--to", "one", "--truth",
                 "range/cegr/agt/cegr01925_0002.agt")
    assert found["notes"][0] == "Found is of 4 targets on 4 of 4 frames of cegr01925_0002.arf."
    at_one = next(row for row in found["reached"] if row["false_alarms"] == 1)
    assert at_one["found"] >= 0.9
    assert at_one["low"] < 0.9


def test_the_table_names_the_clips_and_classes_of_what_was_found(folder, said):
    with (folder / "scored" / "detections.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["source"] for row in rows} == set(CLIPS_BETWEEN)
    assert {row["class"] for row in rows} == {"PICKUP", "SUV"}


def test_a_clip_that_teaches_is_said_to_when_it_is_scored(said):
    found = said("score", "p.ember", "cegr01923_0001.arf", "--to", "taught")
    assert found["notes"][0].startswith("cegr01923_0001.arf taught run 1:")


def test_ranges_that_each_judge_in_turn_are_the_slices(said):
    called("run", "recipe.toml", "--project", "p.ember", "--split", "column:range", "--measure")
    (run,) = said("evaluate", "p.ember", "--level", "instance", "--slice", "range")["runs"]
    assert [row["title"].split("\u2013")[0][:2] for row in run["slices"]] == ["98", "14", "19"]
