"""Detections on clips never labeled, learned from loose boxes of another clip: how many targets are
found at so many false alarms per frame, how true probabilities are, and how fast frames go by.

Beside it what the same instances, features and trees reach where the truth of each instance is
known (the ceiling), and a local contrast that learns nothing. A detection hits a target whose box,
grown by 8 px, holds its middle.
"""

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import psutil
from clips import Clip, drone, hit_uav, labeled, shown
from numpy.typing import NDArray

from emberscope.catalogue.usual import usual_recipe
from emberscope.labels.truth_objects import TruthBox
from emberscope.pipeline import run as make_run
from emberscope.project import FeatureRecipe, Project, Run
from emberscope.project.exchange.sources import describe, open_ref
from emberscope.project.exchange.truth import truth_of
from emberscope.project.model.project import SourceRef
from emberscope.scoring.clips import Scoring, likely
from emberscope.scoring.detections import Detections
from emberscope.scoring.matching import HIT, NEITHER, Matches, match

Row = tuple[str, float, str, str]
_RATES = (0.5, 1.0, 2.0, 5.0)
_BINS = 5


@dataclass(frozen=True, slots=True)
class Pair:
    """Learn on one clip, look for `wanted` on another; other classes there are neither hits nor
    false alarms."""

    learned: Clip
    unseen: Clip
    wanted: str


_CARS = hit_uav("night_130m_30deg_09949-09977", "cars, 30 degrees")
_STEEP = hit_uav("night_130m_50deg_07191-07223", "50 degrees")
_PERSONS = hit_uav("night_60m_30deg_00000-00149", "persons, 60 m", every=3)
DEVELOPMENT = (Pair(_CARS, _STEEP, "Car"), Pair(_PERSONS, _STEEP, "Person"))
# Looked at after everything was decided.
UNTOUCHED = (
    Pair(drone("IR_HELICOPTER_010"), drone("IR_HELICOPTER_001"), ""),
    Pair(drone("IR_AIRPLANE_006"), drone("IR_AIRPLANE_001"), ""),
)


def rows() -> Iterator[Row]:
    for pairs, what in ((DEVELOPMENT, ""), (UNTOUCHED, " (untouched)")):
        for pair in pairs:
            if pair.learned.there and pair.unseen.there:
                with tempfile.TemporaryDirectory() as folder:
                    yield from _pair(pair, Path(folder), what)


def _pair(pair: Pair, cache: Path, what: str) -> Iterator[Row]:
    project = labeled(pair.learned)
    recipe = msgspec.structs.replace(usual_recipe(project)[0], method="mi-umap",
                                     features=FeatureRecipe(kind="infrared"))
    run = make_run(project, recipe, cache=cache)
    ref = msgspec.structs.replace(describe(pair.unseen.sources[0]), id=project.new_ids()[0])
    truth = _truth(ref, pair)
    name = f"{pair.learned.name} -> {pair.unseen.name}{what}"
    reached = {}
    for taught, one in (("loose boxes, u = 1", run), ("ceiling", _knowing(project, run, pair))):
        scoring = Scoring(project, one, cache)
        begun = time.monotonic()
        scoring.score([ref])
        seconds = time.monotonic() - begun
        found = Detections.joined([block.found for block in scoring.blocks(ref)])
        matches = match(found, truth, range(ref.n_frames))
        reached[taught] = matches.found_at(1.0)[0]
        yield from _found_rows(f"{name}, {taught}", matches)
        if taught != "ceiling":
            yield from _chance_rows(name, scoring, found, matches)
            yield f"{name}: seconds with learning", seconds, "s", ""
            yield f"{name}: frames a second, scored alone", _rate(scoring, ref), "1/s", ">= 30"
    yield (f"{name}: loose over ceiling at 1 false alarm",
           reached["loose boxes, u = 1"] / max(reached["ceiling"], 1e-9), "", ">= 0.9")
    contrast = match(_contrast(ref, _side(run)), truth, range(ref.n_frames))
    yield from _found_rows(f"{name}, local contrast", contrast)
    yield "memory of this process now", psutil.Process().memory_info().rss / 2**30, "GiB", "<= 1"


