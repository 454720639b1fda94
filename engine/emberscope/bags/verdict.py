"""What a label says of its bag."""

from collections.abc import Mapping

from emberscope.labels.model import BACKGROUND, FrameLabel, Label, TargetClass


def says(label: Label, word: str) -> bool:
    """Whether it is a label of a frame that says this: "empty", "complete" ..."""
    return isinstance(label, FrameLabel) and label.says == word


def verdict(label: Label, classes: Mapping[int, TargetClass]) -> tuple[int, int]:
    """Bag label and class id of a label; an empty frame is background whatever class the tool
    had."""
    known = classes.get(label.class_id)
    if says(label, "empty") or says(label, "complete"):
        return -1, label.class_id if known and known.role < 0 else BACKGROUND
    return (known.role if known else 0), label.class_id
