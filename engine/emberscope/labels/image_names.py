"""Which image a truth names: by the name of the image and the folders that both lie in.

A truth about single images names each by its own file name (`a.xml` of `a.png`), by what it writes
inside (`<filename>`, `imagePath`, `file_name`), or by both. Names are compared whole, in Unicode's
composed form. Where several images have the name, the folders decide: those that the truth writes,
the nearest common folder, and folders of one name on both sides. An image is named where none other
is better in any of these, and each other is worse in one; else there is a tie, and the truth is
given to none.
"""

import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from emberscope.frames.source import FrameSource

# Ways to have a name, from the whole name as written to one without its ending in another case
_TIERS = 4


class Named(NamedTuple):
    """One image as a truth names it: `truth` the file, `name` the file name inside ("" for none),
    with the folders before it; `folder` that it writes beside; `stem` the name of a truth file that
    is about this image alone."""

    truth: Path
    name: str = ""
    folder: str = ""
    stem: str = ""

    def __str__(self) -> str:
        return self.name or self.stem


class Image(NamedTuple):
    """An image: the file, its frame, and the source that it is a frame of (any key; None where it
    is in none)."""

    path: Path
    frame: int
    source: Hashable = 0


class Images:
    """Images, to be found by what a truth calls them."""

    def __init__(self, images: Iterable[Image]) -> None:
        self._by_name: dict[str, list[Image]] = {}
        self._by_stem: dict[str, list[Image]] = {}
        for image in images:
            name = plain_name(image.path.name).casefold()
            self._by_name.setdefault(name, []).append(image)
            self._by_stem.setdefault(stem_of(name), []).append(image)

    @classmethod
    def of_source(cls, source: FrameSource) -> "Images":
        """The frames of one source, if they have names of their own."""
        return cls(images_of(source))

    def find(self, named: Named) -> tuple[list[Image], int]:
        """The image that is named; none; or those that are named equally well. And how exactly they
        are: 0 is best.
        """
        (inside, written), (outside, called) = self._called(named.name), self._called(named.stem)
        both = [image for image in inside if image in outside]
        if inside and outside and not both:
            # One name says this image, the other one that
            return [*inside, *outside], max(written, called)
        found = both or inside or outside
        return nearest(named, found), min(written, called)

    def _called(self, said: str) -> tuple[list[Image], int]:
        """Images of a name: of the whole name as written, in another case of letters, or without
        its ending."""
        name = plain_name(said.replace("\\", "/").rpartition("/")[2])
        if not name:
            return [], _TIERS
        folded = name.casefold()
        whole = self._by_name.get(folded, [])
        alike = [*self._by_stem.get(stem_of(folded), []), *self._by_stem.get(folded, [])]
        tiers = (
            [p for p in whole if plain_name(p.path.name) == name],
            [p for p in alike if plain_name(p.path.stem) in (name, stem_of(name))], whole, alike,
        )  # fmt: skip
        return next(
            ((list(dict.fromkeys(tier)), k) for k, tier in enumerate(tiers) if tier), ([], _TIERS)
        )


def images_of(source: FrameSource) -> list[Image]:
    """The frames of a source as images, if they have names of their own."""
    path = Path(source.uri)
    found = []
    for index in range(source.n_frames):
        name = source.frame_meta(index).get("name")
        if name is None:
            break
        found.append(Image(path / str(name), index))
    return found or ([Image(path, 0)] if source.n_frames == 1 else [])


def nearest(named: Named, images: Sequence[Image]) -> list[Image]:
    """Of images of one name the one whose folders fit best, or all that no other is better than."""
    if len(images) < 2:
        return list(images)
    places = [image.path.parent for image in images]
    near = closeness(named.truth.parent, places)
    written = [written_folders(named, place) for place in places]
    return [images[k] for k in best([(w, *n) for w, n in zip(written, near, strict=True)])]


def closeness(folder: Path, places: Sequence[Path]) -> list[tuple[int, int]]:
    """How near folders are to a folder: levels in common, and folders of one name below what all
    have in common."""
    here = _parts(folder)
    there = [_parts(place) for place in places]
    shared = [_in_common(here, parts) for parts in there]
    least = min(shared, default=0)
    mine = set(here[least:])
    return [
        (count, len(mine & set(parts[least:]))) for count, parts in zip(shared, there, strict=True)
    ]


def best(scores: Sequence[Sequence[float]]) -> list[int]:
    """Which one is nowhere worse than any other, and better somewhere; else all those that none
    other beats so."""
    return [k for k, mine in enumerate(scores) if not any(_beats(other, mine) for other in scores)]


def _beats(a: Sequence[float], b: Sequence[float]) -> bool:
    return all(x >= y for x, y in zip(a, b, strict=True)) and tuple(a) != tuple(b)


def plain_name(name: str) -> str:
    """A name in the composed form of Unicode: file systems and archives store accents in two
    ways."""
    return unicodedata.normalize("NFC", name.strip())


def stem_of(name: str) -> str:
    """A name without its ending."""
    return Path(name).stem if name not in ("", ".", "..") else name


def written_folders(named: Named, place: Path) -> int:
    """How many of the folders that a truth writes inside, from the last one on, are those of the
    frames."""
    before = named.name.replace("\\", "/").rpartition("/")[0]
    theirs = _parts(place)
    return max(
        _at_the_end(_parts(Path(said.replace("\\", "/"))), theirs)
        for said in (before, named.folder)
    )


def _at_the_end(a: Sequence[str], b: Sequence[str]) -> int:
    count = 0
    for x, y in zip(reversed(a), reversed(b)):
        if x != y:
            break
        count += 1
    return count


def _in_common(a: Sequence[str], b: Sequence[str]) -> int:
    count = 0
    for x, y in zip(a, b):
        if x != y:
            break
        count += 1
    return count


def _parts(folder: Path) -> tuple[str, ...]:
    return tuple(plain_name(part).casefold() for part in folder.parts if part not in (".", ""))
