"""What a person wrote beside a run: a name, a note, a pin. A run never changes; these lie beside
it, in the settings of the project."""

from typing import Any

import msgspec

from emberscope.base.plain_text import showable
from emberscope.project.model.operations import PutSettings
from emberscope.project.model.project import Project

SETTING = "run_notes"  # number of a run, as text, to the fields of its note
LONGEST_NAME, LONGEST_NOTE = 60, 500  # characters


class RunNote(msgspec.Struct, frozen=True, kw_only=True):
    """name : in place of that of its method, "" for that. pinned : it stands above all others."""

    name: str = ""
    note: str = ""
    pinned: bool = False


_NOTHING = RunNote()


def run_note(project: Project, run_id: int) -> RunNote:
    """What is written beside a run; nothing where another program wrote what cannot be read."""
    kept = project.settings.get(SETTING)
    found = kept.get(str(run_id)) if isinstance(kept, dict) else None
    try:
        note = msgspec.convert(found, RunNote) if found is not None else _NOTHING
    except msgspec.ValidationError:
        return _NOTHING
    return msgspec.structs.replace(
        note, name=showable(note.name, LONGEST_NAME), note=showable(note.note, LONGEST_NOTE)
    )


def put_run_note(project: Project, run_id: int, *, title: str, **fields: Any) -> PutSettings:
    """The operation that changes fields of what is written beside a run; title : of the step."""
    note = msgspec.structs.replace(run_note(project, run_id), **fields)
    before = project.settings.get(SETTING)
    kept = dict(before) if isinstance(before, dict) else {}
    kept.pop(str(run_id), None)
    if note != _NOTHING:
        kept[str(run_id)] = msgspec.to_builtins(note)
    return PutSettings(title=title, before={SETTING: before}, after={SETTING: kept or None})
