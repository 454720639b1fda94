"""What readers of files with a calibration share: frames as counts or as temperatures, and the
object parameters."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError, ParamError
from emberscope.frames.radiometry import SCENE, UNITS, Calibration, check_scene
from emberscope.frames.readers.parts.base import Source

UNSAID = "it does not say how its counts become temperatures"
LEAVE = "Leave the units as counts."
# What a file says of the camera and of the scene; the panel of a source shows it
SAID_OF_CAMERA = (
    "camera",
    "lens",
    "lens serial",
    "filter",
    "field of view deg",
    "focus m",
    "range degC",
    "shown counts",
    "time",
    "palette",
    "place",
    "planck",
    "object",
)


class RadiometricSource(Source):
    """A reader of counts that may be read as temperatures.

    Options: `units`, "counts" (default), "degC" or "K"; object parameters by their names
    (`radiometry.Scene`), in place of those in the file. A subclass calls `_take_units` when it
    knows `dtype` and the calibration of its first frame, and hands each frame to `_in_units`.
    Temperatures are float32, NaN where no body has such counts.
    """

    accepts: ClassVar[tuple[str, ...]] = ("units", *SCENE)
    calibration: Calibration | None = None

    def _take_units(self, calibration: Calibration | None) -> None:
        wanted = self.options.get("units", "counts")
        if wanted not in UNITS:
            raise ParamError(
                f"there are no units {wanted}", where=self.uri, hint=f"Known: {', '.join(UNITS)}."
            )
        self._set = check_scene(
            {name: self.options[name] for name in SCENE if name in self.options}
        )
        if calibration is None and (wanted != "counts" or self._set):
            raise FormatError(self.uri, None, UNSAID, LEAVE)
        self.calibration = self._as_set(calibration)
        self.units = wanted
        if wanted != "counts":
            self.dtype, self.bit_depth = np.dtype(np.float32), None

    def said_of_scene(self) -> dict[str, dict[str, float]]:
        """Constants and object parameters by which frames are read, plain data."""
        return self.calibration.to_dict() if self.calibration is not None else {}

    def _as_set(self, calibration: Calibration | None) -> Calibration | None:
        """The calibration with the object parameters that were asked for."""
        if calibration is None or not self._set:
            return calibration
        return Calibration(calibration.planck, calibration.scene.changed(self._set))

    def _in_units(self, counts: NDArray, calibration: Calibration | None = None) -> NDArray:
        """A frame of counts (rows, cols) in the units of the source; `calibration` of this frame,
        where it has one."""
        if self.units == "counts":
            return counts
        calibration = self._as_set(calibration) or self.calibration
        assert calibration is not None  # else `_take_units` refused
        return calibration.temperatures(counts, self.units)
