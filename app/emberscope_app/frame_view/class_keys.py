"""Classes in the order of their keys 1-9, the same in every list, menu and shortcut."""

from emberscope.labels import TargetClass
from emberscope.project import Project


def in_order(project: Project) -> list[TargetClass]:
    """Classes by id, which is the order in which they were made; key 1 is the first."""
    return [project.classes[key] for key in sorted(project.classes)]


def class_of_key(project: Project, digit: int) -> TargetClass | None:
    """The class of key 1-9."""
    found = in_order(project)
    return found[digit - 1] if 1 <= digit <= len(found) else None


def key_of_class(project: Project, class_id: int) -> str:
    """ "1".."9", or "" where the class has no key."""
    ids = sorted(project.classes)
    position = ids.index(class_id) + 1 if class_id in ids else 0
    return str(position) if 1 <= position <= 9 else ""
