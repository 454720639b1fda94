"""Warming: what the first run needs is there before it."""

import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

from emberscope import catalogue
from emberscope.jobs.warm import steps
from emberscope.jobs.worker import Warm, _warming
from emberscope.project.model.packing import encode

PATIENCE = 1800.0  # s; everything is compiled where no cache has it


def test_every_method_and_the_scores_of_many_are_warmed(tmp_path):
    titles = [title for title, _ in steps(tmp_path)]
    assert titles[:3] == ["imports", "the usual run", "pca"]
    assert sorted(titles[2:]) == sorted(
        [
            *(row.id for row in catalogue.METHODS if row.needs not in catalogue.SIDE),
            "faithfulness of many",
            "neighbors of many",
            "layouts in many dimensions",
        ]
    )


def test_a_worker_warms_itself_says_so_and_no_step_fails(make_worker):
    worker = make_worker(warm=True)
    worker.start()
    end = time.monotonic() + PATIENCE
    while not worker.is_warm and time.monotonic() < end:
        worker.wait(1.0)
        worker.poll()
    assert worker.is_warm
    assert "failed" not in worker.log()


def test_files_of_warming_lie_in_the_folder_of_the_worker_and_go_with_it(tmp_path, monkeypatch):
    used = []
    monkeypatch.setattr("emberscope.jobs.warm.tiny_run", lambda _, folder, __: used.append(folder))
    for _, step in islice(steps(tmp_path), 2, 3):
        step()
    assert used[0].parent == tmp_path


def test_warming_computes_the_features_that_a_project_without_a_recipe_gets(tmp_path):
    made = steps(tmp_path)
    _, (title, step) = next(made), next(made)
    run = step()
    assert (title, run.recipe.features.kind, run.recipe.method) == (
        "the usual run", "infrared", "mi-umap"
    )  # fmt: skip


def test_a_failure_of_warming_is_a_line_in_the_log_and_nothing_more(monkeypatch, capsys):
    made = [("bad", lambda: 1 / 0), ("good", lambda: None)]
    monkeypatch.setattr("emberscope.jobs.warm.steps", lambda folder, monitor: iter(made))
    sent = []
    pipe = SimpleNamespace(send_bytes=sent.append)
    assert list(_warming(pipe, Path(), gives_way=lambda: False)) == ["bad", "good"]
    assert sent == [encode(Warm())]
    assert "warming bad: failed, the first run will be slower" in capsys.readouterr().err


def test_a_step_of_warming_gives_way_to_a_job_and_is_done_again_after_it(tmp_path):
    jobs, sent = [], []
    pipe = SimpleNamespace(send_bytes=sent.append)
    warming = _warming(pipe, tmp_path, gives_way=lambda: bool(jobs))
    assert next(warming) == "imports"
    jobs.append("a job")
    assert next(warming) == next(warming) == "the usual run"
    jobs.clear()
    assert [next(warming), next(warming)] == ["the usual run", "pca"]


def test_the_window_loads_no_numerical_heavyweight_for_jobs_and_projects():
    code = (
        "import sys, emberscope.jobs, emberscope.catalogue\n"
        "import emberscope.project.store.file, emberscope.project.exchange.sources\n"
        "print([name for name in ('sklearn', 'numba', 'skimage', 'scipy.stats', 'cv2') if name in "
        "sys.modules])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip()
        == "[]"
    )
