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
    said instead; {} where sentences stay as they are. advice : what is advised that only frames
    allow, such as to draw -> what is advised instead, before words are."""

    clip: str
    frame: str
    patch: str
    block: str
    swaps: Mapping[str, str] = field(default_factory=dict)
    advice: Mapping[str, str] = field(default_factory=dict)

    def say(self, sentence: str) -> str:
        """A sentence or title of the program, which holds no names that people gave, in these
        words."""
        if not self.swaps:
            return sentence
        for old, new in self.advice.items():
            sentence = sentence.replace(old, new)
        return _FRAME_WORDS.sub(self._swapped, sentence)

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
    {"Draw boxes closer to targets, put spots on them, or label background between them":
        "Mark instances of positive bags, or label more negative bags",
     "draw boxes closer to targets, or label more of both kinds":
        "mark some of them, or label more bags of both kinds",
     "Label background with boxes a patch larger than those of targets: of background only patches "
     "wholly inside count": "Bags of the same sizes of both kinds would say more",
     "draw background at the places of targets on other frames, or on matched ground":
        "give more negative bags",
     "Label frames further apart": "Label more bags",
     "or all on frames near each other": "or all in bags that share instances",
     "all are on frames near each other": "all share instances",
     "another class, or frames further apart": "another class, or more bags",
     "Sizes of patches and a few recipes": "A few recipes",
     "paint actions on the timeline, or embed one chip per frame":
        "its actions are no part of this project",
     "Track: the way from frame to frame": "Track: the way from instance to instance",
     ", boxes beside a target": ""},
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
