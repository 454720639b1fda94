"""Our files as other people's libraries read them, and theirs as we do: pycocotools, globox and
labelformat."""

import contextlib
import io

import numpy as np
import pytest
from imagecodecs import png_encode

from emberscope.labels.formats.extra import Frames
from emberscope.labels.formats.items import Item, Out, OutClip, OutFrame
from emberscope.labels.formats.table import FORMATS
from emberscope.labels.model import About
from emberscope.labels.truth import names_in, read_truth

BOXES = (
    ("car", (10.0, 5.0, 20.0, 9.0)),
    ("small car", (0.0, 0.0, 64.0, 48.0)),
    ("目标", (3.5, 4.25, 60.5, 47.0)),
)


def out(*, ignored=False):
    items = [Item("box", name, ((x0, y0), (x1, y1)), about=About(track=k, occluded=k == 1))
             for k, (name, (x0, y0, x1, y1)) in enumerate(BOXES)]
    if ignored:
        items.append(Item("box", "ignore", ((30.0, 30.0), (64.0, 48.0)), ignore=True))
    frames = [OutFrame(2, "images/clip/frame_000002.png", "frame_000002", items),
              OutFrame(3, "images/clip/frame_000003.png", "frame_000003")]
    names = [name for name, _ in BOXES] + ["ignore"] * ignored
    return Out([OutClip("clip", 64, 48, 4, frames)], names)


def written(form, folder, **more):
    FORMATS[form].write(out(**more), folder)
    return folder


@pytest.fixture
def coco(tmp_path):
    module = pytest.importorskip("pycocotools.coco")
    with contextlib.redirect_stdout(io.StringIO()):
        return module.COCO(str(written("coco", tmp_path, ignored=True) / "annotations.json"))


def test_pycocotools_finds_every_box_with_its_class(coco):
    found = [
        (coco.cats[one["category_id"]]["name"], one["bbox"])
        for one in coco.anns.values()
        if not one["iscrowd"]
    ]
    assert found == [(name, [x0, y0, x1 - x0, y1 - y0]) for name, (x0, y0, x1, y1) in BOXES]


@pytest.mark.filterwarnings("ignore:__array__ implementation")  # of pycocotools
def test_pycocotools_draws_masks_of_the_areas_that_the_file_gives(coco):
    one, crowd = coco.anns[1], coco.anns[4]
    assert int(coco.annToMask(one).sum()) == one["area"] == 40
    mask = coco.annToMask(crowd)
    assert np.argwhere(mask).min(axis=0).tolist() == [30, 30]
    assert int(mask.sum()) == crowd["area"] == 34 * 18


def test_pycocotools_scores_the_file_against_itself_as_perfect(coco):
    cocoeval = pytest.importorskip("pycocotools.cocoeval")
    with contextlib.redirect_stdout(io.StringIO()):
        results = [
            {
                "image_id": one["image_id"],
                "category_id": one["category_id"],
                "bbox": one["bbox"],
                "score": 1.0,
            }
            for one in coco.anns.values()
            if not one["iscrowd"]
        ]
        scorer = cocoeval.COCOeval(coco, coco.loadRes(results), "bbox")
        scorer.evaluate()
        scorer.accumulate()
        scorer.summarize()
    assert scorer.stats[0] == pytest.approx(1.0)


def read_by_globox(form, folder):
    """Class and corners of every box, of an image of that stem."""
    sets = pytest.importorskip("globox").AnnotationSet
    if form == "yolo":
        for k in (2, 3):
            path = folder / "images" / "clip" / f"frame_00000{k}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(png_encode(np.zeros((48, 64), np.uint8)))
        labels = folder / "labels" / "clip"
        found = sets.from_yolo_v5(labels, image_folder=path.parent, image_extension=".png")
    else:
        read = {"coco": sets.from_coco, "cvat-images": sets.from_cvat, "voc": sets.from_pascal_voc,
                "labelme": sets.from_labelme}[form]
        found = read(folder / FORMATS[form].truth.format("clip"))
    return [
        (box.label, (box.xmin, box.ymin, box.xmax, box.ymax))
        for image in found
        for box in image.boxes
    ]


