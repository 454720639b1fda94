"""What was labeled, in a report: frames with their labels, or the bags of point sets."""

import html

from emberscope.base.grouping import how_many
from emberscope.labels import Box, kind
from emberscope.labels.origins import IMPORTED, WORDS
from emberscope.project.model.project import Project
from emberscope.report.frame_images import labeled_frame
from emberscope.report.inline_image import img

_KINDS = {
    "relaxed": "relaxed box",
    "box": "tight box",
    "frame": "frame label",
    "ignore": "ignore region",
}
_NEVER_KNEW = "the program never knew which {} of a positive bag are the target."


def labeled_html(project: Project) -> str:
    """Labels in numbers and, where there are frames, on one or two of them. Reads the sources that
    are there; "" where nothing can be shown."""
    return _of_points(project) if project.of_points else _of_frames(project)


def _of_points(project: Project) -> str:
    counts = {
        info.name: sum(label.class_id == info.id for label in project.labels)
        for info in project.classes.values()
    }
    listed = ", ".join(
        f"{how_many(count, 'bag')} of {html.escape(name)}"
        for name, count in counts.items()
        if count
    )
    if not listed:
        return ""
    knew = _NEVER_KNEW.format("instances")
    if project.marks:
        knew = (
            f"{how_many(len(project.marks), 'instance')} have a label of their own, which taught "
            "as well."
        )
    return f"<h2>What was labeled</h2><p>{listed}. Labels are those of bags; {knew}</p>"


def _of_frames(project: Project) -> str:
    images = labeled_frame(project, count=2)
    if not images:
        return ""
    kinds: dict[str, int] = {}
    for label in project.labels:
        kinds[kind(label)] = kinds.get(kind(label), 0) + 1
    frequent = sorted(kinds.items(), key=lambda item: -item[1])
    listed = ", ".join(how_many(count, _KINDS.get(name, name)) for name, count in frequent)
    figures = "".join(f"<div>{img(image, words)}</div>" for image, words in images)
    return (
        "<h2>What was labeled</h2>"
        f"<p>Labels are loose on purpose: {listed}. Each label became a bag; "
        f"{_NEVER_KNEW.format('pixels')}</p>"
        '<figure><div '
        f'class="pair">{figures}</div><figcaption>{_key_of_boxes(project)}</figcaption></figure>'
    )


def _key_of_boxes(project: Project) -> str:
    """What broken lines mean on the frames of this project."""
    boxes = [label for label in project.labels if isinstance(label, Box)]
    words = ["Labels as they were drawn."]
    if any(box.looseness for box in boxes):
        words.append("Dashed: relaxed boxes.")
    if any(box.core is not None and box.origin.startswith(WORDS[IMPORTED]) for box in boxes):
        words.append("Dotted: where the target is, by the truth that was imported.")
    if any(box.core is not None and not box.origin.startswith(WORDS[IMPORTED]) for box in boxes):
        words.append("Dotted: the box that was drawn before it was loosened.")
    return " ".join(words)
