"""Numbers for the objects of a clip, for formats in which every box is of a track."""

from collections.abc import Iterator

from emberscope.labels.formats.items import Item, OutClip


def track_numbers(clip: OutClip, *, least: int) -> Iterator[tuple[int, int, Item]]:
    """Track, frame and item, frame by frame; tracks are numbered from `least`.

    A track has one class, one shape and at most one of them on a frame: what is of no track, or of
    one that is on the frame already, gets a track of its own, and so does each further class or
    shape of a track.
    """
    taken = {
        item.about.track
        for frame in clip.frames
        for item in frame.items
        if item.about.track is not None
    }
    free = max(taken, default=least - 1) + 1
    numbers: dict[tuple[int, str, bool, str], int] = {}
    for frame in sorted(clip.frames, key=lambda frame: frame.number):
        here: set[int] = set()
        for item in frame.items:
            track, known = item.about.track, None
            if track is not None:
                key = track, item.name, item.ignore, item.shape
                if key not in numbers:
                    usable = track >= least and track not in numbers.values()
                    numbers[key] = track if usable else free
                    free += not usable
                known = numbers[key]
            if known is None or known in here:
                known, free = free, free + 1
            here.add(known)
            yield known, frame.number, item
