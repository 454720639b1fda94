"""The tracks of a tracker, as the Cacophony Project writes them in JSON."""

from pathlib import Path

import msgspec

from emberscope.base.errors import FormatError
from emberscope.labels.formats.json_files import read_json
from emberscope.labels.truth_objects import Objects
from emberscope.labels.truth_text import guessed_note


class _Position(msgspec.Struct, frozen=True, gc=False):
    frame_number: float | None = None
    x: float | None = None
    y: float | None = None
    width: float | None = None
    height: float | None = None
    blank: bool | None = None


class _Prediction(msgspec.Struct, frozen=True, gc=False):
    confident_tag: str | None = None
    label: str | None = None


class _Track(msgspec.Struct, frozen=True):
    positions: list[_Position]
    predictions: list[_Prediction] | None = None

    @property
    def name(self) -> str:
        first = self.predictions[0] if self.predictions else _Prediction()
        return first.confident_tag or first.label or "Target"


class _Tracks(msgspec.Struct, frozen=True):
    tracks: list[_Track]


def read_tracks(path: Path, objects: Objects, notes: list[str]) -> None:
    """Take tracker boxes: made by a machine, named by its classifier; blank positions are no
    objects.

    Raises FormatError.
    """
    guessed: list[str] = []
    there = objects.there
    for track in read_json(path, _Tracks, "the tracks are", guessed).tracks:
        for p in track.positions:
            if p.blank:
                continue
            if (
                p.frame_number is None
                or p.x is None
                or p.y is None
                or p.width is None
                or p.height is None
            ):
                raise FormatError(
                    str(path),
                    None,
                    "a position of a track lacks frame_number, x, y, width or height",
                )
            objects.there += 1
            objects.take(int(p.frame_number), (p.x, p.y, p.x + p.width, p.y + p.height), track.name)
    if objects.there > there:
        notes.append("The boxes were made by a tracker, not by hand.")
    notes += guessed_note(guessed)
