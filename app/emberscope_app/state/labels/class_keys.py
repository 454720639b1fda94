"""Classes in the order of their keys 1-9, the same in every list and menu, and what such a key
does."""

import msgspec

from emberscope.labels import Ignore, TargetClass
from emberscope.project import Project, PutLabels
from emberscope_app.state.core.focus import DRAWING_TOOLS
from emberscope_app.state.core.session import Session
from emberscope_app.words import labels_name


def in_order(project: Project) -> list[TargetClass]:
    """Classes by id, which is the order in which they were made; key 1 is the first."""
    return [project.classes[key] for key in sorted(project.classes)]


def class_of_key(project: Project, digit: int) -> TargetClass | None:
    """The class of key 1-9."""
    found = in_order(project)
    return found[digit - 1] if 1 <= digit <= len(found) else None


def draws(session: Session) -> bool:
    """Whether the tool in hand makes new labels."""
    return session.focus.tool in DRAWING_TOOLS


def choose_class(session: Session, class_id: int) -> None:
    """What a digit says: the class of the next label, and with Select in hand that of the selected
    labels.

    A label just drawn is still selected, so that its handles can be dragged; the next digit is not
    about it.
    """
    if draws(session):
        session.focus.set(class_id=class_id)
    else:
        set_class(session, class_id)


def key_of_class(project: Project, class_id: int) -> str:
    """ "1".."9", or "" where the class has no key."""
    ids = sorted(project.classes)
    position = ids.index(class_id) + 1 if class_id in ids else 0
    return str(position) if 1 <= position <= 9 else ""


def set_class(session: Session, class_id: int) -> None:
    """Class of new labels, and of the selected ones."""
    labels = session.project.labels
    chosen = [
        labels[key]
        for key in session.focus.labels
        if key in labels
        and labels[key].class_id != class_id
        and not isinstance(labels[key], Ignore)
    ]
    session.focus.set(class_id=class_id)
    if chosen:
        after = [msgspec.structs.replace(label, class_id=class_id) for label in chosen]
        name = session.project.classes[class_id].name.lower()
        session.do(
            PutLabels(title=f"Mark {labels_name(chosen)} as {name}", before=chosen, after=after)
        )
