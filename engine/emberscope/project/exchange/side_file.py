"""Side information between a project and JSON Lines, with the places of its instances."""

from collections.abc import Iterable, Mapping

import msgspec
import numpy as np

from emberscope.bags.make import make_bags
from emberscope.bags.model import Instances
from emberscope.base.grouping import how_many
from emberscope.labels.jsonl import LabelFile, LabelInstance
from emberscope.labels.side_info import SideRecord, content_of, instances_of, with_instances
from emberscope.project.model.project import Project, SourceRef


def instances_spoken_of(
    project: Project, notes: list[str], *, marked: bool = False
) -> list[LabelInstance]:
    """The instances that the side information of a project speaks of, where a run or the labels
    know their pixels.

    marked : those with a mark too.
    """
    ids = {i for record in project.side.values() for i in instances_of(record)}
    wanted = np.array(sorted(ids | set(project.marks) if marked else ids), np.int64)
    if not len(wanted):
        return []
    found: dict[int, LabelInstance] = {}
    for table in known_instances(project):
        rows = table.rows_of(wanted)
        for row in rows.tolist():
            key = int(table.ids[row])
            x0, y0, x1, y1 = table.box[row].tolist()
            found.setdefault(
                key,
                LabelInstance(
                    id=key,
                    source=int(table.source[row]),
                    frame=int(table.frame[row]),
                    box=(x0, y0, x1, y1),
                ),
            )
        if len(found) == len(wanted):
            break
    if lost := len(wanted) - len(found):
        of = "side information and marks" if marked else "side information"
        notes.append(
            f"{how_many(lost, 'chip')} of {of} {'is' if lost == 1 else 'are'} in no run and under "
            "no label: other projects cannot know them again."
        )
    return [found[key] for key in sorted(found)]


def fresh_side(
    found: LabelFile, project: Project, sources: Mapping[int, SourceRef], notes: list[str]
) -> list[SideRecord]:
    """The records of a file that the project has not, about its own instances; `sources` by their
    id in the file.

    Their ids are still those of the file.
    """
    ids = ids_here(found, sources)
    mine = [
        with_instances(record, ids)
        for record in found.side
        if ids.keys() >= set(instances_of(record))
    ]
    fresh = new_records(mine, project)
    if strange := len(found.side) - len(mine):
        notes.append(
            f"{how_many(strange, 'record')} of side information left out: about chips of other "
            "sources."
        )
    if again := len(mine) - len(fresh):
        notes.append(
            f"{how_many(again, 'record')} of side information left out that the project has "
            "already."
        )
    return fresh


def ids_here(found: LabelFile, sources: Mapping[int, SourceRef]) -> dict[int, int]:
    """The ids that the instances of a file have in a project, by those that they have in the
    file."""
    known = [place for place in found.instances if place.source in sources]
    table = Instances.at(
        np.array([sources[place.source].id for place in known], np.int64),
        np.array([place.frame for place in known], np.int64),
        np.array([place.box for place in known], np.float32).reshape(-1, 4),
    )
    return {place.id: key for place, key in zip(known, table.ids.tolist(), strict=True)}


def new_records(records: Iterable[SideRecord], project: Project) -> list[SideRecord]:
    """Those that say what the project does not say yet, each once."""
    there, new = {content_of(record) for record in project.side.values()}, list[SideRecord]()
    for record in records:
        what = content_of(record)
        if what not in there:
            there.add(what)
            new.append(record)
    return new


def known_instances(project: Project) -> Iterable[Instances]:
    """Instances that the project knows the pixels of: of its labels first, then of its runs, newest
    first."""
    yield make_bags(project.labels, project.classes, project.frame_sizes, project.recipe.bags,
                    marks=project.marks).instances
    if len(project.marks):  # those that are ignored are in no bag
        yield make_bags(
            project.labels, project.classes, project.frame_sizes, project.recipe.bags
        ).instances
    for run in reversed(project.runs.values()):
        yield run.instances


def numbered(records: Iterable[SideRecord], ids: Iterable[int]) -> list[SideRecord]:
    """The records with these ids, as many as are needed."""
    return [
        msgspec.structs.replace(record, id=key) for record, key in zip(records, ids, strict=False)
    ]
