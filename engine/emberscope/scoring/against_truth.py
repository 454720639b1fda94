"""What was found on a clip, judged by its truth."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from emberscope.base.errors import DataError
from emberscope.base.files import absolute
from emberscope.labels.truth_objects import TruthBox
from emberscope.project.exchange.truth import truth_of
from emberscope.project.exchange.truth_look import match_truths
from emberscope.project.exchange.truth_places import not_shared_out
from emberscope.project.model.project import SourceRef
from emberscope.scoring.clips import Scoring
from emberscope.scoring.detections import Detections
from emberscope.scoring.matching import match

RATES = (0.5, 1.0, 2.0, 5.0)


class Reached(NamedTuple):
    """At so many false alarms per frame: the share of targets found, the ends of its 95 % interval,
    and the score from which on detections then count."""

    false_alarms: float
    found: float
    low: float
    high: float
    threshold: float


def truth_on(ref: SourceRef, path: Path) -> list[TruthBox]:
    """The truth of a clip. Raises FormatError, ProjectError where names or folders say that it is
    of another one, DataError where it holds no target for this clip."""
    rows = match_truths([ref], [path])
    if refused := not_shared_out(rows, [ref], [absolute(path)]):
        raise refused[0]
    truth = [box for row in rows if row.state == "given"
             for box in truth_of(ref, row.truth, frames=row.frames)]
    if all(box.ignore for box in truth):
        raise DataError("this truth holds no target for the clip", where=str(path),
                        hint=f"Name the truth of {ref.name}.")
    return truth


def against_truth(
    scoring: Scoring, ref: SourceRef, truth: Sequence[TruthBox]
) -> tuple[list[Reached], str]:
    """What is found at 0.5, 1, 2 and 5 false alarms per frame, and a sentence on what that rests
    on. truth : as `truth_on` has it.

    Frames without a box of truth may be empty or may not have been looked at: they are left out.
    """
    frames = sorted({box.frame for box in truth})
    targets = sum(not box.ignore for box in truth)
    matches = match(Detections.joined([block.found for block in scoring.blocks(ref)]), truth,
                    frames)
    reached = []
    for rate in RATES:
        found, threshold = matches.found_at(rate)
        reached.append(Reached(rate, found, *matches.found_within(rate), threshold))
    words = f"{targets} targets on {len(frames)} of {ref.n_frames} frames"
    left = "" if len(frames) == ref.n_frames else " Frames without a box of truth are left out."
    return reached, f"Found is of {words} of {ref.name}.{left}"
