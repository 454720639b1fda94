"""What of the labels of a project a format of another program cannot hold, before anything is written."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from emberscope.labels.formats.items import IGNORE, Item
from emberscope.labels.formats.table import Format
from emberscope.labels.geometry import bounds, inside
from emberscope.labels.model import About, Box, FrameLabel, Ignore, Label, Scribble, Spot, TargetClass, is_sampled
from emberscope.project.model.project import Project, SourceRef

# what is lost -> whether the label itself is in the files of the format
_LOST = {
    "spots": False, "scribbles": False, "words about whole frames": False, "ignored frames": False,
    "background boxes that the program drew": False, "labels without area in the frame": False,
    "labels past the last frame": False,
    "parts of labels beyond the edge of the frame": True, "places between pixels": True, "looseness of boxes": True,
    "tight cores of boxes": True, "radii of spots": True, "widths of scribbles": True, "tracks": True,
    "labels that are occluded": True, "notes, authors, times and checks": True,
    "names of classes in other than Latin letters": True, "marks of instances": False,
    "records of side information": False,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that a format cannot hold: what, and of how many labels. written : the labels themselves go out."""

    what: str
    count: int
    written: bool

    @property
    def words(self) -> str:
        """A sentence."""
        how = "lost in the files" if self.written else "not in the files"
        return f"{self.count} {self.what}: {how}, kept in the side file."


def losses(project: Project, form: Format) -> list[Loss]:
    """What a format cannot hold of a project; all of it goes into the side file. 5 us per label."""
    found = Counter[str]()
    for label in project.labels:
        ref = project.sources.get(label.source)
        if ref is not None:
            found.update(outgoing(label, ref, project.classes, form)[1])
    found["marks of instances"] = len(project.marks)
    found["records of side information"] = len(project.side)
    return [Loss(what, found[what], written) for what, written in _LOST.items() if found[what]]


def outgoing(
    label: Label, ref: SourceRef, classes: Mapping[int, TargetClass], form: Format
) -> tuple[Item | None, list[str]]:
    """A label as a format takes it, None where it does not; and what is lost of it."""
    if not 0 <= label.frame < ref.n_frames:
        return None, ["labels past the last frame"]
    if is_sampled(label):
        return None, ["background boxes that the program drew"]
    if isinstance(label, FrameLabel):
        return None, ["words about whole frames"]
    item, lost = _placed(label, (ref.rows, ref.cols), form)
    if item is None:
        return None, lost
    name = IGNORE if item.ignore else _name(label.class_id, classes)
    about = label.about or About()
    held = About(track=about.track if "track" in form.holds else None,
                 occluded=about.occluded and "occluded" in form.holds)
    lost += ["tracks"] if about.track != held.track else []
    lost += ["labels that are occluded"] if about.occluded and not held.occluded else []
    lost += ["notes, authors, times and checks"] if about != About(track=about.track, occluded=about.occluded) else []
    if form.latin and not _is_latin(name):
        lost.append("names of classes in other than Latin letters")
    return item._replace(name=name, about=held), lost


def _placed(label: Label, shape: tuple[int, int], form: Format) -> tuple[Item | None, list[str]]:
    if isinstance(label, Spot):
        if "point" not in form.holds:
            return None, ["spots"]
        if not (0 <= label.x < shape[1] and 0 <= label.y < shape[0]):
            return None, ["labels without area in the frame"]
        return Item("point", "", ((label.x, label.y),)), ["radii of spots"]
    if isinstance(label, Scribble):
        if "line" not in form.holds or len(label.points) < 2:
            return None, ["scribbles"]
        points = tuple((min(max(x, 0.0), float(shape[1])), min(max(y, 0.0), float(shape[0])))
                       for x, y in label.points)
        beyond = ["parts of labels beyond the edge of the frame"] if points != label.points else []
        return Item("line", "", points), [*beyond, "widths of scribbles"]
    assert isinstance(label, Box | Ignore)
    return _boxed(label, shape, form)


def _boxed(label: Box | Ignore, shape: tuple[int, int], form: Format) -> tuple[Item | None, list[str]]:
    corners = bounds(label)
    if corners is None:
        return None, ["ignored frames"]
    box = inside(corners, shape)
    if box is None:
        return None, ["labels without area in the frame"]
    lost = ["parts of labels beyond the edge of the frame"] if box != corners else []
    if form.whole and any(value % 1 for value in box):
        lost.append("places between pixels")
    if isinstance(label, Box):
        lost += ["looseness of boxes"] if label.looseness else []
        lost += ["tight cores of boxes"] if label.core is not None else []
    return Item("box", "", (box[:2], box[2:]), ignore=isinstance(label, Ignore)), lost


def _name(class_id: int, classes: Mapping[int, TargetClass]) -> str:
    target = classes.get(class_id)
    return target.name.strip() or f"class {class_id}" if target is not None else "unknown"


def _is_latin(name: str) -> bool:
    try:
        name.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return True
