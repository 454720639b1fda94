"""`emberscope study`."""

import json
import os
import shlex
import subprocess

import pytest

from emberscope.base.tables.parquet import has_parquet
from emberscope.cli import main
from emberscope.project.store.file import save

from ..blobs import project_with_blobs


@pytest.fixture
def asked(tmp_path, monkeypatch, few_trees):
    """A project on the disk and a study of four cells."""
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    save(project_with_blobs(tmp_path / "clip.npy"), tmp_path / "p.ember")
    (tmp_path / "s.toml").write_text(
        '[recipe]\nreduce = 0\n[recipe.bags]\npatch = 12\nstride = 6\n[recipe.features]\n'
        'kind = "statistics"\nchip = 12\n[axes]\nmethod = ["pca", "lpp"]\nseed = [0, 1]\n')
    return ["study", str(tmp_path / "s.toml"), "--project", str(tmp_path / "p.ember"),
            "--out", str(tmp_path / "out")]


def test_a_plan_computes_nothing(asked, tmp_path, capsys):
    assert main([*asked, "--plan", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cells"] == 4
    assert not (tmp_path / "out").exists()


def test_a_study_prints_its_places_and_an_answer(asked, tmp_path, capsys):
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [place["values"] for place in found["places"]] == [{"method": "pca"}, {"method": "lpp"}]
    assert found["answer"].startswith("Best of 2 places")
    assert found["answer"][:40] in (tmp_path / "out" / "report.html").read_text()
    assert len((tmp_path / "out" / "cells.csv").read_text().splitlines()) == 5
    assert (tmp_path / "out" / "cells.parquet").exists() == has_parquet()


def test_a_second_call_finds_all_cells_done(asked, capsys):
    assert main(asked) == 0
    capsys.readouterr()
    assert main([*asked, "--plan", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["done"] == 4


def test_the_grid_is_drawn_with_the_command_below(asked, tmp_path, capsys):
    assert main([*asked, "--figure", str(tmp_path / "grid.svg")]) == 0
    words = (tmp_path / "grid.svg").read_text()
    assert "method pca" in words
    assert "emberscope study" in words


def test_the_command_below_the_grid_draws_the_same_grid(asked, tmp_path, capsys):
    assert main([*asked, "--halving", "--figure", str(tmp_path / "grid.svg")]) == 0
    assert "--halving --figure grid.svg" in (tmp_path / "grid.svg").read_text()


def test_a_figure_of_an_unknown_form_is_refused_before_all_else(asked, tmp_path, capsys):
    assert main([*asked, "--figure", str(tmp_path / "grid.doc")]) == 1
    assert "Known forms: svg, pdf, png, csv" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_curve_of_a_study_is_a_figure(asked, tmp_path, capsys):
    study = (tmp_path / "s.toml").read_text()
    study = study.replace('method = ["pca", "lpp"]\nseed = [0, 1]',
                          'method = ["pole", "pca"]\np = [0.5, 1, 2]')
    (tmp_path / "s.toml").write_text(study)
    assert main([*asked, "--curve", str(tmp_path / "p.csv")]) == 0
    rows = (tmp_path / "p.csv").read_text().splitlines()
    assert sum(",0.5," in f",{row}," for row in rows) >= 1
    assert main([*asked, "--curve", str(tmp_path / "p.svg")]) == 0
    assert (tmp_path / "p.svg").stat().st_size > 1000


def test_a_study_without_an_axis_of_numbers_has_no_curve(asked, tmp_path, capsys):
    assert main([*asked, "--curve", str(tmp_path / "p.svg")]) == 1
    assert "no axis of the study has three numbers" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_worse_places_are_dropped_where_that_is_asked_for(asked, tmp_path, capsys):
    file = tmp_path / "s.toml"
    file.write_text(file.read_text().replace('"lpp"]', '"lpp", "fa", "npe", "ica", "lda"]'))
    assert main([*asked, "--halving", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert sum(place["missing"] == 0 for place in found["places"]) == 2
    assert any("Successive halving: 10 cells" in note for note in found["notes"])


def test_a_curve_along_an_axis_without_numbers_is_refused(asked, tmp_path, capsys):
    file = tmp_path / "s.toml"
    file.write_text(file.read_text().replace("seed = [0, 1]", "d = [1, 2, 3]"))
    assert main([*asked, "--curve", str(tmp_path / "c.svg"), "--over", "method"]) == 1
    assert "the axis method has no three numbers" in capsys.readouterr().err
    assert main([*asked, "--over", "d"]) == 1
    assert "no curve is asked for" in capsys.readouterr().err
    assert main([*asked, "--curve", str(tmp_path / "c.svg"), "--over", "d"]) == 0
    assert (tmp_path / "c.svg").exists()


def test_jobs_of_an_array_share_the_cells(asked, tmp_path, capsys):
    """As Slurm starts them, at the same time."""
    assert main([*asked, "--slurm", "2"]) == 0
    script = capsys.readouterr().out
    call = shlex.split(script.splitlines()[-1])[1:]
    assert not (tmp_path / "out").exists()
    jobs = [subprocess.Popen(call, stdout=subprocess.DEVNULL, cwd=tmp_path.parent, env={
        **os.environ, "SLURM_ARRAY_TASK_ID": number, "SLURM_ARRAY_TASK_MIN": "1",
        "SLURM_ARRAY_TASK_COUNT": "2"}) for number in ("1", "2")]
    assert [job.wait() for job in jobs] == [0, 0]
    rows = (tmp_path / "out" / "cells.csv").read_text().splitlines()
    assert len(rows) == len(set(rows)) == 5
    assert len(list((tmp_path / "out" / "cells").iterdir())) == 4


def test_jobs_of_a_frozen_program_call_it_by_its_name_alone(asked, capsys, monkeypatch):
    monkeypatch.setattr("sys.frozen", True, raising=False)
    assert main([*asked, "--slurm", "2"]) == 0
    call = shlex.split(capsys.readouterr().out.splitlines()[-1])
    assert call[2] == "study"


@pytest.mark.parametrize("other", [["--workers", "2"], ["--dask", "local:2"]])
def test_an_array_and_another_way_to_share_the_work_are_refused(asked, capsys, other):
    assert main([*asked, "--slurm", "2", *other]) == 1
    assert "Give one of them" in capsys.readouterr().err


def test_a_study_goes_on_here_where_the_scheduler_is_gone(asked, tmp_path, capsys, monkeypatch):
    cluster = pytest.importorskip("emberscope.studies.cluster")
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "_WAIT", "1s")
    assert main([*asked, "--dask", "tcp://127.0.0.1:9"]) == 1
    assert "no scheduler answers" in capsys.readouterr().err
    assert main([*asked, "--dask", "tcp://127.0.0.1:9", "--fall-back"]) == 0
    assert "computed on this computer, without the cluster" in capsys.readouterr().err


def test_to_fall_back_needs_a_cluster_to_fall_from(asked, capsys):
    assert main([*asked, "--fall-back"]) == 1
    assert "none is named" in capsys.readouterr().err
