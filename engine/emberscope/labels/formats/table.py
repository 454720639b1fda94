"""The formats in which labels go to other programs, and what each of them can hold."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from emberscope.base.errors import ProjectError
from emberscope.labels.formats import agt, atr, coco, cvat, labelme, masks, mot, tables, voc, yolo
from emberscope.labels.formats.items import Out


class Format(NamedTuple):
    """One format.

    title : for people. files : what is written. holds : of "box", "point", "line", "polygon",
    "ellipse" (any; or "circle" alone), "track", "occluded", "columns" and "range" (with it the
    aspect) those that the files can say; everything else of a label goes into the side file.
    latin : names of classes in Latin letters only. whole : boxes over whole pixels that do not
    overlap only. write : writes into an empty folder. truth : where the truth of a clip then lies,
    "{}" for its name.
    """

    id: str
    title: str
    files: str
    holds: frozenset[str]
    write: Callable[[Out, Path], None]
    truth: str
    latin: bool = False
    whole: bool = False


def _holding(*what: str) -> frozenset[str]:
    return frozenset(("box", *what))


FORMATS = {row.id: row for row in (
    Format("coco", "COCO", "annotations.json",
           _holding("polygon", "track", "occluded", "columns"), coco.write,
           "annotations.json"),
    Format("yolo", "YOLO", "labels/CLIP/IMAGE.txt, data.yaml", _holding(), yolo.write, "labels/{}"),
    Format("voc", "Pascal VOC", "Annotations/CLIP/IMAGE.xml", _holding("occluded", "columns"),
           voc.write,
           "Annotations/{}"),
    Format("cvat-images", "CVAT for images", "annotations.xml",
           _holding("point", "line", "polygon", "ellipse", "occluded", "columns"),
           cvat.write_images, "annotations.xml"),
    Format("cvat-video", "CVAT for video", "CLIP.xml",
           _holding("point", "line", "polygon", "ellipse", "track", "occluded", "columns"),
           cvat.write_video, "{}.xml"),
    Format("labelme", "labelme", "CLIP/IMAGE.json", _holding("point", "line", "polygon", "circle"),
           labelme.write, "{}"),
    Format("mot", "MOT", "CLIP/gt/gt.txt", _holding("track", "occluded"), mot.write,
           "{}/gt/gt.txt"),
    Format("agt", "AGT with box metrics", "CLIP.agt, CLIP.bbox_met",
           _holding("point", "track", "range"),
           agt.write, "{}.agt", latin=True),
    Format("atr", "ATR truth", "CLIP.truth.json", _holding("columns"), atr.write, "{}.truth.json"),
    Format("boxes", "Boxes as a table, CSV", "CLIP.csv", _holding("point"), tables.write, "{}.csv"),
    Format("masks", "Masks, PNG of 16 bits", "masks/CLIP/IMAGE.png, masks/mask-classes.csv",
           _holding("polygon", "ellipse"), masks.write,
           "masks/{}", whole=True),
)}  # fmt: skip


def format_of(name: str) -> Format:
    """A format by its id. Raises ProjectError."""
    if name not in FORMATS:
        raise ProjectError(
            f"there is no format {name!r}", hint=f"Known formats: {', '.join(FORMATS)}."
        )
    return FORMATS[name]
