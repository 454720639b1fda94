"""The bags that a run would make of the labels now: made once for every view that counts or lists them."""

from PySide6.QtCore import QObject, Qt

from emberscope.bags.make import MadeBags
from emberscope.project import Changes
from emberscope_app.state.session import Session


class LabelBags(QObject):
    """Dropped with an edit of what bags are made of, made again when somebody asks."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.setObjectName("label bags")
        self._session = session
        self._made: MadeBags | None = None
        session.changed.connect(self._forget)

    @property
    def made(self) -> MadeBags:
        """Instances and bags by the recipe of the project. O(instances) after an edit."""
        if self._made is None:
            from emberscope.bags.make import make_bags

            project = self._session.project
            self._made = make_bags(project.labels, project.classes, project.frame_sizes, project.recipe.bags,
                                   marks=project.marks)
        return self._made

    def _forget(self, changes: Changes) -> None:
        if changes.touch("labels", "marks", "classes", "sources", "settings"):
            self._made = None


def label_bags(session: Session) -> LabelBags:
    """The one of a session."""
    found = session.findChild(LabelBags, "label bags", Qt.FindChildOption.FindDirectChildrenOnly)
    return found if isinstance(found, LabelBags) else LabelBags(session)
