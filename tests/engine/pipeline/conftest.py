"""The small project of `tests/engine/course`."""

from ..course.conftest import N_FRAMES, RECIPE, a_box, cache, project

__all__ = ["N_FRAMES", "RECIPE", "a_box", "cache", "project"]
