"""`emberscope export`, called as a person calls it."""


import json
from pathlib import Path

import numpy as np
import pytest

from emberscope.cli import main
from emberscope.cli.export import LABELS
from emberscope.labels import Box, FrameLabel, Spot, kind
from emberscope.labels.formats.table import FORMATS
from emberscope.project import Project, PutLabels
from emberscope.project.exchange.sources import add_source
from emberscope.project.store.file import load, save


def test_choices_of_vectors_are_refused_where_no_vectors_are_made(tmp_path, capsys):
    assert main(["export", "nowhere.ember", "--to", "csv", str(tmp_path), "--dimensions", "3"]) == 1
    assert (
        "--dimensions and --set say nothing of csv. Leave them out, or give --to bags."
        in capsys.readouterr().err
    )


def test_a_coloring_is_refused_where_no_image_is_made(tmp_path, capsys):
    assert main(["export", "nowhere.ember", "--to", "csv", str(tmp_path), "--color", "score"]) == 1
    assert (
        "--color and --theme say nothing of csv. Leave them out, or give --to png."
        in capsys.readouterr().err
    )


@pytest.fixture
def labeled(tmp_path, monkeypatch):
    """A folder with a clip and a project that has a relaxed box, a spot and a frame label on it."""
    monkeypatch.chdir(tmp_path)
    np.save("clip.npy", np.zeros((4, 48, 64), np.uint16))
    project = Project()
    project.apply(add_source(project, "clip.npy"))
    at = {"source": min(project.sources)}
    project.apply(
        PutLabels(
            after=[
                Box(id=1, frame=1, x0=10.0, y0=5.0, x1=20.5, y1=9.0, looseness=1.5, **at),
                Spot(id=2, frame=2, x=3.5, y=4.0, rho=2.0, **at),
                FrameLabel(id=3, frame=3, **at),
            ]
        )
    )
    save(project, tmp_path / "p.ember")
    return project


def test_labels_go_to_another_program_and_come_back_into_a_new_project(labeled, tmp_path, capsys):
    for form in FORMATS:
        assert main(["export", "p.ember", "--to", form, form]) == 0
        assert main(["import", f"{form}.ember", "--truth", form]) == 0
        found = load(tmp_path / f"{form}.ember")
        assert [label.x0 for label in found.labels if isinstance(label, Box)] == [10.0], form
        assert sorted(map(kind, found.labels)) == ["frame", "relaxed", "spot"], form
    capsys.readouterr()


def test_a_dry_run_of_an_export_says_what_is_lost_and_writes_nothing(labeled, tmp_path, capsys):
    assert main(["export", "p.ember", "--to", "yolo", "out", "--dry-run"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "Only in the side file: 1 spot.",
        "Only in the side file: 1 word about a whole frame.",
        "Of 1 label only the side file has the looseness.",
    ]
    assert not (tmp_path / "out").exists()


def test_what_is_lost_is_said_before_the_files_are(labeled, capsys):
    assert main(["export", "p.ember", "--to", "coco", "out"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[2] == "Of 1 label only the side file has the looseness."
    assert said[3] == "out: 2 files, emberscope-extra.json among them"


@pytest.mark.parametrize("amiss", ["source", "folder"])
def test_an_export_that_is_refused_says_why_and_not_what_it_would_lose(labeled, capsys, amiss):
    more = []
    if amiss == "source":
        Path("clip.npy").rename("away.npy")
        more = ["--frames"]
    else:
        main(["export", "p.ember", "--to", "coco", "out"])
        capsys.readouterr()
    assert main(["export", "p.ember", "--to", "voc", "out", *more]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    why = {"source": "the source is not there. Locate clip.npy, or remove it.",
           "folder": "would be replaced that no export left like this"}  # fmt: skip
    assert why[amiss] in said.err


def test_a_folder_with_a_file_that_somebody_changed_is_replaced_with_force_only(
    labeled, tmp_path, capsys
):
    assert main(["export", "p.ember", "--to", "coco", "out"]) == 0
    (tmp_path / "out" / "annotations.json").write_text("{}")
    assert main(["export", "p.ember", "--to", "coco", "out"]) == 1
    assert (
        "annotations.json. Choose another folder, or replace them (--force)."
        in capsys.readouterr().err
    )
    assert main(["export", "p.ember", "--to", "coco", "out", "--force"]) == 0


def test_frames_beside_are_images_that_a_trainer_finds_with_their_labels(labeled, tmp_path, capsys):
    assert main(["export", "p.ember", "--to", "yolo", "out", "--frames"]) == 0
    names = [str(path.relative_to(tmp_path)) for path in (tmp_path / "out").rglob("frame_000001.*")]
    assert sorted(names) == ["out/images/clip/frame_000001.png", "out/labels/clip/frame_000001.txt"]


def test_options_of_labels_say_nothing_of_other_forms(tmp_path, capsys):
    assert main(["export", "nowhere.ember", "--to", "csv", str(tmp_path), "--dry-run"]) == 1
    assert "--dry-run, --frames and --force say nothing of csv." in capsys.readouterr().err


def test_the_command_knows_every_format_of_labels():
    assert tuple(FORMATS) == LABELS


def test_a_dry_run_of_an_import_says_what_an_export_holds_for_each_clip(labeled, tmp_path, capsys):
    assert main(["export", "p.ember", "--to", "coco", "out"]) == 0
    capsys.readouterr()
    assert main(["import", "new.ember", "clip.npy", "--truth", "out", "--dry-run", "--json"]) == 0
    (line,) = json.loads(capsys.readouterr().out)["truth"]
    assert (line["sources"], line["state"], line["frames"]) == (
        [str(tmp_path / "clip.npy")],
        "given",
        3,
    )
    assert line["why"] == "labels of the clip, taken as they were drawn"
    assert not (tmp_path / "new.ember").exists()


def test_the_list_of_figures_needs_no_form_and_no_file(capsys):
    with pytest.raises(SystemExit) as end:
        main(["export", "nowhere.ember", "--figure", "list"])
    assert end.value.code == 0
    assert "map-2d" in capsys.readouterr().out


def test_an_export_without_a_form_is_refused(capsys):
    assert main(["export", "nowhere.ember", "out"]) == 1
    assert "an export needs a form" in capsys.readouterr().err


def test_a_form_of_figures_alone_asks_which_figure(capsys):
    assert main(["export", "nowhere.ember", "--to", "svg", "out"]) == 1
    assert "svg is a form of figures. Say which one" in capsys.readouterr().err


def test_a_figure_of_a_project_without_runs_is_refused(labeled, capsys):
    assert main(["export", "p.ember", "--figure", "map-2d", "f.svg"]) == 1
    assert "the project has no run yet" in capsys.readouterr().err
