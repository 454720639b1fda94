"""Weak labels: what the analyst draws, its truth and its interchange formats."""

from emberscope.labels.label_set import LabelSet
from emberscope.labels.model import (
    BACKGROUND,
    DEFAULT_CLASSES,
    UNKNOWN,
    Box,
    Ellipse,
    FrameLabel,
    Ignore,
    Label,
    Polygon,
    Polyline,
    Scribble,
    Spot,
    TargetClass,
    kind,
)

__all__ = [
    "BACKGROUND", "DEFAULT_CLASSES", "UNKNOWN", "Box", "Ellipse", "FrameLabel", "Ignore", "Label",
    "LabelSet", "Polygon", "Polyline", "Scribble", "Spot", "TargetClass", "kind",
]
