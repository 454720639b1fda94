"""The demonstration, on a scene of two short sequences."""

import re

import pytest

from emberscope import demo
from emberscope.base.errors import ProjectError
from emberscope.base.monitor import Silent, Watch
from emberscope.demo import CLASSES, FULL, Scene, make_demo, run_demo
from emberscope.labels.geometry import area, as_boxes, intersection
from emberscope.labels.model import BACKGROUND
from emberscope.project.store.file import load
from emberscope.tasks.synthetic import MakeSample, make_sample

SMALL = Scene(vehicles=("PICKUP",), ranges=(1000, 1500), n_frames=21)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    steps: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBERSCOPE_CACHE", str(folder / "cache"))
        patch.setattr(demo, "OTHERS", ({"method": "pca", "params": {}},))
        paths = run_demo(
            folder / "out", scene=SMALL, monitor=Watch(lambda fraction, _: steps.append(fraction))
        )
    return {path.name: path for path in paths}, steps


def test_the_loop_writes_a_project_pictures_and_a_page(written):
    paths, _ = written
    assert list(paths) == ["demo.ember", "map_2d.png", "map_3d.png", "report.html"]
    assert all(path.stat().st_size > 1000 for path in paths.values())


def test_the_usual_run_is_the_newest_which_a_project_opens_on(written):
    project = load(written[0]["demo.ember"])
    assert project.runs[max(project.runs)].recipe == project.recipe
    assert [run.recipe.method for run in project.runs.values()] == ["pca", "mi-umap"]


def test_the_project_holds_loose_labels_of_every_third_frame(written):
    project = load(written[0]["demo.ember"])
    assert {label.frame % 3 for label in project.labels} == {0}
    assert {label.origin for label in project.labels} == {"imported, relaxed u=1 seed=0", "sampled"}
    assert {info.name for info in project.classes.values()} == {
        "Background",
        *(name for name, _ in CLASSES),
    }


def test_background_lies_where_the_vehicle_is_on_another_frame(written):
    boxes = list(load(written[0]["demo.ember"]).labels)
    targets = [box for box in boxes if box.core is not None]
    background = [box for box in boxes if box.class_id == BACKGROUND]
    assert len(background) == len(targets) > 10
    for box in background:
        others = [t for t in targets if t.source == box.source and t.frame != box.frame]
        here = [t.core for t in targets if t.source == box.source and t.frame == box.frame]
        share = [intersection(as_boxes(box), t.core)[0, 0] / area(t.core)[0] for t in others]
        assert max(share) >= 0.5  # six other draws: 0.80 to 1.0
        assert intersection(as_boxes(box), here).max() == 0


def test_the_page_says_what_a_loose_label_costs(written):
    page = written[0]["report.html"].read_text(encoding="utf-8")
    assert re.findall(r"<td>(u = \d)</td>", page) == ["u = 0", "u = 1", "u = 2", "u = 3"]
    assert "nan" not in page.partition("What a loose label costs")[2].partition("</table>")[0]


def test_progress_goes_up_to_the_end(written):
    steps = written[1]
    assert steps == sorted(steps)
    assert steps[0] < 0.01
    assert 0.9 < steps[-1] <= 1.0


def test_a_disk_that_is_too_small_is_told_before_anything_is_written(tmp_path):
    with pytest.raises(ProjectError, match="--out"):
        make_demo(tmp_path, scene=Scene(n_frames=10**9))
    assert not list(tmp_path.iterdir())


def test_the_scene_of_the_demonstration_takes_little_disk():
    assert FULL.n_bytes < 200 * 2**20


def test_a_sample_that_is_there_stays_as_it_was_left(tmp_path, monkeypatch):
    (tmp_path / demo.PROJECT).write_bytes(b"labels of somebody")
    assert make_sample(MakeSample(folder=str(tmp_path)), Silent()).path == str(
        tmp_path / demo.PROJECT)
    assert (tmp_path / demo.PROJECT).read_bytes() == b"labels of somebody"


def test_the_sample_of_the_window_has_fewer_frames_of_the_same_sequences(tmp_path, monkeypatch):
    asked = {}
    monkeypatch.setattr(demo, "make_demo", lambda folder, **options: asked.update(options))
    make_sample(MakeSample(folder=str(tmp_path)), Silent())
    assert asked["scene"].n_frames < FULL.n_frames
    assert (asked["scene"].vehicles, asked["scene"].ranges) == (FULL.vehicles, FULL.ranges)
