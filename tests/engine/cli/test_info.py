"""`emberscope info`, called as a person calls it."""

import json

import h5py
import msgspec
import numpy as np
import pytest
from scipy.io import savemat

from emberscope.bags.sizes import FittingSizes, JudgedSide
from emberscope.cli import main
from emberscope.cli.info import ORIGIN_WORDS
from emberscope.frames.readers.arf import write_arf
from emberscope.labels import BACKGROUND, Box
from emberscope.labels.origins import WORDS
from emberscope.project import BagRecipe, Project, PutLabels, PutRuns, mark
from emberscope.project.exchange.sources import add_source
from emberscope.project.store.file import load, save

from ..project.builders import a_run
from .builders import a_clip_with_truth

pytestmark = pytest.mark.usefixtures("few_trees")


def test_info_of_a_file_that_ends_early_says_so_and_goes_on(tmp_path, capsys):
    write_arf(tmp_path / "a.arf", np.zeros((3, 8, 8), np.uint16), n_frames=3, shape=(8, 8))
    (tmp_path / "cut.arf").write_bytes((tmp_path / "a.arf").read_bytes()[:-100])
    assert main(["info", str(tmp_path / "cut.arf"), "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["frames"] == 2
    assert "ends after frame 2 of 3" in printed.err


def test_info_of_saturated_frames_says_so(tmp_path, capsys):
    frames = np.arange(64, dtype=np.uint16).reshape(1, 8, 8)
    frames[0, :2] = 63
    np.save(tmp_path / "a.npy", frames)
    assert main(["info", str(tmp_path / "a.npy"), "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["quality"]["findings"][0]["code"] == "saturated"
    assert "27 % of pixels are at 0 or 63, the ends of the range" in printed.err


def test_info_says_which_patches_fit_and_what_features_tell_at_best(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = a_clip_with_truth(tmp_path)
    project = str(tmp_path / "p.ember")
    assert main(["import", project, str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    capsys.readouterr()
    assert main(["info", project, "--ceiling"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "Targets have the area of squares of 14 px: patches of 24 px, step 16." in printed
    assert "pointing at best" in printed
    assert main(["info", project, "--ceiling", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["fitting sizes"]["patch"] == 24
    assert (facts["ceiling of"], [row["source"] for row in facts["ceiling"]]) == (
        "24 px infrared",
        ["clip.npy"],
    )


def test_a_source_has_no_ceiling(tmp_path, capsys):
    np.save(tmp_path / "a.npy", np.zeros((1, 8, 8), np.uint16))
    assert main(["info", str(tmp_path / "a.npy"), "--ceiling"]) == 1
    assert "a.npy is no project" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--axis", "0"], ["--raw", "auto"], ["--set-object", "air=9"]])
def test_how_frames_are_read_is_no_option_of_a_project(tmp_path, capsys, option):
    save(Project(), tmp_path / "p.ember")
    assert main(["info", str(tmp_path / "p.ember"), *option]) == 1
    assert f"{option[0]} says how frames are read, and" in capsys.readouterr().err


def test_how_frames_are_read_is_no_option_of_a_point_set(tmp_path, capsys):
    np.savez(tmp_path / "X.npz", X=np.eye(9), y=np.ones(9, int))
    assert main(["info", str(tmp_path / "X.npz"), "--axis", "0"]) == 1
    assert "X.npz is a point set" in capsys.readouterr().err


def test_an_attribute_is_for_questions(tmp_path, capsys):
    save(Project(), tmp_path / "p.ember")
    assert main(["info", str(tmp_path / "p.ember"), "--attribute", "kind"]) == 1
    assert "--attribute is for questions" in capsys.readouterr().err


def test_info_lists_the_questions_whose_answers_teach_most(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = a_clip_with_truth(tmp_path)
    project = str(tmp_path / "p.ember")
    (tmp_path / "r.toml").write_text('method = "pca"\n')
    assert main(["import", project, str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    assert main(["info", project, "--questions"]) == 1
    assert "has no run" in capsys.readouterr().err
    assert main(["run", str(tmp_path / "r.toml"), "--project", project]) == 0
    capsys.readouterr()
    assert main(["info", project, "--questions", "3", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert len(facts["questions"]) == 3
    assert all(row["a"] != row["b"] and 0 <= row["alike"] <= 1 for row in facts["questions"])
    assert (facts["answered"], facts["held-out agreement"]) == (0, None)
    assert main(["info", project, "--questions", "1"]) == 0
    assert "same or different?" in capsys.readouterr().out


def test_questions_are_answered_in_a_table(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = a_clip_with_truth(tmp_path)
    project, table = str(tmp_path / "p.ember"), tmp_path / "questions.csv"
    (tmp_path / "r.toml").write_text('method = "pca"\n')
    assert main(["import", project, str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    assert main(["run", str(tmp_path / "r.toml"), "--project", project]) == 0
    assert (
        main(["info", project, "--questions", "3", "--attribute", "type", "--out", str(table)]) == 0
    )
    head, *lines = table.read_text().splitlines()
    assert head == "a,b,kind,attribute,frame of a,frame of b"
    kinds = ("same", "different", "")
    answered = [line.replace(",,", f",{kind},", 1) for line, kind in zip(lines, kinds, strict=True)]
    table.write_text("\n".join([head, *answered]) + "\n")
    capsys.readouterr()
    assert main(["import", project, "--pairs", str(table)]) == 0
    assert "1 pair left out: without an answer" in capsys.readouterr().out
    assert main(["info", project, "--questions", "3", "--attribute", "type", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    asked = {frozenset((row["a"], row["b"])) for row in facts["questions"]}
    assert facts["answered"] == 2
    assert not asked & {frozenset(map(int, line.split(",")[:2])) for line in lines[:2]}


def test_a_table_is_for_questions(tmp_path, capsys):
    assert main(["info", str(tmp_path / "p.ember"), "--out", "q.csv"]) == 1
    assert "--out is for questions" in capsys.readouterr().err


def test_a_source_has_no_questions(tmp_path, capsys):
    np.save(tmp_path / "a.npy", np.zeros((1, 8, 8), np.uint16))
    assert main(["info", str(tmp_path / "a.npy"), "--questions"]) == 1
    assert "a.npy is no project" in capsys.readouterr().err


def test_info_tells_a_person_one_line_per_run(tmp_path, capsys):
    project = Project()
    first = a_run(
        metrics={"method_bag_auc": 0.75, "method_bag_auc_low": 0.6, "method_bag_auc_high": 0.9}
    )
    wider = msgspec.structs.replace(first.recipe, bags=BagRecipe(patch=48))
    second = msgspec.structs.replace(first, id=12, recipe=wider, metrics={"bag_auc": 0.99})
    project.apply(PutRuns(after=[first, second]))
    project.apply(mark(project, first.ids[:2].tolist(), BACKGROUND))
    save(project, tmp_path / "p.ember")
    assert main(["info", str(tmp_path / "p.ember")]) == 0
    one, other = [line for line in capsys.readouterr().out.splitlines() if "mida" in line]
    assert "0.75 (0.60 \u2013 0.90)" in one
    assert "patch 48, 2 marks since" in " ".join(other.split())
    assert "0.99" not in other  # a classifier's, which is not the method's


def test_info_of_a_matlab_set_without_bags_speaks_of_instances_and_labels(tmp_path, capsys):
    savemat(tmp_path / "faces.mat", {"fea": np.zeros((30, 4)), "gnd": np.ones((30, 1))})
    assert main(["info", str(tmp_path / "faces.mat"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["instances"], found["features"], found["labels"], found["bags"]) == (
        30,
        4,
        "gnd",
        0,
    )
    assert "frame" not in json.dumps(found).lower()


def test_info_of_one_file_of_a_matlab_set_names_the_folder(tmp_path, capsys):
    savemat(tmp_path / "X.mat", {"X": np.zeros((6, 2))})
    savemat(tmp_path / "Bag2.mat", {"Bag2": np.ones((6, 1))})
    for file in ("X.mat", "Bag2.mat"):
        main(["info", str(tmp_path / file)])
        printed = capsys.readouterr()
        assert str(tmp_path) in "".join((printed.out + printed.err).split())
        assert "frames" not in printed.out + printed.err


def test_info_of_a_table_without_names_of_columns_says_how_bags_are_named(tmp_path, capsys):
    (tmp_path / "set.csv").write_text("1.5,2.5,3.5\n")
    assert main(["info", str(tmp_path / "set.csv")]) == 1
    assert "A set of bags? Name its columns in a first line: bag,label" in capsys.readouterr().err


def test_info_of_a_folder_of_clips_lists_them_whatever_lies_beside(tmp_path, capsys):
    for name in ("a.npy", "b.npy"):
        np.save(tmp_path / name, np.zeros((3, 4, 5), np.uint16))
    savemat(tmp_path / "a_labels.mat", {"boxes": np.zeros((2, 4))})
    assert main(["info", str(tmp_path)]) == 0
    shown = capsys.readouterr()
    assert "a.npy" in shown.out
    assert "b.npy" in shown.out
    assert "1 file is left out, which no reader knows: a_labels.mat." in shown.err


def test_info_and_run_take_the_patches_that_bags_judged(tmp_path, monkeypatch, capsys):
    judged = FittingSizes(20, 12, (), "Patches of 20 px.", (JudgedSide(1, 20, 0.97, 48, 0.9),))
    monkeypatch.setattr("emberscope.pipeline.sizes.judged_sizes", lambda *_, **__: judged)
    monkeypatch.setattr("emberscope.pipeline.suggest.judged_sizes", lambda *_, **__: judged)
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = a_clip_with_truth(tmp_path)
    path = tmp_path / "p.ember"
    assert main(["import", str(path), str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    project = load(path)
    drawn = [msgspec.structs.replace(label, core=None, origin="manual") for label in project.labels
             if isinstance(label, Box) and project.role(label.class_id) > 0]
    project.apply(PutLabels(before=[project.labels[label.id] for label in drawn], after=drawn))
    save(project, path)
    capsys.readouterr()
    assert main(["info", str(path), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["fitting sizes"]
    assert (facts["patch"], facts["why"], facts["judged"][0]["other"]) == (
        20,
        "Patches of 20 px.",
        48,
    )
    assert main(["run", "--project", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["recipe"]["bags"]["patch"] == 20


def test_info_of_a_clip_that_matlab_wrote_as_7_3_describes_its_frames(tmp_path, capsys):
    path = tmp_path / "cube.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        file["cube"] = np.zeros((6, 12, 9), np.uint16)
        file["cube"].attrs["MATLAB_class"] = np.bytes_("uint16")
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(512) + path.read_bytes()[512:])
    assert main(["info", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 9


def compared(tmp_path):
    project = Project()
    np.save(tmp_path / "clip.npy", np.zeros((3, 48, 64), np.uint16))
    project.apply(add_source(project, tmp_path / "clip.npy"))
    at = {"source": min(project.sources), "x0": 1.0, "y0": 1.0, "x1": 9.0, "y1": 9.0}
    project.apply(PutLabels(after=[
        Box(id=1, frame=0, **at), Box(id=2, frame=0, origin="imported, relaxed u=0", **at),
        Box(id=3, frame=1, **at), Box(id=4, frame=2, origin="imported", **at)]))
    save(project, tmp_path / "p.ember")
    return str(tmp_path / "p.ember")


def test_labels_of_two_origins_are_compared_with_a_table_and_the_list_of_differences(
    tmp_path, capsys
):
    assert main(["info", compared(tmp_path), "--compare", "manual", "imported"]) == 0
    said = capsys.readouterr().out
    assert "Labels of manual and imported: 33 % of all objects are in both." in said
    assert "clip.npy, frame 2: only manual" in said
    assert "clip.npy, frame 3: only imported" in said


def test_machines_get_the_comparison_whole(tmp_path, capsys):
    assert main(["info", compared(tmp_path), "--compare", "manual", "imported", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["agreement"]
    assert found["classes"] == [
        {"class": "Target", "both": 1, "only_first": 1, "only_second": 1, "other_class": 0}
    ]
    assert [(one["frame"], one["first"], one["second"]) for one in found["differences"]] == [
        (1, 3, None),
        (2, None, 4),
    ]


def test_the_command_knows_every_origin():
    assert set(WORDS) == set(ORIGIN_WORDS)


@pytest.mark.parametrize(
    "content", [b'{"a": 1, "b": 2, "c": 3}', b"<a><b/></a>", b"\x01\x02\0\0" * 50]
)
def test_what_is_no_table_is_not_asked_to_be_a_set_of_bags(tmp_path, capsys, content):
    (tmp_path / "frames.unknown").write_bytes(content)
    assert main(["info", str(tmp_path / "frames.unknown")]) == 1
    said = capsys.readouterr().err
    assert "no reader knows this file" in said
    assert "bags" not in said
