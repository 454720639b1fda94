"""What the things of a project are called: those of frames, and those of point sets, which have
none. Sentences are written for frames; `Nouns.say` says them of points."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from emberscope.project.model.project import Project, Run
from emberscope.project.model.recipe import ROWS

_PLURAL = re.compile(r"(?:(?<=x)|(?<=ch))es$|s$")


@dataclass(frozen=True, slots=True)
class Nouns:
    """clip : what is opened as one. frame, patch : its parts and theirs. block : what is held out
    together where whole clips are not. swaps : a word of frames, lower case and singular -> what is
    said instead; {} where sentences stay as they are."""

    clip: str
    frame: str
    patch: str
    block: str
    swaps: Mapping[str, str] = field(default_factory=dict)

    def say(self, sentence: str) -> str:
        """A sentence or title of the program, which holds no names that people gave, in these
        words."""
        return _FRAME_WORDS.sub(self._swapped, sentence) if self.swaps else sentence

    def _swapped(self, found: re.Match[str]) -> str:
        article, word = found["article"] or "", found["word"]
        single = _PLURAL.sub("", word.lower())
        new = self.swaps.get(single, single)
        if article:
            article = f"{article[0]}{'n' * (new[0] in 'aeiou')} "
        elif word[0].isupper():
            new = new[0].upper() + new[1:]
        return f"{article}{new}{'s' * (single != word.lower())}"


OF_FRAMES = Nouns("clip", "frame", "patch", "blocks of frames")
OF_POINTS = Nouns(
    "point set", "bag", "instance", "bag",
    {"blocks of frame": "bag", "relaxed box": "bag", "tight box": "bag", "clip": "point set",
     "frame": "bag", "patch": "instance", "box": "bag", "grid patch": "instance"},
)  # fmt: skip
_FRAME_WORDS = re.compile(
    r"\b(?P<article>[Aa]n? )?\b(?P<word>(?:blocks of frame|relaxed box|tight box|grid patch|clip|"
    r"frame|patch|box)(?:es|s)?)\b",
    re.IGNORECASE,
)


def nouns_of(project: Project) -> Nouns:
    """The words for what a project holds."""
    return OF_POINTS if project.of_points else OF_FRAMES


def nouns_of_run(run: Run) -> Nouns:
    """The words for what a run was made of."""
    return OF_POINTS if run.recipe.bags.level == ROWS else OF_FRAMES