def _truth(ref: SourceRef, pair: Pair) -> list[TruthBox]:
    """What is not wanted is to be left out."""
    return [box if pair.wanted in ("", box.name)
            else msgspec.structs.replace(box, ignore=True)
            for box in truth_of(ref, pair.unseen.truths[0])]


def _knowing(project: Project, run: Run, pair: Pair) -> Run:
    """The run with the truth of each of its instances for a score."""
    from emberscope.bags.make import MadeBags

    none = np.empty(0, np.int64)
    made = MadeBags(run.instances, run.bags, run.y, none, [], np.zeros(len(run.ids), bool))
    truth = (shown(pair.learned, project, made) > 0).astype(np.float64)
    return msgspec.structs.replace(run, state=run.state | {"score_": truth})


def _found_rows(name: str, matches: Matches) -> Iterator[Row]:
    for rate in _RATES:
        low, high = matches.found_within(rate)
        yield (f"{name}: found at {rate:g} per frame", matches.found_at(rate)[0],
               f"{low:.2f}-{high:.2f}", "")


def _chance_rows(
    name: str, scoring: Scoring, found: Detections, matches: Matches
) -> Iterator[Row]:
    rule = scoring.probability()[0]
    chance = likely(rule and rule.on(found.score), found)
    counted = matches.outcome != NEITHER
    if len(chance):
        yield (f"{name}: calibration error", calibration_error(
            chance[counted, 0], matches.outcome[counted] == HIT), "", "<= 0.05")  # fmt: skip


def calibration_error(chance: NDArray, hit: NDArray[np.bool_]) -> float:
    """Mean distance of probabilities to the share of hits, over five bins of equal width, weighted
    by what is in them."""
    at = np.minimum((chance * _BINS).astype(int), _BINS - 1)
    apart = [abs(chance[at == b].mean() - hit[at == b].mean()) * (at == b).mean()
             for b in range(_BINS) if (at == b).any()]
    return float(np.sum(apart))


def _rate(scoring: Scoring, ref: SourceRef) -> float:
    """Frames a second, everything learned and compiled."""
    from emberscope.base.monitor import Silent
    from emberscope.scoring.grids import grids_of
    from emberscope.scoring.scan import scan

    frames = np.arange(min(ref.n_frames, 64), dtype=np.int32)
    with open_ref(ref) as opened:
        begun = time.monotonic()
        list(scan(opened, [frames], grids_of(scoring.run, ref), scoring.run.recipe.features,
                  scoring.scorer, Silent()))
    return len(frames) / (time.monotonic() - begun)


def _side(run: Run) -> int:
    from emberscope.scoring.grids import sides_of

    return sides_of(run)[0]


def _contrast(ref: SourceRef, side: int) -> Detections:
    """Peaks of the difference of a square's mean to that of one three times as wide, in standard
    deviations of the latter."""
    from scipy.ndimage import maximum_filter, uniform_filter

    parts = list[Detections]()
    small = max(side // 2, 3)
    with open_ref(ref) as opened:
        for index in range(ref.n_frames):
            frame = np.asarray(opened.read(index), np.float64)
            wide = uniform_filter(frame, 3 * small)
            spread = np.sqrt(np.maximum(uniform_filter(frame**2, 3 * small) - wide**2, 0.0))
            spread += 0.25 * frame.std() + 1e-6  # of flat ground nothing stands out
            score = np.abs(uniform_filter(frame, small) - wide) / spread
            y, x = np.nonzero((score == maximum_filter(score, small)) & (score > 0))
            box = np.stack([x - side / 2, y - side / 2, x + side / 2, y + side / 2], axis=1)
            every = Detections(np.full(len(x), index, np.int32), box.astype(np.float32),
                               np.ones(len(x), np.int64), score[y, x].astype(np.float32))
            parts.append(every.take(every.apart()))
    return Detections.joined(parts)
