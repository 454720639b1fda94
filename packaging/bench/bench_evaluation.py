"""Runs set side by side: what every interval covers, whether a planted weak slice is found, and how
long it takes.

Scores are drawn with something in common inside each group, as bags of one block of frames have.
What an interval should cover is what a very large sample of the same kind shows. A slice is
planted whose targets lie much nearer to ground than all others.
"""

import time
from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.evaluate.curves import curves
from emberscope.evaluate.paired import area_difference
from emberscope.evaluate.slices import Sliced
from emberscope.findings.judged.levels import Level, Tally, WhyNot, without

Row = tuple[str, float, str, str]
Sample = tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.int64]]
DRAWS, WEAK_DRAWS = 300, 300
# Groups, entries of each, gap between targets and ground, how alike entries of a group are
KINDS = ((5, 20, 1.0, 0.1), (8, 10, 1.5, 0.2), (20, 10, 1.5, 0.2), (20, 20, 2.5, 0.3),
         (40, 4, 1.5, 0.0), (100, 10, 1.0, 0.3), (30, 1, 2.0, 0.0))  # fmt: skip
_THRESHOLD = 0.8
CLIPS, PER, RANGES, ASPECTS = 22, 120, 5, 6


def rows() -> Iterator[Row]:
    for kind in KINDS:
        yield from _covered(kind)
    yield from _difference()
    yield from _weak()
    yield from _slices_covered()
    yield from _seconds()


def sample(rng: np.random.Generator, kind: tuple[int, int, float, float]) -> Sample:
    groups, per, gap, alike = kind
    group = np.repeat(np.arange(groups), per)
    target = rng.random(len(group)) < 0.5
    score = np.sqrt(1 - alike) * rng.normal(size=len(group)) + gap * target
    return target, score + np.sqrt(alike) * rng.normal(size=groups)[group], group


def _covered(kind: tuple[int, int, float, float]) -> Iterator[Row]:
    """How often the intervals of small samples hold what the large one shows."""
    rng = np.random.default_rng(0)
    groups, per, gap, alike = kind
    whole_sample = sample(np.random.default_rng(1), (20_000, 20, gap, alike))
    truth = curves(*whole_sample, draws=2)
    large = curves(*whole_sample, draws=2, frames=np.full(20_000, 2.0))
    large_target, large_score, _ = whole_sample
    hits: dict[str, list[float]] = {}
    for _ in range(DRAWS):
        target, score, group = sample(rng, kind)
        if target.all() or not target.any():
            continue
        got = curves(target, score, group, draws=200)
        for name in ("found", "precision"):
            band, whole = getattr(got, name), getattr(truth, name)
            inside = (band.low <= whole.y) & (whole.y <= band.high)
            hits.setdefault(f"band of {name}", []).append(float(inside[1:-1].mean()))
        for name in ("area", "partial", "average_precision"):
            value = getattr(got, name)
            known = value.low <= getattr(truth, name).value <= value.high
            hits.setdefault(name.replace("_", " "), []).append(float(known))
        per_frame = curves(target, score, group, draws=200,
                           frames=np.full(groups, 2.0 * per / 20))
        inside = (per_frame.found.low <= large.found.y) & (large.found.y <= per_frame.found.high)
        hits.setdefault("band of false alarms", []).append(float(inside.mean()))
        tally = Tally(_level(target, score, got.independent))
        at = tally.at(_THRESHOLD)
        whole = float((large_score[large_target] >= _THRESHOLD).mean())
        hits.setdefault("found at a threshold", []).append(
            float(at.found.low <= whole <= at.found.high))
    for name, known in hits.items():
        what = f"{groups} groups of {per}, alike {alike:g}: {name}"
        yield what, float(np.mean(known)), "covered", "0.90 to 0.99"


def _level(target: NDArray[np.bool_], score: NDArray, independent: float) -> Level:
    none = np.zeros(len(score), np.int64)
    return msgspec.structs.replace(
        without("instance", WhyNot("", "")), ids=none, score=score, group=none, said=none + 1,
        truth=target.astype(np.int64), independent=independent)


