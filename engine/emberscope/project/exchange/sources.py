"""Sources of a project: adding, opening, finding them again."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec

from emberscope.base.errors import EmberscopeError, FormatError, ProjectError
from emberscope.base.files import absolute, is_there
from emberscope.base.grouping import how_many
from emberscope.base.text import to_json
from emberscope.frames.fingerprints import current_fingerprint
from emberscope.frames.holdings import SourceAt, sources_at
from emberscope.frames.radiometry import SCENE
from emberscope.frames.readers.folder import looking_once
from emberscope.frames.readers.rjpeg import COUNTS, DISPLAY
from emberscope.frames.registry import may_turn, open_source
from emberscope.frames.source import FrameSource
from emberscope.project.exchange.points import check_goes_with, with_their_labels
from emberscope.project.exchange.source_columns import columns_of_names, with_columns_of
from emberscope.project.model.operations import PutSources, Together
from emberscope.project.model.project import POINTS, Project, SourceRef
from emberscope.project.store.own_sources import OUTSIDE, READ_THEM, may_be_read

OF_OLD = (
    "are those of the file as it was: remove it from the project and add it again to take what it "
    "says now."
)  # of point sets, whose files hold labels too
_OF_UNITS = {"units", *SCENE}


def add_sources(
    project: Project, paths: Iterable[str | Path], *, notes: list[str] | None = None, **options: Any
) -> tuple[PutSources | Together | None, list[EmberscopeError]]:
    """The operation that adds what files and folders hold as sources, and what was wrong with the
    others. Of a point set it adds the labels that the file holds, too.

    A folder adds every source in it, see `frames.holdings.sources_at`. One that the project already
    knows (same content, same `options`) is left out silently. `options` go to the readers and then
    a path is one source. What was left out, and what a person should know about a file, is appended
    to `notes`. None instead of an operation where nothing is new.
    """
    errors: list[EmberscopeError] = []
    found: list[SourceRef] = []
    known = {content_of(ref) for ref in project.sources.values()}
    with looking_once():
        for path in paths:
            for ref in _described(path, options, errors, notes):
                if content_of(ref) in known:
                    continue
                try:
                    check_goes_with(ref, [*project.sources.values(), *found])
                except ProjectError as error:
                    errors.append(error)
                    continue
                known.add(content_of(ref))
                found.append(ref)
    if not found:
        return None, errors
    ids = project.new_ids(len(found))
    new = [msgspec.structs.replace(ref, id=new_id) for ref, new_id in zip(found, ids, strict=True)]
    return with_their_labels(project, PutSources(title=added(new), after=new)), errors


def added(refs: Sequence[SourceRef]) -> str:
    """The title of the operation that adds sources."""
    return f"Add {refs[0].name}" if len(refs) == 1 else f"Add {len(refs)} sources"


def _described(
    path: str | Path,
    options: dict[str, Any],
    errors: list[EmberscopeError],
    notes: list[str] | None,
) -> Iterator[SourceRef]:
    """The sources of a path that can be opened; what is wrong with the others goes to `errors`."""
    about: list[str] = []
    try:
        places = (
            [SourceAt(Path(path), options).with_set()] if options else sources_at(path, notes=about)
        )
    except EmberscopeError as error:
        errors.append(error)
        return
    if notes is not None:
        notes += [f"{Path(path).name}: {note}" for note in about]
    for place in places:
        own: list[str] = []
        try:
            ref = describe(place.path, options=place.options, notes=own)
        except EmberscopeError as error:
            errors.append(error)
            continue
        if notes is not None:
            notes += [f"{ref.name}: {note}" for note in own]
        yield ref


def add_source(
    project: Project, path: str | Path, **options: Any
) -> PutSources | Together:
    """The operation that adds what a path holds. Raises its FormatError; ProjectError where the
    project has it."""
    operation, errors = add_sources(project, [path], **options)
    if errors:
        raise errors[0]
    if operation is None:
        raise ProjectError("the project has this source already", where=str(path))
    return operation


def content_of(ref: SourceRef) -> tuple[str, bytes]:
    """What is alike for two sources of the same content that are read with the same options."""
    return ref.fingerprint, to_json(ref.options, order="deterministic", enc_hook=str)


def relocate(project: Project, source_id: int, path: str | Path) -> PutSources:
    """The operation that says where a source lies now; with the place it had, that it is taken as
    it is now.

    Raises FormatError; ProjectError where its frames are another number or another size.
    """
    old = project.sources[source_id]
    new = msgspec.structs.replace(describe(path, options=as_drawn_on(old)), id=old.id)
    if (new.n_frames, new.rows, new.cols) != (old.n_frames, old.rows, old.cols):
        what = f"it has {_size_words(new)}, not {_size_words(old)}"
        raise ProjectError(what, where=str(path), hint=f"Locate the file that was {old.name}.")
    new = with_columns_of(new, old)
    title = f"Read {old.name} again" if new.path == old.path else f"Locate {old.name}"
    return PutSources(title=title, before=[old], after=[new])


def describe(
    path: str | Path, *, options: dict[str, Any] | None = None, notes: list[str] | None = None
) -> SourceRef:
    """What the project keeps of a source; its id is 0 until it is added. Raises FormatError.

    What a person should know about the file (it ends early, it holds NaN ...) is appended to
    `notes`. Where frames are stored turned, the option `upright` says how they are read; where a
    folder holds radiometric JPEG, `dataset` which of their images is.
    """
    # Links are kept: the name the person gave is the one they know
    path = absolute(path)
    with _open(path, options or {}) as source:
        rows, cols = source.shape
        kept = {name: value for name, value in (options or {}).items() if name != "upright"}
        if getattr(source, "stored_turned", False):  # readers of other packages know nothing of it
            kept["upright"] = (options or {}).get("upright", True)
        if getattr(source, "radiometric", False):
            kept.setdefault("dataset", COUNTS)
        if notes is not None:
            notes += source.meta()["warnings"]
        columns, frame_columns = columns_of_names(source)
        return SourceRef(
            id=0, path=str(path), name=_name(path, options or {}), fingerprint=source.fingerprint(),
            n_frames=source.n_frames, rows=rows, cols=cols, format=source.format, options=kept,
            columns=columns, frame_columns=frame_columns,
        )


def _size_words(ref: SourceRef) -> str:
    if ref.format == POINTS:
        largest = f"the largest of {how_many(ref.rows, 'instance')}"
        return f"{ref.n_frames} bags of {how_many(ref.cols, 'feature')}, {largest}"
    return f"{ref.n_frames} frames of {ref.cols} x {ref.rows}"


def read_otherwise(project: Project, ref: SourceRef, asked: Mapping[str, Any]) -> SourceRef | None:
    """The source of a project whose frames are those of `ref`, whatever the units and object
    parameters, where some are asked for; None where there is none."""
    if not _OF_UNITS & asked.keys():
        return None

    return next(
        (
            known
            for known in project.sources.values()
            if same_content(known, ref.fingerprint)
            and known.path == ref.path
            and _of_any_units(known.options) == _of_any_units(ref.options)
        ),
        None,
    )


def _of_any_units(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in _OF_UNITS}


def read_as(ref: SourceRef, asked: Mapping[str, Any]) -> SourceRef:
    """A source read in other units, or with other object parameters; None for one takes it back.
    Raises FormatError, ParamError."""
    options = {
        name: value for name, value in {**as_drawn_on(ref), **asked}.items() if value is not None
    }
    found = describe(ref.path, options=options)
    return with_columns_of(msgspec.structs.replace(found, id=ref.id, name=ref.name), ref)





def for_features(ref: SourceRef, units: str) -> SourceRef:
    """A source as features read it, by `units` of `FeatureRecipe`.

    Where counts are wanted, units and object parameters that it is shown in do not count; the units
    of a table say what its numbers are, and stay.
    """
    if units != "counts" or ref.format == "table":
        return ref
    kept = {name: value for name, value in ref.options.items() if name not in _OF_UNITS}
    return msgspec.structs.replace(ref, options=kept)


def read_words(ref: SourceRef) -> str:
    """What a source is read as, e.g. "degC, emissivity 0.9"."""
    set_here = [f"{name} {ref.options[name]:g}" for name in SCENE if name in ref.options]
    return ", ".join([ref.options.get("units", "counts"), *set_here])


def size_words(ref: SourceRef) -> str:
    """How large a source is: "30 frames of 640 x 512", or "92 bags of 166 features"."""
    if ref.format == POINTS:
        return f"{how_many(ref.n_frames, 'bag')} of {how_many(ref.cols, 'feature')}"
    return f"{how_many(ref.n_frames, 'frame')} of {ref.cols} x {ref.rows}"


def open_ref(ref: SourceRef) -> FrameSource:
    """Open a source of the project. Raises FormatError, with what to do where the file is gone."""
    check_there(ref)
    return _open(Path(ref.path), as_drawn_on(ref))


def check_there(ref: SourceRef) -> None:
    """Raise FormatError for a source that may not be read, or whose file is gone."""
    if not may_be_read(ref):
        raise FormatError(ref.path, None, OUTSIDE, READ_THEM)
    if not is_there(ref.path):
        raise FormatError(
            ref.path, None, "the source is not there", f"Locate {ref.name}, or remove it."
        )


def as_drawn_on(ref: SourceRef) -> dict[str, Any]:
    """The options of a source: of one that does not say that its frames are turned upright, labels
    were drawn on frames as they are stored; of JPEG that does not say that counts are read, they
    were drawn on the images that it shows."""
    before: dict[str, Any] = {"upright": False} if may_turn(ref.format) else {}
    if ref.format in ("folder", "jpeg"):
        before["dataset"] = DISPLAY
    return before | ref.options


def missing_sources(project: Project) -> list[SourceRef]:
    """Sources whose file is not where the project last saw it. They keep their labels."""
    return [ref for ref in project.sources.values() if not (ref.withheld or is_there(ref.path))]


def changed_sources(project: Project) -> list[SourceRef]:
    """Sources whose file has other content than the one that was added. 0.2 ms each; folders 2 ms
    per 100 images."""
    with looking_once():
        return [ref for ref in project.sources.values() if has_changed(ref)]


def lost_source(
    project: Project, found: SourceRef, *, but: Sequence[SourceRef] = ()
) -> SourceRef | None:
    """The source of a project whose frames lie in a file that was found, while its own file is gone
    or holds others; that of the same name first. but : sources that are not meant."""
    taken = {ref.id for ref in but}
    lost = [
        ref for ref in project.sources.values()
        if ref.id not in taken
        and same_content(ref, found.fingerprint)
        and _of_any_units(ref.options) == _of_any_units(found.options)
        and (not (ref.withheld or is_there(ref.path)) or has_changed(ref))
    ]  # fmt: skip
    return min(lost, key=lambda ref: Path(ref.path).name != Path(found.path).name, default=None)


def has_changed(ref: SourceRef) -> bool:
    """Whether there is another content now; False where that is unknown, since the file is gone or
    unreadable."""
    if not may_be_read(ref):
        return False
    try:
        now = current_fingerprint(
            ref.path,
            ref.format,
            size=ref.options.get("size"),
            upright=ref.options.get("upright", False),
            dataset=as_drawn_on(ref).get("dataset"),
        )
        if now is None:
            with open_ref(ref) as source:
                now = source.fingerprint()
    except EmberscopeError:
        return False
    return not same_content(ref, now)


def same_content(ref: SourceRef, fingerprint: str) -> bool:
    """Whether a fingerprint is one of the content that a source had.

    The time of change alone does not count: a copy, or a folder out of an archive, has another. Of
    a folder of images their number and their bytes together are compared.
    """
    old, new = ref.fingerprint.split("-"), fingerprint.split("-")
    if len(old) != 3 or len(new) != 3:
        return old == new
    if "." not in old[2] or "." not in new[2]:  # of a version that looked at both ends alone
        old[2], new[2] = (part.partition(".")[0] for part in (old[2], new[2]))
    kept = slice(0, 2) if ref.format == "folder" else slice(0, 3, 2)
    return old[kept] == new[kept]


def bytes_on_disk(ref: SourceRef) -> int:
    """What the files of a source take, as its fingerprint says; 0 where that does not say."""
    size = ref.fingerprint.partition("-")[0]
    return int(size) if size.isdecimal() and len(size) < 19 else 0


def missing_note(project: Project, missing: Sequence[SourceRef]) -> str:
    """One sentence on the sources that are gone, "" where none is."""
    if len(missing) == 1:
        return f"{missing[0].name} is not where it was."
    many = f"{len(missing)} of {len(project.sources)} sources are not where they were"
    return f"{many}: {names_of(missing)}." if missing else ""


def changed_note(project: Project, changed: Sequence[SourceRef]) -> str:
    """What a person should know where sources have other content than labels were drawn on, ""
    where none has."""
    stay = OF_OLD if project.of_points else "stay where they were in the frames."
    if len(changed) == 1:
        return f"{changed[0].name} changed since it was added. Its labels {stay}"
    many = f"{len(changed)} of {len(project.sources)} sources changed since they were added"
    return f"{many}: {names_of(changed)}. Labels {stay}" if changed else ""


def names_of(refs: Sequence[SourceRef]) -> str:
    """The first three names, and how many there are besides."""
    return ", ".join(ref.name for ref in refs[:3]) + (
        f" and {len(refs) - 3} more" if len(refs) > 3 else ""
    )


class OpenSources:
    """A callable from source id to a freshly opened source; whatever is still open at the end is
    closed together.

    Those who stream frames close what they asked for, so that every call opens anew.
    """

    def __init__(self, project: Project) -> None:
        self._refs = dict(project.sources)
        self._open: list[FrameSource] = []
        self._looking = looking_once()

    def __call__(self, source_id: int) -> FrameSource:
        self._open.append(open_ref(self._refs[source_id]))
        return self._open[-1]

    def __enter__(self) -> Self:
        self._looking.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        self._looking.__exit__(None, None, None)
        while self._open:
            self._open.pop().close()


def _open(path: Path, options: dict[str, Any]) -> FrameSource:
    try:
        return open_source(path, **options)
    except OSError as error:
        what = error.strerror or str(error)
        raise FormatError(str(path), None, what, "Check the file and its permissions.") from error


_COMMON_NAMES = {
    "frames",
    "images",
    "image",
    "img",
    "imgs",
    "pictures",
    "png",
    "tif",
    "tiff",
    "jpg",
    "jpeg",
    "data",
}


def _name(path: Path, options: dict[str, Any]) -> str:
    """The last part of the path; of a folder called "frames" or so, the part before it. With the
    size, if asked for."""
    name = (
        path.parent.name if path.name.lower() in _COMMON_NAMES and path.parent.name else path.name
    )
    return f"{name} {options['size']}" if "size" in options else name