@pytest.mark.parametrize("form", ["coco", "cvat-images", "labelme"])
def test_globox_reads_the_same_corners(tmp_path, form):
    assert read_by_globox(form, written(form, tmp_path)) == list(BOXES)


def test_globox_reads_yolo_boxes_of_class_numbers(tmp_path):
    found = read_by_globox("yolo", written("yolo", tmp_path))
    assert [name for name, _ in found] == ["0", "1", "2"]
    np.testing.assert_allclose(
        [corners for _, corners in found], [corners for _, corners in BOXES], atol=1e-6
    )


def test_globox_which_takes_voc_corners_as_edges_reads_them_one_pixel_later(tmp_path):
    found = read_by_globox("voc", written("voc", tmp_path))
    assert found == [(name, (x0 + 1, y0 + 1, x1, y1)) for name, (x0, y0, x1, y1) in BOXES]


# ---- labelformat ---------------------------------------------------------------------------------

POLYGON = ((12.0, 6.0), (40.5, 8.0), (30.0, 30.25))


def read_by_labelformat(module, kind, path):
    """(name, box) of all objects of a file."""
    reader = getattr(pytest.importorskip(f"labelformat.formats.{module}"), kind)(path)
    return [
        (one.category.name, (one.box.xmin, one.box.ymin, one.box.xmax, one.box.ymax))
        for label in reader.get_labels()
        for one in label.objects
    ]


@pytest.mark.parametrize(
    ("form", "module", "kind", "file"),
    [
        ("coco", "coco", "COCOObjectDetectionInput", "annotations.json"),
        ("cvat-images", "cvat", "CVATObjectDetectionInput", "annotations.xml"),
    ],
)
def test_labelformat_reads_the_same_boxes(tmp_path, form, module, kind, file):
    found = read_by_labelformat(module, kind, written(form, tmp_path) / file)
    assert found == list(BOXES)


def with_a_polygon(folder, form):
    item = Item("polygon", "car", POLYGON)
    frame = OutFrame(2, "images/clip/frame_000002.png", "frame_000002", [item])
    FORMATS[form].write(Out([OutClip("clip", 64, 48, 4, [frame])], ["car"]), folder)
    return folder


def test_labelformat_reads_the_corners_of_a_polygon(tmp_path):
    coco_format = pytest.importorskip("labelformat.formats.coco")
    path = with_a_polygon(tmp_path, "coco") / "annotations.json"
    (label,) = coco_format.COCOInstanceSegmentationInput(path).get_labels()
    assert label.objects[0].segmentation.polygons == [list(POLYGON)]


@pytest.mark.filterwarnings("ignore:__array__ implementation")  # of pycocotools
def test_pycocotools_fills_a_polygon_to_the_area_that_the_file_gives(tmp_path):
    module = pytest.importorskip("pycocotools.coco")
    path = with_a_polygon(tmp_path, "coco") / "annotations.json"
    with contextlib.redirect_stdout(io.StringIO()):
        coco = module.COCO(str(path))
    mask = coco.annToMask(coco.anns[1])
    assert coco.anns[1]["area"] == pytest.approx(327.5625)
    assert int(mask.sum()) == pytest.approx(327.5625, abs=20)


@pytest.mark.parametrize("form", ["coco", "cvat"])
def test_boxes_that_labelformat_writes_are_read_as_they_were(tmp_path, form):
    coco_format = pytest.importorskip("labelformat.formats.coco")
    cvat_format = pytest.importorskip("labelformat.formats.cvat")
    source = written("coco", tmp_path / "ours") / "annotations.json"
    read = coco_format.COCOObjectDetectionInput(source)
    if form == "coco":
        path = tmp_path / "theirs.json"
        coco_format.COCOObjectDetectionOutput(path).save(read)
    else:
        cvat_format.CVATObjectDetectionOutput(tmp_path / "theirs").save(read)
        (path,) = (tmp_path / "theirs").glob("*.xml")
    frames = {named: k for k, named in enumerate(names_in(path)) if "000002" in named.name}
    found = read_truth(path, Frames(4, 64, 48), frames=frames)
    assert [(box.name, box.box) for box in found] == list(BOXES)
