"""Labels that were exported come back."""

import msgspec
import numpy as np
import pytest
from PIL import Image

from emberscope.base.errors import ProjectError
from emberscope.labels import BACKGROUND, Box, FrameLabel, Ignore, Scribble, Spot, TargetClass
from emberscope.labels.jsonl import LabelSource, write_jsonl
from emberscope.project import Project, PutClasses, PutLabels, SourceRef
from emberscope.project.exchange.batch import import_files
from emberscope.project.exchange.label_file import TruthIsThere, import_labels
from emberscope.project.exchange.sources import add_source, describe
from emberscope.project.exchange.truth import import_truth
from emberscope.project.model.next_ids import NextIds
from emberscope.project.model.operations import PutSources
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
    project.apply(
        import_truth(project, min(project.sources), file, u=3, n_background=5, notes=notes)
    )
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


def of_equal_content(*changes):
    """A project with two clips whose content looks the same, and how a file of labels names the
    second one."""
    project = Project()
    for key, name in ((10, "day"), (11, "night")):
        project.sources[key] = SourceRef(
            id=key,
            path=f"/{name}/frames",
            name=name,
            fingerprint=f"96-2-{key}",
            n_frames=2,
            rows=8,
            cols=8,
            format="folder",
        )
    wanted = LabelSource(id=3, name="night", path="/night/frames", fingerprint="96-2-11")
    for change in changes:
        wanted = msgspec.structs.replace(wanted, **change)
    return project, wanted


def taken_by(tmp_path, project, source):
    write_jsonl(tmp_path / "l.jsonl", [Spot(id=1, source=3, frame=0, x=1.0, y=1.0)],
                classes=project.classes.values(), sources=[source])
    project.apply(import_labels(project, tmp_path / "l.jsonl"))
    return [label.source for label in project.labels]


@pytest.mark.parametrize("changes", [
    {}, {"fingerprint": "96-2-99"}, {"fingerprint": "96-2-99", "path": "/elsewhere"},
    {"fingerprint": "96-2-99", "name": "renamed"},
])  # fmt: skip
def test_of_two_clips_of_one_content_the_labels_go_to_their_own(tmp_path, changes):
    project, source = of_equal_content(changes)
    assert taken_by(tmp_path, project, source) == [11]


def test_labels_that_could_be_of_two_clips_of_one_content_go_to_none(tmp_path):
    project, source = of_equal_content(
        {"fingerprint": "96-2-99", "path": "/elsewhere", "name": "renamed"}
    )
    with pytest.raises(ProjectError, match="of no source of the project"):
        taken_by(tmp_path, project, source)


def test_labels_of_a_clip_that_is_not_there_go_to_no_other_one_of_equal_content(tmp_path):
    project, source = of_equal_content({"fingerprint": "96-2-99"})
    del project.sources[11]
    with pytest.raises(ProjectError, match="of no source of the project"):
        taken_by(tmp_path, project, source)


def test_of_two_clips_of_a_file_that_look_like_one_here_only_the_right_one_is_taken(tmp_path):
    project, source = of_equal_content()
    ref = msgspec.structs.replace(project.sources.pop(11), format="npy")
    project.sources = {11: ref}
    other = LabelSource(id=4, name="day", path="/day/frames", fingerprint="96-2-11")
    labels = [
        Spot(id=1, source=3, frame=0, x=1.0, y=1.0),
        Spot(id=2, source=4, frame=0, x=7.0, y=7.0),
    ]
    write_jsonl(
        tmp_path / "l.jsonl", labels, classes=project.classes.values(), sources=[other, source]
    )
    project.apply(import_labels(project, tmp_path / "l.jsonl"))
    assert [label.x for label in project.labels] == [1.0]


def test_labels_of_images_as_they_are_stored_do_not_come_onto_upright_ones(tmp_path):
    turned = Image.Exif()
    turned[0x0112] = 6
    Image.fromarray(np.full((48, 64), 9, np.uint8)).save(tmp_path / "clip.jpg", exif=turned)
    stored, upright = Project(), Project()
    stored.apply(PutSources(after=[msgspec.structs.replace(
        describe(tmp_path / "clip.jpg", options={"upright": False}), id=10)]))
    stored.apply(
        PutLabels(after=[Box(id=60, source=10, frame=0, class_id=2, x0=1, y0=2, x1=30, y1=20)])
    )
    upright.apply(add_source(upright, tmp_path / "clip.jpg"))
    (path,) = export(stored, "jsonl", tmp_path / "out")
    with pytest.raises(TruthIsThere, match=r"1 label of .* left out: images are stored turned"):
        import_labels(upright, path)
