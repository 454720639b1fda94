"""Truth that other programs write and that is not read here: what it is, and how to save it so that
it is."""

import re
from pathlib import Path

_NUMBER = r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?"
_KINDS = (
    # beginning of the file, what it is, what to do
    (rf"\d+(?:\s+{_NUMBER}){{4}}\s*(?:\n|$)", "a YOLO file of class numbers without their names",
     "Put the names of its classes beside it, a classes.txt with a name per line."),
    (rf"\d+(?:\s+{_NUMBER}){{6,}}\s*(?:\n|$)", "a YOLO file of outlines",
     "Put the names of its classes beside it, a classes.txt with a name per line."),
    (rf"{_NUMBER}(?:[\s,]+{_NUMBER}){{3}}\s*(?:\n|$)", "a list of one x,y,w,h per frame",
     "Put the header frame,x,y,w,h over it, and the number of the frame, from 0, before "
     "each line."),
    (rf"{_NUMBER}(?:[\s,]+{_NUMBER}){{7}}\s*(?:\n|$)", "a list of four corners per frame",
     "Save it as a table frame,x,y,w,h."),
    (r"\{[^{}]*\"(?:exist|gt_rect)\"\s*:\s*\[", "an Anti-UAV file of one gt_rect per frame",
     "Save it as a table frame,x,y,w,h."),
    (r"#?\s*\"?filename\"?\s*,.*region_shape_attributes",
     "a table of the VGG Image Annotator (VIA)", "Export it as COCO there."),
    (r"\{[^\n]*\"regions\"\s*:",
     "a project of the VGG Image Annotator (VIA)", "Export it as COCO there."),
    (r"\{\s*\"_via_", "a project of the VGG Image Annotator (VIA)", "Export it as COCO there."),
    (r"\{[^\n]*\"file_name\"\s*:[^\n]*\"objects\"\s*:",
     "a metadata.jsonl of a Hugging Face data set", "Save it as COCO json."),
    (r"\[\s*\{[^\n]*\"annotations\"\s*:[\s\S]*\"(?:result|completed_by)\"",
     "an export of Label Studio", "Export it as COCO or VOC there."),
    (r"\[\s*\{[\s\S]*\"(?:image_id|bbox)\"\s*:",
     "a list of detections in the form of COCO, without its images",
     "Save it as COCO json with images and annotations."),
)  # fmt: skip


def foreign_truth(path: Path, head: str) -> tuple[str, str]:
    """What a file is that begins with `head` and what to do with it; empty where nothing is known
    of it."""
    for pattern, what, hint in _KINDS:
        if re.match(pattern, head):
            return f"this is {what}, which is not read", hint
    if path.suffix.lower() == ".json" and head.startswith(("{", "[")):
        return "JSON of no kind of truth that is known", ""
    return "", ""