def _difference() -> Iterator[Row]:
    """Two scores of the same entries that are equally good."""
    hits, rng = [], np.random.default_rng(2)
    for _ in range(DRAWS):
        target, first, group = sample(rng, (20, 10, 1.5, 0.2))
        second = rng.normal(size=len(target)) * 0.9 + 1.5 * target
        second += 0.45 * rng.normal(size=20)[group]
        found = area_difference(target, first, second, group, draws=200)
        hits.append(found.low <= 0 <= found.high)
    yield "difference of two areas that are alike", float(np.mean(hits)), "covered", "0.90 to 0.99"


def _weak() -> Iterator[Row]:
    """A slice of 30 by range and aspect, with about 44 targets at an area of 0.61; others 0.87."""
    planted = 2 * ASPECTS + 3
    found = [planted in _weak_slices(seed, planted) for seed in range(WEAK_DRAWS)]
    yield "planted weak slice found", float(np.mean(found)), "of draws", ">= 0.90"
    false = [len(_weak_slices(seed + WEAK_DRAWS, None)) > 0 for seed in range(WEAK_DRAWS)]
    yield "any slice called weak where none is", float(np.mean(false)), "of draws", "<= 0.05"


def _slices_covered() -> Iterator[Row]:
    """Areas of single slices, and of all of them at once."""
    cells = RANGES * ASPECTS
    large = Sliced(*_scene(10**6, None, clips=4000)[:3])
    truth = float(large.areas(np.zeros(4000 * PER, np.int64), 1).area[0])
    each, every = [], []
    for seed in range(WEAK_DRAWS):
        target, score, group, cell = _scene(seed, None)
        cut, of = Sliced(target, score, group), np.where(target, cell, -1)
        one, all_ = cut.areas(of, cells), cut.areas(of, cells, looked=cells)
        each.append(float(((one.low <= truth) & (truth <= one.high)).mean()))
        every.append(bool(((all_.low <= truth) & (truth <= all_.high)).all()))
    yield "area of a slice of about 44 targets", float(np.mean(each)), "covered", "0.90 to 0.99"
    yield "areas of all 30 slices at once", float(np.mean(every)), "covered", ">= 0.90"


def _scene(
    seed: int, planted: int | None, clips: int = CLIPS
) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(clips), PER)
    target = rng.random(len(group)) < 0.5
    cell = rng.integers(RANGES * ASPECTS, size=len(group))
    gap = np.where(cell == planted, 0.4, 1.6) if planted is not None else 1.6
    score = rng.normal(size=len(group)) + 0.2 * rng.normal(size=clips)[group] + gap * target
    return target, score, group, cell


def _weak_slices(seed: int, planted: int | None) -> NDArray[np.int64]:
    target, score, group, cell = _scene(seed, planted)
    cells = RANGES * ASPECTS
    found = Sliced(target, score, group).areas(np.where(target, cell, -1), cells, looked=cells)
    return np.flatnonzero(found.weak)


def _seconds() -> Iterator[Row]:
    rng = np.random.default_rng(3)
    four = [sample(rng, (100, 100, 1.5, 0.2)) for _ in range(4)]
    curves(*four[0])  # compiled
    began = time.perf_counter()
    for one in four:
        curves(*one)
    yield "bands of four runs of 10 000 instances", time.perf_counter() - began, "s", "<= 1"
    target, score, _ = four[0]
    tally = Tally(_level(target, score, 1.0))
    thresholds = np.linspace(-2, 3, 500)
    began = time.perf_counter()
    for threshold in thresholds.tolist():
        tally.confusion(threshold)
        tally.at(threshold)
    each = (time.perf_counter() - began) / len(thresholds)
    yield "counts at another threshold, 10 000 instances", 1000 * each, "ms", "<= 5"
