"""What a person made of the concepts of a run: merged, split, dropped, named, shown with another
run. Runs stay as they are."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from emberscope.base.errors import ProjectError
from emberscope.base.misfit import misfit_words
from emberscope.base.plain_text import make_showable
from emberscope.project.model.operations import PutSettings
from emberscope.project.model.project import Project, Run

DISTANCES, HALVES = "concept_distances", "concept_halves"  # in `Run.diagnostics`
# In `Project.settings`, the id of a run behind them
_KEY, _SHOWN = "concepts of run ", "concepts shown with run "
LONGEST = 60  # letters of a name

Count = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
Part = tuple[Count, Annotated[int, msgspec.Meta(ge=0, le=2)]]


class EditedConcept(msgspec.Struct, frozen=True, kw_only=True):
    """A concept as it is shown.

    number : counts from 0 and stays with it; a new one gets a new number. parts : what it is of,
    concepts of the run from 0, each with 0 for all of it, 1 or 2 for one of its halves. name : ""
    for none.
    """

    number: Count
    parts: list[Part]
    name: Annotated[str, msgspec.Meta(max_length=LONGEST)] = ""

    def __post_init__(self) -> None:
        make_showable(self, "name")

    @property
    def untouched(self) -> bool:
        """Whether it is one whole concept of the run, whatever its name."""
        return len(self.parts) == 1 and self.parts[0][1] == 0


def as_found(count: int) -> list[EditedConcept]:
    """The concepts of a run that nobody edited."""
    return [EditedConcept(number=k, parts=[(k, 0)]) for k in range(count)]


def edits_key(run_id: int) -> str:
    """Where a project keeps what was made of the concepts of a run."""
    return f"{_KEY}{run_id}"


def is_about_concepts(key: str) -> bool:
    """Whether a setting is an entry of this module."""
    return run_of_setting(key) is not None


def run_of_setting(key: str) -> int | None:
    """The run whose concepts a setting is about, None for a setting about something else."""
    edited = _run_of(key, _KEY)
    return edited if edited is not None else _run_of(key, _SHOWN)


def renumbered(key: str, value: Any, runs: Mapping[int, int]) -> tuple[str, Any]:
    """A setting under the new ids of runs; settings about other things stay as they are."""
    edited, shown = _run_of(key, _KEY), _run_of(key, _SHOWN)
    if edited is not None:
        return edits_key(runs.get(edited, edited)), value
    if shown is not None:
        return f"{_SHOWN}{runs.get(shown, shown)}", runs.get(value, value) if isinstance(
            value, int
        ) else value
    return key, value


def shown_source(project: Project, run: Run) -> Run:
    """The run whose concepts are shown with a run: itself, unless somebody chose another one that
    is still there."""
    chosen = project.settings.get(f"{_SHOWN}{run.id}")
    return project.runs.get(chosen, run) if isinstance(chosen, int) else run


def show_concepts_of(project: Project, source: Run, run: Run) -> PutSettings:
    """Show the concepts of `source` with another run, or with itself its own ones again."""
    key = f"{_SHOWN}{run.id}"
    return PutSettings(
        title=f"Show concepts of run {source.id} with run {run.id}",
        before={key: project.settings.get(key)},
        after={key: None if source is run else source.id},
    )


def _run_of(key: str, prefix: str) -> int | None:
    number = key.removeprefix(prefix)
    return int(number) if key.startswith(prefix) and number.isascii() and number.isdigit() else None


def edits_of(project: Project, run: Run) -> list[EditedConcept]:
    """The concepts of a run in the order shown, as they were found where nobody edited them; []
    where it has none.

    Raises ProjectError for an entry that does not fit the run.
    """
    distances = run.diagnostics.get(DISTANCES)
    count = distances.shape[1] if distances is not None else 0
    kept = project.settings.get(edits_key(run.id))
    if kept is None or not count:
        return as_found(count)
    try:
        found = msgspec.convert(kept, list[EditedConcept])
    except msgspec.ValidationError as error:
        raise ProjectError(
            f"what was made of the concepts of run {run.id} cannot be read: "
            f"{misfit_words(error)}"
        ) from error
    parts = [part for concept in found for part in concept.parts]
    numbers = {concept.number for concept in found}
    split = run.diagnostics.get(HALVES) is not None
    fits = all(k < count and (half == 0 or split) for k, half in parts)
    if (
        not found
        or not all(concept.parts for concept in found)
        or len(numbers) < len(found)
        or not fits
    ):
        raise ProjectError(f"what was made of the concepts of run {run.id} does not fit that run")
    return found


def merge_concepts(project: Project, run: Run, numbers: list[int]) -> PutSettings:
    """Make one of two or more, with the number and place of the first. An instance is of it as
    likely as of its likeliest part."""
    before = edits_of(project, run)
    chosen = [concept for concept in before if concept.number in numbers]
    names = {concept.name for concept in chosen if concept.name}
    one = EditedConcept(
        number=chosen[0].number,
        parts=[part for concept in chosen for part in concept.parts],
        name=names.pop() if len(names) == 1 else "",
    )
    after = [
        one if concept is chosen[0] else concept for concept in before if concept not in chosen[1:]
    ]
    words = " and ".join(str(concept.number + 1) for concept in chosen)
    return _put(project, run, after, f"Merge concepts {words}")


def split_concept(project: Project, run: Run, number: int) -> PutSettings:
    """Make two halves of a concept (see `mil.concepts.splitting`), or of a merged one its parts
    again. The first keeps the number and the name, the others follow it with new numbers."""
    before = edits_of(project, run)
    at = next(i for i, concept in enumerate(before) if concept.number == number)
    concept = before[at]
    parts = (
        concept.parts
        if len(concept.parts) > 1
        else [(concept.parts[0][0], half) for half in (1, 2)]
    )
    free = _free_numbers(before, len(parts) - 1, run)
    new = [EditedConcept(number=n, parts=[part], name=concept.name if n == number else "")
           for n, part in zip([number, *free], parts, strict=True)]
    return _put(project, run, [*before[:at], *new, *before[at + 1:]], f"Split concept {number + 1}")


def drop_concept(project: Project, run: Run, numbers: list[int]) -> PutSettings:
    """Leave concepts out everywhere; one at least stays."""
    before = edits_of(project, run)
    words = " and ".join(str(concept.number + 1) for concept in before if concept.number in numbers)
    after = [concept for concept in before if concept.number not in numbers]
    return _put(project, run, after, f"Drop concept{'s' * (len(numbers) > 1)} {words}")


def rename_concept(project: Project, run: Run, number: int, name: str) -> PutSettings:
    """Call a concept by a name; "" takes it back."""
    after = [
        msgspec.structs.replace(concept, name=name[:LONGEST])
        if concept.number == number
        else concept
        for concept in edits_of(project, run)
    ]
    return _put(
        project,
        run,
        after,
        f"Name concept {number + 1} {name}" if name else f"Unname concept {number + 1}",
    )


def restore_concepts(project: Project, run: Run) -> PutSettings:
    """Show the concepts as the run found them."""
    return _put(project, run, [], f"Restore the concepts of run {run.id}")


def _free_numbers(concepts: list[EditedConcept], count: int, run: Run) -> list[int]:
    """Numbers that no concept has, nor one of the run had: the first ones after all of them."""
    first = max(
        run.diagnostics[DISTANCES].shape[1], 1 + max(concept.number for concept in concepts)
    )
    return list(range(first, first + count))


def _put(project: Project, run: Run, after: list[EditedConcept], title: str) -> PutSettings:
    """One step; nothing is kept where the concepts are as they were found."""
    key = edits_key(run.id)
    same = not after or after == as_found(run.diagnostics[DISTANCES].shape[1])
    return PutSettings(title=title, before={key: project.settings.get(key)},
                       after={key: None if same else msgspec.to_builtins(after)})
