"""What is said about labels besides what they are: a note, doubt, that somebody checked them."""

from collections.abc import Iterable
from typing import Any

import msgspec

from emberscope.labels.model import About, Label
from emberscope.project.model.operations import PutLabels

_TITLES = {
    "note": "Note on",
    "uncertain": "Doubt about",
    "checked": "Check of",
    "author": "Author of",
    "time": "Time of",
    "track": "Track of",
    "occluded": "Occlusion of",
}


def say_about(labels: Iterable[Label], *, title: str = "", **changes: Any) -> PutLabels | None:
    """The operation that says something about labels; None where all of it is said already.

    changes : fields of `labels.model.About`, such as uncertain=True or note="behind a pole".
    """
    before, after = [], []
    for label in labels:
        old = label.about or About()
        about = msgspec.structs.replace(old, **changes)
        if about != old:
            before.append(label)
            after.append(msgspec.structs.replace(label, about=about if about != About() else None))
    if not before:
        return None
    which = "1 label" if len(before) == 1 else f"{len(before)} labels"
    words = title or f"{_TITLES[next(iter(changes))]} {which}"
    return PutLabels(title=words, before=before, after=after)
