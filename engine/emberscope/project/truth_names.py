"""What names of truth, clips and folders say: words, and those that say nothing of which clip it
is."""

import re
import unicodedata
from pathlib import Path

from emberscope.labels.image_names import Named, plain_name, written_folders

_OF_TRUTH = (
    "truth truths label labels box boxes bbox bboxes gt groundtruth ground annotation annotations "
    "anno annos ann anns xml xmls agt csv json voc coco cvat yolo mot labelme rotated track tracks "
    "det dets detections rect"
)
_OF_PLACES = (
    "frame frames image images img imgs img1 pics png tif tiff jpg jpeg jpegimages data video "
    "videos clips sequences raw arf arfs npy default metric metrics objects targets txt"
)
# Those that say that a file is truth may stand before or after the name of a clip; those of places
# say nothing of it.
TRUTH_WORDS = frozenset(_OF_TRUTH.split())
PLACE_WORDS = frozenset((*_OF_PLACES.split(), "pictures"))


def others_folder(named: Named, place: Path) -> bool:
    """Whether a truth and frames of its name lie in folders beside each other that are called
    differently, such as day/xml and night/frames, so that it is truth of other frames. Folders
    called truth, frames and the like say nothing; what the truth itself writes about its folder
    counts more."""
    here, there = _telling(named.truth.parent), _telling(place)
    shared = next(
        (k for k, (a, b) in enumerate(zip(here, there)) if a != b), min(len(here), len(there))
    )
    mine, other = here[shared:], there[shared:]
    beside = len(mine) == len(other) > 0 and mine[1:] == other[1:] and shared > 1
    written = written_folders(named, place)
    return beside and all(says_nothing(part) for part in place.parts[len(place.parts) - written :])


def _telling(folder: Path) -> list[str]:
    parts = (plain_name(part).casefold() for part in folder.parts)
    return [
        part
        for part in parts
        if not any(word in TRUTH_WORDS or word in PLACE_WORDS for word in words_of(part))
    ]


def home_of(path: Path) -> Path:
    """The folder that a truth is about: the nearest one around it whose name says more than that
    there is truth."""
    folder = path.parent
    while folder != folder.parent and says_nothing(folder.name):
        folder = folder.parent
    return folder


def says_nothing(name: str) -> bool:
    """Whether a name says only that there is truth, or that there are frames, not of which clip."""
    return bool(words := words_of(name)) and all(
        word in TRUTH_WORDS or word in PLACE_WORDS for word in words
    )


def words_of(name: str) -> list[str]:
    """Words, numbers and symbols of a name, of any script, in one case of letters; punctuation and
    spaces part them."""
    plain = plain_name(name).casefold()
    return "".join(letter if _is_of_word(letter) else " " for letter in plain).split()


def _is_of_word(letter: str) -> bool:
    return letter.isalnum() if letter.isascii() else unicodedata.category(letter)[0] not in "PZC"


def core(name: str) -> list[str]:
    """The words of a name without those that say that it is truth; what follows such a word goes
    with it: clip_7_boxes_anna is clip_7."""
    return without(words_of(name), TRUTH_WORDS)


def clip_names(stem: str) -> list[str]:
    """What the clip of a truth may be called: clip_7 and clip_7_boxes, of clip_7_boxes."""
    parts, wanted = re.split(r"([\W_]+)", stem), core(stem)
    ends = range(0, len(parts), 2)
    inside = ["".join(parts[begin : end + 1]) for begin in ends for end in ends if begin <= end]
    return list(dict.fromkeys([stem, *(name for name in inside if words_of(name) == wanted != [])]))


def without(words: list[str], generic: frozenset[str]) -> list[str]:
    """The words up to the first generic one, after those that begin with such."""
    while words and words[0] in generic:
        words = words[1:]
    first = next((k for k, word in enumerate(words) if word in generic), len(words))
    return words[:first]


def is_sibling(a: str, b: str) -> bool:
    """Whether two names are alike but for numbers or single letters, as those of two clips of one
    recording are."""
    mine, other = core(a), core(b)
    if mine == other:
        return False
    shorter, longer = sorted((mine, other), key=len)
    goes_on = shorter == longer[: len(shorter)] and all(
        _numbered(word) == "#" for word in longer[len(shorter) :]
    )
    alike = [_numbered(word, letters=len(mine) > 1) for word in mine]
    return goes_on or alike == [_numbered(word, letters=len(mine) > 1) for word in other]


def _numbered(word: str, *, letters: bool = True) -> str:
    return "#" if letters and len(word) == 1 else re.sub(r"\d+", "#", word)
