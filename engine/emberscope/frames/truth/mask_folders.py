"""Folders of masks, as Pascal VOC and what follows it call them: no frames, but what is on them."""

import re
from pathlib import Path

from emberscope.frames.readers.parts.base import reading

OF_CLASSES = re.compile(r"segmentation[ _-]?class(?:[ _-]?png)?", re.IGNORECASE)
OF_OBJECTS = re.compile(r"segmentation[ _-]?objects?(?:[ _-]?png)?", re.IGNORECASE)
COLORED, NAMED = "labelmap.txt", "class_names.txt"  # beside them, as CVAT and labelme write them


def masks_in(folder: Path) -> list[Path]:
    """The masks in a folder that is called so; none in another one. Raises FormatError where it
    cannot be read."""
    if not (OF_CLASSES.fullmatch(folder.name) or OF_OBJECTS.fullmatch(folder.name)):
        return []
    with reading(str(folder)):
        return sorted(path for path in folder.iterdir()
                      if path.suffix.lower() == ".png" and path.name[0] != ".")
