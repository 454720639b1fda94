"""Maps of runs laid over the first of them."""

import msgspec

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion
from emberscope.findings.comparison.maps import K, MapComparison
from emberscope.project.model.project import Run
from emberscope.tasks.request import Request


class MapComparisons(msgspec.Struct, frozen=True):
    """One of every run after the first; those that have too little in common with it are missing,
    and `missing` says why."""

    found: list[MapComparison]
    missing: dict[int, str]


class CompareMaps(Request[MapComparisons], frozen=True, kw_only=True):
    """How runs differ from the first. k : neighbors that are compared."""

    runs: list[Run]
    k: int = K


def compare_maps(request: CompareMaps, monitor: Monitor) -> MapComparisons:
    """See `findings.comparison.maps`."""
    from emberscope.findings.comparison.maps import compare_maps

    first, *others = request.runs
    found, missing = list[MapComparison](), dict[int, str]()
    for at, run in enumerate(others):
        part = Portion(monitor, at / len(others), (at + 1) / len(others))
        try:
            found.append(compare_maps(first, run, k=request.k, monitor=part))
        except DataError as error:
            missing[run.id] = str(error)
    return MapComparisons(found, missing)
