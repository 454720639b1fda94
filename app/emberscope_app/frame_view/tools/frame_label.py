"""Frame label: words about the whole frame, toggled in a popover (I). Each toggle is one
operation."""

from typing import Any

import msgspec

from emberscope.labels import BACKGROUND, FrameLabel, Label
from emberscope.project import PutLabels
from emberscope_app.frame_view.tools.gesture import DRAFT, Gesture, Place, Pointer, Tool
from emberscope_app.state.labels.done import frame_is_done
from emberscope_app.state.labels.signing import signature


class FrameLabelTool(Tool):
    id, title, key, icon = "frame", "Frame label", "I", "frame"
    hint = "Say what the frame contains: 1-9 class, 0 empty, C complete."

    def press(self, place: Place, pointer: Pointer) -> Gesture | None:
        """Frame labels are said in the popover, not drawn."""
        return None


def frame_labels(place: Place, frame: int) -> list[FrameLabel]:
    """What is said about a frame of the source on show."""
    source = place.session.focus.source
    if source is None:
        return []
    return place.session.project.labels.frame_labels(source, frame)


def says(place: Place, what: str, class_id: int | None = None) -> bool:
    """Whether this is said about the frame on show."""
    return any(
        _same(label, what, class_id) for label in frame_labels(place, place.session.focus.frame)
    )


def toggle(
    place: Place, what: str, class_id: int | None = None, *, whole_clip: bool = False
) -> None:
    """Say it, or take it back; `contains` and `empty` exclude each other. On the whole clip: as one
    step."""
    session = place.session
    focus, project = session.focus, session.project
    if focus.source is None:
        return
    on = not says(place, what, class_id)
    frames = range(project.sources[focus.source].n_frames) if whole_clip else [focus.frame]
    before: list[Label] = []
    after: list[Label] = []
    for frame in frames:
        there = frame_labels(place, frame)
        same = [label for label in there if _same(label, what, class_id)]
        if not on:
            before += same
            continue
        before += [label for label in there if _denies(label, what)]
        if not same:
            fields: Any = {"says": what, "class_id": _class(what, class_id)}
            after.append(FrameLabel(id=DRAFT, source=focus.source, frame=frame, **fields))
    if before or after:
        ids = project.new_label_ids(len(after)) if after else []
        about = signature()
        after = [
            msgspec.structs.replace(label, id=key, about=about)
            for label, key in zip(after, ids, strict=True)
        ]
        title = _title(session.project.classes, what, class_id, on, whole_clip)
        session.do(PutLabels(title=title, before=before, after=after))


def sentence(place: Place) -> str:
    """The plate: "Frame contains Vehicle, Person", "Empty frame, done", "Frame ignored"; "" where
    nothing is said."""
    found = frame_labels(place, place.session.focus.frame)
    classes = place.session.project.classes
    names = [
        classes[label.class_id].name if label.class_id in classes else "Unknown"
        for label in found
        if label.says == "contains"
    ]
    words = "Frame contains " + ", ".join(names) if names else ""
    if any(label.says == "empty" for label in found):
        words = "Empty frame"
    if any(label.says == "complete" for label in found):
        words = f"{words}, complete" if words else "Every target is labeled"
    if frame_is_done(place.session):
        words = f"{words}, done" if words else "Done"
    return words


def _class(what: str, class_id: int | None) -> int:
    return class_id if what == "contains" and class_id is not None else BACKGROUND


def _same(label: FrameLabel, what: str, class_id: int | None) -> bool:
    return label.says == what and (what != "contains" or label.class_id == class_id)


def _denies(label: FrameLabel, what: str) -> bool:
    return (what == "empty" and label.says == "contains") or (
        what == "contains" and label.says == "empty"
    )


def _title(classes: dict, what: str, class_id: int | None, on: bool, whole_clip: bool) -> str:
    place = "clip" if whole_clip else "frame"
    claim = {"empty": "is empty", "complete": "is complete"}.get(
        what
    ) or f"contains {classes[class_id].name}"
    return f"Say {place} {claim}" if on else f"Take back: {place} {claim}"
