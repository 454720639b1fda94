"""Labels that were exported come back."""

import numpy as np
import pytest

from emberscope.base.errors import ProjectError
from emberscope.labels import BACKGROUND, Box, FrameLabel, Ignore, Scribble, Spot, TargetClass
from emberscope.project import Project, PutClasses, PutLabels
from emberscope.project.exchange.batch import import_files
from emberscope.project.exchange.label_file import TruthIsThere, import_labels
from emberscope.project.exchange.sources import add_source
from emberscope.project.exchange.truth import import_truth
from emberscope.project.model.next_ids import NextIds
from emberscope.project.store.file import load
from emberscope.report.export import export


@pytest.fixture
def clip(tmp_path):
    np.save(tmp_path / "clip.npy", np.zeros((4, 60, 80), np.uint16))
    return tmp_path / "clip.npy"


def with_clip(clip, *, first_id=10):
    project = Project()
    project.use(NextIds(record=first_id))
    project.apply(add_source(project, clip))
    return project


@pytest.fixture
def drawn(clip):
    project = with_clip(clip)
    source, car = min(project.sources), 50
    project.apply(PutClasses(after=[TargetClass(id=car, name="Car", role=1, slot=3)]))
    place = {"source": source, "class_id": car}
    labels = [
        Box(id=60, frame=0, x0=1, y0=2, x1=30, y1=20, looseness=1.5, core=(5, 5, 20, 12), **place),
        Spot(id=61, frame=1, x=7, y=8, rho=2, **place),
        Scribble(id=62, frame=1, points=((1, 1), (5, 6)), certain=False, **place),
        FrameLabel(id=63, source=source, frame=2, says="empty", class_id=BACKGROUND),
        Ignore(id=64, source=source, frame=3, class_id=0),
    ]
    project.apply(PutLabels(after=labels))
    return project


@pytest.fixture
def file(drawn, tmp_path):
    (path,) = export(drawn, "jsonl", tmp_path / "out", name="p")
    return path


def plain(project):
    """The labels without their ids, classes by name."""
    names = {key: found.name for key, found in project.classes.items()}
    keys = ("frame", "x0", "x", "points", "says", "core", "looseness", "rho", "certain")
    return [(type(label), names.get(label.class_id), *(getattr(label, key, None) for key in keys))
            for label in project.labels]  # fmt: skip


def test_what_was_exported_comes_back_without_loss(drawn, file, clip):
    project = with_clip(clip, first_id=200)
    project.apply(import_labels(project, file))
    assert plain(project) == plain(drawn)
    assert {label.source for label in project.labels} == set(project.sources)


def test_a_terminal_brings_back_labels_and_their_sources(drawn, file, tmp_path):
    lines, failed = import_files(tmp_path / "new.ember", [], truths=[file])
    assert not failed
    assert plain(load(tmp_path / "new.ember")) == plain(drawn)
    assert f"{file}: 5 labels" in lines


def test_labels_that_are_there_are_not_taken_twice(drawn, file):
    with pytest.raises(TruthIsThere, match="5 labels left out that are in the project already"):
        import_labels(drawn, file)
    drawn.apply(PutLabels(before=[drawn.labels[61]]))
    notes = []
    drawn.apply(import_labels(drawn, file, notes=notes))
    assert len(drawn.labels) == 5
    assert notes == ["4 labels left out that are in the project already."]


def test_the_window_imports_labels_as_it_imports_truth(drawn, file, clip):
    project, notes = with_clip(clip), []
    project.apply(import_truth(project, min(project.sources), file, u=3, n_background=5, notes=notes))
    assert plain(project) == plain(drawn)
    assert notes == ["The file holds labels, which were taken as they were drawn."]


def test_labels_of_other_sources_are_refused_by_name(file, tmp_path):
    np.save(tmp_path / "other.npy", np.ones((2, 5, 5), np.uint16))
    with pytest.raises(ProjectError, match=r"of no source of the project.* It is about: clip\.npy"):
        import_labels(with_clip(tmp_path / "other.npy"), file)


def test_frames_that_the_source_has_not_are_counted(file, tmp_path):
    (tmp_path / "short").mkdir()
    np.save(tmp_path / "short" / "clip.npy", np.ones((2, 60, 80), np.uint16))
    project, notes = with_clip(tmp_path / "short" / "clip.npy"), []
    project.apply(import_labels(project, file, notes=notes))
    assert len(project.labels) == 3
    assert notes == ["2 labels past the last frame left out."]
