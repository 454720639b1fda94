"""What a run reaches at a threshold, in a sentence; its confusion and slices as plain rows."""

import math
from typing import Any

from emberscope.findings.headline import class_name
from emberscope.findings.judged.levels import (
    BAG,
    DETECTION,
    AtThreshold,
    Estimate,
    Judged,
    Level,
    Tally,
    slice_interval,
)
from emberscope.findings.judged.tiles import NOT_REPORTED, ON_GROUND
from emberscope.project.model.project import Project

TITLES = {"instance": "Instances", "bag": "Bags", "detection": "Detections"}


def at_words(level: Level, at: AtThreshold) -> str:
    """"finds 92 of 100 targets (87 to 96) at 1.0 false alarms per frame"."""
    what = {BAG: "positive bags", DETECTION: "targets"}.get(level.name, "instances of targets")
    share = f"finds {100 * at.found.value:.0f} of 100 {what}{ends_words(at.found)}"
    if level.per_frame:
        alarms = f"{at.false:.2g}"
        return f"{share} at {alarms} false alarm{'s' * (alarms != '1')} per frame"
    ground = "negative bags" if level.name == BAG else "ground"
    return f"{share} and takes {100 * at.false:.1f} of 100 {ground} for target"


def ends_words(share: Estimate) -> str:
    """" (87 to 96)", in percent."""
    return f" ({100 * share.low:.0f} to {100 * share.high:.0f})"


def estimate_words(found: Estimate) -> str:
    """"0.88 (0.85 - 0.91)"; "" for none."""
    if math.isnan(found.value):
        return ""
    return f"{found.value:.2f} ({found.low:.2f} \u2013 {found.high:.2f})"


def slice_words(area: Estimate, groups: int) -> str:
    """"0.88 (0.85 - 0.91)"; "0.88, too few groups (2)" where the interval says nothing; "" for
    none."""
    if area.says_nothing and not math.isnan(area.value):
        return f"{area.value:.2f}, {slice_interval(area, groups)}"
    return estimate_words(area)


def kind_names(project: Project, tally: Tally) -> list[str]:
    """Names of the rows and columns of a confusion, background last."""
    return [*(class_name(project, kind) for kind in tally.kinds), "Background"]


def confusion_names(project: Project, tally: Tally) -> tuple[list[str], list[str]]:
    """Names of the rows and of the columns of a confusion; of detections, those on ground and what
    is not reported have no class."""
    names = kind_names(project, tally)
    if not tally.level.per_frame:
        return names, names
    return [*names[:-1], ON_GROUND], [*names[:-1], NOT_REPORTED]


def level_record(project: Project, level: Level, threshold: float | None) -> dict[str, Any]:
    """A level as plain data. threshold : None for the one it begins with."""
    if level.why_not:
        return {"level": level.name, "why_not": level.why_not}
    tally = Tally(level)
    at = tally.at(level.start if threshold is None else threshold)
    names = kind_names(project, tally)
    curve = {"x": level.found.x.tolist(), "y": level.found.y.tolist(),
             "low": level.found.low.tolist(), "high": level.found.high.tolist()}  # fmt: skip
    return {
        "level": level.name, "rests_on": level.rests_on, "note": level.note,
        "entries": len(level.ids), "frames": level.frames or None,
        "auc": _plain(level.area), "partial": _plain(level.partial),
        "average_precision": _plain(level.average_precision), "threshold": at.threshold,
        "found": _plain(at.found), "false": at.false, "right": _plain(at.right),
        "kinds": names, "confusion": tally.confusion(at.threshold).tolist(),
        "curve": curve, "slices_looked_at": level.looked,
        "weakest": [{"title": one.title, "auc": _plain(one.area), "targets": one.targets,
                     "ground": one.ground, "groups": one.groups, "weak": one.weak}
                    for one in level.weakest],
    }  # fmt: skip


def judged_record(
    project: Project, judged: Judged, names: tuple[str, ...], threshold: float | None
) -> dict[str, Any]:
    """A run as plain data, at the levels named."""
    return {"run": judged.run, "conflicts": judged.conflicts,
            "conflict_bags": judged.conflict_bags,
            "levels": [level_record(project, judged.level(name), threshold)
                       for name in names]}  # fmt: skip


def _plain(found: Estimate) -> dict[str, float] | None:
    if math.isnan(found.value):
        return None
    return {"value": found.value, "low": found.low, "high": found.high}
