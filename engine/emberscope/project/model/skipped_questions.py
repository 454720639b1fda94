"""Questions "same or different?" that a person skipped: a setting of the project, so that nobody is
asked again."""

from typing import Any

from emberscope.project.model.operations import PutSettings
from emberscope.project.model.project import Project

SKIPPED = "skipped_pairs"  # attribute -> pairs of instance ids, the newest last


def skipped_pairs(project: Project, attribute: str) -> list[tuple[int, int]]:
    """Pairs of instance ids that were skipped, the newest last. What else stands in the setting is
    left out."""
    pairs = _all(project).get(attribute, [])
    pairs = pairs if isinstance(pairs, list) else []
    return [(two[0], two[1]) for two in pairs if _is_pair(two)]


def skip(project: Project, attribute: str, a: int, b: int) -> PutSettings:
    """The operation that adds a pair."""
    pairs = [list(two) for two in [*skipped_pairs(project, attribute), (a, b)]]
    before = project.settings.get(SKIPPED)
    return PutSettings(title="Skip a question", before={SKIPPED: before},
                       after={SKIPPED: {**_all(project), attribute: pairs}})


def _all(project: Project) -> dict[str, Any]:
    found = project.settings.get(SKIPPED)
    return found if isinstance(found, dict) else {}


def _is_pair(two: object) -> bool:
    return (
        isinstance(two, list | tuple)
        and len(two) == 2
        and all(isinstance(instance, int) for instance in two)
    )
