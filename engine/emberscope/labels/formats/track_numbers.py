"""Numbers for the objects of a clip, for formats in which every box is of a track."""

from collections.abc import Iterator

from emberscope.labels.formats.items import Item, OutClip


def track_numbers(clip: OutClip) -> Iterator[tuple[int, int, Item]]:
    """Track, frame and item, frame by frame. A track has one class and at most one box on a frame; what is of no track,
    or of one that is there already, gets a track of its own."""
    taken = {item.about.track for frame in clip.frames for item in frame.items if item.about.track is not None}
    free = max(taken, default=0) + 1
    classes: dict[int, tuple[str, bool]] = {}
    for frame in sorted(clip.frames, key=lambda frame: frame.number):
        here: set[int] = set()
        for item in frame.items:
            track, what = item.about.track, (item.name, item.ignore)
            if track is None or track < 1 or track in here or classes.setdefault(track, what) != what:
                track, free = free, free + 1
                classes[track] = what
            here.add(track)
            yield track, frame.number, item
