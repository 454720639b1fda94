"""Columns of sources: what their names say, and what truth and tables say of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from emberscope.base.errors import DataError
from emberscope.datasets.point_source import PointSource
from emberscope.frames.source import FrameSource
from emberscope.labels.columns import Value, columns_in_name, plain_columns, value_of
from emberscope.labels.image_names import images_of
from emberscope.project.columns import UNITS
from emberscope.project.model.operations import PutSources
from emberscope.project.model.project import Project, SourceRef


def columns_of_names(
    source: FrameSource,
) -> tuple[dict[str, Value], dict[str, list[Value | None]]]:
    """What the names of a clip and of its frames say (`labels.columns.columns_in_name`): of the
    clip where all frames say the same, else of each frame."""
    if isinstance(source, PointSource):
        said = source.columns()
        return clip_and_frames([
            plain_columns({name: value_of(values[k]) for name, values in said.items()})
            for k in range(source.n_frames)])
    own = columns_in_name(Path(source.uri).stem)
    rows = [columns_in_name(image.path.stem) for image in images_of(source)]
    return clip_and_frames([own | row for row in rows]) if any(rows) else (own, {})


def clip_and_frames(
    rows: Sequence[Mapping[str, Value]]
) -> tuple[dict[str, Value], dict[str, list[Value | None]]]:
    """Columns of all frames of a clip, as those of the clip where each frame says the same, and
    those of its frames."""
    names = dict.fromkeys(name for row in rows for name in row)
    lists = {name: [row.get(name) for row in rows] for name in names}
    whole = {
        name: values[0]
        for name, values in lists.items()
        if all(value == values[0] for value in values)
    }
    of_clip = {name: value for name, value in whole.items() if value is not None}
    return of_clip, {name: values for name, values in lists.items() if name not in of_clip}


def with_facts(
    ref: SourceRef, clip: Mapping[str, Value], frames: Mapping[int, Mapping[str, Value]]
) -> SourceRef:
    """A source with what is said of the clip, and of frames by their numbers, beside what is known
    of them."""
    of_frames = {name: list(values) for name, values in ref.frame_columns.items()}
    for frame, columns in frames.items():
        for name, value in columns.items():
            of_frames.setdefault(name, [None] * ref.n_frames)[frame] = value
    return msgspec.structs.replace(ref, columns={**ref.columns, **clip}, frame_columns=of_frames)


def say_columns(
    project: Project, source: int, given: Mapping[str, Value | None]
) -> PutSources | None:
    """The operation that keeps what is said of a clip, by the names of the columns; None as a
    value takes it back. None where nothing of it is new.

    What a frame says itself stays. Raises DataError for a text in a column of numbers, such as the
    range.
    """
    ref = project.sources[source]
    for name, value in given.items():
        if name in UNITS and isinstance(value, str | bool):
            hint = f"Give a number of {UNITS[name]}, or nothing."
            raise DataError(f"{name}: {value!r:.40} is no number", hint=hint)
    said = {**ref.columns, **given}
    known = {name: value for name, value in said.items() if value is not None}
    new = msgspec.structs.replace(ref, columns=known)
    if new == ref:
        return None
    return PutSources(title=f"Say what is known of {ref.name}", before=[ref], after=[new])


def with_columns_of(new: SourceRef, old: SourceRef) -> SourceRef:
    """A source with what is known of it as another one that has as many frames, beside its own
    columns."""
    if new.n_frames != old.n_frames:
        return new
    return msgspec.structs.replace(
        new, columns=new.columns | old.columns, frame_columns=new.frame_columns | old.frame_columns
    )
