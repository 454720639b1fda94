"""What scoring clips would take: counted from what their headers say, without reading a frame."""

from collections.abc import Sequence

from emberscope.base.errors import DataError
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, monitored
from emberscope.course.stages.features import PER_FRAME, seconds_per_instance
from emberscope.features.extract import n_features
from emberscope.features.recipe import FeatureRecipe
from emberscope.project.exchange.sources import bytes_on_disk
from emberscope.project.model.project import Run, SourceRef
from emberscope.scoring.grids import AS_TAUGHT, frames_of_block, grids_of, patches_of
from emberscope.scoring.places import SHARE_SCORED
from emberscope.scoring.planned import ClipsPlan

# Seconds for a place of a grid with its trees on two ordinary cores, measured; neighboring patches
# share most of the work
_PER_PLACE = {"infrared": 1.2e-5}
_PER_OTHER_PLACE = 3e-6


def plan_clips(
    run: Run, clips: Sequence[SourceRef], scales: tuple[float, ...] = AS_TAUGHT,
    monitor: Monitor | None = None,
) -> ClipsPlan:
    """Count what scoring clips by a run takes, all of it, whatever was scored before. O(clips)."""
    watch, features = monitored(monitor), run.recipe.features
    width, per_place = n_features(features), _seconds_per_place(features)
    frames = blocks = size = heat = held = 0
    seconds, small = 0.0, list[str]()
    for at, ref in enumerate(clips):
        watch.step(at / len(clips), f"Planning {ref.name}")
        try:
            grids = grids_of(run, ref, scales)
        except DataError:
            small.append(ref.name)
            continue
        patches, at_once = patches_of(grids), frames_of_block(grids, width)
        frames += ref.n_frames
        blocks += -(-ref.n_frames // at_once)
        size += bytes_on_disk(ref)
        heat += 4 * patches * ref.n_frames
        seconds += ref.n_frames * (PER_FRAME + patches * per_place)
        held = max(held, at_once * patches * 4 * width + 8 * ref.rows * ref.cols)
    notes = [f"{how_many(len(small), 'clip')} cannot be scored, as {small[0]}: its frames are "
             "smaller than the patches of the run."] if small else []
    return ClipsPlan(len(clips) - len(small), frames, blocks, size, heat, seconds, held, notes)


def _seconds_per_place(features: FeatureRecipe) -> float:
    if features.bands:
        return features.bands * _seconds_per_place(features.of_one_band)
    if features.kind == "cnn":  # sees each patch by itself, of those that are scored
        return SHARE_SCORED * seconds_per_instance(features)
    return sum(_PER_PLACE.get(part, _PER_OTHER_PLACE) for part in features.kind.split("+"))
