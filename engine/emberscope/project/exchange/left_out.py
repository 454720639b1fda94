"""What lies in a folder and is in no source: damaged images, truth, and files that nobody knows."""

from collections.abc import Collection, Iterator
from pathlib import Path

from emberscope.base.files import absolute
from emberscope.frames.holdings import Holdings
from emberscope.frames.readers.folder import left_out, listed
from emberscope.project.exchange.truth_look import truth_among


def damaged_notes(named: Path, held: Holdings) -> list[str]:
    """A sentence on the images that cannot be read, if there are any. named : the path that holds
    them."""
    return left_out(named, held.damaged)


def other_notes(named: Path, held: Holdings, taken: Collection[Path]) -> list[str]:
    """Sentences on files that hold no frames: truth that is not imported, and what no reader knows.

    named : the path that holds them. taken : files and folders that are imported as truth, of which
    nothing is said.
    """
    own, truth = {absolute(path) for path in taken}, truth_among(held.others)
    waits = [
        path
        for path in held.others
        if path in truth and own.isdisjoint((absolute(path), absolute(path.parent)))
    ]
    unknown = [path for path in held.others if path not in truth and absolute(path) not in own]
    return [*_truth_notes(named, waits), *left_out(named, (), unknown, held.raw)]


def _truth_notes(named: Path, truth: list[Path]) -> Iterator[str]:
    if truth:
        many = "1 file is truth" if len(truth) == 1 else f"{len(truth)} files are truth"
        names = listed([path.relative_to(named).as_posix() for path in truth])
        how = "Name the file or folder as truth to import it."
        yield f"{many}, not frames, and left out: {names}. {how}"
