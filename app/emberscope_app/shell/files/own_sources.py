"""A project from elsewhere names files of this computer: a person says whether they are read."""

from PySide6.QtWidgets import QWidget

from emberscope.project.store.open_project import OpenProject
from emberscope.project.store.own_sources import allow, listed, withheld_note, withheld_paths
from emberscope_app.shell.questions import Button, ask
from emberscope_app.words import counted

_CHOICES = {Button.Yes: "Read them", Button.No: "Open without"}
_SHOWN = 10  # paths


class OwnSources:
    """Asks before anything outside of a project's folder is read. `news` is what to say once the
    project is open."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self.news = ""

    def settle(self, opened: OpenProject) -> bool:
        """Ask about sources and networks that this user neither added nor allowed. True where the
        project may be shown."""
        self.news = ""
        withheld = withheld_paths(opened.project)
        if not withheld or opened.path is None:
            return True
        count = " and ".join(counted(len(paths), what) for what, paths in withheld.items())
        paths = [path for paths in withheld.values() for path in paths]
        words = (
            f"{opened.path.name} was not opened here before. It names {count} outside of its "
            "own folder."
        )
        answer = self.ask(words, listed(paths, between="\n", most=_SHOWN))
        if answer == Button.Yes:
            allow(opened.project, opened.path)
        elif answer == Button.No:
            self.news = withheld_note(opened.project)
        return answer in _CHOICES

    def ask(self, words: str, paths: str) -> Button:
        more = (
            f"{paths}\n\nOpen without reads none of them; labels and maps are shown all the same."
        )
        return ask(self._window, words, more, _CHOICES, default=Button.No)
