"""Labels in the formats of other programs, and back."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
from imagecodecs import png_decode
from PIL import Image

from emberscope.bags.make import make_bags
from emberscope.base.errors import FormatError, ProjectError
from emberscope.labels import (
    Box,
    Ellipse,
    FrameLabel,
    Ignore,
    LabelSet,
    Polygon,
    Polyline,
    Scribble,
    Spot,
    TargetClass,
)
from emberscope.labels.formats import coco
from emberscope.labels.formats.extra import EXTRA, read_extra
from emberscope.labels.formats.table import FORMATS
from emberscope.labels.model import About
from emberscope.labels.side_info import Pair
from emberscope.project import Project, PutClasses, SourceRef
from emberscope.project.exchange import labels_out
from emberscope.project.exchange.label_file import TruthIsThere, import_labels
from emberscope.project.exchange.labels_lost import losses
from emberscope.project.exchange.labels_out import Way, obstacles, write_labels
from emberscope.project.exchange.renumber import renumber
from emberscope.project.exchange.sources import add_source
from emberscope.project.exchange.truth import import_truth, import_truths
from emberscope.project.exchange.truth_look import match_truths
from emberscope.project.exchange.truth_places import count_truths
from emberscope.project.model.next_ids import NextIds

from ..label_projects import PNG, content, project_of, there_and_back


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_exported_comes_back_as_it_was(tmp_path, form):
    for seed in range(40):
        project = project_of(tmp_path / str(seed), seed)
        again, notes = there_and_back(project, tmp_path / str(seed) / "out", form)
        assert (content(again), notes) == (content(project), []), seed


def a_project(*labels, path="/none/clip.mp4", n_frames=9, classes=()):
    project = Project()
    project.sources[10] = SourceRef(
        id=10,
        path=path,
        name=Path(path).name,
        fingerprint="1-2-3",
        n_frames=n_frames,
        rows=48,
        cols=64,
        format="folder" if Path(path).is_dir() else "video",
    )
    project.classes |= {target.id: target for target in classes}
    project.labels = LabelSet(labels)
    project.next_ids = NextIds(record=100, label=100, run=1)
    return project


def box(key=1, frame=0, x0=10.0, y0=5.0, x1=20.0, y1=9.0, **more):
    return Box(
        id=key, source=10, frame=frame, x0=x0, y0=y0, x1=x1, y1=y1, **{"origin": "imported", **more}
    )


@pytest.mark.parametrize("form", FORMATS)
def test_of_plain_boxes_nothing_is_in_the_side_file_only(tmp_path, form):
    labels = [box(k, frame=k, x0=float(4 * k), origin="imported") for k in range(1, 5)]
    project = a_project(
        *labels,
        Ignore(
            id=9, source=10, frame=6, x0=1.0, y0=1.0, x1=9.0, y1=8.0, class_id=0, origin="imported"
        ),
    )
    write_labels(project, tmp_path / "out", Way(form))
    # These have a track for every box
    tracked = "track" in FORMATS[form].holds and form not in ("coco", "agt")
    kept = read_extra(tmp_path / "out" / EXTRA).kept
    assert [one.label.frame for one in kept if one.shown is None] == []
    assert len(kept) == (5 if tracked else 0)


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_lost_is_counted_before_anything_is_written(tmp_path, form):
    labels = [
        box(1, looseness=1.0, core=(12.0, 6.0, 15.0, 8.0)),
        Spot(id=2, source=10, frame=1, x=3.0, y=4.0),
        Scribble(id=3, source=10, frame=2, points=((1.0, 1.0), (5.0, 5.0))),
        FrameLabel(id=4, source=10, frame=3),
        box(5, frame=4, x1=70.0),
        box(6, frame=5, origin="sampled"),
        box(7, frame=6, about=About(track=3, occluded=True, note="far")),
    ]
    held = FORMATS[form].holds
    found = {loss.what: loss.count for loss in losses(a_project(*labels), FORMATS[form])}
    expected = {
        "words about whole frames": 1,
        "background boxes that the program drew": 1,
        "the looseness": 1,
        "the tight core": 1,
        "the part beyond the edge of the frame": 1,
        "what is noted (author, time, note, check)": 1,
    }
    expected |= {"the radius": 1} if "point" in held else {"spots": 1}
    expected |= {"the width of the line": 1} if "line" in held else {"scribbles": 1}
    expected |= {} if "track" in held else {"the track": 1}
    expected |= {} if "occluded" in held else {"that it is occluded": 1}
    assert found == expected
    assert not (tmp_path / "out").exists()


ROUND = "the ellipse, which is a polygon in the files"
OUTLINED = [
    Polygon(id=1, source=10, frame=0, points=((5, 5), (20, 5), (9, 20))),
    Ellipse(id=2, source=10, frame=1, x0=5, y0=5, x1=21, y1=13),
    Ellipse(id=3, source=10, frame=2, x0=5, y0=5, x1=21, y1=21),
    Polyline(id=4, source=10, frame=3, points=((5, 5), (20, 9))),
]


@pytest.mark.parametrize(
    ("form", "lost"),
    [
        ("cvat-images", {"the width of the line": 1}),
        ("labelme", {ROUND: 1, "the width of the line": 1}),
        ("coco", {ROUND: 2, "lines": 1}),
        ("masks", {"lines": 1}),
        ("yolo", {"the outline": 3, "lines": 1}),
    ],
)  # fmt: skip
def test_what_is_lost_of_outlines_is_counted_before_anything_is_written(form, lost):
    found = {loss.what: loss.count for loss in losses(a_project(*OUTLINED), FORMATS[form])}
    assert found == lost


def test_an_outline_that_was_changed_inside_its_box_is_taken_as_it_is_now(tmp_path):
    labels = [msgspec.structs.replace(label, origin="imported") for label in OUTLINED]
    project = a_project(*labels)
    write_labels(project, tmp_path / "out", Way("labelme"))
    path = tmp_path / "out" / "clip" / "frame_000000.json"
    found = json.loads(path.read_text())
    found["shapes"][0]["points"].insert(2, [14, 12])
    path.write_text(json.dumps(found))
    polygon, *others = imported(project, tmp_path / "out")[0]
    assert polygon.points == ((5, 5), (20, 5), (14, 12), (9, 20))
    assert [plain(label) for label in others] == [plain(label) for label in labels[1:]]


def plain(label):
    return msgspec.structs.replace(label, id=0)


def test_a_scribble_that_was_bent_inside_its_box_in_cvat_is_a_line_now(tmp_path):
    scribble = Scribble(id=1, source=10, frame=0, points=((5, 5), (20, 9)), rho=2.0)
    project = a_project(scribble)
    write_labels(project, tmp_path / "out", Way("cvat-images"))
    path = tmp_path / "out" / "annotations.xml"
    path.write_text(path.read_text().replace("5,5;20,9", "5,5;12,8;20,9"))
    (line,), notes = imported(project, tmp_path / "out")
    assert line.points == ((5, 5), (12, 8), (20, 9))
    assert "changed or removed since the export" in notes[0]


def test_a_side_file_of_the_version_before_outlines_is_read(tmp_path):
    project = a_project(box(1, looseness=1.0))
    write_labels(project, tmp_path / "out", Way("coco"))
    path = tmp_path / "out" / EXTRA
    old = json.loads(path.read_text())
    for one in old["kept"]:
        one["shown"] = one["shown"][:6]
    path.write_text(json.dumps({**old, "version": 1}))
    (label,), notes = imported(project, tmp_path / "out")
    assert (label.looseness, notes) == (1.0, [])


def test_frames_that_are_asked_for_and_not_there_are_refused_before_anything_is_said(tmp_path):
    notes = []
    with pytest.raises(FormatError, match="the source is not there"):
        write_labels(a_project(box(1)), tmp_path / "out", Way("voc", frames=16), notes=notes)
    assert notes == []


def test_a_frame_that_may_hold_a_target_is_not_given_away_as_an_empty_image(tmp_path):
    says = {0: "contains", 1: "empty", 2: "complete"}
    labels = [FrameLabel(id=k + 1, source=10, frame=k, says=words) for k, words in says.items()]
    write_labels(a_project(*labels), tmp_path / "out", Way("yolo"))
    texts = sorted(path.name for path in (tmp_path / "out" / "labels" / "clip").iterdir())
    assert texts == ["frame_000001.txt", "frame_000002.txt"]


def test_frames_that_nobody_labeled_are_not_written(tmp_path):
    write_labels(a_project(box(frame=3)), tmp_path / "out", Way("coco"))
    assert [image["file_name"] for image in coco_in(tmp_path / "out")["images"]] == [
        "clip/frame_000003.png"
    ]


def coco_in(folder):
    return json.loads((folder / "annotations.json").read_text())


def imported(project, folder):
    again, notes = a_project(path=project.sources[10].path, classes=project.classes.values()), []
    again.apply(import_labels(again, folder, notes=notes))
    return list(again.labels), notes


def test_a_box_that_somebody_moved_in_another_program_is_taken_as_it_is_there(tmp_path):
    project = a_project(box(1, looseness=1.0), box(2, frame=1, looseness=2.0))
    write_labels(project, tmp_path / "out", Way("coco"))
    found = coco_in(tmp_path / "out")
    found["annotations"][0]["bbox"] = [11, 5, 10, 4]
    (tmp_path / "out" / "annotations.json").write_text(json.dumps(found))
    (moved, same), notes = imported(project, tmp_path / "out")
    assert (moved.x0, moved.looseness, same.looseness) == (11, 0.0, 2.0)
    assert notes == [
        "The box of 1 label was changed or removed since the export; what is in the files now is "
        "taken."
    ]


def test_a_box_that_somebody_drew_in_another_program_comes_in_as_a_label(tmp_path):
    project = a_project(box(1))
    write_labels(project, tmp_path / "out", Way("coco"))
    found = coco_in(tmp_path / "out")
    found["categories"].append({"id": 9, "name": "bus"})
    found["annotations"].append({"id": 9, "image_id": 1, "category_id": 9, "bbox": [1, 2, 3, 4]})
    (tmp_path / "out" / "annotations.json").write_text(json.dumps(found))
    labels, notes = imported(project, tmp_path / "out")
    assert [(label.x0, label.origin) for label in labels] == [(10, "imported"), (1, "imported")]
    assert notes == []


def test_a_file_of_an_export_that_is_damaged_is_named_and_costs_its_boxes_only(tmp_path):
    project = a_project(box(1, looseness=1.0), Spot(id=2, source=10, frame=1, x=3.0, y=4.0))
    write_labels(project, tmp_path / "out", Way("coco"))
    (tmp_path / "out" / "annotations.json").write_text("{")
    labels, notes = imported(project, tmp_path / "out")
    assert [type(label) for label in labels] == [Spot]
    assert notes[0].startswith("annotations.json cannot be read: ")


def test_the_file_of_an_export_means_the_export_where_its_side_file_lies_beside_it(tmp_path):
    project = a_project(box(1, looseness=1.0))
    write_labels(project, tmp_path / "out", Way("coco"))
    (label,), _ = imported(project, tmp_path / "out" / "annotations.json")
    assert label.looseness == 1.0


# ---- the folder
# --------------------------------------------------------------------------------------------------


def test_a_second_export_replaces_the_first_and_leaves_none_of_its_files(tmp_path):
    write_labels(a_project(box(1, frame=1)), tmp_path / "out", Way("voc"))
    write_labels(a_project(box(1, frame=2)), tmp_path / "out", Way("voc"))
    assert [path.name for path in tmp_path.rglob("*.xml")] == ["frame_000002.xml"]


def test_files_of_others_stay_and_so_do_those_of_another_format(tmp_path):
    write_labels(a_project(box(1, frame=1)), tmp_path / "out", Way("voc"))
    (tmp_path / "out" / "mine.txt").write_text("mine")
    write_labels(a_project(box(1, frame=2)), tmp_path / "out", Way("voc"))
    names = {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert names == {"mine.txt", "frame_000002.xml", EXTRA}
    with pytest.raises(ProjectError, match="would be replaced"):
        write_labels(a_project(box(1)), tmp_path / "out", Way("coco"))
    assert {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()} == names


def test_a_file_that_somebody_changed_is_replaced_only_where_that_is_asked_for(tmp_path):
    project = a_project(box(1))
    write_labels(project, tmp_path / "out", Way("coco"))
    (tmp_path / "out" / "annotations.json").write_text("{}")
    with pytest.raises(ProjectError, match=r"annotations\.json"):
        write_labels(project, tmp_path / "out", Way("coco"))
    assert (tmp_path / "out" / "annotations.json").read_text() == "{}"
    assert obstacles(tmp_path / "out", "coco") == ["annotations.json"]
    write_labels(project, tmp_path / "out", Way("coco", force=True))
    assert len(coco_in(tmp_path / "out")["annotations"]) == 1


def test_an_export_that_fails_leaves_the_folder_as_it_was(tmp_path, monkeypatch):
    project = a_project(box(1))
    write_labels(project, tmp_path / "out", Way("coco"))
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}

    def fails(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(labels_out, "write_extra", fails)
    with pytest.raises(OSError, match="No space left"):
        write_labels(a_project(box(1, frame=5)), tmp_path / "out", Way("coco"))
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


# ---- names and images
# --------------------------------------------------------------------------------------------


def images_in(folder, *names):
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_bytes(PNG)
    return str(folder)


def test_coco_refers_to_the_images_of_a_folder_where_they_lie(tmp_path):
    project = a_project(
        box(1), path=images_in(tmp_path / "day" / "frames", "цель 1.png"), n_frames=1
    )
    write_labels(project, tmp_path / "out", Way("coco"))
    (image,) = coco_in(tmp_path / "out")["images"]
    assert image["file_name"] == "../day/frames/цель 1.png"
    assert (tmp_path / "out" / image["file_name"]).is_file()


def test_images_of_equal_stems_have_files_of_their_own(tmp_path):
    path = images_in(tmp_path / "day", "a.png", "A.png", "a.tif")
    (tmp_path / "day" / "a.tif").write_bytes(PNG)
    project = a_project(
        *(box(k + 1, frame=k, x0=float(k)) for k in range(3)), path=path, n_frames=3
    )
    write_labels(project, tmp_path / "out", Way("voc"))
    assert len(list((tmp_path / "out").rglob("*.xml"))) == 3
    assert [(label.frame, label.x0) for label in imported(project, tmp_path / "out")[0]] == [
        (0, 0),
        (1, 1),
        (2, 2),
    ]


def test_clips_of_one_name_have_folders_of_their_own(tmp_path):
    project = a_project(box(1), path="/none/a/clip.mp4")
    project.sources[11] = msgspec.structs.replace(
        project.sources[10], id=11, path="/none/b/CLIP.mp4", name="CLIP.mp4"
    )
    project.labels.put(msgspec.structs.replace(box(2), source=11))
    write_labels(project, tmp_path / "out", Way("boxes"))
    assert sorted(path.name for path in (tmp_path / "out").glob("*.csv")) == [
        "CLIP_2.csv",
        "clip.csv",
    ]


@pytest.mark.parametrize(
    ("dtype", "bits", "kind"),
    [
        ("u1", 16, np.uint8),
        ("u2", 16, np.uint16),
        ("f4", 16, np.uint16),
        ("u2", 8, np.uint8),
        ("i2", 16, np.uint16),
    ],
)
def test_labeled_frames_are_written_beside_as_images(tmp_path, dtype, bits, kind):
    frames = np.arange(3 * 48 * 64).reshape(3, 48, 64).astype(dtype)
    np.save(tmp_path / "clip.npy", frames)
    project = Project()
    project.apply(add_source(project, tmp_path / "clip.npy"))
    (source,) = project.sources
    project.labels = LabelSet([msgspec.structs.replace(box(1, frame=1), source=source)])
    write_labels(project, tmp_path / "out", Way("yolo", frames=bits))
    (path,) = (tmp_path / "out" / "images" / "clip").iterdir()
    image = png_decode(path.read_bytes())
    assert (path.name, image.dtype, image.shape) == ("frame_000001.png", kind, (48, 64))
    if dtype in ("u1", "u2", "i2") and bits == 16:
        np.testing.assert_array_equal(image, frames[1])
    else:
        assert (image[0, 0], image[-1, -1]) == (0, np.iinfo(kind).max)


def test_each_format_reads_its_images_by_folder_and_number_without_the_side_file(tmp_path):
    project = a_project(*(box(k + 1, frame=k, x0=float(k)) for k in range(3)))
    project.sources[11] = msgspec.structs.replace(
        project.sources[10], id=11, path="/none/other.mp4", name="other.mp4"
    )
    project.labels.put(msgspec.structs.replace(box(9, frame=7), source=11))
    for form in FORMATS:
        folder = tmp_path / form
        write_labels(project, folder, Way(form))
        (folder / EXTRA).unlink()
        rows = match_truths(list(project.sources.values()), [folder])
        assert sorted((row.state, row.source) for row in rows) == [("given", 0), ("given", 1)], form


def test_a_file_for_all_clips_is_read_once(tmp_path, monkeypatch):
    project = a_project(box(1))
    for key in range(11, 15):
        ref = msgspec.structs.replace(
            project.sources[10], id=key, path=f"/none/c{key}.mp4", name=f"c{key}.mp4"
        )
        project.sources[key] = ref
        project.labels.put(msgspec.structs.replace(box(key), source=key))
    read, asked = coco.read_coco, []
    monkeypatch.setattr(
        coco, "read_coco", lambda path, *rest: (asked.append(path), read(path, *rest))
    )
    write_labels(project, tmp_path / "out", Way("coco"))
    assert len(asked) == 1


def test_a_side_file_that_names_a_file_outside_of_its_folder_reads_none(tmp_path):
    project = a_project(box(1))
    write_labels(project, tmp_path / "out", Way("boxes"))
    path = tmp_path / "out" / EXTRA
    (tmp_path / "out" / "clip.csv").rename(tmp_path / "clip.csv")
    path.write_text(path.read_text().replace('"truth":"clip.csv"', '"truth":"../clip.csv"'))
    labels, notes = imported(project, tmp_path / "out")
    assert labels == []
    assert (
        notes[0] == "../clip.csv cannot be read: ../clip.csv leads out of the folder of the export."
    )


# ---- an export among truth
# -----------------------------------------------------------------------------------------


def two_clips():
    project = a_project(box(1, looseness=1.0), box(2, frame=1))
    project.sources[11] = msgspec.structs.replace(
        project.sources[10], id=11, path="/none/other.mp4", name="other.mp4", fingerprint="4-5-6"
    )
    project.labels.put(msgspec.structs.replace(box(9, frame=7), source=11, class_id=2))
    return project


def unlabeled(project):
    again = a_project()
    again.sources = dict(project.sources)
    return again


@pytest.mark.parametrize("form", FORMATS)
def test_what_an_export_holds_is_counted_for_each_clip_before_it_is_imported(tmp_path, form):
    project = two_clips()
    write_labels(project, tmp_path / "out", Way(form))
    found = count_truths(unlabeled(project), tmp_path / "out")
    assert [(line.source, line.objects, line.frames) for line in found] == [
        (10, {"Target": 2}, 2), (11, {"Background": 1}, 1)]


@pytest.mark.parametrize("form", FORMATS)
def test_an_export_for_all_clips_is_taken_as_it_was_drawn(tmp_path, form):
    project, notes = two_clips(), []
    write_labels(project, tmp_path / "out", Way(form))
    again = unlabeled(project)
    again.apply(import_truths(again, [tmp_path / "out"], u=2, notes=notes))
    assert content(again) == content(project)
    assert notes[0] == "The file holds labels, which were taken as they were drawn."


@pytest.mark.parametrize("form", FORMATS)
def test_the_truth_of_one_clip_in_an_export_brings_its_labels_as_they_were_drawn(tmp_path, form):
    project = two_clips()
    write_labels(project, tmp_path / "out", Way(form))
    again = unlabeled(project)
    again.apply(import_truth(again, 10, tmp_path / "out" / FORMATS[form].truth.format("clip"), u=2))
    assert [label.looseness for label in again.labels] == [1.0, 0.0]
    assert {label.source for label in again.labels} == {10}


def test_a_label_that_got_a_note_after_its_import_is_not_taken_twice(tmp_path):
    project = a_project(box(1))
    write_labels(project, tmp_path / "out", Way("coco"))
    project.labels.put(box(1, about=About(note="far")))
    with pytest.raises(TruthIsThere):
        import_labels(project, tmp_path / "out")


def turned_images(folder):
    """Images of 64 x 48 px that are stored on their sides."""
    folder.mkdir()
    exif = Image.Exif()
    exif[0x0112] = 6
    for name in "ab":
        Image.fromarray(np.zeros((64, 48), np.uint8)).save(folder / f"{name}.png", exif=exif)
    return folder


def exported(folder, out, *, upright, frames=0):
    project, notes = Project(), []
    project.apply(add_source(project, folder, **({} if upright else {"upright": False})))
    (ref,) = project.sources.values()
    project.labels = LabelSet([msgspec.structs.replace(box(1), source=ref.id)])
    write_labels(project, out, Way("coco", frames=frames), notes=notes)
    return coco_in(out), notes


def test_images_that_are_stored_turned_have_their_boxes_and_sizes_upright(tmp_path):
    found, notes = exported(turned_images(tmp_path / "day"), tmp_path / "out", upright=True)
    assert (found["images"][0]["width"], found["images"][0]["height"]) == (64, 48)
    assert (found["annotations"][0]["bbox"], notes) == ([10, 5, 10, 4], [])


def test_labels_about_images_as_they_are_stored_come_with_a_sentence(tmp_path):
    folder = turned_images(tmp_path / "day")
    found, notes = exported(folder, tmp_path / "out", upright=False)
    assert found["images"][0]["width"] == 48
    assert notes == [
        "day: images are stored turned, and its labels are about them as they are stored; other "
        "programs show them upright. Write the frames too, then both fit."
    ]
    assert exported(folder, tmp_path / "with", upright=False, frames=16)[1] == []


def test_an_import_that_was_made_of_an_older_project_brings_its_marks_and_pairs_with_fresh_ids(
    tmp_path,
):
    tank = TargetClass(id=20, name="Tank", role=1, slot=3)
    project = a_project(box(1, x1=60.0, y1=45.0, class_id=20), classes=[tank])
    first, second = known_ids(project)[:2]
    project.marks = {first: 20}
    project.side = {900: Pair(id=900, a=first, b=second, same=True)}
    write_labels(project, tmp_path / "out", Way("voc"))
    again = unlabeled(project)
    operation = import_truths(again, [tmp_path / "out"])
    bird = TargetClass(id=again.next_id, name="Bird", role=1, slot=4)
    again.apply(PutClasses(after=[bird]))
    again.apply(renumber(operation, again))
    assert again.classes[bird.id].name == "Bird"
    assert content(again) == content(project)


def known_ids(project):
    return make_bags(
        project.labels, project.classes, project.frame_sizes, project.recipe.bags
    ).instances.ids.tolist()


@pytest.mark.parametrize(("name", "file"), [
    ("a:b?.mp4", "a_b_"), ("CON.mp4", "_CON"), (".hidden.mp4", "hidden"), ("x. .mp4", "x"),
    ("...", "clip"),
    ("目标 1.mp4", "目标 1"),
])  # fmt: skip
def test_a_clip_is_called_by_a_name_that_every_file_system_takes(tmp_path, name, file):
    project = a_project(box(1))
    project.sources[10] = msgspec.structs.replace(project.sources[10], name=name)
    write_labels(project, tmp_path / "out", Way("boxes"))
    assert [path.stem for path in (tmp_path / "out").glob("*.csv")] == [file]
